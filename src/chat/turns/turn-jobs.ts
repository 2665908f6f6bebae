import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import { TurnRunner } from './turn-runner.service.js';
import { TURN_TASK } from './turns.service.js';

/** Has turns run, each as long as its job, so that other jobs never wait for them. */
@Injectable()
export class TurnJobs implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly jobs: Jobs,
    private readonly runner: TurnRunner,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<{ turn_id: string }>(TURN_TASK, async ({ turn_id }) => await this.runner.run(turn_id), {
      concurrency: this.config.TURNS_CONCURRENCY,
    });
  }
}
