import type { ProjectId } from '../../database/checked-id.js';
import { LeaseLost } from '../../common/leases/lease.js';
import { claimedBy, OVERDUE, RENEWED } from '../../common/leases/leased-row.sql.js';
import { EntityRepository } from '../../database/entity-repository.js';
import { DataFileRefresh } from './data-file-refresh.entity.js';

/** A refresh that its owner works on. */
export interface HeldRefresh extends Pick<DataFileRefresh, 'cause' | 'owner' | 'generation' | 'requests'> {
  /** The project. */
  id: ProjectId;
}

/** Condition that a refresh is still held, whose parameters $1 to $4 {@link leaseOf} makes. A new row counts its owners anew. */
const HELD = 'project_id = $1 AND cause = $2 AND generation = $3 AND owner = $4';

const leaseOf = ({ id, cause, generation, owner }: HeldRefresh): unknown[] => [id, cause, generation, owner];

/** SQL: for so long a row is left alone after a failure. */
const REST = `least(power(2, least(attempts, 10)) * interval '1 s', interval '5 min')`;
/** Condition that a row whose owner has gone is not tried at once again and again: its file may end processes. */
const HAS_RESTED = `(owner IS NULL OR due_at < clock_timestamp() - ${REST})`;

/** SELECT of what waits for a worker. */
export const BACKLOG = `
  SELECT count(*)::integer AS waiting,
         coalesce(extract(epoch FROM clock_timestamp() - min(due_at)), 0)::double precision AS oldest_seconds
    FROM data_file_refreshes WHERE ${OVERDUE}`;

/** Projects whose data cards name files that have to be read again. */
export class DataFileRefreshesRepository extends EntityRepository(DataFileRefresh) {
  /** Has the files of a project read once the transaction has committed. The SQL function also serves triggers of `nodes`. */
  async request(project_id: ProjectId): Promise<void> {
    await this.query(`SELECT request_data_files(ARRAY[$1::uuid], 'canvas')`, [project_id]);
  }

  /** Makes `owner` the process that reads the files of up to `limit` projects. */
  async claim(owner: string, limit: number): Promise<HeldRefresh[]> {
    const [claimed]: [HeldRefresh[], number] = await this.query(
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

  /** @throws LeaseLost */
  async renew(held: HeldRefresh): Promise<void> {
    const [, count]: [unknown[], number] = await this.query(
      `UPDATE data_file_refreshes SET ${RENEWED} WHERE ${HELD}`,
      leaseOf(held),
    );
    if (count === 0) throw new LeaseLost();
  }

  /** Notes that files were read. What was asked for meanwhile is due now. */
  async finish(held: HeldRefresh): Promise<void> {
    const lease = leaseOf(held);
    await this.query(`DELETE FROM data_file_refreshes WHERE ${HELD} AND requests = $5`, [...lease, held.requests]);
    await this.query(`UPDATE data_file_refreshes SET owner = NULL, due_at = now(), attempts = 0 WHERE ${HELD}`, lease);
  }

  /** Has another process read the files now. */
  async release(held: HeldRefresh): Promise<void> {
    await this.query(
      `UPDATE data_file_refreshes SET owner = NULL, due_at = now(), attempts = attempts - 1 WHERE ${HELD}`,
      leaseOf(held),
    );
  }

  /**
   * Has files that could not be read tried again, each time after twice as long, five minutes at most. What was asked for meanwhile is
   * due now.
   */
  async postpone(held: HeldRefresh): Promise<void> {
    await this.query(
      `UPDATE data_file_refreshes
          SET owner = NULL, due_at = CASE requests WHEN $5
                THEN now() + ${REST} ELSE now() END
        WHERE ${HELD}`,
      [...leaseOf(held), held.requests],
    );
  }

  /** Takes over what processes of the version before have asked for by jobs of graphile-worker. */
  async takeJobs(): Promise<void> {
    await this.query('SELECT take_data_file_jobs()');
  }
}
