import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { makeDeployment, makeFile, makeProject } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { Dice } from '../../support/dice.js';
import { isLongForm } from '../../support/long-form.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

/** Number of changes during the walk through a list. */
const CHANGES = isLongForm ? 1_000 : 300;
const ROWS = isLongForm ? 400 : 200;
const LIMIT = 23;
const SEED = Number(process.env['CURSOR_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let database: pg.Client;
afterAll(async () => await database.end());

const service = useSharedService();
let session: Session;
let project: string;
let webhook: string;

beforeAll(async () => {
  session = await service.session();
  ({ id: project } = await makeProject(session.client));
  database = new pg.Client(service.environment.databaseUrl);
  await database.connect();
  [webhook = ''] = await addWebhooks(1);
});

interface Page {
  next_cursor?: string | null;
  limit: number;
  offset: number;
  total: number;
}

/** Listing with ways to add and remove its rows. Bypasses the service to simulate the changes of many clients. */
interface Walked {
  read: (client: Client, cursor?: string) => Promise<Page>;
  keysOf: (page: never) => string[];
  /** Adds rows and returns their keys. */
  add: (count: number) => Promise<string[]>;
  /** Updates rows, which moves them to another page of a listing by offset. */
  touch: (keys: string[]) => Promise<unknown>;
  remove: (keys: string[]) => Promise<unknown>;
}

const idsOf = async (text: string, parameters: unknown[]): Promise<string[]> =>
  (await database.query<{ id: string }>(text, parameters)).rows.map(({ id }) => id);

const listing = (path: string, name: string, key = 'id'): Pick<Walked, 'read' | 'keysOf'> => ({
  read: (client, cursor) => client.get<Page>(path, { limit: LIMIT, ...(cursor !== undefined && { cursor }) }),
  keysOf: (page: Record<string, Record<string, string>[]>) => (page[name] ?? []).map((row) => row[key] ?? ''),
});

/** Returns the listing of the files at a path. */
const files = (recursive: boolean, path: string): Walked => ({
  read: async (client, cursor) =>
    await client.post<Page>('/files/list', {
      ...{ source: 'workspace', project_id: project, path, recursive, limit: LIMIT },
      ...(cursor !== undefined && { cursor }),
    }),
  keysOf: ({ entries, directories }: { entries: { path: string }[]; directories: string[] }) => [
    ...directories,
    ...entries.map((entry) => entry.path),
  ],
  add: async (count) => {
    const at = path === '' ? '' : `${path}/`;
    const names = Array.from({ length: count }, () => `${at}${Math.random().toString(36).slice(2)}`);
    // Every second entry is a directory.
    await Promise.all(
      names.map((name, index) =>
        index % 2 === 0
          ? session.client.post('/files/mkdir', { source: 'workspace', project_id: project, path: name })
          : makeFile(session.client, { source: 'workspace', project_id: project }, name, 'x'),
      ),
    );
    return names;
  },
  touch: () => Promise.resolve(),
  remove: (paths) => session.client.post('/files/batch-delete', { source: 'workspace', project_id: project, paths }),
});

const inProject = (table: string, columns: string, values: string) => (count: number) =>
  idsOf(
    `INSERT INTO ${table} (project_id, ${columns}) SELECT $1, ${values} FROM generate_series(1, $2::integer) i RETURNING id`,
    [project, count],
  );
const removal = (table: string) => (ids: string[]) =>
  database.query(`DELETE FROM ${table} WHERE id = ANY ($1::uuid[])`, [ids]);

const addWebhooks = (count: number): Promise<string[]> =>
  idsOf(
    `INSERT INTO webhooks (company_id, url, events, active, secret)
     SELECT $1, 'https://example.com', '{project.deleted}', false, '' FROM generate_series(1, $2::integer) RETURNING id`,
    [session.company, count],
  );

const walks: Record<string, () => Walked> = {
  projects: () => ({
    ...listing('/projects', 'projects'),
    add: (count) =>
      idsOf(
        `WITH made AS MATERIALIZED (SELECT uuidv7() AS w, uuidv7() AS a, uuidv7() AS s FROM generate_series(1, $2::integer)),
              kept AS (INSERT INTO containers (id, company_id, kind)
                       SELECT id, $1, kind FROM made, LATERAL (VALUES (w, 'workspace'), (a, 'agent_config'), (s, 'project_skills')) k (id, kind))
         INSERT INTO projects (company_id, name, workspace_id, agent_config_id, project_skills_id)
         SELECT $1, 'Plan', w, a, s FROM made RETURNING id`,
        [session.company, count],
      ),
    touch: (ids) =>
      database.query('UPDATE projects SET updated_at = clock_timestamp() WHERE id = ANY ($1::uuid[])', [ids]),
    remove: (ids) => database.query('UPDATE projects SET deleted_at = now() WHERE id = ANY ($1::uuid[])', [ids]),
  }),
  conversations: () => ({
    ...listing(`/projects/${project}/conversations`, 'conversations'),
    add: inProject('conversations', 'title', `'Title'`),
    touch: (ids) =>
      database.query('UPDATE conversations SET updated_at = clock_timestamp() WHERE id = ANY ($1::uuid[])', [ids]),
    remove: removal('conversations'),
  }),
  executions: () => ({
    ...listing(`/projects/${project}/solve/executions`, 'executions'),
    add: (count) =>
      idsOf(
        `INSERT INTO executions (project_id, company_id, user_id, status, triggered_by, ended_at, due_at, cards)
         SELECT $1, $3, $4, 'canceled', 'user:' || $4, now(), NULL, '[]' FROM generate_series(1, $2::integer) RETURNING id`,
        [project, count, session.company, session.user],
      ),
    touch: () => Promise.resolve(),
    remove: removal('executions'),
  }),
  scenarios: () => ({
    ...listing(`/projects/${project}/scenarios`, 'scenarios'),
    add: inProject('scenarios', 'name, changes', `'S ' || gen_random_uuid(), '[]'`),
    touch: () => Promise.resolve(),
    remove: removal('scenarios'),
  }),
  deployments: () => ({
    ...listing('/deployments', 'deployments'),
    add: (count) =>
      idsOf(
        `WITH made AS (INSERT INTO containers (company_id, kind) SELECT $1, 'deployment' FROM generate_series(1, $2::integer) RETURNING id)
         INSERT INTO deployments (company_id, name, handle, container_id)
         SELECT $1, 'D ' || id, 'd-' || id, id FROM made RETURNING id`,
        [session.company, count],
      ),
    touch: (ids) =>
      database.query('UPDATE deployments SET updated_at = clock_timestamp() WHERE id = ANY ($1::uuid[])', [ids]),
    remove: (ids) => database.query('UPDATE deployments SET deleted_at = now() WHERE id = ANY ($1::uuid[])', [ids]),
  }),
  'API keys': () => ({
    ...listing('/api-keys', 'api_keys'),
    add: (count) =>
      idsOf(
        `INSERT INTO api_keys (company_id, name, prefix, secret_hash, role, created_by, expires_at)
         SELECT $1, 'Key', substr(encode(sha256(gen_random_uuid()::text::bytea), 'hex'), 1, 12), sha256('x'), 'member', $3, now() + interval '1 day'
           FROM generate_series(1, $2::integer) RETURNING id`,
        [session.company, count, session.user],
      ),
    touch: () => Promise.resolve(),
    remove: (ids) => database.query('UPDATE api_keys SET revoked_at = now() WHERE id = ANY ($1::uuid[])', [ids]),
  }),
  members: () => ({
    ...listing(`/projects/${project}/members`, 'members', 'user_id'),
    add: (count) =>
      idsOf(
        `WITH people AS (INSERT INTO users (company_id, id, display_name)
                         SELECT $3, 'Someone ' || gen_random_uuid(), 'Someone' FROM generate_series(1, $2::integer) RETURNING id)
         INSERT INTO project_members (project_id, company_id, user_id, role)
         SELECT $1, $3, id, 'viewer' FROM people RETURNING user_id AS id`,
        [project, count, session.company],
      ),
    touch: (ids) =>
      database.query(
        'UPDATE project_members SET added_at = clock_timestamp() WHERE project_id = $1 AND user_id = ANY ($2)',
        [project, ids],
      ),
    remove: (ids) =>
      database.query('DELETE FROM project_members WHERE project_id = $1 AND user_id = ANY ($2)', [project, ids]),
  }),
  webhooks: () => ({
    ...listing('/webhooks', 'webhooks'),
    add: addWebhooks,
    touch: (ids) =>
      database.query('UPDATE webhooks SET updated_at = clock_timestamp() WHERE id = ANY ($1::uuid[])', [ids]),
    remove: removal('webhooks'),
  }),
  'webhook deliveries': () => ({
    ...listing(`/webhooks/${webhook}/deliveries`, 'deliveries'),
    add: (count) =>
      idsOf(
        `INSERT INTO webhook_deliveries (webhook_id, stream_id, message_id, type, body, state, next_attempt_at)
         SELECT $1, gen_random_uuid(), gen_random_uuid(), 'webhook.test', '{}', 'delivered', NULL
           FROM generate_series(1, $2::integer) RETURNING id`,
        [webhook, count],
      ),
    touch: () => Promise.resolve(),
    remove: removal('webhook_deliveries'),
  }),
  'a directory': () => files(false, 'some'),
  'all files': () => files(true, ''),
};

describe('a walk with a cursor', () => {
  it.each(Object.keys(walks))(
    `returns each row of %s exactly once if it exists during the whole walk (seed ${SEED})`,
    async (name) => {
      const dice = new Dice(SEED);
      const { read, keysOf, add, touch, remove } = walks[name]!();
      const isOfFiles = name === 'a directory' || name === 'all files';
      // Files are added one by one over HTTP, so there are fewer of them.
      const [rows, changes] = isOfFiles ? [ROWS / 4, CHANGES / 10] : [ROWS, CHANGES];
      const there = new Set(await add(rows));
      const began = new Set(there);
      const seen: string[] = [];
      let left = changes;
      let cursor: string | null | undefined = '';
      while (cursor !== null) {
        const page: Page = await read(session.client, cursor);
        expect(page).toMatchObject({ limit: LIMIT, offset: 0 });
        seen.push(...keysOf(page as never));
        cursor = page.next_cursor;
        expect(cursor).not.toBeUndefined();
        // Many changes take place between two pages, before and after the current position of the walk.
        const some = Math.min(left, Math.ceil((2 * changes * LIMIT) / rows));
        left -= some;
        const gone = [...there].filter(() => dice.percent(3)).slice(0, some);
        if (gone.length > 0) await remove(gone);
        for (const key of gone) there.delete(key);
        await touch([...there].filter(() => dice.percent(10)));
        if (some > gone.length) for (const key of await add(some - gone.length)) there.add(key);
      }
      expect(new Set(seen).size).toBe(seen.length);
      const throughout = [...began].filter((key) => there.has(key));
      expect(throughout.length).toBeGreaterThan(rows / 4);
      expect(throughout.filter((key) => !seen.includes(key))).toEqual([]);
      expect(left).toBe(0);
    },
    60_000,
  );

  it('is needed because offset pagination repeats rows that change between pages', async () => {
    const { read, keysOf, add, touch } = walks['conversations']!();
    const made = await add(100);
    const seen: string[] = [];
    const path = `/projects/${project}/conversations`;
    for (let offset = 0; offset < 100; offset += LIMIT) {
      const page = await session.client.get<Page>(path, { limit: LIMIT, offset });
      seen.push(...keysOf(page as never));
      await touch(made.slice(0, 10));
    }
    expect(new Set(seen).size).toBeLessThan(seen.length);
    expect(await read(session.client)).not.toHaveProperty('next_cursor');
  });

  it('is rejected if its cursor is invalid or from another listing, or is combined with an offset', async () => {
    const { client } = session;
    await makeDeployment(client);
    const { next_cursor: foreign } = await client.get<Page>('/deployments', { limit: 1, cursor: '' });
    for (const path of [
      '/projects',
      '/api-keys',
      '/webhooks',
      `/webhooks/${webhook}/deliveries`,
      `/projects/${project}/members`,
      `/projects/${project}/solve/executions`,
    ]) {
      for (const cursor of [foreign ?? '', 'x', '%', Buffer.from('projects:x').toString('base64url'), `${foreign}=`]) {
        const { status, body } = await client.send('GET', path, { query: { cursor } });
        expect([path, cursor, status]).toEqual([path, cursor, 422]);
        expect(body).toMatchObject({ detail: [{ type: 'value_error', loc: ['query', 'cursor'], input: cursor }] });
      }
      const beside = await client.send('GET', path, { query: { cursor: '', offset: 1 } });
      expect([path, beside.status]).toEqual([path, 422]);
      expect(beside.body).toMatchObject({ detail: [{ loc: ['query', 'offset'] }] });
    }
    const place = { source: 'workspace', project_id: project };
    const wrong = [
      foreign,
      'x',
      ...['files:', 'files:x', 'files:file/', 'files:file/a\0'].map((text) => Buffer.from(text).toString('base64url')),
    ];
    for (const cursor of wrong) {
      const { status, body } = await client.send('POST', '/files/list', { body: { ...place, cursor } });
      expect([cursor, status]).toEqual([cursor, 422]);
      expect(body).toMatchObject({ detail: [{ loc: ['body', 'cursor'], input: cursor }] });
    }
  });
});
