import { EntityRepository } from '../../database/entity-repository.js';
import { IdempotencyRecord } from './idempotency-record.entity.js';

/** For how long an answer is kept. */
const KEPT = `interval '24 hours'`;
/** So long after its effect a request may still be at work on its answer. */
const AT_WORK = `interval '15 seconds'`;
/** Most records that one statement removes. */
const PAGE = 1_000;

/** A record as another request finds it. */
export type FoundRecord = Pick<IdempotencyRecord, 'body_digest' | 'status' | 'content'> & { is_at_work: boolean };

export class IdempotencyRecordsRepository extends EntityRepository(IdempotencyRecord) {
  /**
   * Takes the lock `idempotency:<scope>` until the transaction ends: its holder alone may have the effect. False when
   * another transaction holds it.
   */
  async tryLock(scope: Buffer): Promise<boolean> {
    const [row]: { locked: boolean }[] = await this.query(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('idempotency:' || encode($1::bytea, 'hex'), 0)) AS locked`,
      [scope],
    );
    return row?.locked === true;
  }

  /** What is kept of the requests of a scope. */
  async found(scope: Buffer): Promise<FoundRecord | undefined> {
    const [row]: FoundRecord[] = await this.query(
      `SELECT body_digest, status, content, created_at > now() - ${AT_WORK} AS is_at_work
         FROM idempotency_records WHERE scope = $1 AND created_at > now() - ${KEPT}`,
      [scope],
    );
    return row;
  }

  /** Keeps a record, in the place of one that is too old. False when there is one. */
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

  /** Takes up a record without an answer whose request has gone; false when another request has done so. */
  async takeUp(scope: Buffer): Promise<void> {
    await this.query(`UPDATE idempotency_records SET created_at = now() WHERE scope = $1 AND status IS NULL`, [scope]);
  }

  /** Adds the answer to a record that has none. */
  async finish(scope: Buffer, status: number, content: Buffer): Promise<void> {
    await this.query('UPDATE idempotency_records SET status = $2, content = $3 WHERE scope = $1 AND status IS NULL', [
      scope,
      status,
      content,
    ]);
  }

  /** Removes a record without an answer. */
  async forget(scope: Buffer): Promise<void> {
    await this.query('DELETE FROM idempotency_records WHERE scope = $1 AND status IS NULL', [scope]);
  }

  /** Removes some of the records that are too old; answers whether there may be more. */
  async removeOld(): Promise<boolean> {
    const [, removed]: [unknown[], number] = await this.query(
      `DELETE FROM idempotency_records WHERE scope = ANY (ARRAY(
         SELECT scope FROM idempotency_records WHERE created_at <= now() - ${KEPT} ORDER BY created_at LIMIT ${PAGE}))`,
    );
    return removed === PAGE;
  }

  /** Companies of which more is kept than `answers`, or than `bytes` of encrypted answers. */
  async companiesAbove(answers: number, bytes: number): Promise<string[]> {
    const rows: { company_id: string }[] = await this.query(
      `SELECT company_id FROM idempotency_records WHERE company_id IS NOT NULL
        GROUP BY company_id HAVING count(*) > $1 OR sum(octet_length(content)) > $2`,
      [answers, bytes],
    );
    return rows.map(({ company_id }) => company_id);
  }

  /** The moment up to which answers have to go for a company to have no more than so many, and so many bytes, as a text. */
  async excess(company_id: string, answers: number, bytes: number): Promise<string | undefined> {
    const [row]: { created_at: string }[] = await this.query(
      `SELECT created_at::text AS created_at
         FROM (SELECT created_at, row_number() OVER newest AS place, sum(octet_length(content)) OVER newest AS bytes
                 FROM idempotency_records WHERE company_id = $1
               WINDOW newest AS (ORDER BY created_at DESC ROWS UNBOUNDED PRECEDING)) counted
        WHERE place > $2 OR bytes > $3 ORDER BY created_at DESC LIMIT 1`,
      [company_id, answers, bytes],
    );
    return row?.created_at;
  }

  /** Removes some of the records of a company up to a moment; answers whether there may be more. */
  async removeUpTo(company_id: string, moment: string): Promise<boolean> {
    const [, removed]: [unknown[], number] = await this.query(
      `DELETE FROM idempotency_records WHERE scope = ANY (ARRAY(
         SELECT scope FROM idempotency_records WHERE company_id = $1 AND created_at <= $2 ORDER BY created_at LIMIT ${PAGE}))`,
      [company_id, moment],
    );
    return removed === PAGE;
  }
}
