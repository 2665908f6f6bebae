import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { BadRequest } from '../errors/errors.js';

/** A name or an address, and a port. */
const HOST = /^(?:[\w.~-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Scheme, host and port under which the client has reached this service, without a slash at the end.
 *
 * @throws BadRequest when the client has named no host
 */
export const RequestOrigin = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const request = context.switchToHttp().getRequest<Request>();
  const host = request.get('host') ?? 'localhost';
  if (!HOST.test(host)) throw new BadRequest('The Host header is not a host');
  return `${request.protocol}://${host}`;
});
