import type { ConversationState } from './conversation-state.js';
import { CHAT, type ConversationParams, Follower } from './follower.js';
import { LatestValue } from './latest-value.js';
import { type Following, RetryState } from './retry.js';
import type { Schemas } from './schemas.js';
import { LinkedSignal } from './time.js';
import { newId, type Transport } from './transport.js';

const DEFAULT_LIMIT = 200;

export interface FollowOptions extends Following {
  /** Stops following. The iterator then throws the signal's reason. Breaking out of the loop also stops it. */
  signal?: AbortSignal;
  /** Maximum number of messages in a state. Older messages are dropped. 1 to 1,000, default 200. */
  limit?: number;
}

/** Message to post: its text and the other fields of `ChatMessageCreate`. */
export type NewMessage = Omit<Schemas['ChatMessageCreate'], 'conversation_id'>;

export class Conversation {
  private readonly params: ConversationParams;

  /** @param conversationId default: the project's default conversation */
  constructor(
    private readonly transport: Transport,
    readonly projectId: string,
    readonly conversationId?: string,
  ) {
    this.params = {
      path: { project_id: projectId },
      query: conversationId === undefined ? {} : { conversation_id: conversationId },
    };
  }

  /**
   * Posts a message. The agent answers in a turn, which {@link follow} reports. Each message has a `client_msg_id`, so retries
   * never create a second message. The id is generated unless you set it.
   */
  async post(message: NewMessage, { signal }: { signal?: AbortSignal } = {}): Promise<Schemas['ChatResponse']> {
    const { path, query } = this.params;
    const body = { ...message, ...query, client_msg_id: message.client_msg_id ?? newId() };
    const { data } = await this.transport.call('post', CHAT, { params: { path }, body, signal });
    return data as Schemas['ChatResponse'];
  }

  /** Stops the active turn. With `turn_id`, stops only that turn. */
  async stop({ turn_id, signal }: { turn_id?: string; signal?: AbortSignal } = {}): Promise<
    Schemas['ChatStopResponse']
  > {
    const { path, query } = this.params;
    const body = { ...query, ...(turn_id !== undefined && { turn_id }) };
    const { data } = await this.transport.call('post', `${CHAT}/stop`, { params: { path }, body, signal });
    return data as Schemas['ChatStopResponse'];
  }

  /**
   * Yields the current state of the conversation, and a new state after each change. Each state is complete and includes
   * everything that the agent has written so far. States are immutable, and unchanged objects are reused. A slow reader
   * receives only the newest state.
   *
   * Lost connections, service restarts and expired tokens are handled without gaps.
   *
   * @throws {@link ServiceError} if following cannot continue because the conversation was deleted or the caller has lost
   * access; {@link ConnectionError} if the service was never reached and `isPatient` is not set
   */
  async *follow({ signal, limit = DEFAULT_LIMIT, ...following }: FollowOptions = {}): AsyncGenerator<
    ConversationState,
    void
  > {
    const linked = new LinkedSignal(signal);
    const states = new LatestValue<ConversationState>();
    const follower = new Follower(this.transport, this.params, limit, (state) => states.set(state), linked.signal);
    const retryState = new RetryState(this.transport.retry, linked.signal, following);
    const running = follower.run(retryState).catch((error: unknown) => states.fail(error));
    try {
      yield* states;
    } finally {
      linked.abort();
      await running;
    }
  }
}
