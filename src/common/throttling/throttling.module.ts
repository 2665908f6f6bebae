import { Module, type OnModuleInit } from '@nestjs/common';
import { JobsService } from '../../database/jobs/jobs.service.js';
import { RequestCountsRepository } from './request-counts.repository.js';
import { SharedCountsService } from './shared-counts.service.js';
import { UnauthenticatedLimitService } from './unauthenticated-limit.service.js';

/** Counts of requests, which guards limit. */
@Module({
  providers: [RequestCountsRepository, SharedCountsService, UnauthenticatedLimitService],
  exports: [SharedCountsService, UnauthenticatedLimitService],
})
export class ThrottlingModule implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly counts: SharedCountsService,
  ) {}

  onModuleInit(): void {
    this.jobs.every('*/5 * * * *', 'forget_request_counts', async () => await this.counts.forget());
  }
}
