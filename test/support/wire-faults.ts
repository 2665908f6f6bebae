import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dice } from './dice.js';

/** Maximum duration of a fault. */
const PATIENCE_MS = 3_000;

/** Well-formed HTTP request. */
export interface WireRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

const lines = (...all: string[]): string => [...all, '', ''].join('\r\n');

/** Request heads that are invalid, or that different parsers interpret differently. */
const HEADS: ((path: string, n: number) => string)[] = [
  () => '\r\n\r\n\r\n',
  () => '\0'.repeat(100),
  () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  (path) => `GET ${path}\r\n\r\n`,
  (path) => lines(`GET ${path} HTTP/1.1`),
  (path) => lines(`GET ${path} HTTP/1.1`, 'Host: a', 'Host: b'),
  (path, n) => lines(`GET ${path} HTTP/1.1`, `Host: ${'/'.repeat(n)}x`),
  (path) => lines(`GET ${path} HTTP/1.1`, 'Host: [::1', 'Connection: close'),
  (path) => lines(`GET ${path} HTTP/9.9`, 'Host: x'),
  (path) => lines(`${'A'.repeat(300)} ${path} HTTP/1.1`, 'Host: x'),
  (path) => lines(`BREW ${path} HTTP/1.1`, 'Host: x'),
  (path) => lines(`TRACE ${path} HTTP/1.1`, 'Host: x', 'Connection: close'),
  () => lines('CONNECT example.com:443 HTTP/1.1', 'Host: example.com'),
  () => lines('OPTIONS * HTTP/1.1', 'Host: x', 'Connection: close'),
  (path) => lines(`GET http://example.com${path} HTTP/1.1`, 'Host: x', 'Connection: close'),
  (path, n) => lines(`GET ${path}?${'a=b&'.repeat(n)} HTTP/1.1`, 'Host: x', 'Connection: close'),
  (path, n) => lines(`GET ${path}/${'%'.repeat(n)} HTTP/1.1`, 'Host: x', 'Connection: close'),
  (path, n) => lines(`GET ${path} HTTP/1.1`, 'Host: x', `X: ${'x'.repeat(n)}`, 'Connection: close'),
  (path, n) => lines(`GET ${path} HTTP/1.1`, 'Host: x', ...Array.from({ length: n }, (_, i) => `X${i}: 1`)),
  (path) => lines(`GET ${path} HTTP/1.1`, 'Host: x', 'no colon'),
  (path) => lines(`GET ${path} HTTP/1.1`, 'Host: x', 'X: a\0b'),
  (path) => lines(`GET ${path} HTTP/1.1`, 'Host: x', ' folded: 1'),
  (path) => `GET ${path} HTTP/1.1\nHost: x\n\n`,
  (path) => lines(`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Length: 5', 'Content-Length: 6') + 'aaaaa',
  (path) => lines(`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Length: -1'),
  (path) => lines(`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Length: 99999999999999999999'),
  (path) => lines(`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Length: 3', 'Transfer-Encoding: chunked') + '0\r\n\r\n',
  (path) =>
    lines(`POST ${path} HTTP/1.1`, 'Host: x', 'Transfer-Encoding: gzip, chunked', 'Connection: close') + '0\r\n\r\n',
  (path) => lines(`POST ${path} HTTP/1.1`, 'Host: x', 'Expect: 100-continue', 'Content-Length: 9'),
  (path) => lines(`POST ${path} HTTP/1.1`, 'Host: x', 'Expect: something', 'Content-Length: 9'),
  (path) => lines(`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket'),
  (path) => lines(`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c'),
];

/** Chunked bodies that are invalid, unusual or unterminated. */
const CHUNKS: ((n: number) => string)[] = [
  () => 'zz\r\n',
  () => 'ffffffffffffffffff\r\nx',
  () => '-1\r\n',
  (n) => `1;${'a=b;'.repeat(n)}\r\n{\r\n0\r\n\r\n`,
  (n) => `2\r\n{}\r\n0\r\n${'X: y\r\n'.repeat(n)}\r\n`,
  (n) => '1\r\n[\r\n'.repeat(n),
  () => '2\r\n{}\r\n',
  () => '2\r\n{}x\r\n0\r\n\r\n',
];

/**
 * Disturbs a connection in a way that no well-behaved client would.
 *
 * @param length approximate length of all variable-length fragments
 * @returns the statuses that were received
 */
export async function disturb(url: string, dice: Dice, request: WireRequest, length: number): Promise<number[]> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  let received = '';
  socket.setEncoding('latin1').on('error', () => undefined);
  const closed = once(socket, 'close').catch(() => undefined);
  const listen = (): void => void socket.on('data', (text: string) => (received = (received + text).slice(-100_000)));
  const fault = dice.weighted({
    ...{ head: 6, chunks: 3, abort: 3, reset: 2, halfClose: 2, pipeline: 2, unread: 3, slow: 2, hold: 2, extra: 1 },
  });
  const whole = serialised(request);
  const at = dice.below(whole.byteLength);
  const n = Math.min(length, 30_000);
  if (fault !== 'unread') listen();
  switch (fault) {
    case 'head':
      socket.write(dice.one(HEADS)(request.path, n), 'latin1');
      break;
    case 'chunks': {
      const headers = { ...request.headers, 'transfer-encoding': 'chunked' };
      socket.write(serialised({ ...request, method: 'POST', headers, body: '' }));
      socket.write(dice.one(CHUNKS)(n));
      break;
    }
    case 'abort':
      socket.write(whole.subarray(0, at));
      await pause(dice.below(200));
      socket.destroy();
      break;
    case 'reset':
      socket.write(dice.percent(50) ? whole : whole.subarray(0, at));
      await pause(dice.below(50));
      socket.resetAndDestroy();
      break;
    case 'halfClose':
      socket.end(dice.percent(70) ? whole : whole.subarray(0, at));
      break;
    case 'pipeline':
      for (let count = 1 + dice.below(10); count > 0; count -= 1) socket.write(whole);
      break;
    case 'unread':
      socket.pause();
      for (let count = 1 + dice.below(5); count > 0; count -= 1) socket.write(whole);
      break;
    case 'slow':
      for (let from = 0; from < Math.min(whole.byteLength, 40); from += 1) {
        socket.write(whole.subarray(from, from + 1));
        await pause(20);
      }
      break;
    case 'hold':
      socket.write(whole.subarray(0, -1));
      await pause(dice.below(PATIENCE_MS));
      if (dice.percent(70)) socket.write(whole.subarray(-1));
      break;
    case 'extra':
      socket.write(whole);
      socket.write('x'.repeat(n));
      break;
  }
  await Promise.race([closed, pause(dice.below(PATIENCE_MS), undefined, { ref: false })]);
  socket.destroy();
  return Array.from(received.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status));
}

function serialised({ method, path, headers, body }: WireRequest): Buffer {
  const length = 'transfer-encoding' in headers ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const fields = Object.entries({ host: 'localhost', ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return Buffer.concat([Buffer.from(lines(`${method} ${path} HTTP/1.1`, ...fields), 'latin1'), Buffer.from(body)]);
}
