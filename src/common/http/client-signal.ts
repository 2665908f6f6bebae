import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Unavailable } from '../errors/errors.js';

/** An AbortSignal for work that is of no use once the client has gone. */
export const ClientSignal = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const controller = new AbortController();
  const response = context.switchToHttp().getResponse<ServerResponse>();
  const gone = (): void => controller.abort(new Unavailable());
  // It has closed already and will not do so again.
  if (response.closed) gone();
  // Also of an answer that was taken, when the work is over.
  else response.once('close', gone);
  return controller.signal;
});
