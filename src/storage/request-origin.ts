import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** Scheme, host and port under which the client has reached this service, without a slash at the end. */
export const RequestOrigin = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const request = context.switchToHttp().getRequest<Request>();
  // A request whose Host is none has been refused.
  return `${request.protocol}://${request.get('host') ?? 'localhost'}`;
});
