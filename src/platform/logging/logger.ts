import type { Principal } from '../auth/principal.js';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import { pinoHttp } from 'pino-http';
import { routeOf } from '../http/route-of.js';

const REQUEST_ID = /^[\w.:-]{1,100}$/;

/** What an error of the database holds of the values that its statement was given. */
const VALUES = ['parameters', 'driverError', 'detail', 'where'].map((name) => `err.${name}`);

/** The JSON logger of one process. Lines carry no header, body, query or value of a row, where credentials and content travel. */
export function createLogger(level: string, output?: DestinationStream): Logger {
  const redact = { paths: VALUES, remove: true };
  return pino({ level, redact, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, output);
}

/** Logs each finished request and gives it an id, the client's own where it is usable, in `X-Request-Id`. */
export function requestLogging(logger: Logger) {
  return pinoHttp({
    logger,
    genReqId: (request, response) => {
      const given = request.headers['x-request-id'];
      const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
      response.setHeader('X-Request-Id', id);
      return id;
    },
    customLogLevel: ({ log }, { statusCode }, error) => {
      const level = error !== undefined || statusCode >= 500 ? 'error' : statusCode >= 400 ? 'info' : 'debug';
      // For a silent line, not even the parts are built.
      return log.isLevelEnabled(level) ? level : 'silent';
    },
    customSuccessObject: (request, _response, line: object) => ({ ...line, ...circumstances(request) }),
    customErrorObject: (request, _response, _error, line: object) => ({ ...line, ...circumstances(request) }),
    customAttributeKeys: { responseTime: 'ms' },
    // Of the requests and responses themselves: pino's own view of one takes all of it, its query parsed again.
    wrapSerializers: false,
    serializers: {
      req: ({ id, method, url = '' }: IncomingMessage) => ({
        id,
        method,
        // A target may also be a whole URL, with credentials in it.
        path: url.replace(/^[a-z]+:\/\/[^/?]*/i, '').split('?', 1)[0],
      }),
      // A response that nobody received has no status.
      res: ({ headersSent, statusCode }: ServerResponse) => ({ status: headersSent ? statusCode : null }),
    },
  }) as (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
}

/** The operation and its caller, only by ids; known when the request is over. */
function circumstances(request: IncomingMessage): object {
  const { caller } = request as { caller?: Principal };
  return {
    route: routeOf(request),
    ...(caller && {
      caller: caller.kind,
      company_id: caller.company_id,
      user_id: caller.user_id ?? undefined,
      api_key_id: caller.api_key_id ?? undefined,
    }),
  };
}

/** Hands Nest's own log lines to the process's logger. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, ...details: unknown[]): void {
    const err = message instanceof Error ? message : undefined;
    const given = details.filter((detail) => detail !== undefined);
    this.logger.error({ err, details: given }, err?.message ?? String(message));
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  verbose(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }

  fatal(message: unknown, context?: string): void {
    this.logger.fatal({ context }, String(message));
  }
}
