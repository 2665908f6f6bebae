import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isUnroutable, routingError } from './routing.js';

/** Rejects paths and methods that Express accepts too liberally: it lets GET handlers answer HEAD, and decodes %2F. */
@Injectable()
export class RoutingGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.method === 'HEAD' || isUnroutable(request)) throw routingError(request);
    return true;
  }
}
