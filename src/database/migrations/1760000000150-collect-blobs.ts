import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the collector and the sweeper of uploads work with. */
export class CollectBlobs1760000000150 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A blob's row goes in the transaction that notes its object here, so that no crash in between loses sight of it.
    await runner.query(`
      CREATE TABLE doomed_objects (
        blob_id uuid NOT NULL CONSTRAINT doomed_objects_pkey PRIMARY KEY,
        doomed_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX uploads_open_idx ON uploads (id) WHERE state IN ('open', 'completing')`);
    await runner.query(
      `CREATE INDEX uploads_ended_idx ON uploads (expires_at) WHERE state IN ('completed', 'aborted')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX uploads_ended_idx');
    await runner.query('DROP INDEX uploads_open_idx');
    await runner.query('DROP TABLE doomed_objects');
  }
}
