import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../config/config.js';
import { ErrorFilter } from '../errors/error.filter.js';
import { NotAuthenticated, TooManyRequests } from '../errors/errors.js';
import { keyOfAddress, MINUTE_MS } from './limits.js';
import { SharedCounts } from './shared-counts.service.js';

/**
 * Counts refused credentials by the client's address and answers 429 in place of 401 where there are too many. Valid
 * credentials never come here, so whoever shares an address with somebody who guesses is served on.
 */
@Catch(NotAuthenticated)
export class UnauthenticatedFilter implements ExceptionFilter {
  private readonly answers = new ErrorFilter();

  constructor(
    private readonly config: Config,
    private readonly counts: SharedCounts,
  ) {}

  catch(exception: NotAuthenticated, host: ArgumentsHost): void {
    this.answers.catch(this.excess(host.switchToHttp().getRequest<Request>()) ?? exception, host);
  }

  private excess({ ip = 'unknown' }: Request): TooManyRequests | undefined {
    const limit = this.config.RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE;
    if (limit === 0) return undefined;
    const { isOver, endsInMs } = this.counts.hit(keyOfAddress(ip), MINUTE_MS, limit);
    const sentence = 'Too many requests without valid credentials from this address';
    return isOver ? new TooManyRequests(sentence, endsInMs / 1000) : undefined;
  }
}
