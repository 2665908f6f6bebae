import type { ServerResponse } from 'node:http';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import { TooManyRequests } from '../errors/errors.js';

/**
 * Limits each caller's requests across all operations. Requests to signed file URLs have no caller and are not counted. The
 * disk store has its own limits for them. A stream counts as a single request, and the number of open streams has its own
 * limit.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override throwThrottlingException(
    context: ExecutionContext,
    { limit, timeToBlockExpire: seconds }: ThrottlerLimitDetail,
  ): never {
    const response = context.switchToHttp().getResponse<ServerResponse>();
    response.setHeader(`${this.headerPrefix}-Limit`, limit);
    response.setHeader(`${this.headerPrefix}-Remaining`, 0);
    response.setHeader(`${this.headerPrefix}-Reset`, seconds);
    throw new TooManyRequests(
      'rate_limited',
      `The limit of ${limit} requests per minute is exceeded; try again later`,
      seconds,
    );
  }
}
