import type { ExpressAdapter, NestExpressApplication } from '@nestjs/platform-express';
import type { Application, RequestHandler, Response } from 'express';
import { endAnswered } from './answered.js';
import { type ConnectionLimits, limitConnections, limitRequests, serveInTurn } from './connection-limits.js';
import { CsvText } from './csv-text.js';
import { bodyText } from './json-text.js';

/**
 * Sets Express up for the documented interface: case-sensitive paths, plain queries, and JSON without a charset. To be
 * called before routes are added; the application is made with `bodyParser: false`.
 */
export function configureHttp(app: NestExpressApplication, limits: ConnectionLimits = {}): void {
  const adapter = app.getHttpAdapter() as ExpressAdapter;
  const server = adapter.getInstance<Application>();
  server.disable('x-powered-by');
  server.disable('etag');
  server.set('query parser', parseQuery);
  // The adapter made the router with Express's defaults; each route takes this one as it is added.
  (server.router as unknown as { caseSensitive: boolean }).caseSensitive = true;
  // Nest would leave unknown paths outside the global prefix to Express.
  adapter.setNotFoundHandler = (handler: RequestHandler) => server.use(handler);
  Object.assign((server as unknown as { response: Response }).response, { json: sendText, end: endAnswered });
  limitConnections(app.getHttpServer(), limits);
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

function sendText(this: Response, body: unknown): Response {
  const text = body instanceof CsvText ? body.text : bodyText(body);
  this.setHeader('Content-Type', body instanceof CsvText ? 'text/csv; charset=utf-8' : 'application/json');
  if (text.length <= SHORT) {
    this.setHeader('Content-Length', Buffer.byteLength(text));
    return this.end(text);
  }
  const bytes = Buffer.from(text);
  if (bytes.length > LONG_BYTES && !this.closed) {
    const deadline = setTimeout(() => this.destroy(), DEADLINE_MS);
    this.once('close', () => clearTimeout(deadline));
  }
  this.setHeader('Content-Length', bytes.length);
  return this.end(bytes);
}
