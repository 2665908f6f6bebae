import { beforeAll, expect, it } from '@jest/globals';
import {
  ALL_UNRELAYED,
  APPEND_FEW,
  FOLLOW,
  FOLLOWING,
  REMOVE_OLD,
  STREAMS,
  UNRELAYED,
} from '../../src/events/events.sql.js';
import { BEFORE_ALL_IDS } from '../../src/database/checked-id.js';
import type { Tx } from '../../src/database/database.service.js';
import { untilBlocked } from '../support/blocked.js';
import { useDatabase } from '../support/database.js';

const STREAMS_OF_ALL = 4_000;
const EVENTS_EACH = 25;
/** Each has as many streams. */
const COMPANIES = 200;
const OF_ONE = STREAMS_OF_ALL / COMPANIES;
/** One company is followed, and of each of its streams so many events were not relayed. */
const LEFT = 5;
const db = useDatabase();
let followed: string[] = [];
let some: string[] = [];

beforeAll(async () => {
  const { manager } = db.database;
  await manager.query(
    `INSERT INTO event_heads (stream_id, company_id, last_id, relayed_id)
     SELECT md5('stream ' || i)::uuid, 'company-' || i % $1::integer, $3::integer,
            CASE WHEN i % $1::integer = 0 THEN $3::integer - $4::integer ELSE 0 END
       FROM generate_series(1, $2::integer) i`,
    [COMPANIES, STREAMS_OF_ALL, EVENTS_EACH, LEFT],
  );
  await manager.query(
    `INSERT INTO events (stream_id, id, type, at, actor_kind, actor_id, data)
     SELECT stream_id, i, 'cards.changed', now() - interval '1 hour', 'user', 'user-1', json_build_object('text', repeat('x', 200))
       FROM generate_series(1, $1::integer) i, event_heads`,
    [EVENTS_EACH],
  );
  await manager.query(`INSERT INTO companies (id) VALUES ('company-0')`);
  await manager.query(`INSERT INTO event_followers (company_id) VALUES ('company-0')`);
  await manager.query('VACUUM ANALYZE events, event_heads, event_followers');
  const ids = (rows: { stream_id: string }[]): string[] => rows.map(({ stream_id }) => stream_id);
  followed = ids(await manager.query(`SELECT stream_id FROM event_heads WHERE company_id = 'company-0'`));
  some = ids(await manager.query(STREAMS, [BEFORE_ALL_IDS, 100]));
}, 60_000);

interface Node {
  'Node Type': string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Relation Name'?: string;
  Plans?: Node[];
}

/** The blocks that a statement looks at when it is planned for any values, and the tables that it reads as a whole. */
async function planOf(statement: string, parameters: unknown[]): Promise<{ blocks: number; scanned: string[] }> {
  const { database } = db;
  return await database.transaction(async (tx) => {
    await tx.query('SET LOCAL plan_cache_mode = force_generic_plan');
    const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Node }[] }[]>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`,
      parameters,
    );
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    if (plan === undefined) throw new Error('There is no plan');
    const scanned = (node: Node): string[] => [
      ...(node['Node Type'] === 'Seq Scan' && node['Relation Name'] !== undefined ? [node['Relation Name']] : []),
      ...(node.Plans ?? []).flatMap(scanned),
    ];
    return { blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], scanned: scanned(plan) };
  });
}

it.each<[string, string, () => unknown[], number, number]>([
  ['what follows an event', FOLLOWING, () => [some[0], 10], EVENTS_EACH - 10, 30],
  ['streams', STREAMS, () => [some[0], 100], 100, 500],
  ['events to relay of some streams', UNRELAYED, () => [500, some], 0, 400],
  ['events to relay of followed streams', UNRELAYED, () => [500, followed], OF_ONE * LEFT, 300],
  ['events to relay of all', ALL_UNRELAYED, () => [500], OF_ONE * LEFT, 300],
  ['that nothing of some streams is old', REMOVE_OLD, () => [some, 50, '24 h'], 0, 800],
])('%s are found by indexes', async (_, statement, parameters, count, blocks) => {
  expect(await db.database.manager.query(statement, parameters())).toHaveLength(count);
  const plan = await planOf(statement, parameters());
  expect(plan.scanned.filter((table) => table !== 'event_followers')).toEqual([]);
  expect(plan.blocks).toBeLessThan(blocks);
});

it('old events are removed from their streams, but those that are still to be relayed', async () => {
  const { manager } = db.database;
  const streams = [...some.slice(0, 10).filter((id) => !followed.includes(id)), ...followed];
  await manager.query(`UPDATE events SET at = now() - interval '2 days' WHERE stream_id = ANY ($1) AND id <= 23`, [
    streams,
  ]);
  expect(await manager.query(REMOVE_OLD, [streams, 50, '24 h'])).toEqual([]);
  const left = await manager.query<{ first: number; is_followed: boolean }[]>(
    `SELECT min(id) AS first, stream_id = ANY ($2) AS is_followed FROM events WHERE stream_id = ANY ($1) GROUP BY stream_id`,
    [streams, followed],
  );
  expect(left).toHaveLength(streams.length);
  for (const { first, is_followed } of left) expect(first).toBe(is_followed ? EVENTS_EACH - LEFT + 1 : 24);
});

it('streams whose events are gone do not hide others from who relays', async () => {
  const { manager } = db.database;
  const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  await manager.query(
    `INSERT INTO event_heads (stream_id, company_id, last_id)
     SELECT md5('gone ' || i)::uuid, 'company-0', 3 FROM generate_series(1, 600) i`,
  );
  await manager.query(`UPDATE event_heads SET relayed_id = last_id WHERE stream_id = ANY ($1)`, [followed]);
  await manager.query(`INSERT INTO event_heads (stream_id, company_id) VALUES ($1, 'company-0')`, [last]);
  await manager.query(APPEND_FEW[0] ?? '', [last, 'user', 'user-1', 'cards.changed', '{}']);
  expect(await manager.query(ALL_UNRELAYED, [500])).toMatchObject([{ stream_id: last, id: 1 }]);
});

it('who begins to follow a company waits for changes of several streams, and they for nobody in a circle', async () => {
  const { database } = db;
  const { manager } = database;
  const [first, second] = ['10000000-0000-0000-0000-000000000000', '20000000-0000-0000-0000-000000000000'];
  // In another order than that of their ids.
  for (const id of [second, first])
    await manager.query(`INSERT INTO event_heads (stream_id, company_id) VALUES ($1, 'company-1')`, [id]);
  await manager.query(`INSERT INTO companies (id) VALUES ('company-1')`);
  const append = (tx: Tx, id: string): Promise<unknown> =>
    tx.query(APPEND_FEW[0] ?? '', [id, 'user', 'user-1', 'cards.changed', '{}']);
  let following: Promise<unknown> | undefined;
  await database.transaction(async (tx) => {
    await append(tx, first);
    following = manager.query(FOLLOW, ['company-1']);
    await untilBlocked((text, values) => manager.query(text, values), { about: 'event_followers' });
    await append(tx, second);
  });
  await following;
  expect(
    await manager.query('SELECT last_id, relayed_id FROM event_heads WHERE stream_id = ANY ($1)', [[first, second]]),
  ).toEqual([
    { last_id: 1, relayed_id: 1 },
    { last_id: 1, relayed_id: 1 },
  ]);
});
