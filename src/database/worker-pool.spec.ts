import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { WorkerPool } from './worker-pool.js';

/** What a server that starts says to everybody; graphile-worker would wait for up to three minutes after it. */
const STARTING = ['SFATAL', 'C57P03', 'Mthe database system is starting up', ''].map((field) => `${field}\0`).join('');

it('tells nobody why there is no connection', async () => {
  const server = createServer((socket) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(4 + STARTING.length);
    socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(STARTING)])));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const pool = new WorkerPool(
    { host: '127.0.0.1', port, user: 'nobody', database: 'none' },
    new AbortController().signal,
    pino({ level: 'silent' }),
  );
  const client = await pool.connect();
  const refused: unknown = await client.query('SELECT 1').catch((error: unknown) => error);
  expect(refused).not.toHaveProperty('code');
  expect(refused).toMatchObject({
    message: 'There is no connection for jobs',
    cause: { code: '57P03', message: 'the database system is starting up' },
  });
  await pool.end();
  server.close();
});
