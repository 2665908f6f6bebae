import {
  applyEvent,
  type ConversationState,
  type FollowedState,
  initialState,
  OutOfSyncError,
} from './conversation-state.js';
import { ConnectionError } from './errors.js';
import type { EventStream } from './event-streams.js';
import type { RetryState } from './retry.js';
import type { ChatEvent } from './schemas.js';
import type { ServerSentEvent } from './server-sent-events.js';
import { SharedStream } from './shared-stream.js';
import type { Transport } from './transport.js';

export const CHAT = '/api/v1/projects/{project_id}/chat';

/** Path and query parameters that identify a conversation. */
export interface ConversationParams {
  path: { project_id: string };
  /** Omit for the project's default conversation. */
  query: { conversation_id?: string };
}

/** Maintains the state of a conversation from sync responses and stream events. */
export class Follower {
  /** Current state. Null if the sync response must be fetched first. */
  private current: FollowedState | null = null;
  /** Entity tag of the last sync response. */
  private etag: string | null = null;
  /** Whether the state was built from every event of the stream since the last sync. */
  private followsStream = false;

  /**
   * @param limit maximum number of messages in a state
   * @param onState receives each state that differs from the previous state
   */
  constructor(
    private readonly transport: Transport,
    private readonly conversation: ConversationParams,
    private readonly limit: number,
    private readonly onState: (state: ConversationState) => void,
    private readonly signal: AbortSignal,
  ) {}

  /** Runs until the signal is aborted. @throws errors that cannot be retried */
  async run(retryState: RetryState): Promise<never> {
    const { path, query } = this.conversation;
    const topic = [path.project_id, query.conversation_id];
    const shared = new SharedStream(this.transport, `${CHAT}/stream`, topic, this.signal);
    try {
      for (;;) await this.follow(shared, retryState);
    } finally {
      shared.close();
    }
  }

  private async follow(shared: SharedStream, retryState: RetryState): Promise<void> {
    try {
      const stream = await this.connect(shared);
      retryState.recordContact();
      try {
        for await (const events of stream.events) {
          if (events === null) await this.readSync();
          else if (events.length > 0) retryState.recordSuccess();
          this.applyEvents(events ?? []);
        }
      } finally {
        await stream.close();
      }
    } catch (error) {
      if (!(error instanceof OutOfSyncError)) await retryState.waitAfterFailure(error);
      else {
        this.current = null;
        await retryState.waitAfterFailure(new ConnectionError('The event stream skipped events', { cause: error }));
      }
    }
  }

  /** Opens a stream that continues exactly where the state ends. */
  private async connect(shared: SharedStream): Promise<EventStream> {
    if (this.current === null) await this.readSync();
    for (;;) {
      const position = this.current?.position ?? null;
      const stream = await this.open(shared, position);
      if (position !== null || stream.isJoined === true) return stream;
      // If the id of the latest turn is unknown, there is no event to resume from. If the sync response is unchanged after the
      // stream has opened, no event was missed.
      let isChanged = true;
      try {
        isChanged = await this.readSync();
      } finally {
        if (isChanged) await stream.close();
      }
      if (!isChanged) return stream;
    }
  }

  /** Fetches the sync response. Returns whether it has changed since the last fetch. */
  private async readSync(): Promise<boolean> {
    const { path, query } = this.conversation;
    const { data, response } = await this.transport.callOnce('get', `${CHAT}/sync`, {
      params: { path, query: { ...query, limit: this.limit } },
      ifNoneMatch: (this.current && this.etag) ?? undefined,
      signal: this.signal,
    });
    if (data === undefined) return false;
    this.etag = response.headers.get('etag');
    this.followsStream = false;
    this.current = initialState(data as ConversationState);
    this.onState(this.current.state);
    return true;
  }

  private async open(shared: SharedStream, position: FollowedState['position']): Promise<EventStream> {
    const { path, query } = this.conversation;
    const from = position === null ? {} : { turn_id: position.turn_id, from_seq: position.next_seq };
    const isResumed = position !== null && this.followsStream;
    const stream = await shared.open({ params: { path, query: { ...query, ...from } }, isResumed });
    this.followsStream = true;
    return stream;
  }

  private applyEvents(events: ServerSentEvent[]): void {
    const previous = this.current;
    if (previous === null) throw new OutOfSyncError('The conversation has not been read yet');
    let next = previous;
    for (const { data, ...event } of events)
      next = applyEvent(next, { ...event, data: JSON.parse(data) as unknown } as ChatEvent, this.limit);
    this.current = next;
    if (next.state !== previous.state) this.onState(next.state);
  }
}
