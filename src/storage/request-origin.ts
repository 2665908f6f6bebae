import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** Scheme, host and port at which the client reached this service, without a trailing slash. */
export const RequestOrigin = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const request = context.switchToHttp().getRequest<Request>();
  // Requests with an invalid Host were already rejected.
  return `${request.protocol}://${request.get('host') ?? 'localhost'}`;
});
