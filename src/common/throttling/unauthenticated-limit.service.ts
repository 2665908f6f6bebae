import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage, type ThrottlerStorage } from '@nestjs/throttler';
import { Config } from '../../config/config.js';
import { TooManyRequests } from '../errors/errors.js';
import { keyOfAddress, MINUTE_MS } from './limits.js';

/**
 * Counts rejected credentials by client address. Valid credentials are never counted, so a user who shares an address with an
 * attacker is not blocked.
 */
@Injectable()
export class UnauthenticatedLimitService {
  constructor(
    private readonly config: Config,
    @InjectThrottlerStorage() private readonly counts: ThrottlerStorage,
  ) {}

  /** Counts a rejection. @throws TooManyRequests above the limit */
  async count(address = 'unknown'): Promise<void> {
    const limit = this.config.RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE;
    if (limit === 0) return;
    const key = keyOfAddress(address);
    const { isBlocked, timeToBlockExpire } = await this.counts.increment(key, MINUTE_MS, limit, 0, 'addresses');
    const sentence = 'Too many requests without valid credentials from this address; try again later';
    if (isBlocked) throw new TooManyRequests('too_many_unauthenticated', sentence, timeToBlockExpire);
  }
}
