import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { EditingCaller, ProjectEditor, ProjectReader, ReadingCaller } from '../projects/project-access.js';
import { ClientSignal } from '../common/http/client-signal.js';
import { IfNoneMatch } from '../common/etag/conditions.js';
import { ClientTags } from '../common/etag/entity-tag.js';
import type { Tagged } from '../common/etag/tagged.js';
import type { JsonText } from '../common/http/json-text.js';
import { Operation } from '../common/openapi/operation.js';
import {
  ExecutionCancelQuery,
  ExecutionCreateRequest,
  ExecutionDetailResponse,
  ExecutionListQuery,
  ExecutionListResponse,
  ExecutionResponse,
} from './executions.dto.js';
import { ExecutionCancellationsService } from './execution-cancellations.service.js';
import { ExecutionRecordsService } from './execution-records.service.js';
import { ExecutionsService } from './executions.service.js';
import { RunCardsResponse, RunLogResponse, RunValuesQuery, RunValuesResponse } from './runs.dto.js';

@Controller('projects/:project_id/solve/executions')
export class ExecutionsController {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly cancellations: ExecutionCancellationsService,
    private readonly records: ExecutionRecordsService,
  ) {}

  @Get()
  @Operation({
    tag: 'Solving',
    summary: 'List solve executions',
    description: 'Newest first.',
    response: ExecutionListResponse,
  })
  async listSolveExecutions(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Query() query: ExecutionListQuery,
  ): Promise<ExecutionListResponse> {
    return ExecutionListResponse.from(await this.records.list(reader, projectId, query), query);
  }

  @Post()
  @Operation({
    tag: 'Solving',
    summary: 'Start solve execution',
    description:
      'Solves the current state of a workspace model file or of the canvas. Returns 429 if the company has 20 ' +
      'waiting executions.',
    example: { is_test: false },
    status: 201,
    response: ExecutionResponse,
    errors: ['budget_exhausted', 'too_many_executions'],
    idempotent: true,
    extension: true,
  })
  async createSolveExecution(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Body() body: ExecutionCreateRequest,
  ): Promise<ExecutionResponse> {
    return await this.executions.create(editor, projectId, body);
  }

  @Get(':execution_id')
  @Operation({
    tag: 'Solving',
    summary: 'Get solve execution',
    description: 'Returns the execution with its result if it succeeded, or its error if it failed.',
    response: ExecutionDetailResponse,
    tagged: true,
    extension: true,
  })
  async getSolveExecution(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Param('execution_id') executionId: string,
    @IfNoneMatch() clientTags: ClientTags,
  ): Promise<Tagged<JsonText>> {
    const response = await this.records.detail(reader, projectId, executionId, clientTags);
    return response.map((detail) => ExecutionDetailResponse.json(detail));
  }

  @Get(':execution_id/values')
  @Operation({
    tag: 'Solving',
    summary: 'List values of solve execution',
    description:
      'Returns the members of a variable and their values, in set order. Returns 409 if the execution has no plan, ' +
      'and 422 for `family` if the plan has no such variable.',
    response: RunValuesResponse,
    tagged: true,
    errors: ['content_too_large', 'execution_has_no_plan', 'store_full', 'values_not_found'],
    extension: true,
  })
  async listSolveExecutionValues(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Param('execution_id') executionId: string,
    @Query() query: RunValuesQuery,
    @IfNoneMatch() clientTags: ClientTags,
    @ClientSignal() signal: AbortSignal,
  ): Promise<Tagged<RunValuesResponse>> {
    return await this.records.values(reader, projectId, executionId, query, clientTags, signal);
  }

  @Get(':execution_id/log')
  @Operation({
    tag: 'Solving',
    summary: 'Get log of solve execution',
    description: 'Returns the solver’s log, which grows by at least one line per second while the execution runs.',
    response: RunLogResponse,
    tagged: true,
    extension: true,
  })
  async getSolveExecutionLog(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Param('execution_id') executionId: string,
  ): Promise<Tagged<RunLogResponse>> {
    return (await this.records.log(reader, projectId, executionId)).map((lines) => ({ lines }));
  }

  @Get(':execution_id/cards')
  @Operation({
    tag: 'Solving',
    summary: 'List cards of solve execution',
    description: 'Returns the canvas as it was when the execution was started, without later changes.',
    response: RunCardsResponse,
    tagged: true,
    extension: true,
  })
  async listSolveExecutionCards(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Param('execution_id') executionId: string,
    @IfNoneMatch() clientTags: ClientTags,
  ): Promise<Tagged<RunCardsResponse>> {
    const response = await this.records.cards(reader, projectId, executionId, clientTags);
    return response.map((cards) => RunCardsResponse.from(cards));
  }

  @Post(':execution_id/repeat')
  @Operation({
    tag: 'Solving',
    summary: 'Repeat solve execution',
    description:
      'Solves the same cards and files again, with the same options. Returns 409 if they were not stored, and 429 ' +
      'if the company has 20 waiting executions.',
    status: 201,
    response: ExecutionResponse,
    errors: ['budget_exhausted', 'inputs_not_kept', 'too_many_executions'],
    idempotent: true,
    extension: true,
  })
  async repeatSolveExecution(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('execution_id') executionId: string,
  ): Promise<ExecutionResponse> {
    return await this.executions.repeat(editor, projectId, executionId);
  }

  @Post(':execution_id/cancel')
  @Operation({
    tag: 'Solving',
    summary: 'Cancel solve execution',
    ownId: true,
    description:
      'Stops the execution and charges the time used so far. With `keep_plan`, the best plan found so far becomes ' +
      'the result. Returns 409 if the execution has already ended.',
    response: ExecutionResponse,
    errors: ['execution_over'],
    idempotent: true,
    extension: true,
  })
  async cancelSolveExecution(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('execution_id') executionId: string,
    @Query() query: ExecutionCancelQuery,
  ): Promise<ExecutionResponse> {
    return await this.cancellations.cancel(editor, projectId, executionId, query);
  }
}
