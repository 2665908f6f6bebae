import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Caller } from '../platform/auth/decorators.js';
import { Principal } from '../platform/auth/principal.js';
import type { JsonText } from '../platform/http/json-text.js';
import { listingJson } from '../platform/listing/listing-json.js';
import { PageQuery } from '../platform/listing/page.query.js';
import { Operation } from '../platform/openapi/operation.js';
import {
  ExecutionCreateRequest,
  ExecutionDetailResponse,
  ExecutionListResponse,
  ExecutionResponse,
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
    @Query() query: PageQuery,
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
  ): Promise<ExecutionDetailResponse> {
    return ExecutionDetailResponse.from(await this.executions.get(caller.company_id, projectId, executionId));
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
