import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { committedContract } from './contract.js';
import { Dice } from './dice.js';
import { HostileValues, randomValues, type Schema } from './hostile-values.js';
import { disturb, type WireRequest } from './wire-faults.js';

const MiB = 1024 ** 2;
/** What is not answered in this time is a failure. */
const ANSWER_MS = 60_000;
/** A stream is left after at most this time. */
const STREAM_MS = 2_000;
/** A refused body may be cut off before its answer is read, unless it fits into the buffers between. */
const SMALL_BODY = 16 * 1024;
/** Largest answer that is looked at as a whole. */
const MAX_CHECKED = 8 * MiB;
/** How many things of a kind are remembered, the newest. */
const MAX_KNOWN = 40;
const MAX_FAILURES = 200;

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}
interface Operation {
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
}
interface Document {
  paths: Record<
    string,
    Record<string, Omit<Operation, 'body'> & { requestBody?: { content: Record<string, { schema: Schema }> } }>
  >;
  components: { schemas: Record<string, Schema> };
}

/** Somebody who sends. */
export interface Caller {
  name: string;
  /** Absent: no header. */
  authorization?: string;
  /** How often compared with others. */
  weight: number;
}

/** Parameters of a path that go together, such as a card's id and its project's. */
export type Thing = Record<string, string>;

export interface Failure {
  what: string;
  request: string;
  answer?: string;
  count: number;
}

export interface FuzzReport {
  requests: number;
  /** Answers by status; `closed` and the like where there was none. */
  statuses: Record<string, number>;
  operations: number;
  /** Milliseconds, with the request. */
  slowest: { ms: number; request: string }[];
  largest_bytes: number;
  failures: Failure[];
}

export interface FuzzOptions {
  url: string;
  seed: number;
  seconds: number;
  connections: number;
  callers: Caller[];
  /** What exists at the start, of the callers' company and of another. */
  things: Thing[];
  isAlive: () => boolean;
}

/**
 * Sends random requests to every operation of `openapi.json` and disturbs connections, from many connections at once.
 *
 * A failure is: an answer 500 or 503, where nothing is out of reach, an answer that the document does not have, none at
 * all, or the end of the process.
 */
export class Fuzzer {
  private readonly operations: Operation[];
  private readonly components: Record<string, Schema>;
  private readonly random: readonly unknown[];
  private readonly known = new Map<string, Thing[]>();
  private readonly urls: string[] = [];
  private readonly failures = new Map<string, Failure>();
  private readonly statuses: Record<string, number> = {};
  private readonly pending = new Set<string>();
  private slowest: FuzzReport['slowest'] = [];
  private largest = 0;
  private requests = 0;
  private readonly used = new Set<string>();
  private isOver = false;

  constructor(private readonly options: FuzzOptions) {
    const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as Document;
    this.components = components.schemas;
    this.random = randomValues(options.seed);
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        parameters,
        body: requestBody?.content['application/json']?.schema,
      })),
    );
    for (const thing of options.things) this.remember(thing);
  }

  async run(): Promise<FuzzReport> {
    const workers = Array.from({ length: this.options.connections }, (_, number) => this.work(number));
    await pause(this.options.seconds * 1000);
    this.isOver = true;
    await Promise.all(workers);
    return {
      requests: this.requests,
      statuses: this.statuses,
      operations: this.used.size,
      slowest: this.slowest,
      largest_bytes: this.largest,
      failures: [...this.failures.values()],
    };
  }

  private async work(number: number): Promise<void> {
    const dice = new Dice(this.options.seed + number);
    const values = new HostileValues(dice, (name) => this.values(name), this.components, this.random);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.isOver) {
      if (!this.options.isAlive()) {
        this.fail('the process has ended', [...this.pending].join('\n    '));
        break;
      }
      const kind = dice.weighted({ operation: 85, disturbance: 10, storage: 5 });
      if (kind === 'operation') await this.sendOperation(dice, values, agent);
      else if (kind === 'disturbance') await this.disturb(dice, values);
      else await this.useStore(dice, agent);
    }
    agent.destroy();
  }

  private async sendOperation(dice: Dice, values: HostileValues, agent: http.Agent): Promise<void> {
    const operation = dice.one(this.operations);
    // Else soon nothing is left to send requests about.
    if (operation.method === 'DELETE' && dice.percent(70)) return;
    this.used.add(`${operation.method} ${operation.path}`);
    const request = this.compose(operation, dice, values);
    await this.send(request, agent, operation);
  }

  /** A request to the operation, mostly with things that exist. */
  private compose({ method, path, parameters, body }: Operation, dice: Dice, values: HostileValues): WireRequest {
    const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
    const things = this.known.get(names.at(-1) ?? '') ?? [];
    const thing = things.length > 0 ? dice.one(things) : {};
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const own = thing[name] ?? this.values(name)[0];
      if (own !== undefined && dice.percent(92)) return encodeURIComponent(own);
      return dice.percent(20)
        ? dice.one(['%', '%FF', '%00', '%2F', '%2e%2e', '0', 'x'.repeat(5_000)])
        : encodeURIComponent(values.text().slice(0, 2_000).toWellFormed()) || '0';
    });
    const query = parameters
      .filter((one) => one.in === 'query' && dice.percent(50))
      .map(({ name, schema }) => {
        const value = dice.percent(70) ? values.valid(schema, name) : values.text().slice(0, 3_000);
        return `${encodeURIComponent(name)}=${encodeURIComponent(String(value).toWellFormed())}`;
      });
    const text = body === undefined ? (dice.percent(5) ? values.text().slice(0, MiB) : '') : values.body(body);
    return {
      method,
      path: `${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`,
      headers: this.headers(dice, values, text !== '', parameters),
      body: text,
    };
  }

  private headers(
    dice: Dice,
    values: HostileValues,
    hasBody: boolean,
    parameters: Parameter[],
  ): Record<string, string> {
    const { callers } = this.options;
    const name = dice.weighted(Object.fromEntries(callers.map((one) => [one.name, one.weight])));
    const authorization = callers.find((one) => one.name === name)?.authorization;
    const text = (): string =>
      values
        .text()
        .replace(/[^\x20-\x7e]/g, '?')
        .slice(0, 6_000);
    const strange = [
      'range',
      'last-event-id',
      'accept',
      'if-none-match',
      'x-request-id',
      'x-forwarded-for',
      'origin',
      'cookie',
    ];
    return {
      ...(authorization !== undefined && { authorization }),
      ...(hasBody && { 'content-type': dice.percent(95) ? 'application/json' : text() }),
      ...(parameters.some((one) => one.in === 'header') && dice.percent(50) && { 'last-event-id': text() }),
      ...(dice.percent(5) && { [dice.one(strange)]: text() }),
    };
  }

  private async disturb(dice: Dice, values: HostileValues): Promise<void> {
    const request = this.compose(dice.one(this.operations), dice, values);
    const told = this.begin(`disturbed ${describe(request)}`);
    for (const status of await disturb(this.options.url, dice, request, values.length())) this.take(status, told);
    this.pending.delete(told);
  }

  /** Uses a signed URL: parts of wrong lengths, ranges, changed signatures. */
  private async useStore(dice: Dice, agent: http.Agent): Promise<void> {
    if (this.urls.length === 0) return;
    const url = new URL(dice.one(this.urls));
    if (dice.percent(20)) url.search = url.search.replace(/[0-9a-f]/, 'x');
    const sent = dice.one([0, 1, 100, 100_000, dice.percent(3) ? 6 * MiB : 3]);
    const declared = dice.percent(60) ? sent : dice.one([0, sent + 1, Math.max(0, sent - 1), 2 ** 40]);
    const method = dice.one(['PUT', 'PUT', 'PUT', 'GET', 'HEAD', 'DELETE', 'POST']);
    const request: WireRequest = {
      method,
      path: url.pathname + url.search,
      headers: {
        ...(method === 'GET' &&
          dice.percent(50) && { range: dice.one(['bytes=0-', 'bytes=-1', 'bytes=5-1', 'bytes=0-0,2-3']) }),
        ...(declared !== sent && { 'content-length': String(declared) }),
      },
      body: method === 'PUT' || method === 'POST' ? Buffer.alloc(sent, 'x') : '',
    };
    if (declared === sent && dice.percent(80)) await this.send(request, agent);
    else {
      const told = this.begin(`disturbed ${describe(request)}`);
      for (const status of await disturb(this.options.url, dice, request, 100)) this.take(status, told);
      this.pending.delete(told);
    }
  }

  private async send(request: WireRequest, agent: http.Agent, operation?: Operation): Promise<void> {
    const told = this.begin(describe(request));
    const began = performance.now();
    const { status, text, contentType, bytes } = await this.exchange(request, agent);
    this.noteTime(performance.now() - began, told);
    this.pending.delete(told);
    this.largest = Math.max(this.largest, bytes);
    this.take(status, told, text);
    if (typeof status === 'string') {
      const isCutOff = status !== 'ANSWER_TIMEOUT' && request.body.length > SMALL_BODY;
      if (this.options.isAlive() && !isCutOff) this.fail(`no answer: ${status}`, told);
      return;
    }
    // The document says of 414 and 431 that any operation may answer them; a stream has no JSON.
    if (operation === undefined || text === undefined || [414, 431].includes(status)) return;
    const path = request.path.replace(/\?.*/s, '');
    try {
      committedContract().check({ method: request.method, path, status, contentType, text });
    } catch (error) {
      this.fail(
        `against the document: ${operation.method} ${operation.path} ${status}`,
        told,
        (error as Error).message,
      );
    }
    if (status < 300 && text !== '') this.learn(operation, request, JSON.parse(text) as Record<string, unknown>);
  }

  private exchange(
    { method, path, headers, body }: WireRequest,
    agent: http.Agent,
  ): Promise<{ status: number | string; text?: string; contentType: string | null; bytes: number }> {
    return new Promise((resolve) => {
      const none = (status: string): void => resolve({ status, contentType: null, bytes: 0 });
      let request: http.ClientRequest;
      try {
        const length = { 'content-length': Buffer.byteLength(body) };
        request = http.request(this.options.url + path, { method, headers: { ...length, ...headers }, agent });
      } catch (error) {
        // Node refuses to send some headers.
        none((error as { code: string }).code);
        return;
      }
      const patience = setTimeout(
        () => request.destroy(Object.assign(new Error(), { code: 'ANSWER_TIMEOUT' })),
        ANSWER_MS,
      );
      const over = (): void => clearTimeout(patience);
      request.once('error', (error: NodeJS.ErrnoException) => {
        over();
        none(error.code ?? error.message);
      });
      request.once('response', (response: IncomingMessage) => {
        const contentType = response.headers['content-type'] ?? null;
        const isStream = contentType?.startsWith('text/event-stream') === true;
        if (isStream) setTimeout(() => request.destroy(), STREAM_MS * Math.random());
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= MAX_CHECKED) chunks.push(chunk);
        });
        response.once('close', () => {
          over();
          const isWhole = response.complete && bytes <= MAX_CHECKED && !isStream;
          if (!response.complete && !isStream) none('CUT_OFF');
          else
            resolve({
              ...{ status: response.statusCode ?? 0, contentType, bytes },
              ...(isWhole && { text: Buffer.concat(chunks).toString('utf8') }),
            });
        });
        response.on('error', () => undefined);
      });
      request.end(body);
    });
  }

  /** Counts an answer, and fails for what is always wrong. */
  private take(status: number | string, told: string, text?: string): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    // Whether requests should come is another question, to which a busy process may well say no.
    if (status === 500 || (status === 503 && !told.includes(' /health/ready')))
      this.fail(`answer ${status}`, told, text);
  }

  private begin(told: string): string {
    this.requests += 1;
    const numbered = `${this.requests}. ${told}`;
    this.pending.add(numbered);
    return numbered;
  }

  private noteTime(ms: number, request: string): void {
    if (this.slowest.length === 5 && ms < (this.slowest.at(-1)?.ms ?? 0)) return;
    this.slowest = [...this.slowest, { ms: Math.round(ms), request }].sort((a, b) => b.ms - a.ms).slice(0, 5);
  }

  /** Notes a failure once for each kind and operation. */
  private fail(what: string, request: string, answer?: string): void {
    const key = `${what} ${/^\d+\. (.*?)[?{ ]*$/m.exec(request.replace(/[0-9a-f-]{36}/g, '…').replace(/ body.*/s, ''))?.[1]}`;
    const known = this.failures.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.failures.size < MAX_FAILURES)
      this.failures.set(key, {
        what,
        request,
        ...(answer !== undefined && { answer: answer.slice(0, 1_500) }),
        count: 1,
      });
  }

  /** Remembers what was made. */
  private learn({ method, path }: Operation, request: WireRequest, answer: Record<string, unknown>): void {
    const text = (name: string): string | undefined => {
      const value = answer[name];
      return typeof value === 'string' ? value : undefined;
    };
    const [, project_id] = /\/projects\/([^/?]+)/.exec(request.path) ?? [];
    const within: Thing = project_id === undefined ? {} : { project_id };
    const made = (name: string, id = text('id')): void => {
      if (id !== undefined) this.remember({ ...within, [name]: id });
    };
    const parts = answer['parts'];
    if (path.startsWith('/api/v1/files/upload/') && Array.isArray(parts)) {
      this.urls.push(...parts.slice(0, 3).map((part) => (part as { url?: string }).url ?? ''));
    }
    if (path.endsWith('/files/download')) this.urls.push(text('url') ?? '');
    this.urls.splice(0, this.urls.length - MAX_KNOWN);
    if (path.endsWith('/upload/start')) made('upload_token', text('upload_token'));
    if (method !== 'POST') return;
    if (path === '/api/v1/projects') made('project_id');
    else if (path === '/api/v1/deployments') made('name', text('handle'));
    else if (path.endsWith('/api-keys')) made('api_key_id');
    else if (path.endsWith('/cards')) made('card_id');
    else if (path.endsWith('/conversations')) made('conversation_id');
    else if (path.endsWith('/executions')) made('execution_id');
    else if (path.endsWith('/snapshots')) made('snapshot_id');
  }

  private remember(thing: Thing): void {
    const [name] = Object.keys(thing).slice(-1);
    if (name === undefined) return;
    const things = this.known.get(name) ?? [];
    things.push(thing);
    // The first ones are the richest, and are kept.
    if (things.length > MAX_KNOWN) things.splice(MAX_KNOWN / 2, 1);
    this.known.set(name, things);
  }

  /** Values that mean something in a field or parameter. */
  private values(name: string): readonly string[] {
    const things = this.known.get(ALIASES[name] ?? name) ?? [];
    if (things.length > 0) return things.map((thing) => thing[ALIASES[name] ?? name] ?? '');
    return PATHS.has(name) ? FILES : [];
  }
}

const ALIASES: Record<string, string> = { deployment_name: 'name', from_deployment: 'name' };
const PATHS = new Set(['path', 'source_path', 'dest_path', 'file_id', 'input_file_id']);
const FILES = [
  'a.txt',
  'inputs',
  'inputs/demand.csv',
  'models/plan.lp',
  'models',
  'b',
  'b/c',
  'c',
  'AGENTS.md',
  'skills/s1/SKILL.md',
];

/** The request as a failure tells it. */
function describe({ method, path, headers, body }: WireRequest): string {
  const { authorization = 'none', ...rest } = headers;
  const [kind = '', token = ''] = authorization.split(' ');
  const by = token === '' ? kind : `${kind} ${token.slice(0, 3)}…${token.length}`;
  const sent = typeof body === 'string' ? body : `${body.length} bytes`;
  const told = sent.length > 400 ? `${sent.slice(0, 300)}…${sent.slice(-80)} (${sent.length} characters)` : sent;
  return `${method} ${path.slice(0, 300)} by ${by} ${JSON.stringify(rest).slice(0, 200)}${told && ` body ${told}`}`;
}

/** A token in the form of the service's own, of nobody. */
export const garbage = (): string => `Bearer ${randomBytes(300).toString('base64url')}`;
