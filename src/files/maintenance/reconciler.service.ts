import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { ObjectStore } from '../../platform/object-store/object-store.js';
import { BLOBS, keyOf } from '../blobs.service.js';

const BATCH = 1000;

/** A file whose content is lost. */
export interface LostFile {
  container_id: string;
  path: string;
  blob_id: string;
}

/** Where rows and objects do not agree. */
export interface Discrepancies {
  /** Keys of objects that no row knows. */
  orphans: string[];
  /** Blobs without object that nothing refers to. */
  hollow: string[];
  /** Files that refer to a blob without object. */
  lost: LostFile[];
}

/** Compares the rows of blobs with the objects of the store, for operators who suspect that one of them was touched. */
@Injectable()
export class Reconciler {
  constructor(
    private readonly database: Database,
    private readonly store: ObjectStore,
  ) {}

  /** Looks at every object and every row; what has come or gone meanwhile is no discrepancy. */
  async compare(): Promise<Discrepancies> {
    return await this.database.transaction(async (tx) => {
      // A large store takes longer than a request may; no lock is held meanwhile.
      await tx.query(`SELECT set_config('transaction_timeout', '0', true), set_config('statement_timeout', '0', true)`);
      await tx.query('CREATE TEMPORARY TABLE listed (key text PRIMARY KEY) ON COMMIT DROP');
      await this.list(tx);
      const orphans = await this.keys(
        tx,
        `SELECT l.key FROM listed l
          WHERE NOT EXISTS (SELECT FROM blobs b WHERE 'blobs/' || b.id = l.key)
            AND NOT EXISTS (SELECT FROM doomed_objects d WHERE 'blobs/' || d.blob_id = l.key)`,
      );
      const missing = await this.keys(
        tx,
        `SELECT b.id AS key FROM blobs b
          WHERE b.state = 'stored' AND NOT EXISTS (SELECT FROM listed l WHERE l.key = 'blobs/' || b.id)`,
      );
      const gone = await this.filter(missing, async (id) => (await this.store.size(keyOf(id))) === undefined);
      const lost = await this.filesOf(tx, gone);
      const referred = new Set(lost.map(({ blob_id }) => blob_id));
      return {
        orphans: await this.filter(orphans, async (key) => (await this.store.size(key)) !== undefined),
        hollow: gone.filter((id) => !referred.has(id)),
        lost,
      };
    });
  }

  /**
   * Deletes orphans and hollow rows. Lost files stay: only a backup brings their content back, and a store that is
   * merely the wrong one must not empty every tree.
   */
  async mend({ orphans, hollow }: Discrepancies): Promise<void> {
    await this.store.delete(orphans);
    await this.database.manager.query(
      `DELETE FROM blobs b WHERE b.id = ANY ($1::uuid[])
          AND NOT EXISTS (SELECT FROM nodes n WHERE n.blob_id = b.id) AND NOT EXISTS (SELECT FROM uploads u WHERE u.blob_id = b.id)`,
      [hollow],
    );
  }

  private async list(tx: Tx): Promise<void> {
    let batch: string[] = [];
    const flush = async (): Promise<void> => {
      await tx.query('INSERT INTO listed (key) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [batch]);
      batch = [];
    };
    for await (const key of this.store.list(BLOBS)) {
      batch.push(key);
      if (batch.length === BATCH) await flush();
    }
    await flush();
    await tx.query('ANALYZE listed');
  }

  private async keys(tx: Tx, statement: string): Promise<string[]> {
    const rows: { key: string }[] = await tx.query(statement);
    return rows.map(({ key }) => key);
  }

  private async filter(items: string[], keep: (item: string) => Promise<boolean>): Promise<string[]> {
    const kept: string[] = [];
    for (const item of items) if (await keep(item)) kept.push(item);
    return kept;
  }

  private async filesOf(tx: Tx, blob_ids: string[]): Promise<LostFile[]> {
    return await tx.query(
      `WITH RECURSIVE up AS (
         SELECT n.container_id, n.blob_id, n.parent_id, n.name::text AS path FROM nodes n WHERE n.blob_id = ANY ($1::uuid[])
         UNION ALL
         SELECT u.container_id, u.blob_id, p.parent_id, p.name || '/' || u.path
           FROM up u JOIN nodes p ON p.container_id = u.container_id AND p.node_id = u.parent_id AND p.node_id > 0
       )
       SELECT container_id, path, blob_id FROM up WHERE parent_id = 0 ORDER BY container_id, path`,
      [blob_ids],
    );
  }
}
