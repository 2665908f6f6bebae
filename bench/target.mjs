import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { signToken } from './processes.mjs';

const MiB = 1024 ** 2;

/** Service under attack, and the signed-in attacker who sends requests to it. */
export class Target {
  /**
   * Number of responses by status, and the size of the largest response in bytes. Status 0 means a missing or incomplete
   * response.
   */
  answers = {};
  place;

  constructor(environment, url) {
    Object.assign(this, environment);
    this.url = url;
    this.sql = (text, values) => query(environment.databaseUrl, text, values);
  }

  /** Signs in a member of a company and creates a project. */
  async signIn() {
    this.token = await this.tokenOf('member');
    this.colleague = await this.tokenOf('colleague');
    this.forged = await this.tokenOf('member', { secret: randomBytes(32).toString('hex') });
    this.project = (await this.ask('POST', '/projects', { name: 'Attack' })).id;
    this.place = { source: 'workspace', project_id: this.project };
  }

  /** Returns a token for a member of the attacker's company. */
  async tokenOf(user, options) {
    return await signToken('attacker', user, { role: 'member', secret: this.secret, ...options });
  }

  /** Sends a request and counts its response. Returns the value of a small response. */
  async send(method, path, body, options = {}) {
    const { request } = open(this.at(path), method, body, { token: this.token, ...options });
    return this.count(await answerTo(request));
  }

  /** Sends a request except for its last byte. */
  hold(path, body, token) {
    const { request, release } = open(this.at(path), 'POST', body, { token, keep: 1 });
    let isClosed = false;
    request.once('close', () => (isClosed = true));
    const answered = answerTo(request).then((answer) => this.count(answer));
    return { release, answered, isOpen: () => !isClosed, close: () => request.destroy() };
  }

  /** Sends a request and reads only the head of its response. */
  leave(method, path, body) {
    const { request } = open(this.at(path), method, body, { token: this.token });
    const response = new Promise((done) => {
      request.once('response', done).on('error', () => done(undefined));
    });
    const isWhole = async () => {
      const answer = await Promise.race([response, pause(1_000)]);
      if (answer === undefined) return false;
      answer.resume().on('error', () => undefined);
      if (!answer.closed) await once(answer, 'close');
      this.count({ status: answer.complete ? answer.statusCode : 0, bytes: 0 });
      return answer.complete;
    };
    return { isWhole };
  }

  /** Returns the value of a successful response without counting it. */
  async ask(method, path, body, token = this.token) {
    const { request } = open(this.at(path), method, body, { token });
    const { status, text } = await answerTo(request);
    if (status === 0 || status >= 300) throw new Error(`${method} ${path} answered ${status} ${text?.slice(0, 200)}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async statusOf(method, path, body, token) {
    const { request } = open(this.at(path), method, body, { token });
    return (await answerTo(request)).status;
  }

  async upload(path, content) {
    const bytes = Buffer.from(content);
    const start = { ...this.place, path, size: bytes.byteLength };
    const { upload_token, parts, part_size } = await this.ask('POST', '/files/upload/start', start);
    for (const { part_number, url } of parts) {
      const from = (part_number - 1) * part_size;
      await answerTo(open(url, 'PUT', bytes.subarray(from, from + part_size)).request);
    }
    await this.ask('POST', '/files/upload/complete', { ...this.place, upload_token });
  }

  async until(look, done) {
    while (!done(await look())) await pause(100);
  }

  at(path) {
    return path.startsWith('http') ? path : `${this.url}/api/v1${path}`;
  }

  count({ status, bytes, text }) {
    const known = (this.answers[status] ??= { count: 0, bytes: 0 });
    known.count += 1;
    known.bytes = Math.max(known.bytes, bytes);
    return text?.startsWith('{') ? JSON.parse(text) : undefined;
  }
}

/**
 * Sends a request on a separate connection. The body is a string, bytes, a stream or JSON, and its last `keep` bytes are held
 * back.
 */
export function open(url, method, body, { token, headers = {}, keep = 0 } = {}) {
  const isRaw = body === undefined || body instanceof Readable || Buffer.isBuffer(body) || typeof body === 'string';
  const given = isRaw ? body : JSON.stringify(body);
  const bytes = typeof given === 'string' ? Buffer.from(given) : given;
  const request = http.request(url, {
    method,
    agent: false,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(bytes !== undefined && { 'content-type': 'application/json' }),
      ...(Buffer.isBuffer(bytes) && { 'content-length': bytes.byteLength }),
      ...headers,
    },
  });
  if (bytes instanceof Readable) bytes.pipe(request);
  else if (keep === 0) request.end(bytes);
  else request.write(bytes.subarray(0, -keep));
  return { request, release: () => request.end(bytes.subarray(-keep)) };
}

/** Returns the status (0 for an incomplete response) and the number of bytes. Also returns the text of a small response. */
export async function answerTo(request) {
  const response = await new Promise((resolve) => {
    request.once('response', resolve).on('error', () => resolve(undefined));
  });
  if (response === undefined) return { status: 0, bytes: 0 };
  const [chunks, answer] = [[], { status: response.statusCode, bytes: 0 }];
  try {
    for await (const chunk of response) {
      answer.bytes += chunk.length;
      if (answer.bytes < 4 * MiB) chunks.push(chunk);
    }
  } catch {
    return { ...answer, status: 0 };
  }
  return { ...answer, ...(answer.bytes < 4 * MiB && { text: Buffer.concat(chunks).toString('utf8') }) };
}

export async function query(connectionString, text, values) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
