import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the live stream reads: the events of turns, kept for a while; and turns that a user stops. */
export class AddTurnEvents1760000000120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE turn_events (
        turn_id uuid NOT NULL CONSTRAINT turn_events_turn_id_fkey REFERENCES turns (id),
        -- from 0 without gaps
        seq integer NOT NULL CONSTRAINT turn_events_seq_check CHECK (seq >= 0),
        type text NOT NULL CONSTRAINT turn_events_type_check CHECK (
          type IN ('turn.started', 'text.delta', 'tool.started', 'tool.finished', 'cards.changed', 'turn.ended')),
        -- sent as it is
        data json NOT NULL CONSTRAINT turn_events_data_check CHECK (json_typeof(data) = 'object'),
        CONSTRAINT turn_events_pkey PRIMARY KEY (turn_id, seq)
      )`);

    // Turns that have ended before this have no events.
    await runner.query('ALTER TABLE turns ADD COLUMN keeps_events boolean NOT NULL DEFAULT false');
    await runner.query(`UPDATE turns SET keeps_events = true WHERE state <> 'ended'`);
    await runner.query('ALTER TABLE turns ALTER COLUMN keeps_events SET DEFAULT true');
    await runner.query(
      'CREATE INDEX turns_kept_events_idx ON turns (ended_at) WHERE keeps_events AND ended_at IS NOT NULL',
    );

    // The end is an event, also that of a turn in which nothing was said; and a deleted conversation forgets messages first.
    await runner.query(`ALTER TABLE turns DROP CONSTRAINT turns_message_check`);
    await runner.query(`
      ALTER TABLE turns ADD CONSTRAINT turns_message_check
        CHECK (state = 'ended' OR (message_id IS NULL) = (next_seq = 0))`);
    await runner.query('ALTER TABLE turns DROP CONSTRAINT turns_outcome_check');
    await runner.query(`
      ALTER TABLE turns ADD CONSTRAINT turns_outcome_check
        CHECK (outcome IN ('completed', 'failed', 'interrupted', 'stopped'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE turns SET outcome = 'interrupted' WHERE outcome = 'stopped'`);
    await runner.query('ALTER TABLE turns DROP CONSTRAINT turns_outcome_check');
    await runner.query(`
      ALTER TABLE turns ADD CONSTRAINT turns_outcome_check CHECK (outcome IN ('completed', 'failed', 'interrupted'))`);
    await runner.query('UPDATE turns SET next_seq = 0 WHERE message_id IS NULL');
    await runner.query('ALTER TABLE turns DROP CONSTRAINT turns_message_check');
    await runner.query(
      'ALTER TABLE turns ADD CONSTRAINT turns_message_check CHECK ((message_id IS NULL) = (next_seq = 0))',
    );
    await runner.query('ALTER TABLE turns DROP COLUMN keeps_events');
    await runner.query('DROP TABLE turn_events');
  }
}
