import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/auth/principal.js';
import { Database, type Tx } from '../platform/database/database.service.js';
import type { JsonPage } from '../platform/database/json-page.js';
import { Conflict, parseId, TooManyRequests } from '../platform/errors/errors.js';
import type { PageQuery } from '../platform/listing/page.query.js';
import type { Project, ProjectId } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { ExecutionEndedChannel } from './execution-ended.channel.js';
import { ExecutionEndings } from './execution-endings.service.js';
import { ExecutionQueue } from './execution-queue.service.js';
import { type Execution, EXECUTION_STEPS } from './execution.entity.js';
import type { ExecutionCreateRequest } from './executions.dto.js';
import { type Ending, ExecutionsRepository } from './executions.repository.js';
import { InputsService, type Pinned } from './inputs.service.js';
import type { ModelCard } from './solver/task.js';
import { type Trigger, triggerOf } from './trigger.js';
import type { ContainerRef } from '../files/tree/container-ref.js';

/** Most executions of a company that wait for a worker; those that were started together count once. */
const MAX_QUEUED = 20;
const RETRY_SECONDS = 10;
const CANCELED: Ending = { status: 'canceled' };

/** What is to be solved, and for whom. */
export interface NewExecution extends Trigger {
  input_file_ids: string[] | null;
  is_test: boolean;
}

/** What several executions have in common. */
export type NewBatch = Omit<NewExecution, 'input_file_ids'>;

/** The cards of a canvas as one execution of several takes them. */
export interface Variant {
  cards: readonly ModelCard[];
  /** Null of the canvas as it is. */
  scenario_id: string | null;
}

/** Solve executions of projects. */
@Injectable()
export class ExecutionsService {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionsRepository,
    private readonly projects: ProjectsRepository,
    private readonly inputs: InputsService,
    private readonly queue: ExecutionQueue,
    private readonly endings: ExecutionEndings,
    private readonly ended: ExecutionEndedChannel,
  ) {}

  /** A project's executions as ExecutionResponse, most recent first. @throws NotFound */
  async list(company_id: string, projectId: string, page: PageQuery): Promise<JsonPage> {
    const listed = await this.executions.page(company_id, parseId(projectId, 'Project'), page);
    if (listed.total === 0) await this.projects.require(company_id, projectId);
    return listed;
  }

  /** @throws NotFound */
  async get(company_id: string, projectId: string, executionId: string): Promise<Execution> {
    const { id } = await this.projects.require(company_id, projectId);
    return await this.executions.require(id, parseId(executionId, 'Execution'));
  }

  /** Starts an execution. @throws NotFound, and as {@link start} */
  async create(caller: Principal, projectId: string, request: ExecutionCreateRequest): Promise<Execution> {
    return await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lock(caller.company_id, projectId);
      const { input_file_ids = null, is_test } = request;
      return await this.start(tx, project, { ...triggerOf(caller), input_file_ids, is_test });
    });
  }

  /**
   * Starts an execution in a locked project: what it solves is pinned now.
   *
   * @throws Invalid at an input that cannot be solved
   * @throws TooManyRequests when too many of the company's executions wait
   */
  async start(tx: Tx, project: Project, execution: NewExecution): Promise<Execution> {
    const pinned = await this.inputs.pin(tx, project, execution.input_file_ids ?? []);
    const [started] = await this.queueUp(tx, project, execution, [{ ...pinned, scenario_id: null }]);
    if (started === undefined) throw new Error('The execution was not started');
    return started;
  }

  /**
   * Starts an execution for each variant of the canvas of a locked project, pinned to one moment. They wait as one.
   *
   * @param files that the cards name
   * @throws TooManyRequests when too many of the company's executions wait
   */
  async startAll(
    tx: Tx,
    project: Project,
    batch: NewBatch,
    files: ContainerRef,
    variants: readonly Variant[],
  ): Promise<Execution[]> {
    const pinned = await this.inputs.pinCards(
      tx,
      files,
      variants.map(({ cards }) => cards),
    );
    const rows = variants.flatMap(({ scenario_id }, at) => (pinned[at] ? [{ ...pinned[at], scenario_id }] : []));
    return await this.queueUp(tx, project, { ...batch, input_file_ids: null }, rows);
  }

  private async queueUp(
    tx: Tx,
    { id: project_id, company_id }: Project,
    { triggered_by, spender: { user_id, api_key_id }, input_file_ids, is_test }: NewExecution,
    pinned: readonly (Pinned & Pick<Execution, 'scenario_id'>)[],
  ): Promise<Execution[]> {
    const executions = tx.withRepository(this.executions);
    // One transaction of a company after the other counts, so that together they keep to the limit.
    await executions.lockStarts(company_id);
    if ((await executions.countWaiting(company_id)) >= MAX_QUEUED) {
      throw new TooManyRequests(`The company has ${MAX_QUEUED} executions waiting already`, RETRY_SECONDS);
    }
    const batch_id = pinned.length > 1 ? randomUUID() : null;
    const common = { project_id, company_id, triggered_by, user_id, api_key_id, input_file_ids, is_test, batch_id };
    const started: Execution[] = [];
    for (const one of pinned) {
      const id = await executions.add({ ...common, ...one });
      await this.queue.wake(tx, id);
      started.push(await executions.require(project_id, id));
    }
    await tx.withRepository(this.projects).adjust(project_id, { active_solves: started.length });
    return started;
  }

  /** How often a trigger has started executions in a project; those that were started together count once. */
  async countOf(tx: Tx, project_id: ProjectId, { triggered_by }: Trigger): Promise<number> {
    return await tx.withRepository(this.executions).countStarts(project_id, triggered_by);
  }

  /** Ends an execution that is not over, wherever it runs. @throws NotFound @throws Conflict when it is over */
  async cancel(company_id: string, projectId: string, executionId: string): Promise<Execution> {
    const execution = await this.database.transaction(async (tx) => {
      const project = await tx.withRepository(this.projects).lock(company_id, projectId);
      const executions = tx.withRepository(this.executions);
      const { id } = await executions.require(project.id, parseId(executionId, 'Execution'));
      const [canceled] = await this.endings.finish(tx, [id], CANCELED);
      const now = await executions.require(project.id, id);
      if (canceled === undefined) throw new Conflict(`The execution is over: ${now.status}`);
      return now;
    });
    this.ended.send(execution.id);
    return execution;
  }

  /**
   * Ends all executions of a locked project that are not over, and answers their ids. Their processes hear of it from
   * {@link announce}, called after the commit, or from their next renewal.
   */
  async endAll(tx: Tx, project_id: ProjectId): Promise<string[]> {
    return await this.endings.finish(tx, await tx.withRepository(this.executions).activeOf(project_id), CANCELED);
  }

  /** Tells everybody of executions that were ended, once the transaction has committed. */
  announce(ids: readonly string[]): void {
    this.ended.send(...ids);
  }

  /** The execution once it is over. @throws the signal's reason when it aborts before */
  async whenOver(company_id: string, project_id: string, id: string, signal: AbortSignal): Promise<Execution> {
    const look = async (): Promise<Execution | undefined> => {
      const execution = await this.get(company_id, project_id, id);
      return EXECUTION_STEPS.isEnd(execution.status) ? execution : undefined;
    };
    return await this.ended.until(id, look, signal);
  }
}
