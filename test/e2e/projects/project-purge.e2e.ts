import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { ConversationResponse } from '../../../src/chat/conversations.dto.js';
import type { ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import type { UserUsageListResponse } from '../../../src/usage/usage.dto.js';
import { makeDeployment, makeFile, makeProject, sendParts } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import { untilBlocked } from '../../support/blocked.js';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { doPeriodicWork } from '../../support/periodic-work.js';
import { projectTables } from '../../support/project-tables.js';
import { removeEnvironment, Service } from '../../support/service.js';

/** Number of resources of each kind, which is more than a page. */
const MANY = 2_500;
const settings = { PROJECTS_GRACE_SECONDS: '1', FILES_GRACE_SECONDS: '1' };

let service: Service;
let database: pg.Client;

beforeAll(async () => {
  service = await Service.start({ settings });
  database = new pg.Client(service.environment.databaseUrl);
  await database.connect();
});

afterAll(async () => {
  await service.stop();
  await database.end();
  await removeEnvironment(service.environment);
});

const run = async (task: string): Promise<void> => await doPeriodicWork(database, task);

/** Creates a project in run mode with every kind of resource, and a conversation with a long history. */
async function makeFullProject(client: Client): Promise<{ id: string; long: string }> {
  const { handle } = await makeDeployment(client, { instructions: 'Text', skills: { a: { 'SKILL.md': 'Text' } } });
  const { id } = await makeProject(client, { from_deployment: handle });
  const place = { source: 'workspace' as const, project_id: id };
  await makeFile(client, place, 'data/a.csv', `a of ${id}`);
  await sendParts(client, place, 'unfinished.csv', Buffer.from('b'));
  await client.put(`/projects/${id}/skills/own`, { files: { 'SKILL.md': `Text of ${id}` } });
  await client.post(`/projects/${id}/cards`, { card_type: 'kpi', label: 'Cost' });
  await client.post(`/projects/${id}/scenarios`, { name: 'Two shifts', changes: [] });
  await client.post(`/projects/${id}/snapshots`);
  const { id: execution } = await client.post<ExecutionResponse>(`/projects/${id}/solve/executions`, {});
  await eventually(
    () => client.get<ExecutionResponse>(`/projects/${id}/solve/executions/${execution}`),
    ({ status }) => status === 'failed',
    { until: 'the canvas has turned out to be no model' },
  );
  await client.patch(`/projects/${id}`, { workspace_mode: 'run' });
  const { id: other } = await client.post<ConversationResponse>(`/projects/${id}/conversations`, {});
  for (const query of [{}, { conversation_id: other }]) {
    await client.post(`/projects/${id}/chat`, { content: 'Hello', ...query });
    await idle(client, id, query);
    await client.post('/files/delete', { ...place, path: 'data/a.csv', conversation_id: other });
    await makeFile(client, place, 'data/a.csv', `a of ${id}`);
  }
  const user = (await client.get<ProjectResponse>(`/projects/${id}`)).created_by?.id;
  await database.query(
    `WITH history AS (
       INSERT INTO turns (project_id, conversation_id, company_id, user_id, state, outcome, due_at, ended_at)
       SELECT $1, $2, company_id, $3, 'ended', 'completed', NULL, now() FROM projects, generate_series(1, $4) WHERE id = $1
       RETURNING id
     ), numbered AS (SELECT id, row_number() OVER () + 1000 AS number FROM history
     ), events AS (
       INSERT INTO turn_events (turn_id, seq, type, data) SELECT id, 0, 'text.delta', '{}' FROM history
     )
     INSERT INTO messages (project_id, conversation_id, sequence, role, content, turn_id, user_id)
     SELECT $1, $2, number, 'user', 'Hello', id, $3 FROM numbered`,
    [id, other, user, MANY],
  );
  return { id, long: other };
}

/** Returns the number of rows that belong to the projects, by table, without the ledger. */
async function rowsOf(...projects: string[]): Promise<Record<string, number>> {
  const counts: [table: string, condition: string][] = [
    ['projects', 'id = ANY ($1)'],
    ['events', 'stream_id = ANY ($1)'],
    ['event_heads', 'stream_id = ANY ($1)'],
    ['turn_events', 'turn_id IN (SELECT id FROM turns WHERE project_id = ANY ($1))'],
  ];
  for (const table of await projectTables(database)) counts.push([table, 'project_id = ANY ($1)']);
  const { rows } = await database.query<{ table: string; rows: number }>(
    counts
      .map(
        ([table, condition]) =>
          `SELECT '${table}' AS table, count(*)::integer AS rows FROM ${table} WHERE ${condition}`,
      )
      .join(' UNION ALL '),
    [projects],
  );
  return Object.fromEntries(rows.map(({ table, rows: number }) => [table, number]));
}

const treesOf = async (project: string): Promise<string[]> => {
  const { rows } = await database.query<{ id: string }>(
    `SELECT unnest(ARRAY[workspace_id, agent_config_id, project_skills_id]) AS id FROM projects WHERE id = $1
     UNION ALL SELECT container_id FROM snapshots WHERE project_id = $1`,
    [project],
  );
  return rows.map(({ id }) => id);
};

/** Returns the blobs that only these trees refer to. */
const blobsOf = async (trees: string[]): Promise<string[]> => {
  const { rows } = await database.query<{ id: string }>(
    `SELECT id FROM blobs b WHERE EXISTS (SELECT FROM nodes WHERE blob_id = b.id AND container_id = ANY ($1))
        AND NOT EXISTS (SELECT FROM nodes WHERE blob_id = b.id AND container_id <> ALL ($1))
     UNION ALL SELECT blob_id FROM uploads WHERE container_id = ANY ($1) AND blob_id IS NOT NULL`,
    [trees],
  );
  return rows.map(({ id }) => id);
};

describe('the purge of a deleted project', () => {
  it('removes everything except its spend after the grace period, even if the process dies during the purge', async () => {
    const { client, user, company } = await service.session();
    const { id: kept } = await makeFullProject(client);
    const before = await rowsOf(kept);
    const { id: gone, long } = await makeFullProject(client);
    const trees = await treesOf(gone);
    const blobs = await blobsOf(trees);
    expect(blobs.length).toBeGreaterThanOrEqual(3);
    const full = await rowsOf(gone);
    const empty = Object.keys(full).filter((table) => full[table] === 0);
    if (empty.length > 0)
      throw new Error(`makeFullProject in project-purge.e2e.ts creates no rows in ${empty.join(', ')}`);
    const spent = await client.get<UserUsageListResponse>('/usage/users');
    await client.delete(`/projects/${gone}`);

    // The events are already removed, but the turns are locked and still exist. The process dies at this point.
    const holder = new pg.Client(service.environment.databaseUrl);
    await holder.connect();
    try {
      await holder.query(`BEGIN; SELECT FROM turns WHERE conversation_id = '${long}' FOR UPDATE`);
      await eventually(
        async () => {
          await run('purge_projects');
          return await rowsOf(gone);
        },
        ({ turn_events = 0 }) => turn_events < MANY / 2,
        { until: 'the first pages are gone', deadlineMs: 30_000 },
      );
      await service.kill();
    } finally {
      await holder.end();
    }
    const half = await rowsOf(gone);
    expect(half).toMatchObject({ projects: 1, snapshots: 2 });
    expect(half['turns']).toBeGreaterThanOrEqual(MANY);
    service = await Service.start({ settings, environment: service.environment });

    // The purge is requested twice, but only one process performs it.
    const reader = new pg.Client(service.environment.databaseUrl);
    await reader.connect();
    try {
      await reader.query(`BEGIN; SELECT FROM messages WHERE conversation_id = '${long}' FOR UPDATE`);
      for (let times = 0; times < 2; times += 1) {
        await run('purge_projects');
        await untilBlocked(async (text, values) => (await database.query<{ blocked: number }>(text, values)).rows);
      }
      await reader.query('COMMIT');
    } finally {
      await reader.end();
    }
    await eventually(
      async () => await rowsOf(gone),
      (left) => Object.values(left).every((rows) => rows === 0),
      { until: 'every row is gone', deadlineMs: 20_000 },
    );
    expect(service.log.filter(({ level }) => level >= 50)).toEqual([]);
    await eventually(
      async () => {
        await run('sweep_uploads');
        await run('collect_files');
        const { rows } = await database.query<Record<string, number>>(
          `SELECT (SELECT count(*)::integer FROM nodes WHERE container_id = ANY ($1)) AS nodes,
                  (SELECT count(*)::integer FROM containers WHERE id = ANY ($1)) AS containers,
                  (SELECT count(*)::integer FROM uploads WHERE container_id = ANY ($1)) AS uploads,
                  (SELECT count(*)::integer FROM blobs WHERE id = ANY ($2) OR unreferenced_since IS NOT NULL) AS blobs,
                  (SELECT count(*)::integer FROM doomed_objects) AS objects`,
          [trees, blobs],
        );
        return rows[0] ?? {};
      },
      (left) => Object.values(left).every((rows) => rows === 0),
      { until: 'every file is gone', deadlineMs: 30_000 },
    );
    const stored = await readdir(join(service.environment.dataDir, 'objects'), { recursive: true });
    expect(stored.filter((path) => blobs.some((id) => path.includes(id)))).toEqual([]);
    expect(await rowsOf(kept)).toEqual(before);
    const again = (await service.session({ company, user })).client;
    expect(await again.get('/usage/users')).toEqual(spent);
    expect(spent.users[0]?.totals.credits).toBeGreaterThan(0);
    await again.get(`/projects/${kept}/chat`);
  }, 90_000);
});
