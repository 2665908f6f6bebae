import type { ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { AuthenticatedRequest } from '../../auth/decorators.js';
import { TooManyRequests } from '../errors/errors.js';
import { keyOfCaller, MINUTE_MS } from './limits.js';
import { SharedCountsService } from './shared-counts.service.js';

/**
 * One limit for a caller over all operations. Signed file URLs have no caller and are not counted: their number is
 * limited with the uploads. A stream is one request; how many are open at once is a limit of its own.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly config: Config,
    private readonly counts: SharedCountsService,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const limit = this.config.RATE_LIMIT_PER_MINUTE;
    if (limit === 0) return true;
    const http = context.switchToHttp();
    const { caller } = http.getRequest<AuthenticatedRequest>();
    if (caller === undefined) return true;
    const { hits, isOver, endsInMs } = this.counts.hit(keyOfCaller(caller), MINUTE_MS, limit);
    const response = http.getResponse<ServerResponse>();
    response.setHeader('X-RateLimit-Limit', limit);
    response.setHeader('X-RateLimit-Remaining', Math.max(0, limit - hits));
    response.setHeader('X-RateLimit-Reset', Math.ceil(endsInMs / 1000));
    if (isOver)
      throw new TooManyRequests('rate_limited', `At most ${limit} requests a minute are served`, endsInMs / 1000);
    return true;
  }
}
