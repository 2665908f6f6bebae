import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks: which events go to which addresses, and what became of each. */
export class CreateWebhooks1760000000560 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event_heads ADD COLUMN of_company boolean NOT NULL DEFAULT false');
    await runner.query(`
      CREATE TABLE event_followers (
        -- companies whose events are noted in event_outbox as well
        company_id text NOT NULL CONSTRAINT event_followers_pkey PRIMARY KEY
          CONSTRAINT event_followers_company_id_fkey REFERENCES companies (id)
      )`);
    await runner.query(`
      CREATE TABLE event_outbox (
        stream_id uuid NOT NULL,
        id bigint NOT NULL,
        CONSTRAINT event_outbox_pkey PRIMARY KEY (stream_id, id)
      )`);
    await runner.query(`
      CREATE TABLE webhooks (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT webhooks_pkey PRIMARY KEY,
        company_id text NOT NULL CONSTRAINT webhooks_company_id_fkey REFERENCES companies (id),
        url text NOT NULL CONSTRAINT webhooks_url_check CHECK (length(url) <= 2048),
        events text[] NOT NULL CONSTRAINT webhooks_events_check CHECK (cardinality(events) > 0),
        -- whose events alone are sent; goes with the project
        project_id uuid CONSTRAINT webhooks_project_id_fkey REFERENCES projects (id) ON DELETE CASCADE,
        active boolean NOT NULL DEFAULT true,
        -- events from then on are sent
        active_since timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        -- encrypted
        secret bytea NOT NULL,
        -- deliveries that failed since one succeeded
        failures integer NOT NULL DEFAULT 0 CONSTRAINT webhooks_failures_check CHECK (failures >= 0),
        -- the process that delivers, until when it counts as alive, and how many there were
        owner uuid,
        due_at timestamptz(3),
        generation integer NOT NULL DEFAULT 0,
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX webhooks_listing_idx ON webhooks (company_id, created_at DESC, id DESC)');
    await runner.query('CREATE INDEX webhooks_project_id_idx ON webhooks (project_id) WHERE project_id IS NOT NULL');
    await runner.query(`
      CREATE TABLE webhook_deliveries (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT webhook_deliveries_pkey PRIMARY KEY,
        webhook_id uuid NOT NULL CONSTRAINT webhook_deliveries_webhook_id_fkey REFERENCES webhooks (id) ON DELETE CASCADE,
        -- in which they are sent
        place bigint GENERATED ALWAYS AS IDENTITY,
        -- among which the order is kept
        stream_id uuid NOT NULL,
        message_id text NOT NULL,
        type text NOT NULL,
        body text NOT NULL,
        state text NOT NULL DEFAULT 'pending'
          CONSTRAINT webhook_deliveries_state_check CHECK (state IN ('pending', 'delivered', 'failed')),
        attempts integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz(3) DEFAULT now(),
        -- from which the time for retries counts
        first_attempt_at timestamptz(3),
        last_attempt_at timestamptz(3),
        response_status integer,
        response text CONSTRAINT webhook_deliveries_response_check CHECK (octet_length(response) <= 1024),
        error text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT webhook_deliveries_next_check CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
      )`);
    await runner.query(
      'CREATE INDEX webhook_deliveries_listing_idx ON webhook_deliveries (webhook_id, created_at DESC, id DESC)',
    );
    await runner.query(
      `CREATE INDEX webhook_deliveries_pending_idx ON webhook_deliveries (webhook_id, place) WHERE state = 'pending'`,
    );
    await runner.query(
      `CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (next_attempt_at) WHERE state = 'pending'`,
    );
    await runner.query('CREATE INDEX webhook_deliveries_created_at_idx ON webhook_deliveries (created_at)');
    await runner.query('ALTER TABLE usage_budgets ADD COLUMN told_period timestamptz(3)');
    await runner.query('UPDATE usage_budgets SET told_period = reached_period');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE usage_budgets DROP COLUMN told_period');
    await runner.query('DROP TABLE webhook_deliveries');
    await runner.query('DROP TABLE webhooks');
    await runner.query('DROP TABLE event_outbox');
    await runner.query('DROP TABLE event_followers');
    await runner.query('ALTER TABLE event_heads DROP COLUMN of_company');
  }
}
