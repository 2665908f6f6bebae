import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { addressesOf, send, type SendOptions, type AttemptResult } from './webhook-sender.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

const options: SendOptions = { rules: { loopback: true }, signal: new AbortController().signal };
const sendTo = async (answer: RequestListener, more: Partial<SendOptions> = {}): Promise<AttemptResult> =>
  await send(`http://127.0.0.1:${await serve(answer)}/`, { 'x-it': '1' }, 'body', { ...options, ...more });

/** Sends to a receiver that repeats a string. Returns the result and the number of response bytes. */
async function repeat(begin: string, text: string): Promise<{ sent: AttemptResult; written: number }> {
  let written = 0;
  const server = createSocketServer((socket) => {
    const write = (): void => {
      while (!socket.destroyed) {
        written += text.length;
        if (!socket.write(text)) return void socket.once('drain', write);
      }
    };
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(begin);
      write();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    return { sent: await send(`http://127.0.0.1:${port}/`, {}, 'body', { ...options, timeoutMs: 5_000 }), written };
  } finally {
    server.close();
  }
}

describe('send', () => {
  it('posts the body once and returns the status with the beginning of the response', async () => {
    const got: unknown[] = [];
    const sent = await sendTo((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        got.push([request.method, request.headers['x-it'], Buffer.concat(chunks).toString()]);
        response.writeHead(201).end('Thanks\0 é');
      });
    });
    expect(sent).toEqual({ status: 201, answer: 'Thanks é', error: null });
    expect(got).toEqual([['POST', '1', 'body']]);
  });

  it('keeps the first kilobyte of a 10 MB response and stops reading', async () => {
    let written = 0;
    const sent = await sendTo((_, response) => {
      const write = (): void => {
        while (written < 10_000_000 && !response.destroyed) {
          written += 10_000;
          if (!response.write('é'.repeat(5_000))) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    });
    expect(sent).toMatchObject({ status: 200, error: null });
    expect(Buffer.byteLength(sent.answer ?? '')).toBe(1024);
    expect(written).toBeLessThan(10_000_000);
  });

  it.each([
    ['interim responses', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['early hints', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
    ['processing responses', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ])('gives up on a receiver that sends too many %s', async (_, text) => {
    const { sent, written } = await repeat('', text.repeat(10));
    expect(sent).toMatchObject({ status: null, error: 'No response: the receiver sends too many interim responses' });
    expect(written).toBeLessThan(5_000_000);
  });

  it.each([
    ['empty lines before the status line', '', '\r\n'],
    ['zeros in a chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '0'],
  ])('gives up on a receiver that repeats %s', async (_, begin, text) => {
    const { sent, written } = await repeat(begin, text.repeat(1_000));
    expect(sent).toEqual({ status: null, answer: null, error: expect.stringMatching(/^No response: /) });
    expect(written).toBeLessThan(20_000_000);
  });

  it('does not follow redirects', async () => {
    let followed = false;
    const elsewhere = await serve((_, response) => {
      followed = true;
      response.end();
    });
    const location = `http://127.0.0.1:${elsewhere}/`;
    const sent = await sendTo((_, response) => response.writeHead(302, { location }).end());
    expect(sent.status).toBe(302);
    expect(followed).toBe(false);
  });

  it.each<[string, RequestListener]>([
    ['hangs', () => undefined],
    ['responds slowly', (_, response) => void setInterval(() => response.write('.'), 20).unref()],
  ])('gives up on a receiver that %s', async (_, answer) => {
    const sent = await sendTo(answer, { timeoutMs: 200 });
    expect(sent).toEqual({ status: null, answer: null, error: 'No complete response within 0.2 s' });
  });

  it('gives up on a host name that is never resolved', async () => {
    const sent = await send('https://example.com', {}, '', {
      ...options,
      timeoutMs: 50,
      resolve: () => new Promise<never>(() => {}),
    });
    expect(sent.error).toBe('No complete response within 0.05 s');
  });

  it('does not block the thread pool while name servers do not respond', async () => {
    const silent = createSocket('udp4');
    await once(silent.bind(0, '127.0.0.1'), 'listening');
    const server = `127.0.0.1:${silent.address().port}`;
    const asked = once(silent, 'message');
    const stops = Array.from({ length: 20 }, () => new AbortController());
    const names = stops.map(async ({ signal }, at) => await addressesOf(`hook${at}.example.com`, signal, [server]));
    const settled = Promise.allSettled(names);
    await asked;
    // `stat` needs one of the libuv threads, of which there are four by default.
    await Promise.all(Array.from({ length: 8 }, async () => await stat('.')));
    for (const stop of stops) stop.abort();
    expect((await settled).map(({ status }) => status)).toEqual(names.map(() => 'rejected'));
    silent.close();
  });

  it('resolves loopback names without a name server', async () => {
    const addresses = await addressesOf('hook.localhost', new AbortController().signal, ['127.0.0.1:1']);
    expect(addresses.map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
    const port = await serve((_, response) => response.end('Thanks'));
    expect((await send(`http://hook.localhost:${port}`, {}, '', options)).answer).toBe('Thanks');
  });

  it('reports the reason for a missing response', async () => {
    const port = await serve((request) => request.socket.destroy());
    expect((await send(`http://127.0.0.1:${port}`, {}, '', options)).error).toBe('No response: ECONNRESET');
    expect((await send('http://127.0.0.1:1', {}, '', options)).error).toBe('No response: ECONNREFUSED');
    const unknown = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    expect((await send('https://example.com', {}, '', { ...options, resolve: unknown })).error).toBe(
      'No response: ENOTFOUND',
    );
  });

  it('gives up on a receiver that switches protocols', async () => {
    const headers = 'Upgrade: websocket\r\nConnection: Upgrade';
    const sent = await sendTo((request) => void request.socket.write(`HTTP/1.1 101 Switching\r\n${headers}\r\n\r\n`));
    expect(sent).toEqual({ status: null, answer: null, error: 'No response: the connection was closed' });
  });

  it('connects to the checked address and resolves the host name only once', async () => {
    const port = await serve((request, response) => response.end(request.headers.host));
    let asked = 0;
    // The second lookup would return a different address, which would be rejected.
    const resolve = () => {
      asked += 1;
      return Promise.resolve([{ address: asked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
    };
    const sent = await send(`http://hook.localhost:${port}/`, {}, '', { ...options, resolve });
    expect(sent).toEqual({ status: 200, answer: `hook.localhost:${port}`, error: null });
    expect(asked).toBe(1);
  });

  it.each([['10.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::ffff:169.254.169.254'], ['2606:4700::1111', 'fd00::1'], []])(
    'sends nothing to a host name that resolves to %s',
    async (...addresses) => {
      const resolve = () =>
        Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
      const sent = await send('https://example.com', {}, '', { ...options, rules: { loopback: false }, resolve });
      expect(sent).toEqual({
        status: null,
        answer: null,
        error: 'Not sent: the address is not on the public internet',
      });
    },
  );

  it('sends nothing to a public address without TLS, regardless of the host name', async () => {
    const resolve = () => Promise.resolve([{ address: '8.8.8.8', family: 4 }]);
    const sent = await send('http://hook.localhost/', {}, '', { ...options, resolve });
    expect(sent.error).toBe('Not sent: the URL must start with https://');
  });

  it('rejects its promise if the signal aborts', async () => {
    const stop = new AbortController();
    const sending = sendTo(() => stop.abort(new Error('Stopped')), { signal: stop.signal });
    await expect(sending).rejects.toThrow('Stopped');
  });
});
