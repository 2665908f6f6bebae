import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { CLAIM } from '../../src/webhooks/webhook-deliveries.sql.js';
import { type LeasedDelivery, WebhookDeliveriesRepository } from '../../src/webhooks/webhook-deliveries.repository.js';
import { untilBlocked } from '../support/blocked.js';
import { useDatabase } from '../support/database.js';

const STREAMS = 20;
/** Number of projects of another webhook. Each has a pending delivery. */
const MANY_STREAMS = 20_000;
/**
 * Number of deliveries for a single webhook whose receiver has been failing for a long time. Half of them wait for
 * their first attempt, and half for a retry.
 */
const BACKLOG = 60_000;
const WEBHOOKS = 2_000;
const COMPANIES = 100;
/** Maximum number of blocks to read. The backlog alone has thousands of blocks. */
const FEW_BLOCKS = 500;
const OWNER = randomUUID();
const db = useDatabase();
let backlogs: (string | undefined)[] = [];

const claim = (limit: number): Promise<LeasedDelivery[]> =>
  new WebhookDeliveriesRepository(db.source).claim(OWNER, limit);
const add = (webhook_id: string, stream: number, { attempts = 0, count = 1 } = {}): Promise<unknown> =>
  db.database.manager.query(
    `INSERT INTO webhook_deliveries (webhook_id, stream_id, message_id, type, body, attempts)
     SELECT $1, md5('stream ' || $2::integer)::uuid, 'few ' || i, 'cards.changed', '{}', $3 FROM generate_series(1, $4::integer) i`,
    [webhook_id, stream, attempts, count],
  );
const webhooksOf = async (company: number, count: number): Promise<string[]> => {
  const rows = await db.database.manager.query<{ id: string }[]>(
    'SELECT id FROM webhooks WHERE company_id = $1 ORDER BY id LIMIT $2',
    [`company-${company}`, count],
  );
  return rows.map(({ id }) => id);
};
const countBy = (held: readonly LeasedDelivery[], keyOf: (one: LeasedDelivery) => string): number[] => {
  const counts = new Map<string, number>();
  for (const one of held) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return [...counts.values()].sort((one, other) => one - other);
};

beforeAll(async () => {
  const { manager } = db.database;
  await manager.query(`INSERT INTO companies (id) SELECT 'company-' || i FROM generate_series(1, $1::integer) i`, [
    COMPANIES,
  ]);
  const made = await manager.query<{ id: string }[]>(
    `INSERT INTO webhooks (company_id, url, events, secret)
     SELECT 'company-' || 1 + i % $2::integer, 'https://example.com', ARRAY['cards.changed'], ''
       FROM generate_series(1, $1::integer) i RETURNING id`,
    [WEBHOOKS, COMPANIES],
  );
  backlogs = [made[0]?.id, made[1]?.id];
  await manager.query(
    `INSERT INTO webhook_deliveries (webhook_id, stream_id, message_id, type, body, attempts, next_attempt_at)
     SELECT $1, md5('stream ' || i % $2::integer)::uuid, i, 'cards.changed', repeat('x', 300), i / $2::integer % 2,
            now() + i / $2::integer % 2 * interval '1 hour'
       FROM generate_series(1, $3::integer) i`,
    [backlogs[0], STREAMS, BACKLOG],
  );
  await manager.query(
    `INSERT INTO webhook_deliveries (webhook_id, stream_id, message_id, type, body)
     SELECT $1, uuidv7(i * interval '-1 s'), i, 'cards.changed', repeat('x', 300) FROM generate_series(1, $2::integer) i`,
    [backlogs[1], MANY_STREAMS],
  );
  // Creates ten ended deliveries for each webhook.
  await manager.query(
    `INSERT INTO webhook_deliveries (webhook_id, stream_id, message_id, type, body, attempts, state, next_attempt_at)
     SELECT id, id, 'm' || i, 'cards.changed', '', 1, 'delivered', NULL FROM webhooks, generate_series(1, 10) i`,
  );
  await manager.query('VACUUM ANALYZE webhooks, webhook_deliveries');
}, 60_000);

beforeEach(async () => {
  const { manager } = db.database;
  await manager.query(`DELETE FROM webhook_deliveries WHERE message_id LIKE 'few %'`);
  await manager.query('UPDATE webhook_deliveries SET owner = NULL, due_at = NULL WHERE owner IS NOT NULL');
});

it('finds due deliveries without reading all pending deliveries', async () => {
  const plan = await db.database.transaction(async (tx) => {
    await tx.query('SET LOCAL plan_cache_mode = force_generic_plan');
    const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }[]>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${CLAIM}`,
      [OWNER, 50],
    );
    return row?.['QUERY PLAN'][0]?.Plan ?? {};
  });
  expect((plan['Shared Hit Blocks'] ?? Infinity) + (plan['Shared Read Blocks'] ?? Infinity)).toBeLessThan(FEW_BLOCKS);
});

it('claims each project’s oldest delivery first, and the next delivery only after the oldest has ended', async () => {
  const [few = ''] = await webhooksOf(7, 1);
  await add(few, 1, { count: 3 });
  await add(few, 2, { count: 3 });
  const of = async (): Promise<string[]> =>
    (await claim(100)).filter(({ webhook_id }) => webhook_id === few).map(({ message_id }) => message_id);
  expect(await of()).toEqual(['few 1', 'few 1']);
  expect(await of()).toEqual([]);
  await db.database.manager.query(
    `UPDATE webhook_deliveries SET state = 'delivered', next_attempt_at = NULL, owner = NULL WHERE webhook_id = $1 AND message_id = 'few 1'`,
    [few],
  );
  expect(await of()).toEqual(['few 2', 'few 2']);
});

it('claims at most four first attempts and two retries per webhook, and ten deliveries per company', async () => {
  const [one = '', two = '', three = ''] = await webhooksOf(7, 3);
  for (const id of [one, two, three]) {
    for (let stream = 1; stream <= 9; stream += 1) await add(id, stream, { count: 2 });
    await add(id, 1, { attempts: 1, count: 5 });
  }
  const ofCompany = async (): Promise<number> =>
    (await claim(100)).filter(({ company_id }) => company_id === 'company-7').length;
  expect(await ofCompany()).toBe(10);
  expect(await ofCompany()).toBe(0);
  const rows = await db.database.manager.query<{ webhook_id: string; first: number; again: number }[]>(
    `SELECT webhook_id, count(*) FILTER (WHERE attempts = 0)::integer AS first, count(*) FILTER (WHERE attempts > 0)::integer AS again
       FROM webhook_deliveries WHERE owner IS NOT NULL AND webhook_id = ANY ($1) GROUP BY webhook_id`,
    [[one, two, three]],
  );
  for (const { first, again } of rows) {
    expect(first).toBeLessThanOrEqual(4);
    expect(again).toBeLessThanOrEqual(2);
  }
});

it('claims deliveries of random projects, regardless of the age of the projects', async () => {
  const [few = ''] = await webhooksOf(7, 1);
  await db.database.manager.query(
    `INSERT INTO webhook_deliveries (webhook_id, stream_id, message_id, type, body)
     SELECT $1, uuidv7(i * interval '-1 day'), 'few ' || i, 'cards.changed', '{}' FROM generate_series(1, 40) i`,
    [few],
  );
  const taken = new Set<string>();
  for (let times = 0; times < 30; times += 1) {
    for (const { webhook_id, message_id } of await claim(100)) if (webhook_id === few) taken.add(message_id);
    await db.database.manager.query(
      'UPDATE webhook_deliveries SET owner = NULL, due_at = NULL WHERE owner IS NOT NULL',
    );
  }
  // In 30 claims with 4 slots, each of the 40 projects is missed with a probability of about 4 % (0.9^30).
  expect(taken.size).toBeGreaterThan(20);
});

it('resends a delivery even if it is in flight, and ignores the result of the earlier attempt', async () => {
  const [few = ''] = await webhooksOf(7, 1);
  const deliveries = new WebhookDeliveriesRepository(db.source);
  for (let stream = 1; stream <= 4; stream += 1) await add(few, stream);
  await add(few, 5, { attempts: 1 });
  const mine = async (): Promise<LeasedDelivery[]> => (await claim(100)).filter(({ webhook_id }) => webhook_id === few);
  const held = await mine();
  expect(held).toHaveLength(5);
  for (const { id } of held) await deliveries.sendAgain(id);
  const stale = held.find(({ attempts }) => attempts === 1);
  expect(await mine()).toHaveLength(4);
  if (stale === undefined) throw new Error('No retry was claimed');
  const noted = { at: new Date(), next_attempt_at: null, response_status: 204, response: '', error: null };
  await deliveries.note(stale, { ...noted, state: 'delivered' });
  expect(await db.database.manager.query('SELECT state FROM webhook_deliveries WHERE id = $1', [stale.id])).toEqual([
    { state: 'pending' },
  ]);
});

it('does not claim a delivery that a concurrent transaction gives up', async () => {
  const [few = ''] = await webhooksOf(7, 1);
  await add(few, 1);
  let claimed: Promise<LeasedDelivery[]> | undefined;
  await db.database.transaction(async (tx) => {
    await tx.withRepository(new WebhookDeliveriesRepository(db.source)).failPending(few, 'It is over');
    claimed = claim(100);
    claimed.catch(() => undefined);
    await untilBlocked((text, values) => db.database.manager.query(text, values), { about: 'WITH RECURSIVE first' });
  });
  expect((await claimed)?.filter(({ webhook_id }) => webhook_id === few)).toEqual([]);
});

it('claims deliveries of every busy company but leaves slots for other companies', async () => {
  for (let company = 11; company <= 20; company += 1)
    for (const id of await webhooksOf(company, 3)) for (let stream = 1; stream <= 5; stream += 1) await add(id, stream);
  const held = await claim(100);
  expect(held.length).toBeLessThanOrEqual(55);
  expect(Math.min(...countBy(held, ({ company_id }) => company_id))).toBeGreaterThanOrEqual(2);
});

it('prefers the company with the fewest deliveries in flight', async () => {
  const [busy = ''] = await webhooksOf(8, 1);
  const [idle = ''] = await webhooksOf(9, 1);
  for (let stream = 1; stream <= 6; stream += 1) await add(busy, stream);
  await db.database.manager.query('UPDATE webhooks SET active = false WHERE id = ANY ($1)', [backlogs]);
  expect(countBy(await claim(53), ({ webhook_id }) => webhook_id)).toEqual([3]);
  await add(idle, 1);
  expect(await claim(1)).toMatchObject([{ webhook_id: idle }]);
  await db.database.manager.query('UPDATE webhooks SET active = true WHERE id = ANY ($1)', [backlogs]);
});

it('claims a delivery again with a new generation after its lease has expired', async () => {
  const [few = ''] = await webhooksOf(7, 1);
  await add(few, 1, { count: 2 });
  const mine = async (): Promise<LeasedDelivery | undefined> =>
    (await claim(100)).find(({ webhook_id }) => webhook_id === few);
  const first = await mine();
  expect(await mine()).toBeUndefined();
  await db.database.manager.query(`UPDATE webhook_deliveries SET due_at = now() - interval '1 ms' WHERE id = $1`, [
    first?.id,
  ]);
  expect(await mine()).toMatchObject({ id: first?.id, generation: (first?.generation ?? 0) + 1 });
});
