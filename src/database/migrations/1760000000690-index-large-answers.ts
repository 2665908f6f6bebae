import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Large answers of a company, whose total size each new large answer checks. */
export class IndexLargeAnswers1760000000690 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX idempotency_records_large_idx ON idempotency_records (company_id, created_at) WHERE octet_length(content) > 16384',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX idempotency_records_large_idx');
  }
}
