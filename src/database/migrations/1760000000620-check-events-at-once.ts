import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Every change pays for each constraint of an event and of its head: one is left, and the kind of an actor is a type. A head
 * below zero would give the next event a number that is refused.
 */
export class CheckEventsAtOnce1760000000620 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // In the order in which a change locks them.
    await runner.query('ALTER TABLE event_heads DROP CONSTRAINT event_heads_last_id_check');
    await runner.query(`CREATE TYPE event_actor_kind AS ENUM ('user', 'api_key', 'agent', 'execution', 'service')`);
    await runner.query(`
      ALTER TABLE events
        DROP CONSTRAINT events_id_check,
        DROP CONSTRAINT events_actor_kind_check,
        DROP CONSTRAINT events_actor_id_check,
        ALTER COLUMN actor_kind TYPE event_actor_kind USING actor_kind::event_actor_kind`);
    await runner.query(`
      ALTER TABLE events ADD CONSTRAINT events_check CHECK (id > 0 AND (actor_kind = 'service') = (actor_id IS NULL))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event_heads ADD CONSTRAINT event_heads_last_id_check CHECK (last_id >= 0)');
    await runner.query('ALTER TABLE events DROP CONSTRAINT events_check');
    await runner.query('ALTER TABLE events ALTER COLUMN actor_kind TYPE text USING actor_kind::text');
    await runner.query('DROP TYPE event_actor_kind');
    await runner.query(`
      ALTER TABLE events
        ADD CONSTRAINT events_id_check CHECK (id > 0),
        ADD CONSTRAINT events_actor_kind_check CHECK (actor_kind IN ('user', 'api_key', 'agent', 'execution', 'service')),
        ADD CONSTRAINT events_actor_id_check CHECK ((actor_kind = 'service') = (actor_id IS NULL))`);
  }
}
