import { beforeAll, describe, expect, it } from '@jest/globals';
import * as blobs from '../../src/files/blobs/blobs.sql.js';
import type { ContainersService } from '../../src/files/tree/containers.service.js';
import { Principal } from '../../src/auth/principal.js';
import { callerParameter } from '../../src/projects/project-access.js';
import { DELETED_CONTAINERS } from '../../src/files/tree/containers.sql.js';
import { KNOWN_CONTAINER, listBelow, listChildren, walkChildren } from '../../src/files/tree/file-listing.sql.js';
import * as changes from '../../src/files/tree/file-tree-changes.sql.js';
import * as reads from '../../src/files/tree/file-tree.sql.js';
import { WORKSPACES } from '../../src/projects/projects.repository.js';
import { SNAPSHOT_TREES } from '../../src/projects/snapshots.repository.js';
import { useDatabase } from '../support/database.js';
import { fileServices } from '../support/file-services.js';

const sql = { ...reads, ...changes };
const company_id = 'company';
const db = useDatabase();
let containers: ContainersService;
let big = '';
let other = '';

/** Creates 100 directories with 200 files each in one container, and the same number in other containers. */
beforeAll(async () => {
  ({ containers } = fileServices(db));
  const { manager } = db.database;
  await manager.query('INSERT INTO companies (id) VALUES ($1)', [company_id]);
  const made: string[] = [];
  for (let index = 0; index < 5; index += 1) made.push(await containers.create(manager, company_id, 'workspace'));
  [big = '', other = ''] = made;
  await manager.query(`INSERT INTO containers (company_id, kind) SELECT $1, 'snapshot' FROM generate_series(1, 2000)`, [
    company_id,
  ]);
  await manager.query(
    `INSERT INTO blobs (company_id, state, size) SELECT $1, 'stored', 1 FROM generate_series(1, 20000)`,
    [company_id],
  );
  for (const [index, container_id] of made.entries()) {
    await manager.query(
      `INSERT INTO nodes (container_id, node_id, parent_id, name, kind, implied)
       SELECT $1, i, 0, 'd' || i, 'directory', true FROM generate_series(1, 100) i`,
      [container_id],
    );
    await manager.query(
      `INSERT INTO nodes (container_id, node_id, parent_id, name, kind, blob_id, size, file_id)
       SELECT $1, 100 + n, 1 + n % 100, 'f' || n, 'file', id, size, uuidv7()
         FROM (SELECT id, size, row_number() OVER () AS n FROM blobs) b WHERE n <= $2`,
      [container_id, index === 0 ? 20_000 : 5_000],
    );
    await manager.query('UPDATE containers SET next_node = 30000 WHERE id = $1', [container_id]);
  }
  await manager.query('VACUUM ANALYZE nodes, blobs, containers');
}, 60_000);

/** Returns the plan for these parameters, and the generic plan. */
async function planOf(statement: string, parameters: unknown[]): Promise<string> {
  return await db.database.transaction(async (tx) => {
    const explain = (options: string, given?: unknown[]): Promise<{ 'QUERY PLAN': string }[]> =>
      tx.query(`EXPLAIN (${options}) ${statement}`, given);
    const rows = [...(await explain('COSTS OFF', parameters)), ...(await explain('COSTS OFF, GENERIC_PLAN'))];
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

describe('a file tree statement', () => {
  const one = ['d7/f7'];
  const batch = Array.from({ length: 1000 }, (_, index) => `d${index % 100}/f${index}`);
  it.each<[name: Exclude<keyof typeof sql, 'childrenOf' | 'nodeOf' | 'belowIn'>, parameters: () => unknown[]]>([
    ['WALK_PATH', () => [big, company_id, one]],
    ['WALK_FROM', () => [big, [0, 7], ['d7/f7', 'f8']]],
    ['FIND_NODES', () => [big, company_id, batch]],
    ['MEASURE_DIRECTORY', () => [big, 0, 500]],
    ['MEASURE_DIRECTORY', () => [big, 0, 10]],
    ['FIND_FILES', () => [big, company_id, one]],
    ['FIND_FILES_BY_ID', () => [big, company_id, ['01234567-89ab-7def-8123-456789abcdef']]],
    ['FILES_BELOW', () => [big, company_id, ['d7']]],
    ['DIGEST', () => [big, company_id, ['d7', 'd8/f8']]],
    ['INSERT_CHAIN', () => [big, 7, ['x', 'y'], true, null, null, null, null, false]],
    ['MAKE_EXPLICIT', () => [big, 7]],
    ['REPLACE_FILE', () => [big, 107, '01234567-89ab-7def-8123-456789abcdef', 1, null, 'upload']],
    ['DELETE_SUBTREES', () => [big, [7]]],
    ['DELETE_EMPTIED', () => [big, [7]]],
    ['DELETE_EMPTIED', () => [big, Array.from({ length: 1000 }, (_, index) => index)]],
    ['DELETE_NODES', () => [big, [7, 8]]],
    ['PARK_NODES', () => [big, [7, 8]]],
    ['MOVE_NODES', () => [big, [7], [8], ['x']]],
    ['MOVE_NODES', () => [big, [7, 9, 10], [8, 8, 8], ['x', 'y', 'z']]],
    ['INSERT_DIRECTORIES', () => [big, [40_000, 40_001], [7, 40_000], ['x', 'y'], [1, 0], 40_002]],
    ['COPY_WHOLE', () => [big, other, 'snapshot']],
    ['COPY_SELECTED', () => [big, other, 'workspace', ['d7'], true]],
  ])('uses only indexes: %s', async (name, parameters) => {
    const plan = await planOf(sql[name], parameters());
    expect(plan).toMatch(/Index/);
    expect(plan).not.toMatch(/Seq Scan on (nodes|blobs|containers)/);
  });
});

describe('directory counts', () => {
  it('are updated without table scans, even with a generic plan', async () => {
    const scans: object[] = await db.database.transaction(async (tx) => {
      const snapshot = await containers.create(tx, company_id, 'snapshot');
      await tx.query('SET LOCAL plan_cache_mode = force_generic_plan');
      await tx.query(sql.COPY_WHOLE, [big, snapshot, 'snapshot']);
      await tx.query(sql.DELETE_SUBTREES, [big, Array.from({ length: 99 }, (_, index) => index + 1)]);
      await tx.query(sql.INSERT_CHAIN, [big, 100, ['x', 'y'], true, null, null, null, null, false]);
      await tx.query(sql.MOVE_NODES, [big, [30_001], [0], ['z']]);
      await tx.query(sql.DELETE_SUBTREES, [big, [30_001]]);
      return await tx.query<object[]>("SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'nodes'");
    });
    expect(scans).toEqual([{ seq_scan: 0 }]);
  });
});

describe('directory listings', () => {
  const id = '01234567-89ab-7def-8123-456789abcdef';
  const rights = { person_id: 'ada', sees_all: false, access: 'write', project_ids: null } as const;
  const caller = Principal.agent(company_id, rights);
  const access = callerParameter(caller);
  const places = [
    ['a workspace', WORKSPACES.select('$6'), [access]],
    ['a snapshot', SNAPSHOT_TREES.select('$6'), [access]],
    ['a known container', KNOWN_CONTAINER, []],
  ] as const;

  it.each(places)('use indexes and no sort for a directory in %s', async (_, place, scope) => {
    const plan = await planOf(listChildren(place), [id, company_id, 'd7', 50, 100, ...scope]);
    expect(plan).toMatch(/Index Only Scan using nodes_directories_idx/);
    expect(plan).toMatch(/Index Scan using nodes_name_key/);
    expect(plan).not.toMatch(/Sort|Seq Scan on (nodes|containers|projects)/);
  });

  it.each(places)(
    'use indexes and no sort to continue after an entry of a directory in %s',
    async (_, place, scope) => {
      for (const after of [
        ['', ''],
        ['directory', 'd7'],
      ]) {
        const plan = await planOf(walkChildren(place), [id, company_id, 'd7', 50, after, ...scope]);
        expect(plan).toMatch(/Index (Only )?Scan using nodes_directories_idx.*\n *Index Cond: .*name > /);
        expect(plan).toMatch(/Index Scan using nodes_name_key.*\n *Index Cond: .*name > /);
        expect(plan).not.toMatch(/Sort|Seq Scan on (nodes|containers|projects)/);
      }
    },
  );

  it.each(places)('use only indexes for all entries below a directory in %s', async (_, place, scope) => {
    const plan = await planOf(listBelow(place), [id, company_id, 'd7', 50, 0, ...scope]);
    expect(plan).toMatch(/Index/);
    expect(plan).not.toMatch(/Seq Scan on (nodes|blobs|containers)/);
  });
});

describe('a clean-up statement', () => {
  const clearing = { ...blobs, DELETED_CONTAINERS, DELETE_LEAVES: sql.DELETE_LEAVES };
  const [first, last] = ['00000000-0000-0000-0000-000000000000', '01234567-89ab-7def-8123-456789abcdef'];
  it.each<[name: keyof typeof clearing, parameters: () => unknown[]]>([
    ['PAGE_OF_BLOBS', () => [first, 1000]],
    ['CLEAR_MARKS', () => [first, last]],
    ['MARK_BLOBS', () => [first, last]],
    ['MARKED_BLOBS', () => [86_400, first, 500]],
    ['LOCK_BLOBS', () => [[first, last]]],
    ['DOOM_BLOBS', () => [[first, last]]],
    ['DELETED_CONTAINERS', () => [86_400]],
    ['DELETE_LEAVES', () => [other, 1000]],
  ])('uses only indexes: %s', async (name, parameters) => {
    const plan = await planOf(clearing[name], parameters());
    expect(plan).toMatch(/Index/);
    expect(plan).not.toMatch(/Seq Scan on (nodes|blobs|containers)/);
  });
});
