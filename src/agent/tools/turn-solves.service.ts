import type { ExecutionId, ProjectId } from '../../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/database.service.js';
import { Conflict } from '../../common/errors/errors.js';
import { ExecutionCancellationsService } from '../../executions/execution-cancellations.service.js';
import { ExecutionRecordsService, type EndedExecutionRecord } from '../../executions/execution-records.service.js';
import { ExecutionsService } from '../../executions/executions.service.js';
import { type Trigger, triggerOfTurn } from '../../executions/trigger.js';
import type { Project } from '../../projects/project.entity.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import type { AgentContext } from '../agent.js';
import { ToolFailure } from './tool.js';

/** Maximum number of solves that a turn may start. Solves that start together count as one. */
export const MAX_SOLVES = 3;

/** Results of solves, and the checklist item that a solve may change. */
interface Outcomes {
  ended: EndedExecutionRecord[];
  feasibility_result: Project['feasibility_result'];
}

/** Admits the solves that a turn starts, and waits for their results. */
@Injectable()
export class TurnSolvesService {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly records: ExecutionRecordsService,
    private readonly cancellations: ExecutionCancellationsService,
    private readonly projects: ProjectsRepository,
  ) {}

  /**
   * Returns the trigger for another solve in the turn.
   * @throws ToolFailure if the turn has already started the maximum number of solves
   */
  async admit(tx: Tx, project_id: ProjectId, { turn_id, spender }: AgentContext): Promise<Trigger> {
    const trigger = triggerOfTurn(turn_id, spender);
    if ((await this.executions.countOf(tx, project_id, trigger)) >= MAX_SOLVES)
      throw new ToolFailure('limit_reached', `A turn can start at most ${MAX_SOLVES} solves`);
    return trigger;
  }

  /** Waits for executions and returns their results. If the turn is aborted, cancels the remaining executions. */
  async outcomes({ project_id, signal }: AgentContext, ids: readonly ExecutionId[]): Promise<Outcomes> {
    const ended: EndedExecutionRecord[] = [];
    try {
      for (const id of ids) ended.push(await this.records.waitForEnd(project_id, id, signal));
    } catch (error) {
      if (signal.aborted)
        for (const id of ids.slice(ended.length))
          await this.cancellations.cancelById(project_id, id).catch(ignoreConflict);
      throw error;
    }
    // The canvas may have changed since the solve started.
    const { feasibility_result } = await this.projects.requireById(project_id);
    return { ended, feasibility_result };
  }
}

/** Ignores the conflict that occurs if an execution ends before it is canceled. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}
