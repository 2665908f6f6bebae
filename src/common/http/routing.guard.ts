import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isUnroutable, routingError } from './routing.js';

/** Refuses paths and methods that only seem to match, as Express lets GET handlers answer HEAD and decodes %2F. */
@Injectable()
export class RoutingGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.method === 'HEAD' || isUnroutable(request)) throw routingError(request);
    return true;
  }
}
