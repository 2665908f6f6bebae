import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The planner takes an index of turns by their state for a worse one than that of all active turns while none waits. */
export class IndexTurnsWithoutOwner1760000000690 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP INDEX turns_waiting_idx;
       CREATE INDEX turns_waiting_idx ON turns (company_id, created_at) WHERE owner IS NULL AND ended_at IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP INDEX turns_waiting_idx;
       CREATE INDEX turns_waiting_idx ON turns (company_id, created_at) WHERE state = 'dispatched'`,
    );
  }
}
