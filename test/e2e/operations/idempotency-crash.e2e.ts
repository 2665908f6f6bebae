import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { UploadStartResponse } from '../../../src/files/uploads/uploads.dto.js';
import type { Answer, Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { raw } from '../../support/raw.js';
import { rowsOf } from '../../support/rows.js';
import { removeEnvironment, Service } from '../../support/service.js';
import { type Prepared, SERVED } from '../interface/idempotency.table.js';

/** Number of rounds. `npm run test:idempotency` sets IDEMPOTENCY_ROUNDS to 200. */
const ROUNDS = Number(process.env['IDEMPOTENCY_ROUNDS'] ?? 3);
/** A caller gets only a share of the connections. With this pool size, the share is enough for all of its requests. */
const SETTINGS = { ROLE: 'api', DATABASE_POOL_SIZE: '40' };

/**
 * Progress of the requests when their process is killed. `before`: they are waiting to check for a stored response.
 * `inside`: they are waiting to store their response after all other work. `after`: some of them have committed.
 */
const STEPS = ['before', 'inside', 'after'] as const;
/** Mode of the table lock that blocks requests at the steps `before` and `inside`. */
const LOCKS = { before: 'ACCESS EXCLUSIVE', inside: 'SHARE' };

const CREATING = Object.values(SERVED).filter(({ creates = false }) => creates);

let service: Service;
let database: pg.Client;

beforeAll(async () => {
  service = await Service.start({ settings: SETTINGS });
  database = new pg.Client(service.environment.databaseUrl);
  await database.connect();
  await database.query(`
    CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify('kept', NEW.scope::text); RETURN NULL; END $$;
    CREATE TRIGGER tell AFTER INSERT ON idempotency_records FOR EACH ROW EXECUTE FUNCTION tell();
    LISTEN kept`);
}, 60_000);

afterAll(async () => {
  await database.end();
  await service.stop();
  await removeEnvironment(service.environment);
});

interface Keyed extends Prepared {
  key: string;
  /** Caller of the request. Each caller has a separate company, so that no limit is reached. */
  session: { user: string; company: string };
}

const clientOf = async ({ session }: Pick<Keyed, 'session'>): Promise<Client> =>
  (await service.session(session)).client;

const send = async ({ path, body, key, session }: Keyed): Promise<Answer> =>
  await (
    await clientOf({ session })
  ).send('POST', path, { ...(body !== undefined && { body }), headers: { 'idempotency-key': key } });

/** Sends all requests and kills the process at the given step. */
async function killAt(step: (typeof STEPS)[number], requests: readonly Keyed[]): Promise<void> {
  const sent = (): Promise<unknown> => Promise.allSettled(requests.map(send));
  if (step === 'after') {
    // Each request has its own transaction and therefore causes its own notification.
    let left = randomInt(1, requests.length);
    const committed = new Promise<void>((resolve) => {
      database.on('notification', () => {
        if ((left -= 1) === 0) resolve();
      });
    });
    const answers = sent();
    await committed;
    database.removeAllListeners('notification');
    await service.kill();
    await answers;
    return;
  }
  await database.query(`BEGIN; LOCK TABLE idempotency_records IN ${LOCKS[step]} MODE`);
  const answers = sent();
  try {
    await eventually(
      async () => {
        // Uses a separate connection, because statistics do not change within a transaction. A request also counts if
        // it waits for another request instead of for the table lock.
        const [row] = await rowsOf(
          service.environment,
          `SELECT count(*)::integer AS waiting FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return row?.['waiting'];
      },
      (waiting) => waiting === requests.length,
      { until: 'all requests wait at the step' },
    );
    await service.kill();
  } finally {
    await database.query('COMMIT');
  }
  await answers;
}

async function goOn(): Promise<void> {
  service = await Service.start({ environment: service.environment, settings: SETTINGS });
  // Retries would wait 15 s for the unfinished requests, but the process that left them is known to be dead.
  await database.query(`UPDATE idempotency_records SET created_at = now() - interval '15 s' WHERE status IS NULL`);
}

const answered = (request: Keyed): Promise<Answer> =>
  eventually(
    async () => await send(request),
    ({ status, headers }) => status !== 409 || headers.get('retry-after') === null,
    { until: 'the request is answered' },
  );

it(
  `neither loses nor repeats the effect of a request after kill -9, in ${ROUNDS} rounds`,
  async () => {
    let replayed = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const requests: Keyed[] = [];
      for (const { prepare } of CREATING) {
        const session = { user: randomUUID(), company: randomUUID() };
        requests.push({ ...(await prepare(await clientOf({ session }))), key: randomUUID(), session });
      }
      const step = STEPS[round % STEPS.length]!;
      await killAt(step, requests);
      await goOn();
      const known = new Set<string>();
      for (const request of requests) {
        const answer = await answered(request);
        const again = await answered(request);
        const [statement, ...parameters] = request.effect;
        const { rowCount } = await database.query(statement, parameters);
        expect({ round, step, path: request.path, status: answer.status < 300, rowCount }).toEqual({
          round,
          step,
          path: request.path,
          status: true,
          rowCount: request.rows ?? 1,
        });
        expect(again.body).toEqual(answer.body);
        expect(again.headers.get('idempotency-replayed')).toBe('true');
        if (answer.headers.get('idempotency-replayed') === 'true') known.add(request.path);
      }
      // A request that was killed before its commit must not have had any effect.
      if (step !== 'after') expect([...known]).toEqual([]);
      replayed += known.size;
    }
    if (ROUNDS >= STEPS.length) expect(replayed).toBeGreaterThan(0);
  },
  60_000 + ROUNDS * 20_000,
);

it('resumes an upload whose process died after opening it but before responding', async () => {
  const session = { user: randomUUID(), company: randomUUID() };
  const { prepare } = SERVED['POST /api/v1/files/upload/start']!;
  const request: Keyed = { ...(await prepare(await clientOf({ session }))), key: randomUUID(), session };
  // The store knows the upload, but the upload's row does not refer to it yet.
  await database.query(`
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NEW; END $$;
    CREATE TRIGGER wait BEFORE UPDATE ON uploads FOR EACH ROW EXECUTE FUNCTION wait();
    SELECT pg_advisory_lock(77)`);
  const lost = Promise.allSettled([send(request)]);
  await eventually(
    async () => (await database.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)).rowCount,
    (waiting) => waiting === 1,
    { until: 'the request waits' },
  );
  await service.kill();
  await lost;
  await database.query('SELECT pg_advisory_unlock(77)');
  await database.query('DROP TRIGGER wait ON uploads; DROP FUNCTION wait');
  service = await Service.start({ environment: service.environment, settings: SETTINGS });
  const early = await send(request);
  expect(early).toMatchObject({ status: 409, body: { code: 'request_under_way' } });
  expect(early.headers.get('retry-after')).toBe('1');
  await database.query(`UPDATE idempotency_records SET created_at = now() - interval '15 s' WHERE status IS NULL`);
  const answer = await send(request);
  expect(answer.status).toBe(201);
  expect(answer.headers.get('idempotency-replayed')).toBeNull();
  const [statement, ...parameters] = request.effect;
  expect((await database.query(statement, parameters)).rowCount).toBe(1);
  const { parts } = answer.body as UploadStartResponse;
  expect((await raw(parts[0]!.url, { method: 'PUT', body: Buffer.from('x') })).status).toBe(200);
  const again = await send(request);
  expect(again.body).toEqual(answer.body);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
}, 60_000);
