import { after, type ConversationState, type Followed, followedFrom, OutOfStep } from './conversation-state.js';
import { ConnectionError } from './errors.js';
import type { OpenedStream } from './event-streams.js';
import type { Persistence } from './retry.js';
import type { ChatEvent } from './schemas.js';
import type { ServerSentEvent } from './server-sent-events.js';
import { SharedStream } from './shared-stream.js';
import type { Transport } from './transport.js';

export const CHAT = '/api/v1/projects/{project_id}/chat';

/** Path and query parameters that identify a conversation. */
export interface Place {
  path: { project_id: string };
  /** Omit for the project's default conversation. */
  query: { conversation_id?: string };
}

/** Maintains the state of a conversation from sync responses and stream events. */
export class Follower {
  /** Current state. Null if sync must be read. */
  private followed: Followed | null = null;
  /** Entity tag of the last sync response. */
  private etag: string | null = null;
  /** Whether the state was built from every event of the stream since the last sync. */
  private followsStream = false;

  /**
   * @param limit maximum number of messages in a state
   * @param show receives each state that differs from the previous state
   */
  constructor(
    private readonly transport: Transport,
    private readonly place: Place,
    private readonly limit: number,
    private readonly show: (state: ConversationState) => void,
    private readonly signal: AbortSignal,
  ) {}

  /** Runs until the signal is aborted. @throws errors that cannot be retried */
  async run(persistence: Persistence): Promise<never> {
    const { path, query } = this.place;
    const topic = [path.project_id, query.conversation_id];
    const shared = new SharedStream(this.transport, `${CHAT}/stream`, topic, this.signal);
    try {
      for (;;) await this.follow(shared, persistence);
    } finally {
      shared.close();
    }
  }

  private async follow(shared: SharedStream, persistence: Persistence): Promise<void> {
    try {
      const stream = await this.connect(shared);
      persistence.reached();
      try {
        for await (const events of stream.events) {
          if (events === null) await this.read();
          else if (events.length > 0) persistence.succeeded();
          this.take(events ?? []);
        }
      } finally {
        await stream.close();
      }
    } catch (error) {
      if (!(error instanceof OutOfStep)) await persistence.failed(error);
      else {
        this.followed = null;
        await persistence.failed(new ConnectionError('The event stream skipped events', { cause: error }));
      }
    }
  }

  /** Opens a stream that continues exactly where the state ends. */
  private async connect(shared: SharedStream): Promise<OpenedStream> {
    if (this.followed === null) await this.read();
    for (;;) {
      const position = this.followed?.position ?? null;
      const stream = await this.open(shared, position);
      if (position !== null || stream.isJoined === true) return stream;
      // Without a known turn, there is no event to resume from. If a sync after opening the stream is unchanged, no event
      // was missed.
      let isChanged = true;
      try {
        isChanged = await this.read();
      } finally {
        if (isChanged) await stream.close();
      }
      if (!isChanged) return stream;
    }
  }

  /** Reads sync. Returns whether it has changed since the last read. */
  private async read(): Promise<boolean> {
    const { path, query } = this.place;
    const { data, response } = await this.transport.authenticated('get', `${CHAT}/sync`, {
      params: { path, query: { ...query, limit: this.limit } },
      ifNoneMatch: (this.followed && this.etag) ?? undefined,
      signal: this.signal,
    });
    if (data === undefined) return false;
    this.etag = response.headers.get('etag');
    this.followsStream = false;
    this.followed = followedFrom(data as ConversationState);
    this.show(this.followed.state);
    return true;
  }

  private async open(shared: SharedStream, position: Followed['position']): Promise<OpenedStream> {
    const { path, query } = this.place;
    const from = position === null ? {} : { turn_id: position.turn_id, from_seq: position.next_seq };
    const isResumed = position !== null && this.followsStream;
    const stream = await shared.open({ params: { path, query: { ...query, ...from } }, isResumed });
    this.followsStream = true;
    return stream;
  }

  private take(events: ServerSentEvent[]): void {
    const before = this.followed;
    if (before === null) throw new OutOfStep('The conversation was not read yet');
    let now = before;
    for (const { data, ...event } of events)
      now = after(now, { ...event, data: JSON.parse(data) as unknown } as ChatEvent, this.limit);
    this.followed = now;
    if (now.state !== before.state) this.show(now.state);
  }
}
