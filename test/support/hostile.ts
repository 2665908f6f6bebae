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
/** Maximum memory for the process, regardless of the requests it receives. */
const MAX_RESIDENT_BYTES = 1024 * MiB;
/** Maximum 95th percentile of the waiting times of other callers. */
const MAX_P95_MS = 500;
/** Address that the tests do not use otherwise. Every address in 127.0.0.0/8 is this computer. */
const OTHER_ADDRESS = '127.0.0.9';

/** Returns the current and the peak resident memory of a process in bytes. Works only on Linux. */
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
 * Measurements of a bystander during an attack. Times are in milliseconds and sampled evenly over time. They exclude
 * the CPU time that the hypervisor gave to other machines.
 */
export interface Seen {
  /** Number of requests sent. */
  count: number;
  p50: number;
  p95: number;
  max: number;
  /** Number of responses by status, or by error code if there was no response. */
  statuses: Record<string, number>;
}

/** Service under attack. */
type Attacked = Pick<Service, 'url' | 'pid' | 'session' | 'anonymous'>;

/** Caller from another company and address who sends small requests the whole time. */
export class Bystander {
  private constructor(private readonly thread: Worker) {}

  /** Resolves when the first requests have been answered. */
  static async start(service: Attacked): Promise<Bystander> {
    const { client, token } = await service.session();
    const { id: project } = await makeProject(client);
    const thread = new Worker(join(import.meta.dirname, 'bystander.js'), {
      workerData: { url: service.url, token, project, localAddress: OTHER_ADDRESS },
    });
    // If a test fails, nothing stops the thread. It must not keep the process alive.
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
 * Ends the observation of an attack. Checks that the process still responds, that its memory never exceeded 1 GiB, and
 * that the bystander received every response.
 *
 * @returns the bystander's measurements
 */
export async function expectUnharmed(service: Attacked, bystander: Bystander): Promise<Seen> {
  const seen = await bystander.stop();
  // The port was free before this process took it, so no other process can have answered.
  const { peak } = await residentBytes(service.pid);
  expect((await service.anonymous.send('GET', '/me')).status).toBe(401);
  expect(peak).toBeLessThan(MAX_RESIDENT_BYTES);
  expect(Object.keys(seen.statuses).filter((status) => status !== '200' && status !== '202')).toEqual([]);
  expect(seen.count).toBeGreaterThan(0);
  expect(seen.p95).toBeLessThan(MAX_P95_MS);
  return seen;
}

/** Returns a well-formed token with an invalid signature. */
export async function forgedToken(): Promise<string> {
  return await new SignJWT({ company_id: 'company', role: 'company', name: 'Mallory' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('mallory')
    .setExpirationTime('1h')
    .sign(randomBytes(32));
}

/** Builders for JSON with a limited number of bytes that takes much more memory once parsed. */
export const json = {
  /** Array that repeats a small value, such as `{}` or `0`. */
  list: (value: string, bytes: number): string => {
    const count = Math.max(1, Math.floor((bytes - 1) / (value.length + 1)));
    return `[${`${value},`.repeat(count - 1)}${value}]`;
  },
  /** Array of nested arrays whose depth is just below the limit. */
  nested: (bytes: number, depth = 190): string => json.list('['.repeat(depth) + ']'.repeat(depth), bytes),
};

export interface HeldOptions {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array;
  /** Number of bytes at the end of the body that are held back until `release` is called. Defaults to 0. */
  keep?: number;
  /** Called when the server asks for the body of a request with `Expect: 100-continue`. */
  onContinue?: () => void;
}

/** Request on its own connection. The test decides when the last bytes are sent and when the response is read. */
export class HeldRequest {
  /** Resolves when either side has closed the connection, or when the connection breaks. */
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

  /** Sends the head and the body, except for the bytes that are held back. */
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

  /** Starts several identical requests. */
  static startMany(count: number, url: string, options?: HeldOptions): HeldRequest[] {
    return Array.from({ length: count }, () => HeldRequest.start(url, options));
  }

  /** Sends the bytes that were held back. */
  release(): void {
    this.request.end(this.rest);
  }

  /**
   * Returns the status and the headers and leaves the body unread. The service can then send no more data than the
   * network buffers can hold.
   */
  async head(): Promise<Pick<RawAnswer, 'status' | 'headers'> | undefined> {
    const response = await this.responded;
    return response && { status: response.statusCode ?? 0, headers: response.headers };
  }

  /** Returns the complete response, or undefined if the connection closes before the response is complete. */
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
