import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import { SWEEP_UPLOADS } from '../containers.service.js';
import { Collector } from './collector.service.js';
import { Sweeper } from './sweeper.service.js';

/** When files are cleared up. */
@Injectable()
export class MaintenanceJobs implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly collector: Collector,
    private readonly sweeper: Sweeper,
  ) {}

  onModuleInit(): void {
    this.jobs.every('*/5 * * * *', SWEEP_UPLOADS, async () => await this.sweeper.sweep());
    this.jobs.every('17 * * * *', 'collect_files', async () => await this.collector.collect());
  }
}
