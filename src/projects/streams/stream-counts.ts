import type { Principal } from '../../auth/principal.js';
import { TooManyRequests } from '../../common/errors/errors.js';

/** Maximum number of open streams per caller, per person (including the person's API keys), and per company. */
const MAX_STREAMS = 20;
const MAX_STREAMS_OF_PERSON = 100;
const MAX_STREAMS_OF_COMPANY = 1_000;
const RETRY_SECONDS = 5;

/** Counts and limits the open streams of callers, persons and companies. */
export class StreamCounts {
  private readonly counts = new Map<string, number>();

  /**
   * Counts a stream as open until the returned function is called.
   * @throws TooManyRequests
   */
  enter({ kind, company_id, person_id, user_id, api_key_id }: Principal): () => void {
    const limits = new Map([
      [JSON.stringify([company_id, kind, user_id ?? api_key_id]), MAX_STREAMS],
      [JSON.stringify([company_id, person_id]), MAX_STREAMS_OF_PERSON],
      [JSON.stringify([company_id]), MAX_STREAMS_OF_COMPANY],
    ]);
    for (const [key, limit] of limits)
      if ((this.counts.get(key) ?? 0) >= limit)
        throw new TooManyRequests(
          'too_many_streams',
          `${limit} streams are already open; close one first`,
          RETRY_SECONDS,
        );
    for (const key of limits.keys()) this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    return () => {
      for (const key of limits.keys()) {
        const remaining = (this.counts.get(key) ?? 1) - 1;
        if (remaining === 0) this.counts.delete(key);
        else this.counts.set(key, remaining);
      }
    };
  }
}
