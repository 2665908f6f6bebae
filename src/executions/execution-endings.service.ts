import type { ExecutionId } from '../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { Config } from '../config/config.js';
import type { Tx } from '../database/database.service.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { UsageService } from '../usage/usage.service.js';
import { type EndedExecution, type Ending, ExecutionsRepository } from './executions.repository.js';

/** Model name used for solves in spend reports. */
const SOLVER = 'highs';

type FeasibilityResult = Project['feasibility_result'];

/** Ends executions for any reason: updates the row, records the charge and updates the project. */
@Injectable()
export class ExecutionEndingsService {
  constructor(
    private readonly config: Config,
    private readonly executions: ExecutionsRepository,
    private readonly projects: ProjectsRepository,
    private readonly usage: UsageService,
    private readonly events: ProjectEventsService,
  ) {}

  /**
   * Ends the active executions among `ids`, which all belong to a locked project. Returns the ids of the ended executions.
   *
   * @param ending final status. Its `feasibility_result` is also stored in the project.
   */
  async finish(
    tx: Tx,
    ids: readonly ExecutionId[],
    { feasibility_result, ...ending }: Ending & { feasibility_result?: FeasibilityResult },
  ): Promise<string[]> {
    const ended = await tx.withRepository(this.executions).finish(ids, ending);
    // An execution that did not start because a budget was used up is free.
    const isFree = ending.error?.code === 'budget_exhausted';
    for (const execution of ended) {
      const { id: execution_id, project_id } = execution;
      this.events.note(tx, project_id, 'execution.changed', { execution_id, status: ending.status });
      await this.conclude(tx, isFree ? { ...execution, spent_ms: 0 } : execution, feasibility_result);
    }
    return ended.map(({ id }) => id);
  }

  private async conclude(
    tx: Tx,
    { id, project_id, company_id, user_id, api_key_id, spent_ms }: EndedExecution,
    feasibility_result: FeasibilityResult | undefined,
  ): Promise<void> {
    const credits = this.config.PRICE_SOLVE_SECOND * Math.ceil(spent_ms / 1000);
    await tx.withRepository(this.projects).adjust(project_id, {
      active_solves: -1,
      credits,
      ...(feasibility_result !== undefined && { feasibility_result }),
    });
    if (credits > 0) {
      await this.usage.record(tx, {
        company_id,
        project_id,
        user_id,
        api_key_id,
        source_type: 'execution',
        source_id: id,
        model: SOLVER,
        credits,
      });
    }
  }
}
