import { once } from 'node:events';
import net from 'node:net';
import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { makeProject } from '../../factories/make.js';
import { eventually } from '../../support/eventually.js';
import { Bystander, expectUnharmed, HeldRequest } from '../../support/hostile.js';
import { metrics } from '../../support/operators.js';
import { useService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const CONNECTIONS = 400;
/** Time during which other callers are observed while requests are waiting, in milliseconds. */
const WATCHED_MS = 1_000;
/** Maximum share of the 20 database connections, for a caller and for a company. */
const OF_CALLER = 8;
const OF_COMPANY = 12;

const service = useService({ settings: { METRICS: 'true', MAX_CONNECTIONS: String(CONNECTIONS) } });

const bearer = ({ token }: Session): Record<string, string> => ({ authorization: `Bearer ${token}` });
const inProgress = async (): Promise<[number | undefined, number | undefined]> => {
  const values = await metrics(service.url);
  return [values.get('pws_requests_in_progress'), values.get('pws_requests_waiting')];
};

describe('slow requests', () => {
  let database: pg.Client;
  beforeAll(async () => {
    database = new pg.Client(service.environment.databaseUrl);
    await database.connect();
  });
  afterAll(() => database.end());

  /** Blocks all changes in a project until `release` is called. */
  async function occupy(project: string): Promise<void> {
    await database.query('BEGIN');
    await database.query('SELECT FROM projects WHERE id = $1 FOR UPDATE', [project]);
  }
  const release = (): Promise<unknown> => database.query('ROLLBACK');
  afterEach(release);

  type Attack = (session: Session, project: string) => HeldRequest;
  const send =
    (method: string, path: string, body: object): Attack =>
    (session, project) =>
      HeldRequest.start(`${service.url}/api/v1${path.replace('<project>', project)}`, {
        method,
        headers: bearer(session),
        body: JSON.stringify(body),
      });
  const card = { card_type: 'variable', label: 'x' };

  it.each<[string, Attack, number]>([
    ['renaming a project', send('PATCH', '/projects/<project>', { name: 'Mine' }), 200],
    ['creating cards', send('POST', '/projects/<project>/cards', card), 201],
    ['creating conversations', send('POST', '/projects/<project>/conversations', {}), 201],
    ['starting solves', send('POST', '/projects/<project>/solve/executions', {}), 201],
    ['taking snapshots', send('POST', '/projects/<project>/snapshots', {}), 201],
  ])('are limited to the company’s share, but are all served eventually: %s', async (_, attack, status) => {
    const first = await service.session();
    const { id: project } = await makeProject(first.client);
    const colleagues = await Promise.all([1, 2].map(() => service.session({ company: first.company })));
    await occupy(project);
    const attacks = [first, ...colleagues].flatMap((who) => Array.from({ length: 20 }, () => attack(who, project)));
    await eventually(inProgress, ([now, waiting]) => (now ?? 0) >= OF_COMPANY && waiting === 60 - OF_COMPANY, {
      until: 'the company has its share',
    });
    expect(await inProgress()).toEqual([OF_COMPANY, 60 - OF_COMPANY]);
    const watch = await Bystander.start(service);
    await pause(WATCHED_MS);
    await expectUnharmed(service, watch);
    await release();
    const answers = await Promise.all(attacks.map((request) => request.answer()));
    // A company may have only 20 waiting solves, and a project only a limited number of snapshots. Additional requests
    // are rejected with 429.
    expect(answers.filter((answer) => answer?.status !== status && answer?.status !== 429)).toEqual([]);
    expect(answers.filter((answer) => answer?.status === status).length).toBeGreaterThanOrEqual(OF_COMPANY);
  });

  it('are limited to the caller’s share, so that requests from colleagues are still served', async () => {
    const greedy = await service.session();
    const colleague = await service.session({ company: greedy.company });
    const { id: project } = await makeProject(greedy.client);
    await occupy(project);
    const attacks = Array.from({ length: 40 }, () =>
      send('PATCH', '/projects/<project>', { name: 'x' })(greedy, project),
    );
    await eventually(inProgress, ([now, waiting]) => now === OF_CALLER && waiting === 40 - OF_CALLER, {
      until: 'the caller has its share',
    });
    expect((await colleague.client.send('GET', '/projects')).status).toBe(200);
    await release();
    for (const attack of attacks) expect((await attack.answer())?.status).toBe(200);
  });

  it('are removed from the queue when their clients disconnect', async () => {
    const greedy = await service.session();
    const { id: project } = await makeProject(greedy.client);
    await occupy(project);
    const attacks = Array.from({ length: 40 }, () =>
      send('PATCH', '/projects/<project>', { name: 'x' })(greedy, project),
    );
    await eventually(inProgress, ([, waiting]) => waiting === 40 - OF_CALLER, { until: 'the others wait' });
    for (const attack of attacks) attack.close();
    await eventually(inProgress, ([, waiting]) => waiting === 0, { until: 'nobody waits' });
    await release();
    await eventually(inProgress, ([now]) => now === 0, { until: 'all places are given back' });
  });
});

describe('requests whose client disconnects', () => {
  it('release all resources, regardless of when the client disconnects', async () => {
    const { port } = new URL(service.url);
    const body = JSON.stringify({ path: 'x'.repeat(20_000) });
    for (let count = 0; count < 60; count++) {
      // The first request with a token waits for a database query. The client disconnects in the meantime.
      const session = await service.session();
      const socket = net.connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      const head = count % 2 === 0 ? 'GET /api/v1/projects' : 'POST /api/v1/files/mkdir';
      const length = count % 2 === 0 ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      socket.write(`${head} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${session.token}\r\n${length}\r\n`);
      if (count % 2 === 1) socket.write(body);
      await nextRound();
      socket.resetAndDestroy();
    }
    const held = async (): Promise<(number | undefined)[]> => {
      const values = await metrics(service.url);
      return ['pws_requests_in_progress', 'pws_requests_waiting', 'pws_body_bytes_held'].map((name) =>
        values.get(name),
      );
    };
    await eventually(held, (values) => values.every((value) => value === 0), { until: 'everything is given back' });
  });
});

describe('pipelined requests', () => {
  /** Opens a connection and sends `count` requests on it without waiting for responses. */
  async function pipeline(session: Session, path: string, count: number): Promise<net.Socket> {
    const socket = net.connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(
      `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${session.token}\r\n\r\n`.repeat(count),
    );
    return socket;
  }
  const answers = async (socket: net.Socket, count: number): Promise<string> => {
    let text = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      text += chunk.toString();
      if (text.split('HTTP/1.1 200 OK').length > count) break;
    }
    return text;
  };

  it('are answered in order', async () => {
    const session = await service.session();
    const text = await answers(await pipeline(session, '/me', 10), 10);
    expect(text.split('HTTP/1.1 200 OK')).toHaveLength(11);
  });

  it('release all resources if the connection breaks', async () => {
    const session = await service.session();
    for (let round = 0; round < 10; round++) {
      const socket = await pipeline(session, '/projects', 12);
      if (round % 2 === 0) await once(socket, 'data');
      socket.resetAndDestroy();
    }
    await eventually(inProgress, ([now, waiting]) => now === 0 && waiting === 0, {
      until: 'all places are given back',
    });
    expect((await session.client.send('GET', '/me')).status).toBe(200);
  });

  it.each([
    ['an unsupported Expect header', 'POST / HTTP/1.1\r\nHost: x\r\nExpect: x\r\nTransfer-Encoding: chunked'],
    [
      'a preflight request',
      'OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: x\r\nAccess-Control-Request-Method: GET\r\nTransfer-Encoding: chunked',
    ],
  ])('release all resources after %s', async (_, between) => {
    const session = await service.session();
    const own = `Host: x\r\nAuthorization: Bearer ${session.token}`;
    const post = `POST /api/v1/projects HTTP/1.1\r\n${own}\r\nContent-Type: application/json\r\nContent-Length: 1000000`;
    for (const last of [`GET /api/v1/projects HTTP/1.1\r\n${own}`, post]) {
      const one = net.connect(Number(new URL(service.url).port), '127.0.0.1');
      one.on('error', () => undefined);
      one.write(`GET /api/v1/projects HTTP/1.1\r\n${own}\r\n\r\n${between}\r\n\r\n1\r\na\r\n0\r\n\r\n${last}\r\n\r\n`);
      await once(one, 'data');
      one.end();
      await once(one.resume(), 'close');
    }
    await eventually(
      async () => await metrics(service.url),
      (values) => values.get('pws_requests_in_progress') === 0 && values.get('pws_body_bytes_held') === 0,
      { until: 'all places are given back' },
    );
  });

  it('are dropped with their connection if there are too many', async () => {
    const socket = await pipeline(await service.session(), '/projects', 300);
    await new Promise((resolve) => {
      socket.resume().once('close', resolve);
    });
    await expectUnharmed(service, await Bystander.start(service));
  });
});

describe('connections', () => {
  it('are limited per address to half of the maximum', async () => {
    const watch = await Bystander.start(service);
    const { port } = new URL(service.url);
    const sockets = await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        const socket = net.connect(Number(port), '127.0.0.1');
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        return socket;
      }),
    );
    await eventually(
      () => Promise.resolve(sockets.filter(({ closed }) => closed).length),
      (cut) => cut >= CONNECTIONS / 2,
      { until: 'what is too much is cut' },
    );
    const seen = await watch.stop();
    for (const socket of sockets) socket.destroy();
    expect(Object.keys(seen.statuses)).toEqual(['200']);
    await expectUnharmed(service, await Bystander.start(service));
  });
});
