import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../database/checked-id.js';
import { Conflict, parseId } from '../common/errors/errors.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { ProjectEventsService } from '../events/project-events.service.js';
import type { ProjectEditor } from '../projects/project-access.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { ExecutionEndedChannel } from './execution-ended.channel.js';
import { ExecutionEndingsService } from './execution-endings.service.js';
import { type ExecutionCancelQuery, ExecutionResponse } from './executions.dto.js';
import type { ExecutionRecord } from './execution-views.repository.js';
import { type Ending, ExecutionsRepository } from './executions.repository.js';

const CANCELED: Ending = { status: 'canceled' };

/** Cancels executions, regardless of the process that runs them. */
@Injectable()
export class ExecutionCancellationsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly executions: ExecutionsRepository,
    private readonly projects: ProjectsRepository,
    private readonly endings: ExecutionEndingsService,
    private readonly ended: ExecutionEndedChannel,
    private readonly events: ProjectEventsService,
  ) {}

  /**
   * Cancels an execution, or asks its process to end the search and keep the best plan found so far.
   * @throws NotFound
   * @throws Conflict if the execution has already ended
   */
  async cancel(
    editor: ProjectEditor,
    projectId: string,
    executionId: string,
    { keep_plan = false }: ExecutionCancelQuery = {},
  ): Promise<ExecutionResponse> {
    return await this.database.transaction(async (tx) => {
      const { id } = await tx.withRepository(this.projects).lock(editor, projectId);
      this.events.by(tx, editor.caller);
      return await editor.once(tx, async () =>
        ExecutionResponse.from(await this.cancelIn(tx, id, executionId, keep_plan)),
      );
    });
  }

  /**
   * Cancels an execution in a project. The caller must have checked access to the project.
   * @throws NotFound
   * @throws Conflict
   */
  async cancelById(project_id: ProjectId, executionId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { id } = await tx.withRepository(this.projects).lockById(project_id);
      await this.cancelIn(tx, id, executionId, false);
    });
  }

  /** Cancels an execution in a locked project, and notifies the execution's process after the commit. */
  private async cancelIn(
    tx: Tx,
    project_id: ProjectId,
    executionId: string,
    keepsPlan: boolean,
  ): Promise<ExecutionRecord> {
    const executions = tx.withRepository(this.executions);
    const { id } = await executions.require(project_id, parseId(executionId, 'Execution'));
    if (keepsPlan && (await executions.requestPlan(id))) return await executions.require(project_id, id);
    const [canceled] = await this.endings.finish(tx, [id], CANCELED);
    const current = await executions.require(project_id, id);
    if (canceled === undefined)
      throw new Conflict('execution_over', `The execution has already ended: ${current.status}`);
    this.database.afterCommit(tx, () => this.ended.send(id));
    return current;
  }

  /** Cancels all queued and running executions in a locked project, and notifies their processes after the commit. */
  async cancelAll(tx: Tx, project_id: ProjectId): Promise<void> {
    const active = await tx.withRepository(this.executions).activeOf(project_id);
    const canceled = await this.endings.finish(tx, active, CANCELED);
    this.database.afterCommit(tx, () => this.ended.send(...canceled));
  }
}
