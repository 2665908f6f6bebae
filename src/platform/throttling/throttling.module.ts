import { Module, type OnModuleInit } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { Jobs } from '../jobs/jobs.service.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { SharedCounts } from './shared-counts.service.js';
import { UnauthenticatedFilter } from './unauthenticated.filter.js';

/** Limits how often a caller is served. To be imported after authentication: its guard asks who calls. */
@Module({
  providers: [
    SharedCounts,
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_FILTER, useClass: UnauthenticatedFilter },
  ],
})
export class ThrottlingModule implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly counts: SharedCounts,
  ) {}

  onModuleInit(): void {
    this.jobs.every('*/5 * * * *', 'forget_request_counts', async () => await this.counts.forget());
  }
}
