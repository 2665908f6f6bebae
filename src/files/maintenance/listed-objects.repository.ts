import type { Tx } from '../../database/database.service.js';
import type { StoredObject } from '../../storage/object-store.js';

/** Holds the keys and sizes of the objects in a store in a temporary table, for comparison with blob rows. */
export class ListedObjectsRepository {
  constructor(private readonly tx: Tx) {}

  /** Creates the table, in a transaction without a time limit. */
  async begin(): Promise<void> {
    await this.tx.query(
      `SELECT set_config('transaction_timeout', '0', true), set_config('statement_timeout', '0', true)`,
    );
    await this.tx.query('CREATE TEMPORARY TABLE listed (key text PRIMARY KEY, size bigint NOT NULL) ON COMMIT DROP');
  }

  async add(objects: readonly StoredObject[]): Promise<void> {
    await this.tx.query(
      'INSERT INTO listed (key, size) SELECT * FROM unnest($1::text[], $2::bigint[]) ON CONFLICT DO NOTHING',
      [objects.map(({ key }) => key), objects.map(({ size }) => size)],
    );
  }

  /** Updates the planner statistics after all keys were inserted. */
  async complete(): Promise<void> {
    await this.tx.query('ANALYZE listed');
  }

  /** Returns the keys without a row. */
  async orphans(): Promise<string[]> {
    const rows: { key: string }[] = await this.tx.query(
      `SELECT l.key FROM listed l
        WHERE NOT EXISTS (SELECT FROM blobs b WHERE 'blobs/' || b.id = l.key)
          AND NOT EXISTS (SELECT FROM doomed_objects d WHERE 'blobs/' || d.blob_id = l.key)`,
    );
    return rows.map(({ key }) => key);
  }

  /** Returns stored blobs without an object of the same size. */
  async unequal(): Promise<{ id: string; size: number }[]> {
    return await this.tx.query(
      `SELECT b.id, b.size FROM blobs b
        WHERE b.state = 'stored' AND NOT EXISTS (SELECT FROM listed l WHERE l.key = 'blobs/' || b.id AND l.size = b.size)`,
    );
  }
}
