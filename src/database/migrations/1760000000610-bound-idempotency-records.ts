import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose answers are kept, so that those of one company can be bounded. */
export class BoundIdempotencyRecords1760000000610 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Null for what a process of the version before keeps, which is gone after a day.
    await runner.query('ALTER TABLE idempotency_records ADD COLUMN company_id text');
    await runner.query(
      'CREATE INDEX idempotency_records_company_idx ON idempotency_records (company_id, created_at) WHERE company_id IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_records DROP COLUMN company_id');
  }
}
