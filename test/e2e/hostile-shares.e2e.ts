import { once } from 'node:events';
import net from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { makeProject } from '../factories/make.js';
import { eventually } from '../support/eventually.js';
import { Bystander, expectUnharmed, HeldRequest } from '../support/hostile.js';
import { metrics } from '../support/operators.js';
import { useService } from '../support/service.js';
import type { Session } from '../support/session.js';

const CONNECTIONS = 400;
/** Parts of the 20 connections to the database. */
const OF_CALLER = 8;
const OF_COMPANY = 12;

const service = useService({ settings: { METRICS: 'true', MAX_CONNECTIONS: String(CONNECTIONS) } });

const bearer = ({ token }: Session): Record<string, string> => ({ authorization: `Bearer ${token}` });
const inProgress = async (): Promise<[number | undefined, number | undefined]> => {
  const values = await metrics(service.url);
  return [values.get('pws_requests_in_progress'), values.get('pws_requests_waiting')];
};

describe('requests that take long', () => {
  let database: pg.Client;
  beforeAll(async () => {
    database = new pg.Client(service.surroundings.databaseUrl);
    await database.connect();
  });
  afterAll(() => database.end());

  /** Makes whatever changes a project wait until `release`. */
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
    ['making cards', send('POST', '/projects/<project>/cards', card), 201],
    ['making conversations', send('POST', '/projects/<project>/conversations', {}), 201],
    ['starting solves', send('POST', '/projects/<project>/solve/executions', {}), 201],
    ['making snapshots', send('POST', '/projects/<project>/snapshots', {}), 201],
  ])('by %s leave most of the service to others, and all get their turn', async (_, attack, status) => {
    const first = await service.session();
    const { id: project } = await makeProject(first.client);
    const colleagues = await Promise.all([1, 2].map(() => service.session({ company: first.company })));
    const watch = await Bystander.start(service);
    await occupy(project);
    const attacks = [first, ...colleagues].flatMap((who) => Array.from({ length: 20 }, () => attack(who, project)));
    await eventually(inProgress, ([now, waiting]) => (now ?? 0) >= OF_COMPANY && waiting === 60 - OF_COMPANY, {
      until: 'the company has its share',
    });
    const [now] = await inProgress();
    // The bystander has its own.
    expect(now).toBeLessThanOrEqual(OF_COMPANY + 2);
    await expectUnharmed(service, watch);
    await release();
    const answers = await Promise.all(attacks.map((request) => request.answer()));
    // A company may have 20 solves waiting, and a project so many snapshots: then they are refused for that.
    expect(answers.filter((answer) => answer?.status !== status && answer?.status !== 429)).toEqual([]);
    expect(answers.filter((answer) => answer?.status === status).length).toBeGreaterThanOrEqual(OF_COMPANY);
  });

  it('of one caller leave something to its colleagues', async () => {
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

  it('leave the queue when their clients give up', async () => {
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

describe('connections', () => {
  it('of one address leave half to others', async () => {
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
