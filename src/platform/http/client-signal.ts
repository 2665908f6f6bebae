import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Unavailable } from '../errors/errors.js';

/** An AbortSignal for work that is of no use once the client has gone. */
export const ClientSignal = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const controller = new AbortController();
  const response = context.switchToHttp().getResponse<ServerResponse>();
  // Also of an answer that was taken; then nothing listens any more.
  response.once('close', () => controller.abort(new Unavailable()));
  return controller.signal;
});
