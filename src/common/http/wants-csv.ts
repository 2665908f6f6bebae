import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** Whether the client prefers CSV to JSON, according to `Accept`. */
export const WantsCsv = createParamDecorator(
  (_, context: ExecutionContext): boolean =>
    context.switchToHttp().getRequest<Request>().accepts(['application/json', 'text/csv']) === 'text/csv',
);
