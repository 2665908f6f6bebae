import { TooManyRequests } from '../platform/errors/errors.js';
import type { Situation } from './turns/turns.repository.js';

/** Messages that may wait behind the turn that is being answered. */
const MAX_WAITING = 20;
/** Messages that one turn answers at most: the agent is shown all of them. */
const MAX_JOINED = 100;
/** Most bytes of all messages together that the agent has not begun to answer; a single message has less. */
const MAX_BYTES = 8 * 1024 ** 2;
const RETRY_SECONDS = 5;

/** What happens to a message that is posted now. */
export type Reception =
  /** No turn is active: a new one answers it, with all that waited. */
  | 'starts a turn'
  /** A turn waits for its start: it answers this message as well. */
  | 'joins the turn'
  /** A turn is being answered: the next one answers this message. */
  | 'waits for the next turn';

/**
 * What a post does while a turn waits, runs, or neither.
 *
 * @throws TooManyRequests when too many messages, or too long ones, wait for the agent already
 */
export function receptionOf({ is_active, joined, waiting, bytes }: Situation, content: string): Reception {
  if (is_active && waiting >= MAX_WAITING) {
    throw new TooManyRequests(`${MAX_WAITING} messages wait for the agent already`, RETRY_SECONDS);
  }
  if (joined >= MAX_JOINED) {
    throw new TooManyRequests(`${MAX_JOINED} messages wait for the agent to start already`, RETRY_SECONDS);
  }
  if (is_active && bytes + Buffer.byteLength(content) > MAX_BYTES) {
    throw new TooManyRequests('The messages that wait for the agent are too long together already', RETRY_SECONDS);
  }
  if (!is_active) return 'starts a turn';
  return joined > 0 ? 'joins the turn' : 'waits for the next turn';
}
