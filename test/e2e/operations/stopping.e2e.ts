import { once } from 'node:events';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeProject } from '../../factories/make.js';
import { eventually } from '../../support/eventually.js';
import { removeEnvironment, Service } from '../../support/service.js';

const CONNECTIONS = 8;

interface Answered {
  status: number | undefined;
  connection: string | undefined;
  keepAlive: string | undefined;
}

async function send(url: string, token: string, agent: Agent, body?: object): Promise<Answered> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = httpRequest(url, { agent, headers, method: body === undefined ? 'GET' : 'POST' });
  sent.end(body && JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  await once(answer.resume(), 'end');
  const { connection, 'keep-alive': keepAlive } = answer.headers;
  return { status: answer.statusCode, connection, keepAlive: String(keepAlive) };
}

describe('a process that is asked to stop', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start({ settings: { KEEP_ALIVE_SECONDS: '77', STOP_DELAY_SECONDS: '1' } });
  }, 60_000);
  afterAll(async () => await removeEnvironment(service.environment));

  it('closes each connection after a complete response, and exits within ten seconds', async () => {
    const { client, token } = await service.session();
    const { id } = await makeProject(client);
    const url = `${service.url}/api/v1/projects/${id}`;
    const answers: Answered[] = [];
    // Each client reconnects when the service announces the end of its connection, as behind a load balancer.
    const clients = Array.from({ length: CONNECTIONS }, async (_, index) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const isPost = index % 2 === 0;
      for (let last: Answered | undefined; last?.connection !== 'close'; answers.push(last))
        last = await send(isPost ? `${url}/cards` : url, token, agent, isPost ? CARD : undefined);
      agent.destroy();
    });
    await eventually(
      () => Promise.resolve(answers.length),
      (count) => count > 5 * CONNECTIONS,
      { until: 'every connection is busy', deadlineMs: 30_000 },
    );
    expect(answers[0]).toMatchObject({ connection: 'keep-alive', keepAlive: 'timeout=77' });
    const began = performance.now();
    expect(await service.stop()).toBe(0);
    const ms = performance.now() - began;
    // This rejects if the service has cut off a response.
    await Promise.all(clients);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]));
    expect(answers.filter(({ connection }) => connection === 'close')).toHaveLength(CONNECTIONS);
    expect(ms).toBeLessThan(10_000);
  }, 90_000);
});

const CARD = { card_type: 'kpi', label: 'Profit', data: {} };
