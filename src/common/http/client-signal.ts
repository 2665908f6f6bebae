import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Unavailable } from '../errors/errors.js';

/** Injects an AbortSignal for work that is useless once the client has disconnected. */
export const ClientSignal = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const controller = new AbortController();
  const response = context.switchToHttp().getResponse<ServerResponse>();
  const abort = (): void => controller.abort(new Unavailable());
  // The `close` event has already fired and will not fire again.
  if (response.closed) abort();
  // Also fires after a normal response, when the work has already ended.
  else response.once('close', abort);
  return controller.signal;
});
