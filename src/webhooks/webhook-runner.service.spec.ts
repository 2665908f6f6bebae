import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { Config } from '../config/config.js';
import { WebhookRunnerService } from './webhook-runner.service.js';
import { newSecret } from './webhook-signature.js';

it('makes at most ten attempts of a company at once', async () => {
  let requests = 0;
  const server = createServer(() => {
    requests += 1;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const delivery = (id: number): object => ({ id, stream_id: id, message_id: `${id}`, body: '{}', attempts: 0 });
  const runner = new WebhookRunnerService(
    { webhookAddresses: { loopback: true } } as Config,
    {
      claim: (id: string) => Promise.resolve({ id, company_id: id.slice(0, 1), url, secret: '' }),
      renew: () => Promise.resolve(true),
      release: () => Promise.resolve(),
    } as never,
    {
      first: () => Promise.resolve([1, 2, 3, 4].map(delivery)),
      again: () => Promise.resolve([5, 6].map(delivery)),
      hasDue: () => Promise.resolve(false),
    } as never,
    { open: () => Promise.resolve(newSecret()) } as never,
    { note: () => Promise.resolve(true) } as never,
    { handle: () => undefined, wakeEach: () => Promise.resolve() } as never,
    pino({ level: 'silent' }),
  );
  try {
    const runs = ['a1', 'a2', 'a3', 'b1'].map((id) => runner.run(id));
    while (requests < 16) await nextRound();
    for (let round = 0; round < 200; round += 1) await nextRound();
    expect(requests).toBe(16);
    runner.onModuleDestroy();
    await Promise.all(runs);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
