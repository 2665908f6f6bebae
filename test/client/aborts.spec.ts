import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { openStream } from '../../client/src/event-streams.js';
import { Transport } from '../../client/src/transport.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const CALL = '/api/v1/projects';
const ANSWERED = '/api/v1/projects/p';
const STREAM = '/api/v1/projects/p/events';

let server: Server;
let transport: Transport;
/** Number of open requests by path. */
const open = new Map<string, number>();

// The server completes no response, except for the path `ANSWERED`.
beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    open.set(url, (open.get(url) ?? 0) + 1);
    response.on('close', () => open.set(url, (open.get(url) ?? 0) - 1));
    if (url === ANSWERED) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    if (url === STREAM) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  transport = transportFor(60_000);
});

const transportFor = (timeoutMs: number): Transport =>
  new Transport({ baseUrl: base(), retry: { maxRetries: 0 }, timeoutMs });
const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Gives the garbage collector time to collect unreachable objects. */
async function forget(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await pause(10);
    collectGarbage();
  }
}

/** Resolves when no request to the path is open. The request may not have arrived at all. */
async function isOver(path: string): Promise<void> {
  while ((open.get(path) ?? 0) !== 0) await pause(5);
}

it('rejects an unanswered call when it times out, even after garbage collection', async () => {
  const failed = expect(transportFor(400).call('get', CALL)).rejects.toThrow('The service did not respond');
  await forget();
  await failed;
  await isOver(CALL);
});

it('aborts a pending call when its signal is aborted', async () => {
  const leaving = new AbortController();
  const failed = expect(transport.call('get', CALL, { signal: leaving.signal })).rejects.toBe('left');
  await forget();
  leaving.abort('left');
  await failed;
  await isOver(CALL);
});

it('aborts an open stream when its signal is aborted', async () => {
  const leaving = new AbortController();
  const { events } = await openStream(transport, STREAM, {}, leaving.signal);
  expect(await events.next()).toEqual({ done: false, value: [] });
  const failed = expect(events.next()).rejects.toBe('left');
  await forget();
  leaving.abort('left');
  await failed;
  await isOver(STREAM);
});

it('closes the request when its stream is closed', async () => {
  const stream = await openStream(transport, STREAM, {}, undefined);
  await forget();
  await stream.close();
  await isOver(STREAM);
});

it('lets completed requests be garbage-collected even if they share a signal', async () => {
  const requests: WeakRef<Request>[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    requests.push(new WeakRef(request));
    return await globalThis.fetch(request);
  };
  const watched = new Transport({ baseUrl: base(), fetch });
  const leaving = new AbortController();
  for (let call = 0; call < 20; call += 1) await watched.call('get', ANSWERED, { signal: leaving.signal });
  await forget();
  // The last request may still be referenced by the stack.
  expect(requests.filter((request) => request.deref() !== undefined).length).toBeLessThan(3);
});
