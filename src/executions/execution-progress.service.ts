import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { DatabaseService } from '../database/database.service.js';
import type { Progress } from './execution-log.entity.js';
import { ExecutionLogsRepository } from './execution-logs.repository.js';
import type { LeasedExecution } from './executions.repository.js';

/** Records the progress of running executions. */
@Injectable()
export class ExecutionProgressService {
  constructor(
    private readonly database: DatabaseService,
    private readonly logs: ExecutionLogsRepository,
    private readonly events: ProjectEventsService,
  ) {}

  /**
   * Stores the progress and new log lines of an execution if this process still holds it. Returns whether the execution was
   * asked to stop and keep its best plan.
   */
  async keep(execution: LeasedExecution, progress: Progress, lines: readonly string[]): Promise<boolean> {
    const { id: execution_id, project_id } = execution;
    return await this.database.transaction(async (tx) => {
      const added = await tx.withRepository(this.logs).add(execution, progress, lines);
      if (added === undefined) return false;
      this.events.by(tx, { kind: 'execution', id: execution_id });
      this.events.note(tx, project_id, 'execution.progress', { execution_id, progress });
      return added.keeps_plan;
    });
  }
}
