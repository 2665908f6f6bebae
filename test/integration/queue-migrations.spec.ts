import { beforeAll, describe, expect, it } from '@jest/globals';
import { QueueDataFiles1760000000720 } from '../../src/database/migrations/1760000000720-queue-data-files.js';
import { ClaimWebhookDeliveries1760000000730 } from '../../src/database/migrations/1760000000730-claim-webhook-deliveries.js';
import { useDatabase } from '../support/database.js';

const db = useDatabase();
const query = async <Row = unknown>(text: string, parameters: unknown[] = []): Promise<Row[]> =>
  await db.source.query(text, parameters);

/** Tables of graphile-worker 0.16 as left by the previous version, limited to the columns that the migration reads. */
const OLD_JOBS = `
  CREATE SCHEMA graphile_worker;
  CREATE TABLE graphile_worker._private_tasks (id serial PRIMARY KEY, identifier text NOT NULL UNIQUE);
  CREATE TABLE graphile_worker._private_jobs (
    id serial PRIMARY KEY, task_id integer NOT NULL REFERENCES graphile_worker._private_tasks,
    payload json NOT NULL, locked_at timestamptz)`;

let project: string;

beforeAll(async () => {
  await query(`INSERT INTO companies (id) VALUES ('c')`);
  await query(`INSERT INTO users (company_id, id, display_name) VALUES ('c', 'u', 'U')`);
  const containers = await query<{ id: string }>(
    `INSERT INTO containers (company_id, kind)
     SELECT 'c', kind FROM unnest(ARRAY['workspace', 'agent_config', 'project_skills']) kind RETURNING id`,
  );
  const [made] = await query<{ id: string }>(
    `INSERT INTO projects (company_id, name, workspace_id, agent_config_id, project_skills_id, created_by)
     VALUES ('c', 'P', $1, $2, $3, 'u') RETURNING id`,
    containers.map(({ id }) => id),
  );
  project = made!.id;
});

describe('the migration to a single kind of queue', () => {
  it('takes over only data file jobs that no process is working on, and only once', async () => {
    await query(OLD_JOBS);
    await query(`INSERT INTO graphile_worker._private_tasks (identifier) VALUES ('data_files'), ('other')`);
    const payload = JSON.stringify({ project_id: project });
    const gone = JSON.stringify({ project_id: '01234567-89ab-7def-8123-456789abcdef' });
    await query(
      `INSERT INTO graphile_worker._private_jobs (task_id, payload, locked_at)
       VALUES (1, $1, NULL), (1, $1, now() - interval '5 hours'), (1, $1, now()), (1, $2, NULL), (2, $1, NULL)`,
      [payload, gone],
    );
    await query('SELECT take_data_file_jobs()');
    await query('SELECT take_data_file_jobs()');
    expect(await query('SELECT project_id, cause, requests FROM data_file_refreshes')).toEqual([
      { project_id: project, cause: 'canvas', requests: 1 },
    ]);
    expect(await query('SELECT task_id FROM graphile_worker._private_jobs ORDER BY task_id')).toEqual([
      { task_id: 1 },
      { task_id: 2 },
    ]);
    await query('DROP SCHEMA graphile_worker CASCADE');
  });

  it('preserves deliveries and the number of skipped events in both directions', async () => {
    const [webhook] = await query<{ id: string }>(
      `INSERT INTO webhooks (company_id, url, events, secret) VALUES ('c', 'https://example.com', '{project.updated}', 'x') RETURNING id`,
    );
    const deliver = async (webhook_id: string, message: string): Promise<unknown> =>
      await query(
        `INSERT INTO webhook_deliveries (webhook_id, stream_id, message_id, type, body) VALUES ($1, $2, $3, 'project.updated', '{}')`,
        [webhook_id, project, message],
      );
    await deliver(webhook!.id, 'kept');
    await deliver(project, 'of a webhook that was deleted');
    await query('INSERT INTO webhook_skips (webhook_id, events) VALUES ($1, 2), ($1, 3)', [webhook!.id]);

    const migrations = [new QueueDataFiles1760000000720(), new ClaimWebhookDeliveries1760000000730()];
    await db.source.transaction(async ({ queryRunner }) => {
      for (const migration of migrations.toReversed()) await migration.down(queryRunner!);
    });
    expect(await query('SELECT message_id, state FROM webhook_deliveries')).toEqual([
      { message_id: 'kept', state: 'pending' },
    ]);
    expect(await query('SELECT skipped_events::integer, last_skipped_at IS NOT NULL AS told FROM webhooks')).toEqual([
      { skipped_events: 5, told: true },
    ]);

    await db.source.transaction(async ({ queryRunner }) => {
      for (const migration of migrations) await migration.up(queryRunner!);
    });
    expect(await query('SELECT message_id, state, owner, generation FROM webhook_deliveries')).toEqual([
      { message_id: 'kept', state: 'pending', owner: null, generation: 0 },
    ]);
    expect(await query('SELECT webhook_id FROM webhook_skips')).toEqual([]);
  });
});
