import { Injectable } from '@nestjs/common';
import type { ExecutionId, ProjectId } from '../database/checked-id.js';
import { Config } from '../config/config.js';
import type { Page } from '../common/listing/page.js';
import { entityTag, type ClientTags } from '../common/etag/entity-tag.js';
import { Tagged } from '../common/etag/tagged.js';
import { parseId } from '../common/errors/errors.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { ModelCard } from '../../packages/canvas/index.js';
import type { ProjectReader } from '../projects/project-access.js';
import { ExecutionEndedChannel } from './execution-ended.channel.js';
import type { Progress } from './execution-log.entity.js';
import { ExecutionLogsRepository } from './execution-logs.repository.js';
import { type Execution, EXECUTION_STEPS, type ExecutionResult } from './execution.entity.js';
import type { ExecutionListQuery } from './executions.dto.js';
import {
  type EndedRun,
  type ExecutionFilter,
  type ExecutionRecord,
  ExecutionViewsRepository,
} from './execution-views.repository.js';
import { ExecutionsRepository } from './executions.repository.js';
import { RunValuesService } from './run-values.service.js';
import type { RunValuesQuery, RunValuesResponse } from './runs.dto.js';

/** Execution with the fields that only its detail response contains. */
export interface ExecutionDetail extends ExecutionRecord {
  time_limit_seconds: number;
  /** Null unless the execution is running. */
  progress: Progress | null;
  /** Result as JSON text. */
  resultText: string | null;
}

/** Record of an ended execution, including its result. */
export type EndedExecutionRecord = ExecutionRecord & Pick<Execution, 'result'>;

/** Reads executions and their results. */
@Injectable()
export class ExecutionRecordsService {
  constructor(
    private readonly config: Config,
    private readonly executions: ExecutionsRepository,
    private readonly views: ExecutionViewsRepository,
    private readonly projects: ProjectsRepository,
    private readonly logs: ExecutionLogsRepository,
    private readonly runValues: RunValuesService,
    private readonly ended: ExecutionEndedChannel,
  ) {}

  /**
   * Lists a project's executions, most recent first.
   * @throws NotFound
   */
  async list(
    reader: ProjectReader,
    projectId: string,
    { status, is_test, scenario_id, q, ...page }: ExecutionListQuery,
  ): Promise<Page<ExecutionRecord>> {
    const filter: ExecutionFilter = {
      ...(status !== undefined && { status }),
      ...(is_test !== undefined && { is_test }),
      ...(scenario_id !== undefined && { scenario_id }),
      ...(q !== undefined && q !== '' && { q }),
    };
    const listed = await this.views.page(reader, parseId(projectId, 'Project'), filter, page);
    if (listed.total === 0) await this.projects.require(reader, projectId);
    return listed;
  }

  /**
   * Returns an execution.
   * @throws NotFound
   */
  async get(reader: ProjectReader, projectId: string, executionId: string): Promise<ExecutionRecord> {
    const { id } = await this.projects.require(reader, projectId);
    return await this.executions.require(id, parseId(executionId, 'Execution'));
  }

  /**
   * Returns an execution, unless the caller already has its current version.
   * @throws NotFound
   */
  async detail(
    reader: ProjectReader,
    projectId: string,
    executionId: string,
    clientTags: ClientTags,
  ): Promise<Tagged<ExecutionDetail>> {
    const execution = await this.get(reader, projectId, executionId);
    const { id, status, revision } = execution;
    const log = status === 'running' ? await this.logs.of(id) : undefined;
    const tag = entityTag('execution', revision, log?.revision ?? null, this.config.SOLVE_TIME_LIMIT_SECONDS);
    if (clientTags.has(tag)) return Tagged.unchanged(tag);
    const time_limit_seconds = execution.time_limit_seconds ?? this.config.SOLVE_TIME_LIMIT_SECONDS;
    const resultText = status === 'succeeded' ? await this.views.resultText(id) : null;
    return Tagged.of(tag, { ...execution, time_limit_seconds, progress: log?.progress ?? null, resultText });
  }

  /**
   * Returns the last lines of an execution's log.
   * @throws NotFound
   */
  async log(reader: ProjectReader, projectId: string, executionId: string): Promise<Tagged<string[]>> {
    const { id } = await this.get(reader, projectId, executionId);
    const log = await this.logs.of(id);
    return Tagged.of(entityTag('execution-log', id, log?.revision ?? null), log?.lines ?? []);
  }

  /**
   * Returns the cards that an execution solves, unless the caller already has them. Returns null if the execution solves a file
   * or if its cards were not stored.
   *
   * @throws NotFound
   */
  async cards(
    reader: ProjectReader,
    projectId: string,
    executionId: string,
    clientTags: ClientTags,
  ): Promise<Tagged<ModelCard[] | null>> {
    const id = parseId(executionId, 'Execution');
    // The cards of an execution never change.
    const tag = entityTag('execution-cards', id);
    if (clientTags.has(tag)) {
      await this.get(reader, projectId, id);
      return Tagged.unchanged(tag);
    }
    const project = await this.projects.require(reader, projectId);
    return Tagged.of(tag, await this.executions.cardsOf(project.id, id));
  }

  /**
   * Returns a page of a variable's values, unless the caller already has it.
   * @throws NotFound, and the errors of {@link RunValuesService.page}
   */
  async values(
    reader: ProjectReader,
    projectId: string,
    executionId: string,
    query: RunValuesQuery,
    clientTags: ClientTags,
    signal: AbortSignal,
  ): Promise<Tagged<RunValuesResponse>> {
    const execution = await this.get(reader, projectId, executionId);
    const { family, nonzero, limit, offset } = query;
    // A plan never changes.
    const tag = entityTag('execution-values', execution.id, family, nonzero, limit, offset);
    if (clientTags.names(tag)) return Tagged.unchanged(tag);
    return Tagged.of(tag, await this.runValues.page(execution, query, signal));
  }

  /** Returns the newest ended runs, see {@link ExecutionViewsRepository.newestEnded}. */
  async newestEnded(project_id: ProjectId, scenario_ids: readonly string[]): Promise<EndedRun[]> {
    return await this.views.newestEnded(project_id, scenario_ids);
  }

  /**
   * Waits until an execution has ended and returns it.
   * @throws the signal's reason if it aborts before the execution has ended
   */
  async waitForEnd(project_id: ProjectId, id: ExecutionId, signal: AbortSignal): Promise<EndedExecutionRecord> {
    const poll = async (): Promise<EndedExecutionRecord | undefined> => {
      const project = await this.projects.requireById(project_id);
      const execution = await this.executions.require(project.id, id);
      if (!EXECUTION_STEPS.isEnd(execution.status)) return undefined;
      const text = await this.views.resultText(id);
      return { ...execution, result: text === null ? null : (JSON.parse(text) as ExecutionResult) };
    };
    return await this.ended.until(id, poll, signal);
  }
}
