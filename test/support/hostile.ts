import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect } from '@jest/globals';
import { SignJWT } from 'jose';
import { makeProject } from '../factories/make.js';
import type { RawAnswer } from './raw.js';
import type { Service } from './service.js';

const MiB = 1024 ** 2;
/** What no request may bring the process to. */
const MAX_RESIDENT_BYTES = 1024 * MiB;
/** What others wait at most, for 95 of 100 requests. */
const MAX_P95_MS = 500;
/** Another address than that of the tests; every address of 127.0.0.0/8 is this computer. */
const OTHER_ADDRESS = '127.0.0.9';

/** Memory of a process in bytes: what is resident now, and the most that ever was. Needs Linux. */
export async function residentBytes(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const read = (name: string): number => {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
    if (kib === undefined) throw new Error(`Process ${pid} has ended`);
    return Number(kib) * 1024;
  };
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

/**
 * What somebody else saw during an attack; times in milliseconds, over all moments of it alike, less what the machine gave
 * to others meanwhile.
 */
export interface Seen {
  /** Requests sent. */
  count: number;
  p50: number;
  p95: number;
  max: number;
  /** Answers by status; by the error's code where there was none. */
  statuses: Record<string, number>;
}

/** What is attacked. */
type Attacked = Pick<Service, 'url' | 'pid' | 'session' | 'anonymous'>;

/** Somebody of another company, at another address, who sends small requests the whole time. */
export class Bystander {
  private constructor(private readonly thread: Worker) {}

  /** Resolves when the first requests have been answered. */
  static async start(service: Attacked): Promise<Bystander> {
    const { client, token } = await service.session();
    const { id: project } = await makeProject(client);
    const thread = new Worker(join(import.meta.dirname, 'bystander.js'), {
      workerData: { url: service.url, token, project, localAddress: OTHER_ADDRESS },
    });
    // A test that fails does not stop it.
    thread.unref();
    await once(thread, 'message');
    return new Bystander(thread);
  }

  async stop(): Promise<Seen> {
    const seen = once(this.thread, 'message') as Promise<[Seen]>;
    this.thread.postMessage('stop');
    return (await seen)[0];
  }
}

/**
 * Ends the watch of an attack: the process still answers, it never had more than 1 GiB in memory, and the bystander was
 * answered all the time.
 *
 * @returns what the bystander saw
 */
export async function expectUnharmed(service: Attacked, bystander: Bystander): Promise<Seen> {
  const seen = await bystander.stop();
  // The port was free before this process took it, so nothing else answers there.
  const { peak } = await residentBytes(service.pid);
  expect((await service.anonymous.send('GET', '/me')).status).toBe(401);
  expect(peak).toBeLessThan(MAX_RESIDENT_BYTES);
  expect(Object.keys(seen.statuses).filter((status) => status !== '200' && status !== '202')).toEqual([]);
  expect(seen.count).toBeGreaterThan(0);
  expect(seen.p95).toBeLessThan(MAX_P95_MS);
  return seen;
}

/** A well-formed token that nobody signed. */
export async function forgedToken(): Promise<string> {
  return await new SignJWT({ company_id: 'company', role: 'company', name: 'Mallory' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('mallory')
    .setExpirationTime('1h')
    .sign(randomBytes(32));
}

/** JSON of at most so many bytes that is small as a text and large as a value. */
export const json = {
  /** An array of the same small value again and again, such as `{}` or `0`. */
  list: (value: string, bytes: number): string => {
    const count = Math.max(1, Math.floor((bytes - 1) / (value.length + 1)));
    return `[${`${value},`.repeat(count - 1)}${value}]`;
  },
  /** Arrays inside arrays, just not too deep, again and again. */
  nested: (bytes: number, depth = 190): string => json.list('['.repeat(depth) + ']'.repeat(depth), bytes),
};

export interface HeldOptions {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array;
  /** How many of the last bytes of the body are kept back until `release`; default 0. */
  keep?: number;
  /** Called when the server asks for the body, for requests with `Expect: 100-continue`. */
  onContinue?: () => void;
}

/**
 * A request on a connection of its own, whose last bytes are sent when the test wants it, and whose answer is read when
 * the test wants it.
 */
export class HeldRequest {
  /** The connection is closed or broken, by whomever. */
  readonly closed: Promise<void>;
  private readonly responded: Promise<IncomingMessage | undefined>;

  private constructor(
    private readonly request: http.ClientRequest,
    private readonly rest: Uint8Array,
  ) {
    this.closed = new Promise((resolve) => {
      request.once('close', resolve);
    });
    request.on('error', () => undefined);
    this.responded = Promise.race([
      new Promise<IncomingMessage>((resolve) => {
        request.once('response', resolve);
      }),
      this.closed.then(() => undefined),
    ]);
  }

  /** Sends the head and the body but what is kept back. */
  static start(
    url: string,
    { method = 'POST', headers = {}, body = '', keep = 0, onContinue }: HeldOptions = {},
  ): HeldRequest {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const length = method === 'GET' ? {} : { 'content-length': bytes.byteLength, 'content-type': 'application/json' };
    const request = http.request(url, { method, headers: { ...length, ...headers }, agent: false });
    const held = new HeldRequest(request, bytes.subarray(bytes.byteLength - keep));
    if (onContinue !== undefined) request.once('continue', onContinue);
    request.flushHeaders();
    if (bytes.byteLength > keep) request.write(bytes.subarray(0, bytes.byteLength - keep));
    if (keep === 0) request.end();
    return held;
  }

  /** Several of the same. */
  static startMany(count: number, url: string, options?: HeldOptions): HeldRequest[] {
    return Array.from({ length: count }, () => HeldRequest.start(url, options));
  }

  /** Sends what was kept back. */
  release(): void {
    this.request.end(this.rest);
  }

  /** The status and the headers, with the body left unread: the service can send no more than the buffers between take. */
  async head(): Promise<Pick<RawAnswer, 'status' | 'headers'> | undefined> {
    const response = await this.responded;
    return response && { status: response.statusCode ?? 0, headers: response.headers };
  }

  /** The whole answer, or undefined where the connection was closed before there was one, or before it was whole. */
  async answer(): Promise<RawAnswer | undefined> {
    const response = await this.responded;
    if (response === undefined) return undefined;
    const chunks: Buffer[] = [];
    const whole = new Promise((resolve) => {
      response.once('close', resolve).on('error', () => undefined);
    });
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    if (!response.closed) await whole;
    if (!response.complete) return undefined;
    const bytes = Buffer.concat(chunks);
    return { status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString('utf8') };
  }

  close(): void {
    this.request.destroy();
  }
}
