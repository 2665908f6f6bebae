import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { committedContract } from './contract.js';
import { Dice } from './dice.js';
import { HostileValues, randomValues, type Schema } from './hostile-values.js';
import type { KnownThings } from './known-things.js';
import { exchange } from './wire-exchange.js';
import { disturb, type WireRequest } from './wire-faults.js';

const MiB = 1024 ** 2;
/**
 * Maximum size of a request that fits into network buffers. If a larger request is rejected, the connection may be cut
 * off before the response can be read.
 */
const SMALL_REQUEST = 16 * 1024;
/** Maximum size of an error response, not counting the request that it repeats ({@link bytesRepeated}). */
const MAX_ERROR = 256 * 1024;
/** Statuses that the document allows for any operation. */
const OF_ANY_OPERATION = [414, 431];
/** Number of slowest requests in the report. */
const SLOWEST = 5;
const WRONG_PARAMETERS = ['%', '%FF', '%00', '%2F', '%2e%2e', '0', 'x'.repeat(5_000)];
const STRANGE_HEADERS = [
  ...['range', 'last-event-id', 'accept', 'if-none-match', 'x-request-id', 'x-forwarded-for', 'origin', 'cookie'],
  ...['content-encoding', 'accept-encoding', 'idempotency-key'],
];
const RANGES = ['bytes=0-', 'bytes=-1', 'bytes=5-1', 'bytes=0-0,2-3'];

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
    Record<string, { parameters?: Parameter[]; requestBody?: { content: Record<string, { schema: Schema }> } }>
  >;
  components: { schemas: Record<string, Schema> };
}

/** Company and the callers who access its resources. */
export interface Party {
  known: KnownThings;
  /** Values of `Authorization` with their weights. An empty value omits the header. */
  callers: Record<string, number>;
}

export interface Failure {
  what: string;
  /** Request that caused the failure, or all unanswered requests if the process ended. */
  request: string;
  /** Response, or a description of the error in it. */
  answer: string;
  count: number;
}

export interface FuzzReport {
  requests: number;
  /** Number of responses by status, or by error code if there was no response. */
  statuses: Record<string, number>;
  operations: number;
  slowest: { ms: number; request: string }[];
  largest_bytes: number;
  failures: Failure[];
}

export interface FuzzOptions {
  url: string;
  seed: number;
  seconds: number;
  connections: number;
  /** Parties that send requests. Each connection belongs to a party. */
  parties: Party[];
  isAlive: () => boolean;
}

/** State of a connection. */
interface Worker {
  dice: Dice;
  values: HostileValues;
  party: Party;
  agent: http.Agent;
}

/**
 * Sends random requests to every operation in `openapi.json` and disturbs connections, over many connections in
 * parallel.
 *
 * The following count as failures: a 500, a 503 although all dependencies are reachable, and a response that the
 * document does not allow. So do an error that is longer than its request, a missing response, and the end of the
 * process.
 */
export class Fuzzer {
  private readonly operations: Operation[];
  private readonly components: Record<string, Schema>;
  private readonly failures = new Map<string, Failure>();
  private readonly report: Omit<FuzzReport, 'operations' | 'failures'>;
  private readonly used = new Set<Operation>();
  private readonly pending = new Set<string>();
  private isOver = false;

  constructor(private readonly options: FuzzOptions) {
    const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as Document;
    this.components = components.schemas;
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        parameters,
        body: requestBody?.content['application/json']?.schema,
      })),
    );
    this.report = { requests: 0, statuses: {}, slowest: [], largest_bytes: 0 };
  }

  async run(): Promise<FuzzReport> {
    const { seed, seconds, connections, parties } = this.options;
    const random = randomValues(seed);
    const workers = Array.from({ length: connections }, (_, number) => {
      const party = parties[number % parties.length] as Party;
      const dice = new Dice(seed + number);
      // In 90 percent of cases, ids belong to the caller's company.
      const known = (name: string): readonly string[] =>
        (dice.percent(90) ? party : dice.one(parties)).known.values(name);
      const values = new HostileValues(dice, known, this.components, random);
      return this.work({ dice, values, party, agent: new http.Agent({ keepAlive: true, maxSockets: 1 }) });
    });
    await pause(seconds * 1000);
    this.isOver = true;
    await Promise.all(workers);
    return { ...this.report, operations: this.used.size, failures: [...this.failures.values()] };
  }

  private async work(worker: Worker): Promise<void> {
    while (!this.isOver) {
      if (!this.options.isAlive()) {
        this.fail('the process has ended', [...this.pending].join('\n    '), '');
        break;
      }
      const kind = worker.dice.weighted({ operation: 85, disturbance: 10, storage: 5 });
      if (kind === 'operation') await this.sendOperation(worker);
      else if (kind === 'disturbance') await this.disturb(this.compose(this.operation(worker), worker), worker);
      else await this.useStore(worker);
    }
    worker.agent.destroy();
  }

  /** Returns a random operation. Deletions are rare, because otherwise few resources would remain. */
  private operation({ dice }: Worker): Operation {
    const operation = dice.one(this.operations);
    return operation.method === 'DELETE' && dice.percent(70) ? dice.one(this.operations) : operation;
  }

  private async sendOperation(worker: Worker): Promise<void> {
    const operation = this.operation(worker);
    this.used.add(operation);
    await this.send(this.compose(operation, worker), worker, operation);
  }

  /** Composes a request to the operation, mostly for existing resources. */
  private compose({ method, path, parameters, body }: Operation, { dice, values, party }: Worker): WireRequest {
    const own = Array.from(path.matchAll(/\{(\w+)\}/g)).at(-1)?.[1] ?? '';
    const things = party.known.of(own);
    const thing = things.length > 0 && dice.percent(90) ? dice.one(things) : {};
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const [other] = party.known.values(name);
      const value = thing[name] ?? other;
      if (value !== undefined && dice.percent(92)) return encodeURIComponent(value);
      if (dice.percent(20)) return dice.one(WRONG_PARAMETERS);
      return encodeURIComponent(values.text().slice(0, 2_000).toWellFormed()) || '0';
    });
    const query = parameters
      .filter((one) => one.in === 'query' && dice.percent(50))
      .map(({ name, schema }) => {
        const value = dice.percent(70) ? values.valid(schema, name) : values.text().slice(0, 3_000);
        return `${encodeURIComponent(name)}=${encodeURIComponent(String(value).toWellFormed())}`;
      });
    const text = body !== undefined ? values.body(body) : dice.percent(5) ? values.text().slice(0, MiB) : '';
    const authorization = dice.weighted(party.callers);
    const header = (): string =>
      values
        .text()
        .replace(/[^\x20-\x7e]/g, '?')
        .slice(0, 6_000);
    const takesHeader = parameters.some((one) => one.in === 'header');
    return {
      method,
      path: `${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`,
      headers: {
        ...(authorization !== '' && { authorization }),
        ...(text !== '' && { 'content-type': dice.percent(95) ? 'application/json' : header() }),
        ...(takesHeader && dice.percent(50) && { 'last-event-id': header() }),
        ...(dice.percent(5) && { [dice.one(STRANGE_HEADERS)]: header() }),
      },
      body: text,
    };
  }

  private async disturb(request: WireRequest, { dice, values }: Worker): Promise<void> {
    const told = this.begin(`disturbed ${describe(request)}`);
    const statuses = await disturb(this.options.url, dice, request, values.length());
    this.pending.delete(told);
    for (const status of statuses) this.take(status, told);
  }

  /** Sends a request to a signed URL, possibly with a wrong length, an odd range or a changed signature. */
  private async useStore(worker: Worker): Promise<void> {
    const { dice, party } = worker;
    if (party.known.urls.length === 0) return;
    const url = new URL(dice.one(party.known.urls));
    if (dice.percent(20)) url.search = url.search.replace(/[0-9a-f]/, 'x');
    const method = dice.one(['PUT', 'PUT', 'PUT', 'GET', 'HEAD', 'DELETE', 'POST']);
    const sent = method.startsWith('P') ? dice.one([0, 1, 100, 100_000, dice.percent(3) ? 6 * MiB : 3]) : 0;
    const declared = dice.percent(60) ? sent : dice.one([0, sent + 1, Math.max(0, sent - 1), 2 ** 40]);
    const request: WireRequest = {
      method,
      path: url.pathname + url.search,
      headers: {
        ...(method === 'GET' && dice.percent(50) && { range: dice.one(RANGES) }),
        ...(declared !== sent && { 'content-length': String(declared) }),
      },
      body: Buffer.alloc(sent, 'x'),
    };
    if (declared === sent && dice.percent(80)) await this.send(request, worker);
    else await this.disturb(request, worker);
  }

  private async send(request: WireRequest, { agent, party }: Worker, operation?: Operation): Promise<void> {
    const told = this.begin(describe(request));
    const began = performance.now();
    const { status, text, contentType, bytes } = await exchange(this.options.url, request, agent);
    this.pending.delete(told);
    this.noteTime(performance.now() - began, told);
    this.report.largest_bytes = Math.max(this.report.largest_bytes, bytes);
    this.take(status, told, text, operation);
    if (typeof status === 'string') {
      const isCutOff = status !== 'ANSWER_TIMEOUT' && request.path.length + request.body.length > SMALL_REQUEST;
      if (this.options.isAlive() && !isCutOff) this.fail('no answer', told, status, operation);
      return;
    }
    if (status >= 400 && bytes > bytesRepeated(request.body) + MAX_ERROR)
      this.fail('an error that is much longer than its request', told, `${bytes} bytes`, operation);
    if (operation === undefined || text === undefined || OF_ANY_OPERATION.includes(status)) return;
    const { method, path } = request;
    try {
      committedContract().check({ method, path: path.replace(/\?.*/s, ''), status, contentType, text });
    } catch (error) {
      this.fail(`${status} against the document`, told, (error as Error).message, operation);
    }
    if (status < 300 && text !== '')
      party.known.learn(method, path.replace(/\?.*/s, ''), JSON.parse(text) as Record<string, unknown>);
  }

  /** Counts a response and reports a failure if its status is never allowed. */
  private take(status: number | string, told: string, text = '', operation?: Operation): void {
    this.report.statuses[status] = (this.report.statuses[status] ?? 0) + 1;
    // A busy process may legitimately fail the readiness check.
    if (status === 500 || (status === 503 && !told.includes(' /health/ready')))
      this.fail(`answer ${status}`, told, text, operation);
  }

  private begin(request: string): string {
    this.report.requests += 1;
    const told = `${this.report.requests}. ${request}`;
    this.pending.add(told);
    return told;
  }

  private noteTime(ms: number, request: string): void {
    const all = [...this.report.slowest, { ms: Math.round(ms), request }];
    this.report.slowest = all.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  }

  /** Records a failure. Only the first failure of each kind and operation is kept in full. */
  private fail(what: string, request: string, answer: string, operation?: Operation): void {
    const key = `${what} ${operation?.method} ${operation?.path}`;
    const known = this.failures.get(key);
    if (known === undefined) this.failures.set(key, { what, request, answer: answer.slice(0, 1_500), count: 1 });
    else known.count += 1;
  }
}

/** Formats a request for a failure report. */
function describe({ method, path, headers, body }: WireRequest): string {
  const { authorization = 'nobody', ...rest } = headers;
  const by = authorization.replace(/^(Bearer .{3}).*$/, (_, start: string) => `${start}…${authorization.length}`);
  const sent = typeof body === 'string' ? body : `of ${body.length} bytes`;
  const told = sent.length > 400 ? `${sent.slice(0, 300)}…${sent.slice(-80)} (${sent.length} characters)` : sent;
  return `${method} ${path.slice(0, 300)} by ${by} ${JSON.stringify(rest).slice(0, 200)}, body ${told || 'none'}`;
}

/**
 * Returns the number of bytes that a request body takes up in a response that repeats it. An invalid JSON body is
 * repeated as a single string.
 */
const bytesRepeated = (body: WireRequest['body']): number =>
  Math.max(body.length, Buffer.byteLength(JSON.stringify(Buffer.from(body).toString())));
