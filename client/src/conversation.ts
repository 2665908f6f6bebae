import type { ConversationState } from './conversation-state.js';
import { CHAT, Follower, type Place } from './follower.js';
import { Latest } from './latest.js';
import { type Following, Persistence } from './retry.js';
import type { Schemas } from './schemas.js';
import { LinkedSignal } from './time.js';
import { newId, type Transport } from './transport.js';

const DEFAULT_LIMIT = 200;

export interface FollowOptions extends Following {
  /** Ends it: the iterator throws the signal's reason. Leaving the loop ends it as well. */
  signal?: AbortSignal;
  /** Messages that a state has at most, the newest; 1 to 1,000, default 200. */
  limit?: number;
}

/** A message to post: its text, and what else there is in `ChatMessageCreate`. */
export type NewMessage = Omit<Schemas['ChatMessageCreate'], 'conversation_id'>;

/** A conversation of a project. */
export class Conversation {
  private readonly place: Place;

  /** @param conversationId absent: the project's default conversation */
  constructor(
    private readonly transport: Transport,
    readonly projectId: string,
    readonly conversationId?: string,
  ) {
    this.place = {
      path: { project_id: projectId },
      query: conversationId === undefined ? {} : { conversation_id: conversationId },
    };
  }

  /**
   * Posts a message; the agent answers in a turn, which {@link follow} shows. Sent again after a failure, it is still one
   * message: it has a `client_msg_id`, a new one unless the caller gives one.
   */
  async post(message: NewMessage, { signal }: { signal?: AbortSignal } = {}): Promise<Schemas['ChatResponse']> {
    const { path, query } = this.place;
    const body = { ...message, ...query, client_msg_id: message.client_msg_id ?? newId() };
    const { data } = await this.transport.call('post', CHAT, { params: { path }, body, signal });
    return data as Schemas['ChatResponse'];
  }

  /** Stops the turn that is active, or only the one that is named. */
  async stop({ turn_id, signal }: { turn_id?: string; signal?: AbortSignal } = {}): Promise<
    Schemas['ChatStopResponse']
  > {
    const { path, query } = this.place;
    const body = { ...query, ...(turn_id !== undefined && { turn_id }) };
    const { data } = await this.transport.call('post', `${CHAT}/stop`, { params: { path }, body, signal });
    return data as Schemas['ChatStopResponse'];
  }

  /**
   * The conversation as it is now, and again whenever it has changed. Each state is whole, with all that the agent has written
   * until then; one that was given never changes, and what is the same in two of them is the same object. A reader that is
   * slow gets the newest state, not all of them.
   *
   * Lost connections, restarts of the service and tokens that end are waited out, without a gap.
   *
   * @throws {@link ServiceError} when it cannot go on: the conversation was deleted, or the caller may not see it any more;
   * {@link ConnectionError} when the service was never reached, and it is not patient
   */
  async *follow({ signal, limit = DEFAULT_LIMIT, ...following }: FollowOptions = {}): AsyncGenerator<
    ConversationState,
    void
  > {
    const leaving = new LinkedSignal(signal);
    const states = new Latest<ConversationState>();
    const follower = new Follower(this.transport, this.place, limit, (state) => states.set(state), leaving.signal);
    const persistence = new Persistence(this.transport.retry, leaving.signal, following);
    const over = follower.run(persistence).catch((error: unknown) => states.fail(error));
    try {
      yield* states;
    } finally {
      leaving.abort();
      await over;
    }
  }
}
