import type { BodyEvent, MessageBody } from '../messages/message-body.js';

/** Progress of a turn. */
export interface Progress {
  body: MessageBody;
  /** Number of events behind the body, the turn's own start included; 0 as long as there is no message. */
  next_seq: number;
  /** The last of these events: those that are not known to be stored, the turn's own start apart. */
  unstored: BodyEvent[];
  credits: number;
}

/** The seq of the first event of {@link Progress.unstored}. */
export const firstUnstored = ({ next_seq, unstored }: Progress): number => next_seq - unstored.length;
