import { TooManyRequests } from '../common/errors/errors.js';
import type { Situation } from './turns/turns.repository.js';

/** Maximum number of messages that wait while a turn is being answered. */
const MAX_WAITING = 20;
/** Maximum number of messages that a turn answers. All of them are shown to the agent. */
const MAX_JOINED = 100;
/**
 * Maximum total size of the messages that the agent has not started to answer, in bytes. Exceeds the maximum size of a single
 * message.
 */
const MAX_BYTES = 8 * 1024 ** 2;
const RETRY_SECONDS = 5;

/**
 * Returns whether a message starts a turn, which then answers all waiting messages. If a turn is dispatched, the message joins
 * it (see `ConversationsRepository.append`). If a turn is being answered, the message waits for the next turn, which starts
 * when the current turn ends.
 *
 * @throws TooManyRequests if too many messages are waiting, or if they are too long in total
 */
export function startsTurn({ is_active, joined, waiting, bytes }: Situation, content: string): boolean {
  if (is_active && waiting >= MAX_WAITING) {
    throw new TooManyRequests(
      'too_many_waiting',
      `${MAX_WAITING} messages are already waiting for the agent; try again later`,
      RETRY_SECONDS,
    );
  }
  if (joined >= MAX_JOINED) {
    throw new TooManyRequests(
      'too_many_waiting',
      `${MAX_JOINED} messages are already waiting for the agent to start; try again later`,
      RETRY_SECONDS,
    );
  }
  if (is_active && bytes + Buffer.byteLength(content) > MAX_BYTES) {
    throw new TooManyRequests(
      'too_many_waiting',
      'The messages waiting for the agent are too long in total; try again later',
      RETRY_SECONDS,
    );
  }
  return !is_active;
}
