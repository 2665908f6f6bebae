import type { ExpressAdapter, NestExpressApplication } from '@nestjs/platform-express';
import type { Application, Request, RequestHandler, Response } from 'express';
import { endAnswered } from './answered.js';
import { watchAnswers } from './ending-connections.js';
import { codingFor, compressed, MIN_COMPRESSED_BYTES, varyByCoding } from './compression.js';
import { type ConnectionLimits, limitConnections, limitRequests, serveInTurn } from './connection-limits.js';
import { CsvText } from './csv-text.js';
import { type Coding, KnownTags, tagHeader } from '../etag/entity-tag.js';
import { Tagged } from '../etag/tagged.js';
import { tellFailure } from '../logging/request-log.js';
import { bodyText, JsonBytes } from './json-text.js';

/**
 * Sets Express up for the documented interface: case-sensitive paths, plain queries, and JSON without a charset. To be
 * called before routes are added; the application is made with `bodyParser: false`.
 */
export function configureHttp(
  app: NestExpressApplication,
  { compression = true, ...limits }: ConnectionLimits & { compression?: boolean } = {},
): void {
  const adapter = app.getHttpAdapter() as ExpressAdapter;
  const server = adapter.getInstance<Application>();
  server.disable('x-powered-by');
  server.disable('etag');
  server.set('query parser', parseQuery);
  // The adapter made the router with Express's defaults; each route takes this one as it is added.
  (server.router as unknown as { caseSensitive: boolean }).caseSensitive = true;
  // Nest would leave unknown paths outside the global prefix to Express.
  adapter.setNotFoundHandler = (handler: RequestHandler) => server.use(handler);
  Object.assign((server as unknown as { response: Response }).response, {
    json: compression ? sendVarying : sendAnswer,
    end: endAnswered,
  });
  limitConnections(app.getHttpServer(), limits);
  watchAnswers(app.getHttpServer());
  app.use(serveInTurn);
  app.use(limitRequests);
}

/** Query parameters by name, of a repeated one the last. */
export function parseQuery(text: string | null): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(`?${text ?? ''}`)) query[name] = value;
  return query;
}

/**
 * Most characters of a text that goes out in one piece with the head. A longer one is encoded once: its length and its
 * sending would take a pass each.
 */
const SHORT = 2_000;

/** Longer answers must be taken in so long a time, however steadily a client takes very little: they are in memory. */
const LONG_BYTES = 1024 ** 2;
const DEADLINE_MS = 5 * 60_000;

/** Sends an answer as it is. */
function sendAnswer(this: Response, answer: unknown): Response {
  return send(this, answer, () => undefined);
}

/** Sends an answer in a coding that the client takes, if it is worth it. */
function sendVarying(this: Response, answer: unknown): Response {
  varyByCoding(this);
  return send(this, answer, codingFor);
}

type Choice = (request: Request) => Coding | undefined;

function send(response: Response, answer: unknown, choose: Choice): Response {
  if (!(answer instanceof Tagged)) return sendBody(response, answer, choose);
  const { tag, body } = answer as Tagged<unknown>;
  const { method, headers } = response.req;
  const known = method === 'GET' ? KnownTags.in(headers['if-none-match']).find(tag) : undefined;
  if (known !== undefined || body === undefined) {
    response.setHeader('ETag', tagHeader(known ?? tag));
    response.statusCode = 304;
    return response.end();
  }
  return sendBody(response, body, choose, tag);
}

function sendBody(response: Response, body: unknown, choose: Choice, tag?: string): Response {
  const text = body instanceof CsvText ? body.text : body instanceof JsonBytes ? body.bytes : bodyText(body);
  response.setHeader('Content-Type', body instanceof CsvText ? 'text/csv; charset=utf-8' : 'application/json');
  const isLong = Buffer.byteLength(text) > MIN_COMPRESSED_BYTES;
  const coding = isLong && !(body instanceof CsvText) ? choose(response.req) : undefined;
  if (tag !== undefined) response.setHeader('ETag', tagHeader(tag, coding));
  if (coding !== undefined) {
    response.setHeader('Content-Encoding', coding);
    compressed(bytesOf(text), coding).then(
      (bytes) => sendBytes(response, bytes),
      (error: Error) => {
        tellFailure(response, error);
        response.destroy();
      },
    );
    return response;
  }
  if (text.length <= SHORT) {
    response.setHeader('Content-Length', Buffer.byteLength(text));
    return response.end(text);
  }
  return sendBytes(response, bytesOf(text));
}

const bytesOf = (text: string | Buffer): Buffer => (typeof text === 'string' ? Buffer.from(text) : text);

function sendBytes(response: Response, bytes: Buffer): Response {
  if (bytes.length > LONG_BYTES && !response.closed) {
    const deadline = setTimeout(() => response.destroy(), DEADLINE_MS);
    response.once('close', () => clearTimeout(deadline));
  }
  response.setHeader('Content-Length', bytes.length);
  return response.end(bytes);
}
