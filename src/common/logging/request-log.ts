import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Principal } from '../../auth/principal.js';
import { routeOf } from '../http/route-of.js';

/** How a response tells of what has gone wrong after its line was written. */
const LATE = Symbol('late errors');

declare module 'node:http' {
  interface ServerResponse {
    /** What has gone wrong with the answer, for the request's line of the log. Set it by {@link tellFailure}. */
    err?: Error;
    [LATE]?: (error: Error) => void;
  }
  interface IncomingMessage {
    /** Further ids for the request's line of the log. */
    logged?: LogIds;
  }
}

/** Ids of things that a request has made, by the names of their fields. */
export type LogIds = Partial<Record<'turn_id', string>>;

/** Ids for the request's line of the log, to be filled by the service that a handler calls. */
export const RequestLogIds = createParamDecorator(
  (_: unknown, context: ExecutionContext): LogIds =>
    (context.switchToHttp().getRequest<IncomingMessage>().logged ??= {}),
);

/** Has the log tell of an error with a request's line, or in one of its own where that was written already. */
export function tellFailure(response: ServerResponse, error: Error): void {
  if (response.closed) response[LATE]?.(error);
  else response.err ??= error;
}

const REQUEST_ID = /^[\w.:-]{1,100}$/;

/** Gives each request an id, the client's own where it is usable, in `X-Request-Id`, and logs it when it is over. */
export function requestLog(logger: Logger) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const began = performance.now();
    const given = request.headers['x-request-id'];
    const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    response.setHeader('X-Request-Id', id);
    const onError = (error: Error): void => tellFailure(response, error);
    response.on('error', onError);
    response.once('close', () => {
      // From here on an error is nobody's: it is told as one that nothing has caught.
      response.off('error', onError);
      const shown = (): object => ({ id, method: request.method, path: pathOf(request) });
      response[LATE] = (error) => logger.error({ req: shown(), err: error }, 'failed after the answer');
      const { err, statusCode, headersSent, writableFinished } = response;
      const isCut = err !== undefined && !writableFinished;
      const level = isCut || statusCode >= 500 ? 'error' : statusCode >= 400 ? 'info' : 'debug';
      // For a silent line, not even the parts are built.
      if (!logger.isLevelEnabled(level)) return;
      const line = {
        req: shown(),
        // A response that nobody received has no status.
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

/** A target may also be a whole URL, with credentials in it. */
const pathOf = ({ url = '' }: IncomingMessage): string => url.replace(/^[a-z]+:\/\/[^/?]*/i, '').split('?', 1)[0] ?? '';

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
