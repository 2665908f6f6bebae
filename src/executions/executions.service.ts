import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ProjectId, ScenarioId } from '../database/checked-id.js';
import { ProjectEventsService } from '../events/project-events.service.js';
import { Config } from '../config/config.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { Conflict, Invalid, parseId, TooManyRequests } from '../common/errors/errors.js';
import type { ProjectEditor } from '../projects/project-access.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { assertBudget } from '../usage/exhausted-budget.js';
import type { ModelCard } from '../../packages/canvas/index.js';
import type { ContainerRef } from '../files/tree/container-ref.js';
import { ExecutionQueueService } from './execution-queue.service.js';
import { type ExecutionCreateRequest, ExecutionResponse } from './executions.dto.js';
import type { ExecutionRecord } from './execution-views.repository.js';
import { ExecutionsRepository, type NewRow } from './executions.repository.js';
import { InputsService, type Pinned } from './inputs.service.js';
import { type Trigger, triggerOf } from './trigger.js';

/** Maximum number of waiting executions per company. Executions that were started together count once. */
const MAX_QUEUED = 20;
const RETRY_SECONDS = 10;

/** Request to start an execution, with its trigger. */
export interface NewExecution extends Trigger, Partial<RunOptions> {
  input_file_ids: string[] | null;
  is_test: boolean;
}

export interface RunOptions {
  name: string | null;
  /** Null for the configured default. */
  time_limit_seconds: number | null;
  mip_gap: number;
  /** Null for the default: true for the canvas, false for a model file. */
  affects_checklist: boolean | null;
}

/** Common options of several executions. */
export type NewBatch = Omit<NewExecution, 'input_file_ids'>;

/** Canvas cards for one execution of a batch. */
export interface Variant {
  cards: readonly ModelCard[];
  /** Null for the unchanged canvas. */
  scenario_id: ScenarioId | null;
  /** Name of the run if the request does not contain a name. */
  name: string | null;
}

/**
 * Builds the cards of a scenario from the canvas of a locked project.
 * @throws Invalid with the location `scenario_id`
 */
export type ScenarioReader = (
  tx: Tx,
  project: Project,
  scenario_id: string,
) => Promise<{ files: ContainerRef; variant: Variant }>;

/** Starts solve executions in projects. */
@Injectable()
export class ExecutionsService {
  private readScenario: ScenarioReader = () => {
    throw new Error('No scenario reader is registered');
  };

  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly executions: ExecutionsRepository,
    private readonly projects: ProjectsRepository,
    private readonly inputs: InputsService,
    private readonly queue: ExecutionQueueService,
    private readonly events: ProjectEventsService,
  ) {}

  /** Registers the function that reads scenarios. Must be called while modules initialize. */
  onScenario(reader: ScenarioReader): void {
    this.readScenario = reader;
  }

  /**
   * Starts an execution.
   * @throws NotFound, and the errors of {@link start}
   */
  async create(editor: ProjectEditor, projectId: string, request: ExecutionCreateRequest): Promise<ExecutionResponse> {
    const { input_file_ids = null, is_test, mip_gap } = request;
    const { name = null, time_limit_seconds = null, affects_checklist = null, scenario_id } = request;
    const run = { ...triggerOf(editor.caller), is_test, name, time_limit_seconds, mip_gap: mip_gap ?? 0 };
    return await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lock(editor, projectId);
      this.events.by(tx, editor.caller);
      return await editor.once(tx, async () => {
        if (scenario_id == null) {
          const started = await this.start(tx, project, { ...run, input_file_ids, affects_checklist });
          return ExecutionResponse.from(started);
        }
        const { files, variant } = await this.readScenario(tx, project, scenario_id);
        return ExecutionResponse.from(requireSingle(await this.startAll(tx, project, run, files, [variant])));
      });
    });
  }

  /**
   * Starts an execution with the original inputs of an earlier execution.
   *
   * @throws NotFound
   * @throws Conflict if the inputs were not stored
   * @throws PaymentRequired
   * @throws TooManyRequests
   */
  async repeat(editor: ProjectEditor, projectId: string, executionId: string): Promise<ExecutionResponse> {
    return await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lock(editor, projectId);
      this.events.by(tx, editor.caller);
      return await editor.once(tx, async () => {
        const executions = tx.withRepository(this.executions);
        const before = await executions.require(project.id, parseId(executionId, 'Execution'));
        const solved = { cards: await executions.cardsOf(project.id, before.id), inputs_id: before.inputs_id };
        if (solved.cards === null && solved.inputs_id === null) {
          throw new Conflict(
            'inputs_not_kept',
            'The inputs of the execution were not stored, so it cannot be repeated',
          );
        }
        const pinned = await this.inputs.copy(tx, project.company_id, solved);
        const runs = await this.queueUp(tx, project, triggerOf(editor.caller), [{ ...before, ...pinned }]);
        return ExecutionResponse.from(requireSingle(runs));
      });
    });
  }

  /**
   * Starts an execution in a locked project and pins its inputs.
   *
   * @param wantedId id of the execution, generated by default
   * @throws Invalid with the location of an input that cannot be solved
   * @throws PaymentRequired if a budget is used up
   * @throws TooManyRequests if too many of the company's executions are waiting
   */
  async start(tx: Tx, project: Project, execution: NewExecution, wantedId?: string): Promise<ExecutionRecord> {
    this.checkTimeLimit(execution);
    const pinned = await this.inputs.pin(tx, project, execution.input_file_ids ?? []);
    return requireSingle(
      await this.queueUp(tx, project, execution, [{ ...optionsOf(execution), ...pinned }], wantedId),
    );
  }

  private checkTimeLimit({ time_limit_seconds }: Partial<RunOptions>): void {
    const { SOLVE_TIME_LIMIT_SECONDS, SOLVE_TIME_LIMIT_MAX_SECONDS } = this.config;
    const most = Math.max(SOLVE_TIME_LIMIT_SECONDS, SOLVE_TIME_LIMIT_MAX_SECONDS);
    if (time_limit_seconds == null || time_limit_seconds <= most) return;
    throw new Invalid([
      {
        type: 'less_than_equal',
        loc: ['body', 'time_limit_seconds'],
        msg: `Input should be less than or equal to ${most}`,
        input: time_limit_seconds,
        ctx: { le: most },
      },
    ]);
  }

  /**
   * Starts an execution for each variant of a locked project's canvas. All inputs are pinned in the same transaction, and the
   * executions count as a single waiting start.
   *
   * @param files files that the cards refer to
   * @throws PaymentRequired if a budget is used up
   * @throws TooManyRequests if too many of the company's executions are waiting
   */
  async startAll(
    tx: Tx,
    project: Project,
    batch: NewBatch,
    files: ContainerRef,
    variants: readonly Variant[],
  ): Promise<ExecutionRecord[]> {
    this.checkTimeLimit(batch);
    const options = optionsOf({ ...batch, input_file_ids: null });
    const pinned = await this.inputs.pinCards(
      tx,
      files,
      variants.map(({ cards }) => cards),
    );
    const runs = variants.map(({ scenario_id, name }, at): Run => {
      // The outcome of a scenario does not apply to the canvas.
      const affects_checklist = scenario_id === null && options.affects_checklist;
      return { ...options, name: options.name ?? name, scenario_id, affects_checklist, ...pinned[at]! };
    });
    return await this.queueUp(tx, project, batch, runs);
  }

  private async queueUp(
    tx: Tx,
    { id: project_id, company_id }: Project,
    { triggered_by, spender }: Trigger,
    runs: readonly Run[],
    wantedId?: string,
  ): Promise<ExecutionRecord[]> {
    const executions = tx.withRepository(this.executions);
    // Without this lock, concurrent transactions could exceed the limit together.
    await executions.lockStarts(company_id);
    const { waiting, exhausted } = await executions.queueOf(company_id, project_id, spender);
    assertBudget(exhausted);
    if (waiting >= MAX_QUEUED) {
      throw new TooManyRequests(
        'too_many_executions',
        `The company already has ${MAX_QUEUED} waiting executions; try again later`,
        RETRY_SECONDS,
      );
    }
    const batch_id = runs.length > 1 ? randomUUID() : null;
    const started: ExecutionRecord[] = [];
    for (const run of runs) {
      const row = { ...run, ...spender, batch_id, project_id, company_id, triggered_by };
      const execution = await executions.add(row, wantedId);
      this.queue.wake(tx);
      this.events.note(tx, project_id, 'execution.changed', { execution_id: execution.id, status: execution.status });
      started.push(execution);
    }
    await tx.withRepository(this.projects).adjust(project_id, { active_solves: started.length });
    return started;
  }

  /**
   * Returns how often a trigger has started executions in a project. Executions that were started together count as one start.
   */
  async countOf(tx: Tx, project_id: ProjectId, { triggered_by }: Trigger): Promise<number> {
    return await tx.withRepository(this.executions).countStarts(project_id, triggered_by);
  }
}

function requireSingle([execution]: readonly ExecutionRecord[]): ExecutionRecord {
  if (execution === undefined) throw new Error('The execution was not started');
  return execution;
}

/** Columns of a new execution that are specific to a run. Excludes the project, the trigger and the batch. */
type Run = Omit<NewRow, 'project_id' | 'company_id' | 'triggered_by' | 'user_id' | 'api_key_id' | 'batch_id'>;

/** Returns the options for running the unchanged canvas or a file. */
function optionsOf({
  input_file_ids,
  is_test,
  name = null,
  time_limit_seconds = null,
  mip_gap = 0,
  affects_checklist,
}: Omit<NewExecution, keyof Trigger>): Omit<Run, keyof Pinned> {
  const affectsChecklist = affects_checklist ?? (input_file_ids ?? []).length === 0;
  return {
    input_file_ids,
    is_test,
    name,
    time_limit_seconds,
    mip_gap,
    affects_checklist: affectsChecklist,
    scenario_id: null,
  };
}
