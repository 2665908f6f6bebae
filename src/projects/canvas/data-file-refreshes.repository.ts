import type { ProjectId } from '../../database/checked-id.js';
import { LeaseLost } from '../../common/leases/lease.js';
import { claimedBy, OVERDUE, RENEWED } from '../../common/leases/leased-row.sql.js';
import { EntityRepository } from '../../database/entity-repository.js';
import { DataFileRefresh } from './data-file-refresh.entity.js';

/** Refresh that a worker has claimed. */
export interface LeasedRefresh extends Pick<DataFileRefresh, 'cause' | 'owner' | 'generation' | 'requests'> {
  id: ProjectId;
}

/**
 * Condition that a worker still holds a refresh. {@link leaseOf} returns its parameters $1 to $4. The generation alone is not
 * sufficient, because it restarts when a row is deleted and created again.
 */
const HELD = 'project_id = $1 AND cause = $2 AND generation = $3 AND owner = $4';

const leaseOf = ({ id, cause, generation, owner }: LeasedRefresh): unknown[] => [id, cause, generation, owner];

/** SQL expression for the retry delay after a failure. */
const REST = `least(power(2, least(attempts, 10)) * interval '1 s', interval '5 min')`;
/** Condition that delays a refresh whose owner has died, because reading its files may have crashed the process. */
const HAS_RESTED = `(owner IS NULL OR due_at < clock_timestamp() - ${REST})`;

/** SELECT for metrics: the number of due refreshes and how long the oldest has been due. */
export const BACKLOG = `
  SELECT count(*)::integer AS waiting,
         coalesce(extract(epoch FROM clock_timestamp() - min(due_at)), 0)::double precision AS oldest_seconds
    FROM data_file_refreshes WHERE ${OVERDUE}`;

/** Queues projects whose data cards refer to files that must be read again. */
export class DataFileRefreshesRepository extends EntityRepository(DataFileRefresh) {
  /**
   * Schedules a project's files to be read after the transaction has committed. Triggers on `nodes` call the same SQL function.
   */
  async request(project_id: ProjectId): Promise<void> {
    await this.query(`SELECT request_data_files(ARRAY[$1::uuid], 'canvas')`, [project_id]);
  }

  /** Claims up to `limit` projects for `owner`. */
  async claim(owner: string, limit: number): Promise<LeasedRefresh[]> {
    const [claimed]: [LeasedRefresh[], number] = await this.query(
      `WITH due AS (
         SELECT project_id, cause FROM data_file_refreshes WHERE ${OVERDUE} AND ${HAS_RESTED}
          ORDER BY due_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
       )
       UPDATE data_file_refreshes r SET ${claimedBy('$1')} FROM due WHERE r.project_id = due.project_id AND r.cause = due.cause
       RETURNING r.project_id AS id, r.cause, r.owner, r.generation, r.requests`,
      [owner, limit],
    );
    return claimed;
  }

  /**
   * Renews the lease of a refresh.
   * @throws LeaseLost
   */
  async renew(refresh: LeasedRefresh): Promise<void> {
    const [, count]: [unknown[], number] = await this.query(
      `UPDATE data_file_refreshes SET ${RENEWED} WHERE ${HELD}`,
      leaseOf(refresh),
    );
    if (count === 0) throw new LeaseLost();
  }

  /**
   * Removes a completed refresh. If another request has arrived in the meantime, the refresh becomes due immediately instead.
   */
  async finish(refresh: LeasedRefresh): Promise<void> {
    const lease = leaseOf(refresh);
    await this.query(`DELETE FROM data_file_refreshes WHERE ${HELD} AND requests = $5`, [...lease, refresh.requests]);
    await this.query(`UPDATE data_file_refreshes SET owner = NULL, due_at = now(), attempts = 0 WHERE ${HELD}`, lease);
  }

  /** Releases a refresh, so that another process can read the files immediately. */
  async release(refresh: LeasedRefresh): Promise<void> {
    await this.query(
      `UPDATE data_file_refreshes SET owner = NULL, due_at = now(), attempts = attempts - 1 WHERE ${HELD}`,
      leaseOf(refresh),
    );
  }

  /**
   * Schedules a retry of a failed refresh. The delay doubles with each attempt, up to five minutes. If another request has
   * arrived in the meantime, the refresh becomes due immediately.
   */
  async postpone(refresh: LeasedRefresh): Promise<void> {
    await this.query(
      `UPDATE data_file_refreshes
          SET owner = NULL, due_at = CASE requests WHEN $5
                THEN now() + ${REST} ELSE now() END
        WHERE ${HELD}`,
      [...leaseOf(refresh), refresh.requests],
    );
  }

  /** Takes over requests that processes of the previous version have added as graphile-worker jobs. */
  async takeJobs(): Promise<void> {
    await this.query('SELECT take_data_file_jobs()');
  }
}
