import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { DatabaseService } from '../database/database.service.js';
import type { Progress } from './execution-log.entity.js';
import { ExecutionLogsRepository } from './execution-logs.repository.js';
import type { LeasedExecution } from './executions.repository.js';

/** What executions tell while they run. */
@Injectable()
export class ExecutionProgressService {
  constructor(
    private readonly database: DatabaseService,
    private readonly logs: ExecutionLogsRepository,
    private readonly events: ProjectEventsService,
  ) {}

  /**
   * Keeps how far a held execution is, with further lines of its log; nothing when it is not held any more. Returns whether
   * somebody asked to end it and to keep its best plan.
   */
  async keep(held: LeasedExecution, progress: Progress, lines: readonly string[]): Promise<boolean> {
    const { id: execution_id, project_id } = held;
    return await this.database.transaction(async (tx) => {
      const added = await tx.withRepository(this.logs).add(held, progress, lines);
      if (added === undefined) return false;
      this.events.by(tx, { kind: 'execution', id: execution_id });
      this.events.note(tx, project_id, 'execution.progress', { execution_id, progress });
      return added.keeps_plan;
    });
  }
}
