import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { envelopeOf } from '../../src/events/envelope.js';
import { EventsRepository } from '../../src/events/events.repository.js';
import { MAX_PENDING } from '../../src/events/event-types.js';
import { APPEND_FEW, FOLLOWING, REMOVE_OLD, STREAMS } from '../../src/events/events.sql.js';
import { WebhookDeliveriesRepository } from '../../src/webhooks/webhook-deliveries.repository.js';
import { WebhooksRepository } from '../../src/webhooks/webhooks.repository.js';
import { BEFORE_ALL_IDS } from '../../src/database/checked-id.js';
import { untilBlocked } from '../support/blocked.js';
import { useDatabase } from '../support/database.js';

const STREAMS_OF_ALL = 4_000;
const EVENTS_EACH = 25;
/** Number of companies, and number of streams per company. */
const COMPANIES = 200;
const db = useDatabase();
let some: string[] = [];

beforeAll(async () => {
  const { manager } = db.database;
  await manager.query(
    `INSERT INTO event_heads (stream_id, company_id, last_id, relayed_id)
     SELECT md5('stream ' || i)::uuid, 'company-' || i % $1::integer, $3::integer, $3::integer
       FROM generate_series(1, $2::integer) i`,
    [COMPANIES, STREAMS_OF_ALL, EVENTS_EACH],
  );
  await manager.query(
    `INSERT INTO events (stream_id, id, type, at, actor_kind, actor_id, data)
     SELECT stream_id, i, 'cards.changed', now() - interval '1 hour', 'user', 'user-1', json_build_object('text', repeat('x', 200))
       FROM generate_series(1, $1::integer) i, event_heads`,
    [EVENTS_EACH],
  );
  await manager.query('VACUUM ANALYZE events, event_heads');
  const rows = await manager.query<{ stream_id: string }[]>(STREAMS, [BEFORE_ALL_IDS, 100]);
  some = rows.map(({ stream_id }) => stream_id);
}, 60_000);

interface Node {
  'Node Type': string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Relation Name'?: string;
  Plans?: Node[];
}

/** Returns the number of blocks that a statement reads with a generic plan, and the tables that it scans completely. */
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
  ['the events after a given event', FOLLOWING, () => [some[0], 10], EVENTS_EACH - 10, 30],
  ['a page of streams', STREAMS, () => [some[0], 100], 100, 500],
  ['old events in streams that have only new events', REMOVE_OLD, () => [some, 50, '24 h'], 0, 800],
])('uses indexes to find %s', async (_, statement, parameters, count, blocks) => {
  expect(await db.database.manager.query(statement, parameters())).toHaveLength(count);
  const plan = await planOf(statement, parameters());
  expect(plan.scanned).toEqual([]);
  expect(plan.blocks).toBeLessThan(blocks);
});

it('removes only the old events from streams', async () => {
  const { manager } = db.database;
  const streams = some.slice(0, 10);
  await manager.query(`UPDATE events SET at = now() - interval '2 days' WHERE stream_id = ANY ($1) AND id <= 23`, [
    streams,
  ]);
  expect(await manager.query(REMOVE_OLD, [streams, 50, '24 h'])).toEqual([]);
  const left = await manager.query<{ first: number }[]>(
    'SELECT min(id) AS first FROM events WHERE stream_id = ANY ($1) GROUP BY stream_id',
    [streams],
  );
  expect(left.map(({ first }) => first)).toEqual(streams.map(() => 24));
});

describe('deliveries of events', () => {
  const CHANGE = ['user', 'user-1', 'cards.changed', '{"card_ids": ["a\\"b"]}'];
  const append = (stream: string): Promise<unknown[]> =>
    db.database.manager.query(APPEND_FEW[0] ?? '', [stream, ...CHANGE]);
  const deliveries = (stream: string): Promise<{ webhook_id: string; message_id: string; body: string }[]> =>
    db.database.manager.query(
      'SELECT webhook_id, message_id, body FROM webhook_deliveries WHERE stream_id = $1 ORDER BY place',
      [stream],
    );
  /** Creates a stream for a company, and the company's webhooks. */
  async function makeCompany(company: string, webhooks: number): Promise<{ stream: string; ids: string[] }> {
    const { manager } = db.database;
    await manager.query('INSERT INTO companies (id) VALUES ($1)', [company]);
    const stream = randomUUID();
    await manager.query('INSERT INTO event_heads (stream_id, company_id) VALUES ($1, $2)', [stream, company]);
    const made = await manager.query<{ id: string }[]>(
      `INSERT INTO webhooks (company_id, url, events, secret)
       SELECT $1, 'https://example.com', ARRAY['cards.changed'], '' FROM generate_series(1, $2::integer) RETURNING id`,
      [company, webhooks],
    );
    return { stream, ids: made.map(({ id }) => id).sort() };
  }

  it('are identical to the events that readers of the stream receive', async () => {
    const { stream, ids } = await makeCompany('reading', 2);
    await append(stream);
    const { events } = (await new EventsRepository(db.source).following(stream, 0)) ?? { events: [] };
    const body = events[0] && envelopeOf(events[0], stream);
    const message_id = `${stream}_1`;
    const found = (await deliveries(stream)).sort((one, other) => (one.webhook_id < other.webhook_id ? -1 : 1));
    expect(found).toEqual(ids.map((webhook_id) => ({ webhook_id, message_id, body })));
  });

  it('do not require a table scan if the company has no webhooks', async () => {
    const { stream } = await makeCompany('without', 0);
    const plan = await planOf(APPEND_FEW[0] ?? '', [stream, ...CHANGE]);
    expect(plan.scanned).toEqual([]);
    expect(plan.blocks).toBeLessThan(25);
  });

  it('are added without waiting for a transaction that changes or deletes a webhook', async () => {
    const { database } = db;
    const { stream, ids } = await makeCompany('deleting', 2);
    await database.transaction(async (tx) => {
      await tx.query('UPDATE webhooks SET failures = 1 WHERE id = $1', [ids[0]]);
      await tx.query('DELETE FROM webhooks WHERE id = $1', [ids[0]]);
      expect(await append(stream)).toEqual([{ deliveries: 2, skips: false }]);
    });
    const repository = new WebhookDeliveriesRepository(db.source);
    expect(await repository.removeOrphans(10)).toBe(1);
    expect((await deliveries(stream)).map(({ webhook_id }) => webhook_id)).toEqual([ids[1]]);
  });

  it('are skipped for a webhook with too many pending deliveries, and the skipped events are counted later', async () => {
    const { manager } = db.database;
    const { stream, ids } = await makeCompany('full', 2);
    await manager.query(
      `INSERT INTO webhook_deliveries (webhook_id, stream_id, message_id, type, body)
       SELECT $1, $1, 'waiting_' || i, 'cards.changed', '{}' FROM generate_series(1, $2::integer) i`,
      [ids[0], MAX_PENDING],
    );
    for (let times = 0; times < 3; times += 1) expect(await append(stream)).toEqual([{ deliveries: 1, skips: true }]);
    const skipped = (): Promise<{ skipped_events: number; is_told: boolean }[]> =>
      manager.query(
        'SELECT skipped_events::integer, last_skipped_at IS NOT NULL AS is_told FROM webhooks WHERE id = ANY ($1) ORDER BY id',
        [ids],
      );
    const webhooks = new WebhooksRepository(db.source);
    await webhooks.countSkipped();
    await webhooks.countSkipped();
    expect(await skipped()).toEqual([
      { skipped_events: 3, is_told: true },
      { skipped_events: 0, is_told: false },
    ]);
  });

  describe('deliveries of events appended by the previous version', () => {
    const OLD = `
      WITH head AS (UPDATE event_heads SET last_id = last_id + 1 WHERE stream_id = $1 RETURNING last_id)
      INSERT INTO events (stream_id, id, actor_kind, actor_id, at, type, data)
      VALUES ($1, (SELECT last_id FROM head), 'user', 'user-1', clock_timestamp(), 'cards.changed', '{}')`;
    const deliverLeft = () =>
      db.database.transaction(
        async (tx) => await tx.withRepository(new EventsRepository(db.source)).deliverUndelivered(10),
      );
    const numbersOf = async (stream: string): Promise<(string | undefined)[]> =>
      (await deliveries(stream)).map(({ message_id }) => message_id.split('_')[1]);

    it('are created by the next `deliverUndelivered` run, and only once', async () => {
      const { stream } = await makeCompany('before', 1);
      await new EventsRepository(db.source).follow('before');
      await append(stream);
      await db.database.manager.query(OLD, [stream]);
      expect(await deliverLeft()).toEqual({ deliveries: 1, skips: false, streams: 1 });
      expect(await deliverLeft()).toEqual({ deliveries: 0, skips: false, streams: 0 });
      await append(stream);
      expect(await numbersOf(stream)).toEqual(['1', '2', '3']);
    });

    it('include events that are appended while other events are being delivered', async () => {
      const { database } = db;
      const { stream } = await makeCompany('meanwhile', 1);
      await new EventsRepository(db.source).follow('meanwhile');
      await database.manager.query(OLD, [stream]);
      let delivered: ReturnType<typeof deliverLeft> | undefined;
      await database.transaction(async (tx) => {
        await tx.query(OLD, [stream]);
        delivered = deliverLeft();
        delivered.catch(() => undefined);
        await untilBlocked((text, values) => database.manager.query(text, values), { about: 'last_id > relayed_id' });
      });
      expect(await delivered).toEqual({ deliveries: 2, skips: false, streams: 1 });
      expect(await numbersOf(stream)).toEqual(['1', '2']);
    });
  });
});
