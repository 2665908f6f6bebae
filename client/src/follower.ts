import { after, type ConversationState, type Followed, followedFrom, OutOfStep } from './conversation-state.js';
import { ConnectionError } from './errors.js';
import { type OpenedStream, openStream } from './event-streams.js';
import type { Persistence } from './retry.js';
import type { ChatEvent } from './schemas.js';
import type { ServerSentEvent } from './server-sent-events.js';
import type { Transport } from './transport.js';

export const CHAT = '/api/v1/projects/{project_id}/chat';

/** Which conversation, as parameters of its operations. */
export interface Place {
  path: { project_id: string };
  /** Absent: the project's default conversation. */
  query: { conversation_id?: string };
}

/** Keeps a state of a conversation that is the sum of what sync and the stream have told. */
export class Follower {
  /** What is known; null: sync has to be read. */
  private followed: Followed | null = null;

  /**
   * @param limit messages of a state
   * @param show is given each state that differs from the one before
   */
  constructor(
    private readonly transport: Transport,
    private readonly place: Place,
    private readonly limit: number,
    private readonly show: (state: ConversationState) => void,
    private readonly signal: AbortSignal,
  ) {}

  /** Runs until it is aborted. @throws what does not pass by itself */
  async run(persistence: Persistence): Promise<never> {
    for (;;) {
      try {
        const stream = await this.connect();
        persistence.reached();
        try {
          for await (const events of stream.events) {
            if (events.length > 0) persistence.succeeded();
            this.take(events);
          }
        } finally {
          await stream.close();
        }
        await persistence.failed(new ConnectionError('The service has ended the event stream'));
      } catch (error) {
        if (!(error instanceof OutOfStep)) await persistence.failed(error);
        else {
          this.followed = null;
          await persistence.failed(new ConnectionError('Events are missing', { cause: error }));
        }
      }
    }
  }

  /** A stream whose next event is the first one that the state does not have. */
  private async connect(): Promise<OpenedStream> {
    let etag: string | null = null;
    for (;;) {
      if (this.followed?.position != null) return await this.open(this.followed.position);
      etag ??= await this.read(null);
      if (this.followed?.position != null) continue;
      // No turn is known, so there is no event to name. What has not changed after the stream was opened is what it begins with.
      const stream = await this.open(null);
      let isUnchanged = false;
      try {
        const now = await this.read(etag);
        isUnchanged = now === etag;
        etag = now;
      } finally {
        if (!isUnchanged) await stream.close();
      }
      if (isUnchanged) return stream;
    }
  }

  /** Takes what sync answers, unless it still has the tag that is known; resolves with its tag. */
  private async read(known: string | null): Promise<string | null> {
    const { path, query } = this.place;
    const { data, response } = await this.transport.authenticated('get', `${CHAT}/sync`, {
      params: { path, query: { ...query, limit: this.limit } },
      ifNoneMatch: known ?? undefined,
      signal: this.signal,
    });
    if (data === undefined) return known;
    this.followed = followedFrom(data as ConversationState);
    this.show(this.followed.state);
    return response.headers.get('etag');
  }

  private async open(position: Followed['position']): Promise<OpenedStream> {
    const { path, query } = this.place;
    const from = position === null ? {} : { turn_id: position.turn_id, from_seq: position.next_seq };
    return await openStream(this.transport, `${CHAT}/stream`, { path, query: { ...query, ...from } }, this.signal);
  }

  private take(events: ServerSentEvent[]): void {
    const before = this.followed;
    if (before === null) throw new OutOfStep('Nothing is known');
    let now = before;
    for (const { data, ...event } of events)
      now = after(now, { ...event, data: JSON.parse(data) as unknown } as ChatEvent, this.limit);
    this.followed = now;
    if (now.state !== before.state) this.show(now.state);
  }
}
