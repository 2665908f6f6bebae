import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Webhook as Verifier } from 'standardwebhooks';
import { APPEND_FEW } from '../../../src/events/events.sql.js';
import type {
  WebhookCreatedResponse,
  WebhookDeliveryListResponse,
  WebhookDeliveryResponse,
  WebhookListResponse,
  WebhookResponse,
} from '../../../src/webhooks/webhooks.dto.js';
import { makeProject } from '../../factories/make.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { doPeriodicWork } from '../../support/periodic-work.js';
import { makeEnvironment, removeEnvironment, Service } from '../../support/service.js';
import type { Session } from '../../support/session.js';
import { EventStream } from '../../support/stream.js';
import { fail, hang, type Received, take, WebhookReceiver } from '../../support/webhook-receiver.js';

const settings = { WEBHOOKS_LOOPBACK: 'true' };
const CARDS = ['cards.changed'];

let service: Service;
let database: pg.Client;
let session: Session;
let client: Client;
let receiver: WebhookReceiver;

const restarted = async (): Promise<void> => {
  await service.kill();
  // Expires the lease held by the dead process.
  await database.query('UPDATE webhook_deliveries SET due_at = now() WHERE owner IS NOT NULL');
  service = await Service.start({ settings, environment: service.environment });
  session = await service.session({ company: session.company, user: session.user });
  client = session.client;
};
const create = (body: object = {}): Promise<Wire<WebhookCreatedResponse>> =>
  client.post<WebhookCreatedResponse>('/webhooks', { url: receiver.url, events: CARDS, ...body });
const deliveries = async (id: string): Promise<Wire<WebhookDeliveryResponse>[]> =>
  (await client.get<WebhookDeliveryListResponse>(`/webhooks/${id}/deliveries`)).deliveries;
const addCards = async (project: string, count: number): Promise<void> => {
  for (let at = 0; at < count; at += 1)
    await client.post(`/projects/${project}/cards`, { card_type: 'kpi', label: String(at) });
};
const came = (count: number): Promise<Received[]> =>
  eventually(
    () => Promise.resolve(receiver.received),
    ({ length }) => length >= count,
    { until: `${count} have come`, deadlineMs: 20_000 },
  );
const settled = (id: string, count: number): Promise<Wire<WebhookDeliveryResponse>[]> =>
  eventually(
    () => deliveries(id),
    (all) => all.length === count && all.every(({ attempts }) => attempts > 0),
    { until: `${count} were tried`, deadlineMs: 20_000 },
  );
const makeDue = async (id: string): Promise<void> => {
  await database.query(
    `UPDATE webhook_deliveries SET next_attempt_at = now() WHERE webhook_id = $1 AND state = 'pending'`,
    [id],
  );
};

beforeAll(async () => {
  service = await Service.start({ settings, environment: await makeEnvironment() });
  database = new pg.Client(service.environment.databaseUrl);
  await database.connect();
}, 60_000);
afterAll(async () => {
  await service.stop();
  await database.end();
  await removeEnvironment(service.environment);
});

beforeEach(async () => {
  session = await service.session();
  client = session.client;
  receiver = await WebhookReceiver.start();
});
afterEach(async () => {
  await database.query('DELETE FROM webhooks WHERE company_id = $1', [session.company]);
  await receiver.stop();
});

describe('webhooks', () => {
  it('can be created, listed, changed and deleted, and show their secret only once', async () => {
    const { id: project_id } = await makeProject(client);
    const made = await create({ project_id, events: ['cards.changed', 'turn.ended', 'cards.changed'] });
    expect(made).toMatchObject({
      url: receiver.url,
      events: ['cards.changed', 'turn.ended'],
      project_id,
      active: true,
      failures: 0,
      secret: expect.stringMatching(/^whsec_/),
    });
    const { secret, ...shown } = made;
    expect(await client.get<WebhookListResponse>('/webhooks')).toMatchObject({ webhooks: [shown], total: 1 });
    const { rows } = await database.query<{ secret: Buffer }>('SELECT secret FROM webhooks WHERE id = $1', [made.id]);
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    expect(rows[0]?.secret.includes(key) || rows[0]?.secret.includes(secret)).toBe(false);
    const change = { url: 'https://example.com/hook', events: CARDS, project_id: null, active: false };
    const { body } = await client.send<WebhookResponse>('PATCH', `/webhooks/${made.id}`, { body: change });
    expect(body).toMatchObject({ id: made.id, ...change });
    await client.delete(`/webhooks/${made.id}`);
    expect((await client.send('PATCH', `/webhooks/${made.id}`, { body: {} })).status).toBe(404);
    expect((await client.get<WebhookListResponse>('/webhooks')).total).toBe(0);
  });

  it.each<[string, object, (string | number)[]]>([
    ['a private address', { url: 'https://10.0.0.1/hook' }, ['url']],
    ['the address of a metadata service', { url: 'https://[::ffff:169.254.169.254]/latest' }, ['url']],
    ['a URL without TLS', { url: 'http://example.com' }, ['url']],
    ['an invalid URL', { url: 'example' }, ['url']],
    ['an unknown event type', { events: ['cards.changed', 'nothing'] }, ['events', 1]],
    ['no event types', { events: [] }, ['events']],
    ['an invalid project id', { project_id: 'x' }, ['project_id']],
    ['an unknown project', { project_id: '01a1fdd8-aae9-7686-bf03-000000000000' }, ['project_id']],
  ])('are rejected with %s', async (_, body, loc) => {
    const given = { url: receiver.url, events: CARDS, ...body };
    const answer = await client.send<{ detail: { loc: unknown[] }[] }>('POST', '/webhooks', { body: given });
    expect([answer.status, answer.body.detail.map((entry) => entry.loc)]).toEqual([422, [['body', ...loc]]]);
  });

  it.each([
    ['https://example.com/\r\nX-A: b', 'https://example.com/X-A:%20b'],
    ['HTTPS://EXAMPLE.com:443/a/../b', 'https://example.com/b'],
    ['https://ex\u0430mple.com/', 'https://xn--exmple-4nf.com/'],
    ['\thttps://example.com/\u202Egpj', 'https://example.com/%E2%80%AEgpj'],
  ])('are shown with the normalized URL that receives their requests instead of %j', async (url, used) => {
    const { id, url: shown } = await create({ url });
    expect(shown).toBe(used);
    expect(await client.patch(`/webhooks/${id}`, { url })).toMatchObject({ url: used });
  });

  it('are limited to ten pending tests', async () => {
    receiver.answer = hang;
    const { id } = await create();
    for (let count = 0; count < 10; count += 1) await client.post(`/webhooks/${id}/test`);
    const refused = await client.send('POST', `/webhooks/${id}/test`);
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests_at_once' } });
    expect((await client.get<WebhookDeliveryListResponse>(`/webhooks/${id}/deliveries`)).total).toBe(10);
  });

  it('are limited to twenty and visible only to their company', async () => {
    const [first] = await Promise.all(Array.from({ length: 20 }, () => create()));
    const body = { url: receiver.url, events: CARDS };
    expect((await client.send('POST', '/webhooks', { body })).status).toBe(409);
    const member = await service.session({ company: session.company, role: 'member' });
    const stranger = await service.session();
    expect((await member.client.send('POST', '/webhooks', { body })).status).toBe(403);
    for (const path of ['', '/test']) {
      const method = path === '' ? 'DELETE' : 'POST';
      expect((await stranger.client.send(method, `/webhooks/${first?.id}${path}`)).status).toBe(404);
    }
  });
});

describe('events', () => {
  it('are signed and sent to the subscribed webhooks in the same order and with the same content as in the stream', async () => {
    const [{ id: project }, { id: other }] = [await makeProject(client), await makeProject(client)];
    const { secret, id } = await create({ project_id: project });
    const stream = await EventStream.open(service.url, session.token, project, { of: 'events' });
    await addCards(project, 3);
    await addCards(other, 1);
    await client.send('PATCH', `/projects/${project}`, { body: { name: 'Other' } });
    await addCards(project, 20);
    const received = await came(23);
    await stream.until(({ length }) => length === 24, 'all were streamed');
    stream.close();
    const streamed = stream.events.filter(({ event }) => event === 'cards.changed').map(({ text }) => text);
    expect(received.map(({ text }) => text)).toEqual(streamed);
    for (const { headers, text } of received) {
      expect(new Verifier(secret).verify(text, headers as Record<string, string>)).toEqual(JSON.parse(text));
      expect(headers['content-type']).toBe('application/json');
    }
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(23);
    const done = await eventually(
      () => deliveries(id),
      (all) => all.every(({ state }) => state === 'delivered'),
      { until: 'all are delivered' },
    );
    expect(done).toHaveLength(23);
    expect(done[0]).toMatchObject({ type: 'cards.changed', attempts: 1, response_status: 204, error: null });
  });

  it('are retried with the same id after a failure, without delaying other events', async () => {
    receiver.answer = (received, response, count) => (count === 1 ? fail : take)(received, response, count);
    const { id: project } = await makeProject(client);
    const { id } = await create();
    await addCards(project, 3);
    await came(3);
    const [, , failed] = await settled(id, 3);
    expect(failed).toMatchObject({ state: 'pending', attempts: 1, response_status: 500, response: 'No.' });
    const wait = Date.parse(failed?.next_attempt_at ?? '') - Date.parse(failed?.last_attempt_at ?? '');
    expect(wait).toBeGreaterThanOrEqual(5_000);
    expect(wait).toBeLessThan(7_000);
    await makeDue(id);
    const received = await came(4);
    expect(received.map(({ body }) => body.id)).toEqual([1, 2, 3, 1]);
    expect(received[3]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id']);
    expect(received[3]?.text).toBe(received[0]?.text);
  });

  it('are no longer retried after a day, and a hundred consecutive failures disable the webhook', async () => {
    receiver.answer = fail;
    const { id: project } = await makeProject(client);
    const { id } = await create();
    const watcher = await WebhookReceiver.start();
    await create({ url: watcher.url, events: ['webhook.disabled'] });
    await addCards(project, 2);
    await settled(id, 2);
    const fate = async (): Promise<[string, boolean, number] | undefined> => {
      const { webhooks } = await client.get<WebhookListResponse>('/webhooks');
      const found = webhooks.find((one) => one.id === id);
      const [state = ''] = (await deliveries(id)).map((one) => one.state);
      return found && [state, found.active, found.failures];
    };
    const age = `UPDATE webhook_deliveries SET first_attempt_at = now() - interval '23 h 59 min 56 s'`;
    await database.query(`${age} WHERE webhook_id = $1`, [id]);
    await makeDue(id);
    await eventually(fate, (now) => now?.[2] === 2, { until: 'both have failed', deadlineMs: 15_000 });
    expect(await fate()).toEqual(['failed', true, 2]);
    await database.query('UPDATE webhooks SET failures = 99 WHERE id = $1', [id]);
    await addCards(project, 2);
    await settled(id, 4);
    await database.query(`${age}, next_attempt_at = now() WHERE webhook_id = $1 AND state = 'pending'`, [id]);
    await eventually(fate, (now) => now?.[1] === false, { until: 'it is inactive', deadlineMs: 15_000 });
    expect((await deliveries(id)).map(({ state }) => state)).toEqual(['failed', 'failed', 'failed', 'failed']);
    await eventually(
      () => Promise.resolve(watcher.received),
      ({ length }) => length === 1,
      { until: 'it is told' },
    );
    expect(watcher.received[0]?.body).toMatchObject({ id: 1, type: 'webhook.disabled', data: { webhook_id: id } });
    expect(watcher.received[0]?.body.project_id).toBeUndefined();
    await watcher.stop();
    const before = receiver.received.length;
    await addCards(project, 1);
    expect((await client.send('POST', `/webhooks/${id}/test`)).status).toBe(409);
    await client.send('PATCH', `/webhooks/${id}`, { body: { active: true } });
    receiver.answer = take;
    await addCards(project, 1);
    expect((await came(before + 1)).slice(before).map(({ body }) => body.id)).toEqual([6]);
  });

  it('are resent on request with the same id, and are not created by webhook tests', async () => {
    const { id: project } = await makeProject(client);
    const { id } = await create();
    const tested = await client.post<WebhookDeliveryResponse>(`/webhooks/${id}/test`);
    expect(tested).toMatchObject({ type: 'webhook.test', state: 'pending', attempts: 0 });
    await came(1);
    expect(receiver.received[0]?.body).toMatchObject({ id: 0, type: 'webhook.test', data: { webhook_id: id } });
    await addCards(project, 1);
    await came(2);
    const [sent] = await eventually(
      () => deliveries(id),
      (all) => all.length === 2 && all.every(({ state }) => state === 'delivered'),
      { until: 'both are delivered' },
    );
    await client.post(`/webhooks/${id}/deliveries/${sent?.id}/resend`);
    const received = await came(3);
    expect(received[2]?.text).toBe(received[1]?.text);
    expect(received[2]?.headers['webhook-id']).toBe(sent?.message_id);
  });

  it('are sent once when a budget of the company is reached', async () => {
    await create({ events: ['budget.reached'] });
    const budget = { scope: 'company', period: 'day', limit_credits: 0, action: 'notice' };
    const { id: budget_id } = await client.put<{ id: string }>('/usage/budgets', budget);
    for (let run = 0; run < 2; run += 1) {
      await doPeriodicWork(database, 'note_reached_budgets');
      await came(1);
    }
    await client.post(`/webhooks/${(await create()).id}/test`);
    await came(2);
    expect(receiver.received.filter(({ body }) => body.type === 'budget.reached').map(({ body }) => body)).toEqual([
      expect.objectContaining({
        id: 1,
        data: expect.objectContaining({ budget_id, scope: 'company', subject_id: null, limit_credits: 0 }),
      }),
    ]);
  });
});

describe('a receiver that hangs', () => {
  it('does not delay other companies, regardless of its number of webhooks', async () => {
    receiver.answer = hang;
    const { id: project } = await makeProject(client);
    await Promise.all(Array.from({ length: 20 }, () => create()));
    await addCards(project, 3);
    // A company may have at most ten deliveries in progress.
    await came(10);
    const other = await service.session();
    const taking = await WebhookReceiver.start();
    await other.client.post('/webhooks', { url: taking.url, events: CARDS });
    const { id } = await makeProject(other.client);
    await other.client.post(`/projects/${id}/cards`, { card_type: 'kpi', label: 'x' });
    await eventually(
      () => Promise.resolve(taking.received),
      ({ length }) => length === 1,
      { until: 'the other company is told', deadlineMs: 20_000 },
    );
    // Deliveries for the hanging company are sent one after another, and each attempt takes 10 s.
    expect(receiver.received.length).toBeLessThan(40);
    await taking.stop();
  }, 60_000);

  it('delays events of another project by no more than a single attempt', async () => {
    const [{ id: stuck }, { id: project }] = [await makeProject(client), await makeProject(client)];
    receiver.answer = (received, response, count) => {
      if (received.body.project_id === project) take(received, response, count);
    };
    await create();
    await addCards(stuck, 30);
    await came(1);
    await addCards(project, 1);
    await eventually(
      () => Promise.resolve(receiver.received),
      (received) => received.some(({ body }) => body.project_id === project),
      { until: 'the other project is told', deadlineMs: 25_000 },
    );
    expect(receiver.received.filter(({ body }) => body.project_id === stuck).length).toBeLessThan(5);
  }, 60_000);

  it('does not receive claimed events after its webhook becomes inactive', async () => {
    const { id: project } = await makeProject(client);
    const { id } = await create();
    const waiting: (() => void)[] = [];
    receiver.answer = (_, response) => void waiting.push(() => response.writeHead(204).end());
    await addCards(project, 10);
    await came(1);
    await client.send('PATCH', `/webhooks/${id}`, { body: { active: false } });
    for (const answer of waiting) answer();
    // The process that claims deliveries for this webhook also claims them for the other webhook.
    const other = await WebhookReceiver.start();
    await create({ url: other.url });
    await addCards(project, 2);
    await eventually(
      () => Promise.resolve(other.received),
      ({ length }) => length === 2,
      { until: 'the other one is sent both', deadlineMs: 20_000 },
    );
    await other.stop();
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a webhook with 2,000 pending deliveries', () => {
  const MAX_PENDING = 2_000;
  const webhook = async (id: string): Promise<Wire<WebhookResponse> | undefined> =>
    (await client.get<WebhookListResponse>('/webhooks')).webhooks.find((shown) => shown.id === id);
  const pending = async (id: string): Promise<number> => {
    const { rows } = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'pending'`,
      [id],
    );
    return rows[0]?.count ?? 0;
  };
  /** Adds pending deliveries that wait for a first attempt, or for a retry tomorrow. */
  const wait = (id: string, count: number, attempts: number) =>
    database.query(
      `INSERT INTO webhook_deliveries (webhook_id, stream_id, message_id, type, body, attempts, next_attempt_at)
       SELECT $1, $1, 'waiting_' || i, 'cards.changed', '{}', $3, now() + interval '1 day' FROM generate_series(1, $2) i`,
      [id, count, attempts],
    );
  const skipped = (id: string, count: number) =>
    eventually(
      () => webhook(id),
      (shown) => (shown?.skipped_events ?? 0) >= count,
      { until: `${count} events are skipped`, deadlineMs: 20_000 },
    );

  it.each([
    ['their first attempt', 0],
    ['a retry', 3],
  ])(
    'skips and counts additional events, and records the time of the last skipped event, while its deliveries wait for %s',
    async (_, attempts) => {
      receiver.answer = hang;
      const { id: project } = await makeProject(client);
      const [full, healthy] = [await create(), await create({ url: `${receiver.url}/healthy` })];
      expect(full).toMatchObject({ skipped_events: 0, last_skipped_at: null });
      await wait(full.id, MAX_PENDING - 2, attempts);
      const before = Date.now();
      await addCards(project, 5);
      const shown = await skipped(full.id, 3);
      expect(shown).toMatchObject({ active: true, skipped_events: 3 });
      expect(Date.parse(shown?.last_skipped_at ?? '')).toBeGreaterThanOrEqual(before - 1_000);
      expect(await pending(full.id)).toBe(MAX_PENDING);
      expect(await pending(healthy.id)).toBe(5);
      expect(await webhook(healthy.id)).toMatchObject({ skipped_events: 0, last_skipped_at: null });
    },
    60_000,
  );

  it('queues the oldest of many simultaneous events and skips the rest', async () => {
    receiver.answer = hang;
    const { id: project } = await makeProject(client);
    const { id } = await create();
    await wait(id, MAX_PENDING - 4, 3);
    await Promise.all(
      Array.from({ length: 30 }, () =>
        client.post(`/projects/${project}/cards`, { card_type: 'kpi', label: 'Together' }),
      ),
    );
    await skipped(id, 26);
    const { rows } = await database.query<{ body: string }>(
      `SELECT body FROM webhook_deliveries WHERE webhook_id = $1 AND body <> '{}' ORDER BY place`,
      [id],
    );
    const ids = rows.map(({ body }) => (JSON.parse(body) as { id: number }).id);
    expect(ids).toHaveLength(4);
    expect(ids).toEqual([ids[0], (ids[0] ?? 0) + 1, (ids[0] ?? 0) + 2, (ids[0] ?? 0) + 3]);
  }, 60_000);

  it('receives new events again after pending deliveries have ended', async () => {
    const { id: project } = await makeProject(client);
    const { id } = await create();
    await wait(id, MAX_PENDING, 3);
    await addCards(project, 2);
    await skipped(id, 2);
    await database.query(
      `UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL WHERE webhook_id = $1 AND attempts = 3`,
      [id],
    );
    await addCards(project, 1);
    await came(1);
    expect(await webhook(id)).toMatchObject({ skipped_events: 2 });
  }, 60_000);
});

describe('a process', () => {
  it('delivers an event by polling if there is no notification', async () => {
    const { id: project } = await makeProject(client);
    await create();
    await addCards(project, 1);
    await came(1);
    // Simulates a process that dies between the commit and the notification.
    const actor = ['user', 'user-1'];
    const data = JSON.stringify({ card_ids: [], removed_card_ids: [] });
    await database.query(APPEND_FEW[0] ?? '', [project, ...actor, 'cards.changed', data]);
    expect((await came(2)).map(({ body }) => body.id)).toEqual([1, 2]);
  }, 30_000);
});

describe('a process that is killed', () => {
  it('does not lose any events between the commit and the delivery', async () => {
    receiver.answer = hang;
    const { id: project } = await makeProject(client);
    const { id } = await create();
    await addCards(project, 5);
    await came(1);
    await restarted();
    receiver.answer = take;
    await eventually(
      () => Promise.resolve(receiver.firstIds),
      ({ length }) => length === 5,
      { until: 'all have come', deadlineMs: 30_000 },
    );
    expect(receiver.firstIds).toEqual([1, 2, 3, 4, 5]);
    expect(receiver.received.map(({ body }) => body.id)).toEqual([1, 1, 2, 3, 4, 5]);
    expect((await deliveries(id)).map(({ message_id }) => message_id).sort()).toEqual(
      [1, 2, 3, 4, 5].map((event) => `${project}_${event}`),
    );
  }, 60_000);

  it('delivers events at least once, and in order within each project, after repeated kills', async () => {
    const projects = [(await makeProject(client)).id, (await makeProject(client)).id];
    receiver.answer = (_, response) => void setTimeout(() => response.writeHead(200).end(), 5);
    const { id } = await create();
    for (let kill = 0; kill < 2; kill += 1) {
      const added = Promise.all(projects.map((project) => addCards(project, 25)));
      const before = receiver.received.length;
      await came(before + 10 + 3 * kill);
      await added;
      await restarted();
    }
    const ids = (project: string): number[] => [
      ...new Set(receiver.received.filter(({ body }) => body.project_id === project).map(({ body }) => body.id)),
    ];
    await eventually(
      () => Promise.resolve(projects.map((project) => ids(project).length)),
      (counts) => counts.every((count) => count === 50),
      { until: 'all have come', deadlineMs: 30_000 },
    );
    const all = Array.from({ length: 50 }, (_, at) => at + 1);
    for (const project of projects) expect(ids(project)).toEqual(all);
    expect((await client.get<WebhookDeliveryListResponse>(`/webhooks/${id}/deliveries`)).total).toBe(100);
  }, 120_000);
});
