import { TooManyRequests } from '../common/errors/errors.js';
import type { Situation } from './turns/turns.repository.js';

/** Messages that may wait behind the turn that is being answered. */
const MAX_WAITING = 20;
/** Messages that one turn answers at most: the agent is shown all of them. */
const MAX_JOINED = 100;
/** Most bytes of all messages together that the agent has not begun to answer; a single message has less. */
const MAX_BYTES = 8 * 1024 ** 2;
const RETRY_SECONDS = 5;

/**
 * Whether a message starts a turn, which then answers all that wait. While a turn waits for its start, the message joins it
 * (`ConversationsRepository.append` looks for one); while a turn is being answered, the message waits for the next one, which
 * the end of this one starts.
 *
 * @throws TooManyRequests when too many messages, or too long ones, wait for the agent already
 */
export function startsTurn({ is_active, joined, waiting, bytes }: Situation, content: string): boolean {
  if (is_active && waiting >= MAX_WAITING) {
    throw new TooManyRequests('too_many_waiting', `${MAX_WAITING} messages wait for the agent already`, RETRY_SECONDS);
  }
  if (joined >= MAX_JOINED) {
    throw new TooManyRequests(
      'too_many_waiting',
      `${MAX_JOINED} messages wait for the agent to start already`,
      RETRY_SECONDS,
    );
  }
  if (is_active && bytes + Buffer.byteLength(content) > MAX_BYTES) {
    throw new TooManyRequests(
      'too_many_waiting',
      'The messages that wait for the agent are too long together already',
      RETRY_SECONDS,
    );
  }
  return !is_active;
}
