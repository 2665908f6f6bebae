import type { ExpressAdapter, NestExpressApplication } from '@nestjs/platform-express';
import type { Application, Request, RequestHandler, Response } from 'express';
import { endAnswered } from './answered.js';
import { trackResponses } from './ending-connections.js';
import { codingFor, compressed, MIN_COMPRESSED_BYTES, varyByCoding } from './compression.js';
import { type ConnectionLimits, limitConnections, limitRequests, serveInTurn } from './connection-limits.js';
import { CsvText } from './csv-text.js';
import { type Coding, ClientTags, tagHeader } from '../etag/entity-tag.js';
import { Tagged } from '../etag/tagged.js';
import { reportFailure } from '../logging/request-log.js';
import { bodyText, JsonBytes } from './json-text.js';

/**
 * Configures Express for the documented interface: case-sensitive paths, query parameters without nesting, and JSON without a
 * charset. Call it before routes are added. The application must be created with `bodyParser: false`.
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
  // The adapter created the router with Express's defaults. Each route copies this setting when it is added.
  (server.router as unknown as { caseSensitive: boolean }).caseSensitive = true;
  // Nest would leave unknown paths outside the global prefix to Express.
  adapter.setNotFoundHandler = (handler: RequestHandler) => server.use(handler);
  Object.assign((server as unknown as { response: Response }).response, {
    json: compression ? sendVarying : sendAnswer,
    end: endAnswered,
  });
  limitConnections(app.getHttpServer(), limits);
  trackResponses(app.getHttpServer());
  app.use(serveInTurn);
  app.use(limitRequests);
}

/** Returns query parameters by name. The last value of a repeated parameter wins. */
export function parseQuery(text: string | null): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(`?${text ?? ''}`)) query[name] = value;
  return query;
}

/**
 * Maximum length, in characters, of a body that is sent together with the headers. A longer body is first encoded into a
 * buffer. Otherwise it would be encoded twice: to compute its length and to send it.
 */
const SHORT = 2_000;

/**
 * Size in bytes above which a response has a deadline, even if a slow client reads steadily. The response is held in memory
 * until the client has read it.
 */
const LONG_BYTES = 1024 ** 2;
const DEADLINE_MS = 5 * 60_000;

/** Sends a response without compression. */
function sendAnswer(this: Response, answer: unknown): Response {
  return send(this, answer, () => undefined);
}

/** Sends a response in an encoding that the client accepts, if compression is worthwhile. */
function sendVarying(this: Response, answer: unknown): Response {
  varyByCoding(this);
  return send(this, answer, codingFor);
}

type Choice = (request: Request) => Coding | undefined;

function send(response: Response, answer: unknown, choose: Choice): Response {
  if (!(answer instanceof Tagged)) return sendBody(response, answer, choose);
  const { tag, body } = answer as Tagged<unknown>;
  const { method, headers } = response.req;
  const clientTag = method === 'GET' ? ClientTags.in(headers['if-none-match']).find(tag) : undefined;
  if (clientTag !== undefined || body === undefined) {
    response.setHeader('ETag', tagHeader(clientTag ?? tag));
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
        reportFailure(response, error);
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
