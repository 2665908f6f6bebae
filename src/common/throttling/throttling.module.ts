import { Module, type OnModuleInit } from '@nestjs/common';
import { PeriodicWorkService } from '../../database/queues/periodic-work.service.js';
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
    private readonly periodic: PeriodicWorkService,
    private readonly counts: SharedCountsService,
  ) {}

  onModuleInit(): void {
    this.periodic.every('*/5 * * * *', 'forget_request_counts', async () => await this.counts.forget());
  }
}
