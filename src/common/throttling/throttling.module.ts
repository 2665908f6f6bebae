import { Module, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../database/jobs/jobs.service.js';
import { RequestCountsRepository } from './request-counts.repository.js';
import { SharedCounts } from './shared-counts.service.js';
import { UnauthenticatedLimit } from './unauthenticated-limit.service.js';

/** Counts of requests, which guards limit. */
@Module({
  providers: [RequestCountsRepository, SharedCounts, UnauthenticatedLimit],
  exports: [SharedCounts, UnauthenticatedLimit],
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
