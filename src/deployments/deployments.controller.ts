import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { CompanyCaller, type CompanyPrincipal } from '../auth/company-level.js';
import { Caller, CompanyLevel } from '../auth/decorators.js';
import { Principal } from '../auth/principal.js';
import type { Tagged } from '../common/etag/tagged.js';
import { WalkQuery } from '../common/listing/walk.query.js';
import { Operation } from '../common/openapi/operation.js';
import { DeploymentCreateRequest, DeploymentListResponse, DeploymentResponse } from './deployments.dto.js';
import { DeploymentsService } from './deployments.service.js';

@Controller('deployments')
export class DeploymentsController {
  constructor(private readonly deployments: DeploymentsService) {}

  @Get()
  @Operation({
    tag: 'Deployments',
    summary: 'List deployments',
    description: 'Newest first.',
    response: DeploymentListResponse,
  })
  async listDeployments(@Caller() caller: Principal, @Query() query: WalkQuery): Promise<DeploymentListResponse> {
    return DeploymentListResponse.from(await this.deployments.list(caller.company_id, query), query);
  }

  @Post()
  @CompanyLevel()
  @Operation({
    tag: 'Deployments',
    summary: 'Create deployment',
    example: { name: 'Shift planning' },
    description: 'Only for company-level callers.',
    status: 201,
    response: DeploymentResponse,
    errors: ['deployment_exists'],
    idempotent: true,
  })
  async createDeployment(
    @CompanyCaller() caller: CompanyPrincipal,
    @Body() body: DeploymentCreateRequest,
  ): Promise<DeploymentResponse> {
    return await this.deployments.create(caller, body);
  }

  @Get(':name')
  @Operation({
    tag: 'Deployments',
    summary: 'Get deployment',
    description: 'Returns the deployment with this handle, otherwise the deployment with exactly this name.',
    response: DeploymentResponse,
    tagged: true,
    extension: true,
  })
  async getDeployment(@Caller() caller: Principal, @Param('name') name: string): Promise<Tagged<DeploymentResponse>> {
    return DeploymentResponse.tagged(await this.deployments.details(caller.company_id, name));
  }

  @Delete(':name')
  @CompanyLevel()
  @Operation({
    tag: 'Deployments',
    summary: 'Delete deployment',
    description:
      'Projects keep their copies. The name can be used again, but the handle cannot. Only for company-level ' +
      'callers.',
    status: 204,
    extension: true,
  })
  async deleteDeployment(@CompanyCaller() caller: CompanyPrincipal, @Param('name') name: string): Promise<void> {
    await this.deployments.delete(caller, name);
  }
}
