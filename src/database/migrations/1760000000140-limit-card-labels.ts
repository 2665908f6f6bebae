import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Cards have a label that fits on them. */
export class LimitCardLabels1760000000140 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE cards ADD CONSTRAINT cards_label_length_check CHECK (char_length(label) BETWEEN 1 AND 200)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE cards DROP CONSTRAINT cards_label_length_check');
  }
}
