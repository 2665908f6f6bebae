import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../platform/database/database.service.js';
import { CardsRepository } from '../projects/canvas/cards.repository.js';
import { DataFiles } from '../projects/canvas/data-files.service.js';
import { modelDigest } from '../projects/canvas/model-digest.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { ExecutionEndings } from './execution-endings.service.js';
import type { ExecutionError } from './execution.entity.js';
import { ExecutionsRepository, type LeasedExecution } from './executions.repository.js';
import { ResultFiles, type StoredResult } from './result-files.service.js';
import type { SolveOutcome } from './solver/task.js';

/** The end of an execution whose processes died repeatedly. */
export const INTERRUPTED: ExecutionError = {
  code: 'interrupted',
  message: 'The solve was interrupted several times and is not tried again',
};

const NOTHING: StoredResult = { whole: null, tables: [] };

/** Stores what solves have come to: one transaction for the result, its file, the charge and the project's update. */
@Injectable()
export class SolveResults {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionsRepository,
    private readonly projects: ProjectsRepository,
    private readonly cards: CardsRepository,
    private readonly files: DataFiles,
    private readonly results: ResultFiles,
    private readonly endings: ExecutionEndings,
  ) {}

  /** Ends a running execution with what came of it. @throws LeaseLost when it is not the caller's any more */
  async record(
    held: LeasedExecution,
    outcome: SolveOutcome | { kind: 'failed'; failure: ExecutionError },
  ): Promise<void> {
    const stored = outcome.kind === 'solved' ? await this.results.store(held, outcome) : NOTHING;
    await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lock(held.company_id, held.project_id);
      await tx.withRepository(this.executions).lockForOwner(held);
      if (outcome.kind === 'failed') {
        await this.endings.finish(tx, [held.id], { status: 'failed', error: outcome.failure });
        return;
      }
      const feasibility_result = outcome.status === 'infeasible' || outcome.status === 'unbounded' ? 'fail' : 'pass';
      const tells = !held.is_test && held.scenario_id === null && (await this.isOfCanvas(tx, held, project));
      const paths = await this.results.put(tx, project, held.id, stored);
      await this.endings.finish(tx, [held.id], {
        status: 'succeeded',
        result: `${outcome.json.slice(0, -1)},${JSON.stringify(paths).slice(1)}`,
        ...(tells && { feasibility_result }),
      });
    });
  }

  /**
   * Whether the outcome holds for the canvas: its cards were solved, and they and their files are as they were. A model file is
   * another model.
   */
  private async isOfCanvas(tx: Tx, { cards, inputs_id }: LeasedExecution, project: Project): Promise<boolean> {
    if (cards === null) return false;
    const now = await tx.withRepository(this.cards).list(project.id);
    if (modelDigest(cards) !== modelDigest(now)) return false;
    const { company_id, workspace_id } = project;
    const present = await this.files.known({ company_id, container_id: workspace_id }, now, tx);
    const solved =
      inputs_id === null ? '' : (await this.files.known({ company_id, container_id: inputs_id }, cards, tx)).digest;
    return (present.digest ?? '') === solved;
  }
}
