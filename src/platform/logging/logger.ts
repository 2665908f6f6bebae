import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';
import { routeOf } from '../http/route-of.js';

const REQUEST_ID = /^[\w.:-]{1,100}$/;

/** The JSON logger of one process. Lines carry no header, body or query, where credentials and content travel. */
export function createLogger(level: string): Logger {
  return pino({ level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime });
}

declare module 'node:http' {
  interface IncomingMessage {
    /** Logger of further lines about a request. */
    log: () => Logger;
  }
  interface ServerResponse {
    /** What went wrong, for the request's line. */
    err?: Error;
  }
}

/**
 * Logs each finished request and gives it an id, the client's own where it is usable, in `X-Request-Id`. Nothing is made
 * of a request whose line the level leaves out.
 */
export function requestLogging(logger: Logger) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const began = Date.now();
    const { method, url = '' } = request;
    const id = requestId(request);
    response.setHeader('X-Request-Id', id);
    const shown = (): object => ({ id, method, path: url.split('?', 1)[0] });
    request.log = () => logger.child({ req: shown() });
    let isLogged = false;
    const log = (error?: Error): void => {
      if (isLogged) return;
      isLogged = true;
      const { statusCode } = response;
      const level = error !== undefined || statusCode >= 500 ? 'error' : statusCode >= 400 ? 'info' : 'debug';
      if (!logger.isLevelEnabled(level)) return;
      const isWhole = !request.readableAborted && response.writableEnded;
      const failure =
        error ?? response.err ?? (statusCode >= 500 ? new Error(`failed with status code ${statusCode}`) : undefined);
      logger[level](
        {
          req: shown(),
          res: { status: response.headersSent ? statusCode : null },
          ...(failure && { err: failure }),
          ms: Date.now() - began,
          ...circumstances(request),
        },
        failure ? 'request errored' : isWhole ? 'request completed' : 'request aborted',
      );
    };
    // An answer has one of these ends or both; lines come with the first.
    response.on('finish', log);
    response.on('close', log);
    response.on('error', log);
    next();
  };
}

function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Which operation it was and for whom, by ids alone; known when the request is over. */
function circumstances(request: IncomingMessage): object {
  const { caller } = request as { caller?: { kind: string; company_id: string; user_id: string | null } };
  return {
    route: routeOf(request),
    ...(caller && { caller: caller.kind, company_id: caller.company_id, user_id: caller.user_id ?? undefined }),
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
