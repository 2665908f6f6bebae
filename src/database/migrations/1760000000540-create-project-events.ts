import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What happens in projects, numbered project by project in the order of the commits, and kept for a day. */
export class CreateProjectEvents1760000000540 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE event_heads (
        -- the project's id, for what concerns no project one of the company's own. Without a foreign key: both tables are
        -- written with every change
        stream_id uuid NOT NULL CONSTRAINT event_heads_pkey PRIMARY KEY,
        company_id text NOT NULL,
        last_id bigint NOT NULL DEFAULT 0 CONSTRAINT event_heads_last_id_check CHECK (last_id >= 0)
      ) WITH (fillfactor = 50)`);
    await runner.query(`
      CREATE TABLE events (
        stream_id uuid NOT NULL,
        id bigint NOT NULL CONSTRAINT events_id_check CHECK (id > 0),
        type text NOT NULL,
        at timestamptz(3) NOT NULL,
        actor_kind text NOT NULL
          CONSTRAINT events_actor_kind_check CHECK (actor_kind IN ('user', 'api_key', 'agent', 'execution', 'service')),
        actor_id text,
        -- sent as it is
        data json NOT NULL,
        CONSTRAINT events_pkey PRIMARY KEY (stream_id, id),
        CONSTRAINT events_actor_id_check CHECK ((actor_kind = 'service') = (actor_id IS NULL))
      )`);
    await runner.query('CREATE INDEX events_at_idx ON events (at)');
    // By a trigger, so that projects of processes of the version before, which go on meanwhile, have events as well.
    await runner.query(`
      CREATE FUNCTION open_event_stream() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO event_heads (stream_id, company_id) VALUES (NEW.id, NEW.company_id);
          RETURN NULL;
        END
      $$`);
    await runner.query(`
      CREATE TRIGGER projects_event_stream AFTER INSERT ON projects
        FOR EACH ROW EXECUTE FUNCTION open_event_stream()`);
    await runner.query('INSERT INTO event_heads (stream_id, company_id) SELECT id, company_id FROM projects');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER projects_event_stream ON projects');
    await runner.query('DROP FUNCTION open_event_stream()');
    await runner.query('DROP TABLE events');
    await runner.query('DROP TABLE event_heads');
  }
}
