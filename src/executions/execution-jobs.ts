import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Jobs } from '../platform/jobs/jobs.service.js';
import { EXECUTION_TASK } from './execution-queue.service.js';
import { ExecutionRunner } from './execution-runner.service.js';

/** Has executions run, each as long as its job, so that other jobs never wait for them. */
@Injectable()
export class ExecutionJobs implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly jobs: Jobs,
    private readonly runner: ExecutionRunner,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<{ execution_id: string }>(
      EXECUTION_TASK,
      async ({ execution_id }) => await this.runner.run(execution_id),
      { concurrency: this.config.solvesAtOnce },
    );
  }
}
