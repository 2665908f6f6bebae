import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Principal } from '../../auth/principal.js';
import { routeOf } from '../http/route-of.js';

/** Key of the function that logs errors after the request's line was written. */
const LATE = Symbol('late errors');

declare module 'node:http' {
  interface ServerResponse {
    /** Error to include in the request's log line. Set by {@link reportFailure}. */
    err?: Error;
    [LATE]?: (error: Error) => void;
  }
  interface IncomingMessage {
    /** Additional ids for the request's log line. */
    logged?: LogIds;
  }
}

/** Ids of objects that a request created, by field name. */
export type LogIds = Partial<Record<'turn_id', string>>;

/** Injects the ids of the request's log line. The service that the handler calls fills them in. */
export const RequestLogIds = createParamDecorator(
  (_: unknown, context: ExecutionContext): LogIds =>
    (context.switchToHttp().getRequest<IncomingMessage>().logged ??= {}),
);

/** Logs an error with the request's line, or in a separate line if the request's line was already written. */
export function reportFailure(response: ServerResponse, error: Error): void {
  if (response.closed) response[LATE]?.(error);
  else response.err ??= error;
}

const REQUEST_ID = /^[\w.:-]{1,100}$/;

/** Sets `X-Request-Id`, to the client's own id if it is usable, and logs each request when it ends. */
export function requestLog(logger: Logger) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const began = performance.now();
    const header = request.headers['x-request-id'];
    const id = typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID();
    response.setHeader('X-Request-Id', id);
    const onError = (error: Error): void => reportFailure(response, error);
    response.on('error', onError);
    response.once('close', () => {
      // From here on, an error is reported as uncaught.
      response.off('error', onError);
      const requestFields = (): object => ({ id, method: request.method, path: pathOf(request) });
      response[LATE] = (error) =>
        logger.error({ req: requestFields(), err: error }, 'request failed after its response');
      const { err, statusCode, headersSent, writableFinished } = response;
      const isCut = err !== undefined && !writableFinished;
      const level = isCut || statusCode >= 500 ? 'error' : statusCode >= 400 ? 'info' : 'debug';
      // Skips building a line that would not be logged.
      if (!logger.isLevelEnabled(level)) return;
      const line = {
        req: requestFields(),
        // A response that the client never received has no status.
        res: { status: headersSent ? statusCode : null },
        ms: Math.round(performance.now() - began),
        ...circumstances(request),
        ...request.logged,
        err,
      };
      const isWrong = err !== undefined || statusCode >= 500;
      logger[level](line, `request ${isWrong ? 'errored' : writableFinished ? 'completed' : 'aborted'}`);
    });
    next();
  };
}

/** Returns the path without the query. The target may be a full URL that contains credentials. */
const pathOf = ({ url = '' }: IncomingMessage): string => url.replace(/^[a-z]+:\/\/[^/?]*/i, '').split('?', 1)[0] ?? '';

/** Returns the operation and the ids of its caller. They are known only when the request ends. */
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
