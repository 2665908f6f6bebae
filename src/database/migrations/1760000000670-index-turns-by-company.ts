import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Workers claim turns of each company in turn, the oldest of each first. With a condition on the state, the planner reads all active
 * turns while none waits.
 */
export class IndexTurnsByCompany1760000000670 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX turns_waiting_idx ON turns (company_id, created_at) WHERE owner IS NULL AND ended_at IS NULL;
       DROP INDEX turns_dispatched_idx`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX turns_dispatched_idx ON turns (created_at) WHERE state = 'dispatched';
       DROP INDEX turns_waiting_idx`,
    );
  }
}
