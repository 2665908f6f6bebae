import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { makeProject } from '../../factories/make.js';
import { eventually } from '../../support/eventually.js';
import { health, metrics, ready } from '../../support/operators.js';
import { raw } from '../../support/raw.js';
import { rowsOf } from '../../support/rows.js';
import { logFolder } from '../../support/secrets.js';
import { makeEnvironment, removeEnvironment, Service, useService } from '../../support/service.js';
import { posting } from '../../support/traffic.js';

const TOKEN = 'a-token-for-metrics';
const service = useService({ settings: { METRICS: 'true', METRICS_TOKEN: TOKEN, LOG_LEVEL: 'debug' } });

const scrape = async (): Promise<string> =>
  (await raw(`${service.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text;

describe('/metrics', () => {
  it('contains metrics for requests, turns, streams, the file store, the database and the process', async () => {
    const { client } = await service.session();
    const project = (await makeProject(client)).id;
    const work = posting(client, project);
    await work.send('Hello');
    await work.found();
    await client.put(`/projects/${project}/skills/one`, { files: { 'SKILL.md': 'Text' } });
    const found = await eventually(
      () => metrics(service.url, TOKEN),
      (values) => values.get('pws_turns_ended_total{outcome="completed"}') === 1,
      { until: 'the turn is counted' },
    );
    expect(Object.fromEntries([...found].filter(([name]) => /^pws_(?!.*(_bucket|_sum))/.test(name)))).toMatchObject({
      'pws_http_request_duration_seconds_count{method="POST",route="/api/v1/projects/:project_id/chat",status="202"}': 1,
      'pws_turns_ended_total{outcome="completed"}': 1,
      pws_turns_waiting: 0,
      pws_turns_running: 0,
      pws_turn_oldest_waiting_seconds: 0,
      pws_turn_leases_held: 0,
      pws_stream_readers: 0,
      'pws_object_store_operation_duration_seconds_count{operation="put",outcome="done"}': 1,
      pws_database_connections_max: 20,
      'pws_database_connections{state="used"}': expect.any(Number),
      pws_database_requests_waiting: 0,
    });
    expect(found.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    expect(found.get('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  it('stays small and does not contain any identifiers, regardless of the requests sent', async () => {
    const { client, company, user, token } = await service.session();
    const ask = async (ids: string[]): Promise<number> => {
      for (const id of ids) {
        await client.send('GET', `/projects/${id}`);
        await client.send('GET', `/nowhere/${id}`);
        await service.anonymous.send('PATCH', `/nowhere/${id}`);
      }
      await client.get('/projects', { q: company });
      return (await scrape()).split('\n').filter((line) => line.startsWith('pws_http')).length;
    };
    await scrape();
    const few = await ask(['a']);
    expect(await ask(Array.from({ length: 30 }, (_, index) => `some-id-${index}`))).toBe(few);
    const text = await scrape();
    for (const secret of [company, user, token, 'some-id', 'nowhere', TOKEN]) expect(text).not.toContain(secret);
  });

  it('requires the configured token', async () => {
    for (const authorization of [undefined, 'Bearer another-token', TOKEN, `Basic ${TOKEN}`]) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      expect((await raw(`${service.url}/metrics`, { headers })).status).toBe(401);
    }
  });
});

describe('a request’s log line', () => {
  it('contains the request, the caller and the outcome, but no credentials', async () => {
    const { client, company, user, token } = await service.session({ role: 'member' });
    const { headers } = await client.send('GET', '/projects/some-id', { headers: { 'x-request-id': 'mine-1' } });
    expect(headers.get('x-request-id')).toBe('mine-1');
    const line = await eventually(
      () => Promise.resolve(service.log.find(({ req }) => (req as { id?: string } | undefined)?.id === 'mine-1')),
      (found) => found !== undefined,
      { until: 'the request is logged' },
    );
    expect(line).toMatchObject({
      req: { method: 'GET', path: '/api/v1/projects/some-id' },
      route: '/api/v1/projects/:project_id',
      res: { status: 404 },
      ms: expect.any(Number),
      caller: 'user',
      company_id: company,
      user_id: user,
    });
    expect(JSON.stringify(service.log)).not.toContain(token);
  });
});

describe('the log line for a posted message', () => {
  it('contains the id of the turn that the message starts', async () => {
    const { client, company } = await service.session();
    const { id } = await makeProject(client);
    const headers = { 'x-request-id': 'post-of-a-turn' };
    await client.send('POST', `/projects/${id}/chat`, { body: { content: 'Hello' }, headers });
    const line = await eventually(
      async () => (await debugLines()).find(({ req }) => req?.id === 'post-of-a-turn'),
      (found) => found !== undefined,
      { until: 'the request is logged' },
    );
    const [turn] = await rowsOf(service.environment, 'SELECT id FROM turns WHERE project_id = $1', [id]);
    expect(line).toMatchObject({ company_id: company, turn_id: turn?.['id'], res: { status: 202 } });
  });
});

/** Returns log lines of every level from the service's log file. */
async function debugLines(): Promise<{ req?: { id: string } }[]> {
  const names = (await readdir(logFolder())).filter((name) => name.startsWith(`${service.pid}-`));
  const texts = await Promise.all(names.map(async (name) => await readFile(join(logFolder(), name), 'utf8')));
  const lines = texts.join('').split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as { req?: { id: string } });
}

describe('a process with a single role', () => {
  it('reports a delayed queue, announces that it will stop, and serves only operators if it is a worker', async () => {
    const environment = await makeEnvironment();
    const api = await Service.start({
      environment,
      settings: { ROLE: 'api', METRICS: 'true', STOP_DELAY_SECONDS: '2' },
    });
    expect((await health(api.url)).body.status).toBe('ok');
    const { client } = await api.session();
    await posting(client, (await makeProject(client)).id).send('Is anybody there?');
    const database = new pg.Client(environment.databaseUrl);
    await database.connect();
    await database.query(`UPDATE turns SET created_at = now() - interval '2 min'`);
    await database.end();
    const { status, body } = await eventually(
      () => health(api.url),
      (seen) => seen.body.status !== 'ok',
      { until: 'the queue is seen to lag' },
    );
    expect({ status, body: body.status, queue: body.parts.queue }).toMatchObject({
      status: 200,
      body: 'degraded',
      queue: {
        status: 'degraded',
        message: expect.stringMatching(/^The oldest waiting work has waited for 1[2-9]\d s$/),
      },
    });
    const values = await metrics(api.url);
    expect(values.get('pws_turns_waiting')).toBe(1);
    expect(values.get('pws_turn_oldest_waiting_seconds')).toBeGreaterThan(119);

    const worker = await Service.start({ environment, settings: { ROLE: 'worker' } });
    await ready(worker.url);
    for (const path of ['/api/v1/me', '/docs', '/openapi.json', '/store/blobs/a', '/', '/metrics', '/health/other']) {
      const answer = await raw(worker.url + path, {});
      expect([path, answer.status, answer.text]).toEqual([path, 404, '{"detail":"Not Found","code":"path_not_found"}']);
    }
    await eventually(
      () => health(api.url),
      (seen) => seen.body.status === 'ok',
      { until: 'the queue is empty' },
    );
    await worker.stop();

    // A process that is stopping reports that it is not ready, but still serves requests for a while.
    const stopped = api.stop();
    const stopping = await eventually(
      () => health(api.url),
      (seen) => seen.status === 503,
      { until: 'the process wants no more' },
    );
    expect([stopping.status, stopping.body.status, stopping.body.parts.database.status]).toEqual([
      503,
      'stopping',
      'up',
    ]);
    await makeProject(client);
    expect(await stopped).toBe(0);
    await removeEnvironment(environment);
  }, 60_000);
});

describe('an uncaught error', () => {
  it('is logged and counted, and stops the process cleanly unless it affects only a single connection', async () => {
    const environment = await makeEnvironment();
    const own = await Service.start({
      environment,
      settings: { METRICS: 'true' },
      preload: ['test/support/uncaught.js'],
    });
    const told = (level: number): unknown[] => own.log.filter((line) => line.level === level).map(({ msg }) => msg);
    process.kill(own.pid, 'SIGUSR2');
    const counted = await eventually(
      () => metrics(own.url),
      (values) => values.get('pws_uncaught_errors_total') === 3,
      { until: 'the errors are counted' },
    );
    expect(counted.size).toBeGreaterThan(1);
    expect(told(50)).toEqual(Array(3).fill('uncaught error'));
    expect((await own.anonymous.send('GET', '/me')).status).toBe(401);
    process.kill(own.pid, 'SIGWINCH');
    expect(await own.ended).toBe(1);
    expect(told(60)).toEqual(['uncaught error']);
    await removeEnvironment(environment);
  });
});
