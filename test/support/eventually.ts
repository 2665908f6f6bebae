import { setTimeout as pause } from 'node:timers/promises';

const FIRST_INTERVAL_MS = 25;
const MAX_INTERVAL_MS = 100;
/** The longer something takes, the less often it is asked for: as often again for each such part of the time so far. */
const SHARE = 0.2;

export interface Patience {
  /** Longest wait; default 10 seconds. */
  deadlineMs?: number;
  /** Ends the failure's message: what was waited for. */
  until: string;
}

/**
 * Asks `look` again and again until its answer satisfies `done`; answers that answer.
 *
 * @throws Error with the last answer when the deadline passes first.
 */
export async function eventually<Answer>(
  look: () => Promise<Answer>,
  done: (answer: Answer) => boolean,
  { deadlineMs = 10_000, until }: Patience,
): Promise<Answer> {
  const began = Date.now();
  const deadline = began + deadlineMs;
  for (;;) {
    const answer = await look();
    if (done(answer)) return answer;
    if (Date.now() > deadline) {
      throw new Error(`Waited ${deadlineMs} ms in vain until ${until}; the last answer was ${JSON.stringify(answer)}`);
    }
    await pause(Math.min(MAX_INTERVAL_MS, Math.max(FIRST_INTERVAL_MS, SHARE * (Date.now() - began))));
  }
}
