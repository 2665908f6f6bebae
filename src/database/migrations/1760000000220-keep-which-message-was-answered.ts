import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A user's message names the finished message whose question it has answered, so that readers are told of both. */
export class KeepWhichMessageWasAnswered1760000000220 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE messages
        ADD COLUMN answered_message_id uuid,
        ADD CONSTRAINT messages_answered_message_fkey FOREIGN KEY (answered_message_id) REFERENCES messages (id),
        ADD CONSTRAINT messages_answered_message_check CHECK (answered_message_id IS NULL OR (answer IS NOT NULL AND answered_call_id IS NULL))`);
    await runner.query(
      'CREATE INDEX messages_answered_message_idx ON messages (answered_message_id) WHERE answered_message_id IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE messages DROP COLUMN answered_message_id');
  }
}
