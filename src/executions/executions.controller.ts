import { Controller, Get, Param, Query } from '@nestjs/common';
import { Caller } from '../platform/auth/decorators.js';
import { Principal } from '../platform/auth/principal.js';
import { PageQuery } from '../platform/listing/page.query.js';
import { Operation } from '../platform/openapi/operation.js';
import { ExecutionListResponse } from './executions.dto.js';
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
  ): Promise<ExecutionListResponse> {
    return ExecutionListResponse.from(await this.executions.list(caller.company_id, projectId, query), query);
  }
}
