import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { TooManyRequests } from '../errors/errors.js';
import { keyOfAddress, MINUTE_MS } from './limits.js';
import { SharedCountsService } from './shared-counts.service.js';

/**
 * Counts refused credentials by the client's address. Valid credentials are never counted, so whoever shares an address
 * with somebody who guesses is served on.
 */
@Injectable()
export class UnauthenticatedLimitService {
  constructor(
    private readonly config: Config,
    private readonly counts: SharedCountsService,
  ) {}

  /** Counts a refusal. @throws TooManyRequests where there are too many */
  count(address = 'unknown'): void {
    const limit = this.config.RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE;
    if (limit === 0) return;
    const { isOver, endsInMs } = this.counts.hit(keyOfAddress(address), MINUTE_MS, limit);
    const sentence = 'Too many requests without valid credentials from this address';
    if (isOver) throw new TooManyRequests('too_many_unauthenticated', sentence, endsInMs / 1000);
  }
}
