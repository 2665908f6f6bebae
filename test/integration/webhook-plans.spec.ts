import { beforeAll, expect, it } from '@jest/globals';
import { AGAIN, FIRST, HAS_DUE, WAITING } from '../../src/webhooks/webhook-deliveries.sql.js';
import { type RelayedTo, WebhookDeliveriesRepository } from '../../src/webhooks/webhook-deliveries.repository.js';
import { untilBlocked } from '../support/blocked.js';
import { useDatabase } from '../support/database.js';

const STREAMS = 20;
/** Of one webhook, whose receiver has taken nothing for long: as many have never been tried as wait for their next time. */
const BACKLOG = 60_000;
const WEBHOOKS = 2_000;
/** The backlog takes thousands. */
const FEW_BLOCKS = 500;
const db = useDatabase();
let webhook = '';

beforeAll(async () => {
  const { manager } = db.database;
  await manager.query(`INSERT INTO companies (id) SELECT 'company-' || i FROM generate_series(1, 100) i`);
  const made = await manager.query<{ id: string }[]>(
    `INSERT INTO webhooks (company_id, url, events, secret)
     SELECT 'company-' || 1 + i % 100, 'https://example.com', ARRAY['cards.changed'], '' FROM generate_series(1, $1::integer) i
     RETURNING id`,
    [WEBHOOKS],
  );
  webhook = made[0]?.id ?? '';
  await manager.query(
    `INSERT INTO webhook_deliveries (webhook_id, stream_id, message_id, type, body, attempts, next_attempt_at)
     SELECT $1, md5('stream ' || i % $2::integer)::uuid, i, 'cards.changed', repeat('x', 300), i / $2::integer % 2,
            now() + i / $2::integer % 2 * interval '1 hour'
       FROM generate_series(1, $3::integer) i`,
    [webhook, STREAMS, BACKLOG],
  );
  // What all others were sent.
  await manager.query(
    `INSERT INTO webhook_deliveries (webhook_id, stream_id, message_id, type, body, attempts, state, next_attempt_at)
     SELECT id, id, 'm' || i, 'cards.changed', '', 1, 'delivered', NULL FROM webhooks, generate_series(1, 10) i`,
  );
  await manager.query('VACUUM ANALYZE webhooks, webhook_deliveries');
}, 60_000);

/** The blocks that a statement looks at. */
async function blocksOf(statement: string, parameters: unknown[]): Promise<number> {
  const [row] = await db.database.manager.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }[]>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`,
    parameters,
  );
  const plan = row?.['QUERY PLAN'][0]?.Plan ?? {};
  return (plan['Shared Hit Blocks'] ?? Infinity) + (plan['Shared Read Blocks'] ?? Infinity);
}

it.each<[string, string, () => unknown[], number]>([
  ['first attempts', FIRST, () => [webhook, 50, 5], STREAMS * 5],
  ['later ones', AGAIN, () => [webhook, 20], 0],
  ['whether something is due', HAS_DUE, () => [webhook], 1],
  ['who waits', WAITING, () => [100], 1],
])('%s are found without a look at all that waits', async (_, statement, parameters, count) => {
  const { manager } = db.database;
  expect(await manager.query(statement, parameters())).toHaveLength(count);
  expect(await blocksOf(statement, parameters())).toBeLessThan(FEW_BLOCKS);
});

it('first attempts are those of every project, of each in their order', async () => {
  const rows = await db.database.manager.query<{ stream_id: string; message_id: string }[]>(FIRST, [webhook, 50, 3]);
  const streams = new Map<string, typeof rows>();
  for (const row of rows) streams.set(row.stream_id, [...(streams.get(row.stream_id) ?? []), row]);
  expect(streams.size).toBe(STREAMS);
  for (const few of streams.values()) {
    const places = few.map(({ message_id }) => Number(message_id));
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(places).toHaveLength(3);
  }
});

it('nobody waits for what is due later alone, and that is found without a look at it', async () => {
  const { manager } = db.database;
  await manager.query(
    `UPDATE webhook_deliveries SET attempts = 1, next_attempt_at = now() + interval '1 hour' WHERE state = 'pending'`,
  );
  await manager.query('VACUUM ANALYZE webhook_deliveries');
  expect(await manager.query(HAS_DUE, [webhook])).toEqual([{ due: false }]);
  expect(await blocksOf(HAS_DUE, [webhook])).toBeLessThan(FEW_BLOCKS);
  expect(await manager.query(WAITING, [100])).toEqual([]);
  expect(await blocksOf(WAITING, [100])).toBeLessThan(FEW_BLOCKS);
});

it('deliveries wait for who deletes a webhook, and the others get theirs', async () => {
  const { database, source } = db;
  const { manager } = database;
  const [gone, left] = await manager.query<[{ id: string }, { id: string }]>(
    `SELECT id FROM webhooks WHERE company_id = 'company-7' ORDER BY id LIMIT 2`,
  );
  await manager.query(`DELETE FROM webhooks WHERE company_id = 'company-7' AND id <> ALL ($1)`, [[gone.id, left.id]]);
  const event = {
    company_id: 'company-7',
    stream_id: gone.id,
    project_id: null,
    message_id: 'new',
    type: 'cards.changed',
    body: '{}',
    at: new Date().toISOString(),
  };
  let relayed: Promise<RelayedTo[]> | undefined;
  await database.transaction(async (tx) => {
    await tx.query('DELETE FROM webhooks WHERE id = $1', [gone.id]);
    relayed = new WebhookDeliveriesRepository(source).relay([event]);
    relayed.catch(() => undefined);
    await untilBlocked((text, values) => manager.query(text, values), { about: 'webhook_deliveries' });
  });
  expect(await relayed).toEqual([{ webhook_id: left.id, added: 1, skipped: 0 }]);
});
