import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { BatchMoveResponse, DeleteResponse, FileListResponse } from '../../../src/files/files.dto.js';
import { makeDeployment, makeFile, makeProject, type Place, sendParts } from '../../factories/make.js';
import type { Answer, Client } from '../../support/client.js';
import { Bystander, expectUnharmed } from '../../support/hostile.js';
import { useServiceInTurn } from '../../support/service.js';

const service = useServiceInTurn();
const MAX_PATH_BYTES = 1024;
const TOO_LONG = 'A path in the directory would exceed 1024 bytes';

interface Workspace {
  client: Client;
  place: Place & { project_id: string };
}

async function makeWorkspace(): Promise<Workspace> {
  const { client } = await service.session({ role: 'member' });
  const { id } = await makeProject(client);
  return { client, place: { source: 'workspace', project_id: id } };
}

const move = async ({ client, place }: Workspace, moves: [string, string][]): Promise<BatchMoveResponse> =>
  await client.post<BatchMoveResponse>('/files/batch-move', {
    ...place,
    moves: moves.map(([source_path, dest_path]) => ({ source_path, dest_path })),
  });

const list = async ({ client, place }: Workspace, more: object = {}): Promise<FileListResponse> =>
  await client.post<FileListResponse>('/files/list', {
    ...place,
    recursive: true,
    limit: 1000,
    ...more,
  });

/** Returns a path with a unique first name and `levels` nested directories with single-letter names. */
const deep = (number: number, levels = 500): string => `${String(number).padStart(4, '0')}/${'a/'.repeat(levels)}m`;

/** Runs `work` as a member, and checks that other callers are not affected. */
async function attack(work: (workspace: Workspace) => Promise<void>): Promise<void> {
  const workspace = await makeWorkspace();
  const bystander = await Bystander.start(service);
  await work(workspace);
  await expectUnharmed(service, bystander);
}

async function inDatabase<Row>(statement: string, parameters: unknown[]): Promise<Row[]> {
  const connection = new pg.Client({ connectionString: service.environment.databaseUrl });
  await connection.connect();
  try {
    return (await connection.query(statement, parameters)).rows as Row[];
  } finally {
    await connection.end();
  }
}

describe('a batch with deep implied directories', () => {
  it('moves a file through the directories and removes them afterwards', async () => {
    await attack(async (workspace) => {
      await makeFile(workspace.client, workspace.place, 'm', 'x');
      const chain = Array.from({ length: 200 }, (_, index): [string, string] => [
        index === 0 ? 'm' : deep(index),
        deep(index + 1),
      ]);
      expect(await move(workspace, chain)).toEqual({ moved: 200, errors: [] });
      expect(await list(workspace)).toMatchObject({ total: 502, entries: [{ path: deep(200) }] });
    });
  }, 60_000);

  it('moves a file back and forth', async () => {
    await attack(async (workspace) => {
      await makeFile(workspace.client, workspace.place, 'm', 'x');
      const pairs = Array.from({ length: 900 }, (_, index): [string, string] =>
        index % 2 === 0 ? ['m', deep(1)] : [deep(1), 'm'],
      );
      expect(await move(workspace, pairs)).toEqual({ moved: 900, errors: [] });
      expect(await list(workspace)).toMatchObject({ total: 1, entries: [{ path: 'm' }] });
    });
  }, 60_000);

  it('deletes files and their implied directories in a single request', async () => {
    await attack(async (workspace) => {
      const { client, place } = workspace;
      await client.post('/files/mkdir', { ...place, path: 'top' });
      for (const name of ['m', 'n', 'o', 'p']) await makeFile(client, place, name, name);
      await move(workspace, [
        ['m', deep(1, 480)],
        ['n', deep(2, 480)],
        ['o', `${deep(1, 240).slice(0, -2)}/o`],
        ['p', `top/${deep(3, 480)}`],
      ]);
      const paths = [deep(1, 480), deep(2, 480), `${deep(1, 240).slice(0, -2)}/o`, `top/${deep(3, 480)}`];
      expect(await client.post<DeleteResponse>('/files/batch-delete', { ...place, paths })).toEqual({ deleted: 4 });
      // The explicitly created directory remains.
      expect(await list(workspace)).toMatchObject({ total: 1, directories: ['top'] });
    });
  }, 60_000);

  it('skips a thousand missing paths', async () => {
    await attack(async (workspace) => {
      const { client, place } = workspace;
      await client.post('/files/mkdir', { ...place, path: deep(1) });
      const paths = Array.from({ length: 1000 }, (_, index) => `${deep(1)}/${index}`);
      expect(await client.post<DeleteResponse>('/files/batch-delete', { ...place, paths })).toEqual({ deleted: 0 });
      const moves = paths.slice(0, 500).map((path): [string, string] => [path, `${path}b`]);
      expect((await move(workspace, moves)).moved).toBe(0);
    });
  }, 60_000);

  it('moves its files while seven other batches of the same company run', async () => {
    await attack(async (workspace) => {
      const { client, place } = workspace;
      await Promise.all(
        Array.from({ length: 8 }, async (_, which) => {
          await makeFile(client, place, `m${which}`, 'x');
          const at = (index: number): string => (index === 0 ? `m${which}` : `${which}${deep(index)}`);
          const chain = Array.from({ length: 30 }, (__, index): [string, string] => [at(index), at(index + 1)]);
          expect(await move(workspace, chain)).toEqual({ moved: 30, errors: [] });
        }),
      );
    });
  }, 60_000);

  it('swaps two directories by using a temporary name', async () => {
    const workspace = await makeWorkspace();
    for (const name of ['a', 'b'])
      await workspace.client.post('/files/mkdir', { ...workspace.place, path: `${name}/in-${name}` });
    expect(
      await move(workspace, [
        ['a', 'c'],
        ['b', 'a'],
        ['c', 'b'],
      ]),
    ).toEqual({ moved: 3, errors: [] });
    expect((await list(workspace)).directories).toEqual(['a', 'a/in-b', 'b', 'b/in-a']);
  });
});

describe('the path length limit of moves', () => {
  /** Creates a directory `d` that contains a path of `bytes` bytes with names of 100 bytes. */
  async function makeLong(kind: 'directory' | 'file', bytes: number): Promise<Workspace> {
    const workspace = await makeWorkspace();
    const { client, place } = workspace;
    let path = 'd';
    while (path.length < bytes) path += `/${'x'.repeat(Math.min(100, bytes - path.length - 1))}`;
    expect(path).toHaveLength(bytes);
    await client.post('/files/mkdir', { ...place, path: 'd' });
    if (kind === 'directory') await client.post('/files/mkdir', { ...place, path });
    else await makeFile(client, place, path, 'x');
    return workspace;
  }

  it.each(['directory', 'file'] as const)(
    'applies to the longest path of a %s in the moved directory',
    async (kind) => {
      const workspace = await makeLong(kind, MAX_PATH_BYTES - 3);
      const refused = { moved: 0, errors: [{ source_path: 'd', error: TOO_LONG }] };
      expect(await move(workspace, [['d', 'dxxxx']])).toEqual(refused);
      expect(await move(workspace, [['d', 'é/éé']])).toEqual(refused);
      expect(await move(workspace, [['d', 'e/e/d']])).toEqual(refused);
      expect((await list(workspace)).directories[0]).toBe('d');
      expect(await move(workspace, [['d', 'dxxx']])).toEqual({ moved: 1, errors: [] });
      expect(await move(workspace, [['dxxx', 'd']])).toEqual({ moved: 1, errors: [] });
    },
  );

  it('applies to successive moves in a batch, and to directories created by the batch', async () => {
    const workspace = await makeLong('file', 600);
    expect(await move(workspace, [['d', `${'y/'.repeat(200)}d`]])).toEqual({ moved: 1, errors: [] });
    expect(await move(workspace, [['y', `z/${'z'.repeat(50)}`]])).toMatchObject({
      moved: 0,
      errors: [{ error: TOO_LONG }],
    });
    expect(
      await move(workspace, [
        ['y', 'zzzz'],
        ['zzzz', `${'z'.repeat(30)}`],
      ]),
    ).toMatchObject({ moved: 1, errors: [{ source_path: 'zzzz', error: TOO_LONG }] });
  });

  it('takes into account long paths that earlier moves in the same batch have removed or added', async () => {
    const workspace = await makeLong('directory', 900);
    const { client, place } = workspace;
    await client.post('/files/mkdir', { ...place, path: 'e' });
    const long = 'l'.repeat(250);
    const [, first = ''] = (await list(workspace)).directories;
    expect(
      await move(workspace, [
        ['d', long],
        [first, 'f'],
        ['d', long],
        ['f', `${long}/f`],
        [long, 'd'],
        ['e', `${long}/e`],
        ['f', 'g/f'],
        ['g', long.slice(1)],
      ]),
    ).toEqual({
      moved: 5,
      errors: ['d', 'f', 'g'].map((source_path) => ({ source_path, error: TOO_LONG })),
    });
  });

  it('cannot be exceeded by repeatedly nesting a directory', async () => {
    await attack(async (workspace) => {
      const { client, place } = workspace;
      const levels = `d/${'a/'.repeat(200)}z`;
      await client.post('/files/mkdir', { ...place, path: levels });
      for (let round = 0; round < 10; round += 1) {
        await move(workspace, [
          ['d', `${'b/'.repeat(200)}d`],
          ['b', 'd'],
        ]);
      }
      const { directories } = await list(workspace);
      expect(Math.max(...directories.map((path) => Buffer.byteLength(path)))).toBeLessThanOrEqual(MAX_PATH_BYTES);
    });
  }, 60_000);

  it('is checked quickly for a directory with 100,000 files', async () => {
    const workspace = await makeWorkspace();
    const { client, place } = workspace;
    await makeFile(client, place, 'd/one', 'x');
    await inDatabase(
      `INSERT INTO nodes (container_id, node_id, parent_id, name, kind, blob_id, size)
       SELECT n.container_id, 1000 + i, n.parent_id, 'file ' || i, 'file', n.blob_id, n.size
         FROM projects p JOIN nodes n ON n.container_id = p.workspace_id, generate_series(1, 100000) i
        WHERE p.id = $1 AND n.name = 'one'`,
      [place.project_id],
    );
    const began = performance.now();
    expect(await move(workspace, [['d', 'directory']])).toEqual({ moved: 1, errors: [] });
    expect(performance.now() - began).toBeLessThan(500);
  }, 60_000);
});

describe('the limit of 20,000 files and directories in a tree', () => {
  const MAX_ENTRIES = 20_000;
  const FULL = { status: 409, body: { code: 'tree_full' } };
  type Tree = 'workspace_id' | 'project_skills_id';

  const count = async (project_id: string, tree: Tree = 'workspace_id'): Promise<number> => {
    const [row] = await inDatabase<{ entries: number }>(
      `SELECT count(*)::int AS entries FROM nodes n JOIN projects p ON p.${tree} = n.container_id
        WHERE p.id = $1 AND n.node_id > 0`,
      [project_id],
    );
    return row?.entries ?? 0;
  };

  /** Adds empty directories until a container has `entries` entries. */
  const fill = async (container: string, id: string, entries: number): Promise<void> => {
    await inDatabase(
      `WITH c AS (
         UPDATE containers SET next_node = next_node + $2 WHERE id = (${container}) RETURNING id, next_node - $2 AS first)
       INSERT INTO nodes (container_id, node_id, parent_id, name, kind)
       SELECT id, first + i - 1, 0, 'full ' || i, 'directory' FROM c,
              generate_series(1, $2 - (SELECT count(*) - 1 FROM nodes n JOIN c ON n.container_id = c.id)) i`,
      [id, entries],
    );
  };
  const treeOf = (tree: Tree): string => `SELECT ${tree} FROM projects WHERE id = $1`;

  it('counts every level of deep directories', async () => {
    await attack(async ({ client, place }) => {
      const made: number[] = [];
      for (let index = 0; index < 50; index += 1) {
        const { status, body } = await client.send('POST', '/files/mkdir', {
          body: { ...place, path: deep(index, 488) },
        });
        made.push(status);
        if (status === 409) expect({ status, body }).toMatchObject(FULL);
      }
      expect(made).toEqual([...Array.from({ length: 40 }, () => 200), ...Array.from({ length: 10 }, () => 409)]);
      expect(await count(place.project_id)).toBe(40 * 490);
      await client.post(`/projects/${place.project_id}/snapshots`, {});
    });
  }, 60_000);

  it('applies to all operations that add entries, and allows more entries after a deletion', async () => {
    const { client } = await service.session();
    const { id: project_id } = await makeProject(client);
    const { handle } = await makeDeployment(client);
    const place = { source: 'workspace', project_id } as const;
    await makeFile(client, place, 'data.csv', 'a\n1\n');
    await makeFile(client, { source: 'deployment', deployment_name: handle }, 'template/one.txt', 'x');
    await fill(treeOf('workspace_id'), project_id, MAX_ENTRIES - 1);
    const upload = async (path: string): Promise<Answer> => {
      const { upload_token, parts } = await sendParts(client, place, path, Buffer.from('x'));
      return await client.send('POST', '/files/upload/complete', { body: { ...place, upload_token, parts } });
    };
    const ways: (() => Promise<Answer>)[] = [
      () => client.send('POST', '/files/mkdir', { body: { ...place, path: 'a/b' } }),
      () => upload('a/b.txt'),
      () =>
        client.send('POST', '/files/query', {
          body: { ...place, tables: { t: { path: 'data.csv' } }, sql: 'SELECT * FROM t', save_as: 'a/b.csv' },
        }),
      () => client.send('POST', `/projects/${project_id}/checkout`, { body: { from_deployment: handle } }),
    ];
    for (const way of ways) expect(await way()).toMatchObject(FULL);
    expect(await move({ client, place }, [['data.csv', 'a/b/data.csv']])).toMatchObject({
      moved: 0,
      errors: [{ error: 'There would be more than 20000 files and directories; delete some first' }],
    });
    expect(await count(project_id)).toBe(MAX_ENTRIES - 1);

    // One more entry is allowed, and the content of an existing file can still be replaced.
    expect((await upload('b.txt')).status).toBe(200);
    expect((await upload('b.txt')).status).toBe(200);
    expect(await move({ client, place }, [['b.txt', 'c.txt']])).toEqual({ moved: 1, errors: [] });
    expect(await client.send('POST', '/files/mkdir', { body: { ...place, path: 'a' } })).toMatchObject(FULL);
    await client.post('/files/batch-delete', { ...place, paths: ['full 1', 'full 2'] });
    for (const way of ways.slice(0, 1)) expect((await way()).status).toBe(200);
    expect(await count(project_id)).toBe(MAX_ENTRIES);
  }, 60_000);

  it('applies when several requests compete for the last available entries', async () => {
    const { client, place } = await makeWorkspace();
    await fill(treeOf('workspace_id'), place.project_id, MAX_ENTRIES - 5);
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const body = { ...place, path: `last ${index}` };
        return (await client.send('POST', '/files/mkdir', { body })).status;
      }),
    );
    expect(statuses.sort()).toEqual([...Array<number>(5).fill(200), ...Array<number>(7).fill(409)]);
    expect(await count(place.project_id)).toBe(MAX_ENTRIES);
  });

  it('applies to deployments and project skills', async () => {
    const { client } = await service.session();
    const { id } = await makeProject(client);
    const { handle } = await makeDeployment(client);
    const files = { 'SKILL.md': 'Shifts last eight hours.\n', 'a/b/c.txt': 'x' };
    await fill(treeOf('project_skills_id'), id, MAX_ENTRIES - 5);
    await fill(`SELECT container_id FROM deployments WHERE handle = $1`, handle, MAX_ENTRIES - 5);
    for (const at of [`/projects/${id}`, `/deployments/${handle}`]) {
      expect(await client.send('PUT', `${at}/skills/shifts`, { body: { files } })).toMatchObject(FULL);
      const { 'SKILL.md': main } = files;
      expect((await client.send('PUT', `${at}/skills/shifts`, { body: { files: { 'SKILL.md': main } } })).status).toBe(
        200,
      );
    }
    expect(await count(id, 'project_skills_id')).toBe(MAX_ENTRIES - 2);
    const place = { source: 'deployment', deployment_name: handle } as const;
    expect(await client.send('POST', '/files/mkdir', { body: { ...place, path: 'a/b/c' } })).toMatchObject(FULL);
    // Snapshots, checkouts and new projects can still copy a tree that is full.
    const { id: copy } = await makeProject(client, { from_deployment: handle });
    expect(await count(copy)).toBe(MAX_ENTRIES - 5);
    await client.post(`/projects/${copy}/snapshots`, {});
  }, 60_000);
});

describe('an existing tree that exceeds the path length limit', () => {
  it('can be listed, moved and deleted like any other tree', async () => {
    await attack(async (workspace) => {
      const { client, place } = workspace;
      await client.post('/files/mkdir', { ...place, path: 'd' });
      await inDatabase(
        `INSERT INTO nodes (container_id, node_id, parent_id, name, kind)
         SELECT p.workspace_id, i, CASE i WHEN 2 THEN 1 ELSE i - 1 END, 'a', 'directory'
           FROM projects p, generate_series(2, 30000) i WHERE p.id = $1`,
        [place.project_id],
      );
      await inDatabase(
        'UPDATE containers SET next_node = 30001 FROM projects p WHERE p.id = $1 AND containers.id = p.workspace_id',
        [place.project_id],
      );
      const { directories, total } = await list(workspace);
      expect(total).toBe(512);
      expect(Buffer.byteLength(directories.at(-1) ?? '')).toBeLessThanOrEqual(MAX_PATH_BYTES);
      const inner = directories[400] ?? '';
      expect(await move(workspace, [[inner, 'e']])).toEqual({ moved: 1, errors: [] });
      expect((await move(workspace, [['e', 'longer']])).errors).toEqual([{ source_path: 'e', error: TOO_LONG }]);
      await client.post(`/projects/${place.project_id}/snapshots`, {});
      expect(await client.post<DeleteResponse>('/files/batch-delete', { ...place, paths: ['d', 'e'] })).toEqual({
        deleted: 30_000,
      });
      expect((await list(workspace)).total).toBe(0);
    });
  }, 60_000);
});

describe('paths with many combining marks', () => {
  it.each([
    ['only combining marks', '\u0315\u0300'.repeat(200_000)],
    ['combining marks after a letter', `a${'\u0300\u0327'.repeat(200_000)}`],
    ['names with combining marks', `${'a'.concat('\u0315\u0300'.repeat(150))}/`.repeat(600).slice(0, -1)],
  ])('are rejected immediately: %s', async (_, path) => {
    const { client, place } = await makeWorkspace();
    const began = performance.now();
    expect(await client.send('POST', '/files/mkdir', { body: { ...place, path } })).toMatchObject({ status: 422 });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('are rejected quickly even in a batch of 1,000', async () => {
    const { client, place } = await makeWorkspace();
    const paths = Array.from({ length: 1000 }, (_, index) => `${index}${'\u0315\u0300'.repeat(120)}`);
    const began = performance.now();
    expect(await client.send('POST', '/files/batch-delete', { body: { ...place, paths } })).toMatchObject({
      status: 422,
    });
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
