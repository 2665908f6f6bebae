import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { DomainError } from '../errors/errors.js';
import { limitConnections } from './connection-limits.js';
import { readBody } from './read-body.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Starts a server with short timeouts and frequent checks, and returns a connection to it. */
async function listening(patienceMs = 60_000): Promise<net.Socket> {
  const made = createServer({ connectionsCheckingInterval: 20 }, (request, response) => {
    readBody(request, 1000, patienceMs).then(
      () => response.end('read'),
      (error: unknown) => {
        const refusal = error as DomainError;
        response.statusCode = refusal.status;
        response.setHeaders(new Map(Object.entries(refusal.headers))).end(refusal.body());
      },
    );
  });
  server = made;
  limitConnections(made);
  await once(made.listen(0, '127.0.0.1'), 'listening');
  return net.connect((made.address() as AddressInfo).port, '127.0.0.1');
}

/** Reads from the server until it closes the connection. Returns the status line and the body. */
async function said(socket: net.Socket): Promise<{ status: string | undefined; body: unknown }> {
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toContain('Connection: close');
  return { status: head.split('\r\n')[0], body: JSON.parse(body) };
}

describe('limitConnections', () => {
  it.each([
    [
      'a header that is too large',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
      'head_too_large',
    ],
    ['too many headers', `GET / HTTP/1.1\r\nHost: x\r\n${'a-name: b\r\n'.repeat(3_000)}\r\n`, 431, 'head_too_large'],
    ['a request that is not HTTP', 'Hello?\r\n\r\n', 400, 'request_malformed'],
    [
      'two Content-Length headers',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      400,
      'request_malformed',
    ],
  ])('responds to %s with an error and closes the connection', async (_, bytes, status, code) => {
    const socket = await listening();
    socket.write(bytes);
    const answer = await said(socket);
    expect(answer.status).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.body).toEqual({ detail: expect.stringMatching(/^The request /), code });
  });

  it('gives up on a request whose headers never end', async () => {
    const socket = await listening();
    expect(server?.headersTimeout).toBe(20_000);
    Object.assign(server as Server, { headersTimeout: 100 });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
    expect(await said(socket)).toEqual({
      status: 'HTTP/1.1 408 Request Timeout',
      body: { detail: 'The request took too long to arrive', code: 'request_too_slow' },
    });
  });

  it('gives up on a body that arrives steadily but too slowly', async () => {
    const socket = await listening(150);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{');
    const drops = setInterval(() => socket.write(' '), 20);
    socket.on('error', () => undefined);
    try {
      expect(await said(socket)).toEqual({
        status: 'HTTP/1.1 408 Request Timeout',
        body: { detail: 'The request body took too long to arrive', code: 'body_too_slow' },
      });
    } finally {
      clearInterval(drops);
    }
  });
});
