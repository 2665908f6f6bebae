import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { DatabaseService } from '../database/database.service.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { ExecutionEndingsService } from './execution-endings.service.js';
import type { ExecutionError } from './execution.entity.js';
import { ExecutionsRepository, type LeasedExecution } from './executions.repository.js';
import type { ModelSize } from '../../packages/solver/index.js';
import { CurrentInputsService } from './current-inputs.service.js';
import { ResultFilesService, type StoredResult } from './result-files.service.js';
import type { SolveOutcome } from './solver/task.js';

const NOTHING: StoredResult = { whole: null, tables: [], members: null };

/**
 * Stores the outcome of solves. A single transaction stores the result and its files, records the charge and updates the
 * project.
 */
@Injectable()
export class SolveResultsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly executions: ExecutionsRepository,
    private readonly projects: ProjectsRepository,
    private readonly present: CurrentInputsService,
    private readonly results: ResultFilesService,
    private readonly endings: ExecutionEndingsService,
    private readonly events: ProjectEventsService,
  ) {}

  /**
   * Ends a running execution with its outcome.
   * @throws LeaseLost if the caller no longer holds it
   */
  async record(
    execution: LeasedExecution,
    outcome: SolveOutcome | { kind: 'failed'; failure: ExecutionError },
    model?: ModelSize,
  ): Promise<void> {
    const stored = outcome.kind === 'solved' ? await this.results.store(execution, outcome) : NOTHING;
    await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lockById(execution.project_id);
      await tx.withRepository(this.executions).lockForOwner(execution);
      this.events.by(tx, { kind: 'execution', id: execution.id });
      if (outcome.kind === 'ended') {
        await this.endings.finish(tx, [execution.id], { status: 'canceled', ...(model && { model }) });
        return;
      }
      if (outcome.kind === 'failed') {
        await this.endings.finish(tx, [execution.id], {
          status: 'failed',
          error: outcome.failure,
          ...(model && { model }),
        });
        return;
      }
      const feasibility_result = outcome.status === 'infeasible' || outcome.status === 'unbounded' ? 'fail' : 'pass';
      const affectsChecklist =
        execution.affects_checklist && !execution.is_test && (await this.present.isSolved(tx, execution, project));
      const paths = await this.results.put(tx, project, execution.id, stored);
      const outputs_id = await this.results.keep(tx, execution.company_id, stored);
      await this.endings.finish(tx, [execution.id], {
        status: 'succeeded',
        result: `${outcome.json.slice(0, -1)},${JSON.stringify(paths).slice(1)}`,
        ...(model && { model }),
        ...(outputs_id !== undefined && { outputs_id }),
        ...(affectsChecklist && { feasibility_result }),
      });
    });
  }
}
