import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Data that a model provider sends with tool calls, such as reasoning and signatures, and demands back with them. */
export class AddModelSteps1760000000660 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE messages ADD COLUMN model_steps json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE messages DROP COLUMN model_steps');
  }
}
