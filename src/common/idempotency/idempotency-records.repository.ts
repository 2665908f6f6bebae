import { EntityRepository } from '../../database/entity-repository.js';
import { IdempotencyRecord } from './idempotency-record.entity.js';

/** Retention period for a response. */
const KEPT = `interval '24 hours'`;
/** Maximum time between storing the effect of a request and finishing its response. */
const WORK_TIME = `interval '15 seconds'`;
/** Maximum number of records that a statement removes. */
const PAGE = 1_000;
/** Minimum stored size of a large response, in bytes. The index of large responses has the same condition. */
export const LARGE_ANSWER = 16_384;
const IS_LARGE = `octet_length(content) > ${LARGE_ANSWER}`;

/** Record as read by a later request. */
export type CurrentRecord = Pick<IdempotencyRecord, 'body_digest' | 'status' | 'content'> & { is_at_work: boolean };

export class IdempotencyRecordsRepository extends EntityRepository(IdempotencyRecord) {
  /**
   * Takes the lock `idempotency:<scope>` until the transaction ends. Only its holder may apply the effect of the request.
   * Returns false if another transaction holds it.
   */
  async tryLock(scope: Buffer): Promise<boolean> {
    const [row]: { locked: boolean }[] = await this.query(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('idempotency:' || encode($1::bytea, 'hex'), 0)) AS locked`,
      [scope],
    );
    return row?.locked === true;
  }

  /** Returns the record of a scope, or undefined if it does not exist or has expired. */
  async findCurrent(scope: Buffer): Promise<CurrentRecord | undefined> {
    const [row]: CurrentRecord[] = await this.query(
      `SELECT body_digest, status, content, created_at > now() - ${WORK_TIME} AS is_at_work
         FROM idempotency_records WHERE scope = $1 AND created_at > now() - ${KEPT}`,
      [scope],
    );
    return row;
  }

  /** Adds a record, replacing an expired record. Returns false if a valid record already exists. */
  async add({
    scope,
    company_id,
    body_digest,
    status,
    content,
  }: Pick<IdempotencyRecord, 'scope' | 'company_id' | 'body_digest' | 'status' | 'content'>): Promise<boolean> {
    const added: unknown[] = await this.query(
      `INSERT INTO idempotency_records AS known (scope, body_digest, status, content, company_id) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (scope) DO UPDATE
         SET body_digest = excluded.body_digest, status = excluded.status, content = excluded.content, created_at = now()
         WHERE known.created_at <= now() - ${KEPT}
       RETURNING true`,
      [scope, body_digest, status, content, company_id],
    );
    return added.length > 0;
  }

  /** Reclaims an unfinished record whose request is no longer running, by restarting its work time. */
  async reclaim(scope: Buffer): Promise<void> {
    await this.query(`UPDATE idempotency_records SET created_at = now() WHERE scope = $1 AND status IS NULL`, [scope]);
  }

  /** Adds the response to an unfinished record. */
  async finish(scope: Buffer, status: number, content: Buffer): Promise<void> {
    await this.query('UPDATE idempotency_records SET status = $2, content = $3 WHERE scope = $1 AND status IS NULL', [
      scope,
      status,
      content,
    ]);
  }

  /** Removes an unfinished record. */
  async forget(scope: Buffer): Promise<void> {
    await this.query('DELETE FROM idempotency_records WHERE scope = $1 AND status IS NULL', [scope]);
  }

  /** Removes some expired records. Returns whether there may be more. */
  async removeOld(): Promise<boolean> {
    const [, removed]: [unknown[], number] = await this.query(
      `DELETE FROM idempotency_records WHERE scope = ANY (ARRAY(
         SELECT scope FROM idempotency_records WHERE created_at <= now() - ${KEPT} ORDER BY created_at LIMIT ${PAGE}))`,
    );
    return removed === PAGE;
  }

  /**
   * Drops the content of a company's oldest large responses, so that the remaining responses have at most `bytes` in total. Skips
   * responses that another transaction is dropping.
   */
  async dropLargeAnswers(company_id: string, bytes: number): Promise<void> {
    await this.dropAnswers(company_id, bytes, IS_LARGE);
  }

  /** Returns companies that have more than `keys` records, or more than `bytes` of encrypted responses. */
  async companiesAbove(keys: number, bytes: number): Promise<string[]> {
    const rows: { company_id: string }[] = await this.query(
      `SELECT company_id FROM idempotency_records WHERE company_id IS NOT NULL
        GROUP BY company_id HAVING count(*) > $1 OR sum(octet_length(content)) > $2`,
      [keys, bytes],
    );
    return rows.map(({ company_id }) => company_id);
  }

  /** Drops the content of a company's oldest responses, so that the remaining responses have at most `bytes` in total. */
  async dropAnswers(company_id: string, bytes: number, condition = 'true'): Promise<void> {
    await this.query(
      `UPDATE idempotency_records SET content = '' WHERE scope = ANY (ARRAY(
         SELECT scope FROM idempotency_records JOIN (
                SELECT scope, sum(octet_length(content)) OVER (ORDER BY created_at DESC, scope) AS bytes
                  FROM idempotency_records WHERE company_id = $1 AND status IS NOT NULL AND ${condition}) counted USING (scope)
          WHERE counted.bytes > $2 AND octet_length(content) > 0
            FOR NO KEY UPDATE OF idempotency_records SKIP LOCKED))`,
      [company_id, bytes],
    );
  }

  /** Removes some of the oldest records that a company has in excess of `keys`. Returns whether there may be more. */
  async removeAbove(company_id: string, keys: number): Promise<boolean> {
    const [, removed]: [unknown[], number] = await this.query(
      `DELETE FROM idempotency_records WHERE scope = ANY (ARRAY(
         SELECT scope FROM idempotency_records WHERE company_id = $1 ORDER BY created_at DESC OFFSET $2 LIMIT ${PAGE}))`,
      [company_id, keys],
    );
    return removed === PAGE;
  }
}
