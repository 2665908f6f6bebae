import type { Tx } from '../../platform/database/database.service.js';

/** The keys of the objects of a store, in a temporary table of a transaction, beside the rows of blobs. */
export class ListedObjectsRepository {
  constructor(private readonly tx: Tx) {}

  /** Makes the table, in a transaction that may take as long as it needs. */
  async begin(): Promise<void> {
    await this.tx.query(
      `SELECT set_config('transaction_timeout', '0', true), set_config('statement_timeout', '0', true)`,
    );
    await this.tx.query('CREATE TEMPORARY TABLE listed (key text PRIMARY KEY) ON COMMIT DROP');
  }

  async add(keys: readonly string[]): Promise<void> {
    await this.tx.query('INSERT INTO listed (key) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [keys]);
  }

  /** All keys are there. */
  async complete(): Promise<void> {
    await this.tx.query('ANALYZE listed');
  }

  /** Keys that no row knows. */
  async orphans(): Promise<string[]> {
    const rows: { key: string }[] = await this.tx.query(
      `SELECT l.key FROM listed l
        WHERE NOT EXISTS (SELECT FROM blobs b WHERE 'blobs/' || b.id = l.key)
          AND NOT EXISTS (SELECT FROM doomed_objects d WHERE 'blobs/' || d.blob_id = l.key)`,
    );
    return rows.map(({ key }) => key);
  }

  /** Ids of stored blobs whose key is not there. */
  async missing(): Promise<string[]> {
    const rows: { id: string }[] = await this.tx.query(
      `SELECT b.id FROM blobs b
        WHERE b.state = 'stored' AND NOT EXISTS (SELECT FROM listed l WHERE l.key = 'blobs/' || b.id)`,
    );
    return rows.map(({ id }) => id);
  }
}
