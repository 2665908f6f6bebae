import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Caller } from '../platform/auth/decorators.js';
import { Principal } from '../platform/auth/principal.js';
import { ClientSignal } from '../platform/http/client-signal.js';
import type { JsonText } from '../platform/http/json-text.js';
import { listingJson } from '../platform/listing/listing-json.js';
import { Operation } from '../platform/openapi/operation.js';
import {
  ExecutionCreateRequest,
  ExecutionDetailResponse,
  ExecutionListQuery,
  ExecutionListResponse,
  ExecutionResponse,
  RunCardsResponse,
  RunLogResponse,
  RunValuesQuery,
  RunValuesResponse,
} from './executions.dto.js';
import { ExecutionsService } from './executions.service.js';

@Controller('projects/:project_id/solve/executions')
export class ExecutionsController {
  constructor(private readonly executions: ExecutionsService) {}

  @Get()
  @Operation({
    tag: 'Projects',
    summary: 'List solve executions',
    description: 'Most recent first.',
    response: ExecutionListResponse,
    errors: [404],
  })
  async listSolveExecutions(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Query() query: ExecutionListQuery,
  ): Promise<JsonText> {
    return listingJson('executions', await this.executions.list(caller.company_id, projectId, query), query);
  }

  @Post()
  @Operation({
    tag: 'Projects',
    summary: 'Start solve execution',
    description:
      'Solves the current state of a workspace model file or of the canvas. 429 if the company has 20 executions ' +
      'waiting.',
    example: { is_test: false },
    status: 201,
    response: ExecutionResponse,
    errors: [404, 429],
    extension: true,
  })
  async createSolveExecution(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Body() body: ExecutionCreateRequest,
  ): Promise<ExecutionResponse> {
    return ExecutionResponse.from(await this.executions.create(caller, projectId, body));
  }

  @Get(':execution_id')
  @Operation({
    tag: 'Projects',
    summary: 'Get solve execution',
    description: 'With the result if it has succeeded, or the error if it has failed.',
    response: ExecutionDetailResponse,
    errors: [404],
    extension: true,
  })
  async getSolveExecution(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Param('execution_id') executionId: string,
  ): Promise<JsonText> {
    return ExecutionDetailResponse.from(await this.executions.detail(caller.company_id, projectId, executionId));
  }

  @Get(':execution_id/values')
  @Operation({
    tag: 'Projects',
    summary: 'List values of solve execution',
    description:
      'The members of a variable with their values, in the order of its set. 409 if the execution has no plan, 422 at ' +
      '`family` if the plan has no such variable.',
    response: RunValuesResponse,
    errors: [404, 409, 413, 429, 503, 507],
    extension: true,
  })
  async listSolveExecutionValues(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Param('execution_id') executionId: string,
    @Query() query: RunValuesQuery,
    @ClientSignal() signal: AbortSignal,
  ): Promise<RunValuesResponse> {
    return await this.executions.values(caller.company_id, projectId, executionId, query, signal);
  }

  @Get(':execution_id/log')
  @Operation({
    tag: 'Projects',
    summary: 'Get log of solve execution',
    description: 'What the solver says, a line a second at least while it runs.',
    response: RunLogResponse,
    errors: [404],
    extension: true,
  })
  async getSolveExecutionLog(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Param('execution_id') executionId: string,
  ): Promise<RunLogResponse> {
    return { lines: await this.executions.log(caller.company_id, projectId, executionId) };
  }

  @Get(':execution_id/cards')
  @Operation({
    tag: 'Projects',
    summary: 'List cards of solve execution',
    description: 'The canvas as it was solved, whatever has become of it since.',
    response: RunCardsResponse,
    errors: [404],
    extension: true,
  })
  async listSolveExecutionCards(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Param('execution_id') executionId: string,
  ): Promise<RunCardsResponse> {
    return { cards: await this.executions.cards(caller.company_id, projectId, executionId) };
  }

  @Post(':execution_id/repeat')
  @Operation({
    tag: 'Projects',
    summary: 'Repeat solve execution',
    description:
      'Solves once more what the execution has solved, with the same options: its cards and files as they were then. ' +
      '409 if they were not kept, 429 if the company has 20 executions waiting.',
    status: 201,
    response: ExecutionResponse,
    errors: [404, 409, 429],
    extension: true,
  })
  async repeatSolveExecution(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Param('execution_id') executionId: string,
  ): Promise<ExecutionResponse> {
    return ExecutionResponse.from(await this.executions.repeat(caller, projectId, executionId));
  }

  @Post(':execution_id/cancel')
  @Operation({
    tag: 'Projects',
    summary: 'Cancel solve execution',
    description: 'Stops it wherever it runs. The time it has run is charged. 409 if it is already over.',
    response: ExecutionResponse,
    errors: [404, 409],
    extension: true,
  })
  async cancelSolveExecution(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Param('execution_id') executionId: string,
  ): Promise<ExecutionResponse> {
    return ExecutionResponse.from(await this.executions.cancel(caller.company_id, projectId, executionId));
  }
}
