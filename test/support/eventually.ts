import { setTimeout as pause } from 'node:timers/promises';

const FIRST_INTERVAL_MS = 30;
const MAX_INTERVAL_MS = 200;
/** Delay before the next check, as a fraction of the elapsed time. Long waits are checked less often. */
const SHARE = 0.4;

export interface Patience {
  /** Maximum waiting time. Defaults to 10 seconds. */
  deadlineMs?: number;
  /** Description of the expected state, shown at the end of the error message. */
  until: string;
}

/**
 * Calls `look` repeatedly until its result satisfies `done`, and returns that result.
 *
 * @throws Error with the last result if the deadline passes first
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
