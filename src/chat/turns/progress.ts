import type { BodyEvent, MessageBody } from '../messages/message-body.js';

/** Progress of a turn, including events that may not be stored yet. */
export interface Progress {
  body: MessageBody;
  /** Number of events in the body, including the start of the turn. 0 until a message exists. */
  next_seq: number;
  /** Latest events of the body, which may not be stored yet. Excludes the start of the turn. */
  unstored: BodyEvent[];
  credits: number;
}

/** Returns the sequence number of the first event in {@link Progress.unstored}. */
export const firstUnstored = ({ next_seq, unstored }: Progress): number => next_seq - unstored.length;
