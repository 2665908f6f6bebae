import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes behind foreign keys to users and API keys, which are never removed: each turn wrote them three times. */
export class DropUnreadIndexes1760000000590 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX turns_user_idx');
    await runner.query('DROP INDEX turns_api_key_idx');
    await runner.query('DROP INDEX messages_api_key_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX turns_user_idx ON turns (company_id, user_id)');
    await runner.query('CREATE INDEX turns_api_key_idx ON turns (company_id, api_key_id) WHERE api_key_id IS NOT NULL');
    await runner.query('CREATE INDEX messages_api_key_idx ON messages (api_key_id) WHERE api_key_id IS NOT NULL');
  }
}
