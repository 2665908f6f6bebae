import { EntityRepository } from '../../database/entity-repository.js';
import { RequestCount } from './request-count.entity.js';

/** Hits in a window, and in how many ms it ends. */
type WindowHits = Pick<RequestCount, 'key' | 'hits'> & { ends_in: number };

/** Windows of counted requests, shared by all processes. */
export class RequestCountsRepository extends EntityRepository(RequestCount) {
  /** Adds hits to windows; answers what all processes together have counted in each. One that is over begins anew. */
  async add(windows: readonly WindowHits[]): Promise<WindowHits[]> {
    return await this.query(
      // In one order, so that processes do not wait for each other in a circle.
      `INSERT INTO request_counts AS known (key, hits, ends_at)
       SELECT key, hits, now() + ends_in * interval '1 millisecond'
       FROM unnest($1::text[], $2::integer[], $3::integer[]) AS own (key, hits, ends_in)
       ORDER BY key COLLATE "C"
       ON CONFLICT (key) DO UPDATE SET
         hits = CASE WHEN known.ends_at > now() THEN known.hits ELSE 0 END + excluded.hits,
         ends_at = CASE WHEN known.ends_at > now() THEN known.ends_at ELSE excluded.ends_at END
       RETURNING key, hits, ceil(extract(epoch FROM ends_at - now()) * 1000)::integer AS ends_in`,
      [windows.map(({ key }) => key), windows.map(({ hits }) => hits), windows.map(({ ends_in }) => ends_in)],
    );
  }

  /** Removes the windows that are over. */
  async removeEnded(): Promise<void> {
    await this.query('DELETE FROM request_counts WHERE ends_at <= now()');
  }
}
