import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Caller } from '../platform/auth/decorators.js';
import { Principal } from '../platform/auth/principal.js';
import type { JsonText } from '../platform/http/json-text.js';
import { listingJson } from '../platform/listing/listing-json.js';
import { EXAMPLE } from '../platform/openapi/examples.js';
import { Operation } from '../platform/openapi/operation.js';
import { CardListResponse } from './canvas/canvas.dto.js';
import { CardsService } from './canvas/cards.service.js';
import { ProjectDeletion } from './project-deletion.service.js';
import {
  ProjectCreateRequest,
  ProjectQuery,
  ProjectResponse,
  ProjectSummaryListResponse,
  ProjectUpdate,
} from './projects.dto.js';
import { ProjectsService } from './projects.service.js';

@Controller('projects')
export class ProjectsController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly deletion: ProjectDeletion,
    private readonly cards: CardsService,
  ) {}

  @Get()
  @Operation({
    tag: 'Projects',
    summary: 'List projects',
    description: 'Last changed first.',
    response: ProjectSummaryListResponse,
  })
  async listProjects(@Caller() caller: Principal, @Query() query: ProjectQuery): Promise<JsonText> {
    return listingJson('projects', await this.projects.list(caller.company_id, query), query);
  }

  @Post()
  @Operation({
    tag: 'Projects',
    summary: 'Create project',
    example: { name: 'My first plan', from_deployment: EXAMPLE.deployment_handle },
    description:
      'With `from_deployment` the project starts with a copy of the deployment’s instructions, skills and files.',
    status: 201,
    response: ProjectResponse,
    errors: [404],
    extension: true,
  })
  async createProject(@Caller() caller: Principal, @Body() body: ProjectCreateRequest): Promise<JsonText> {
    return await this.projects.create(caller, body);
  }

  @Get(':project_id')
  @Operation({
    tag: 'Projects',
    summary: 'Get project',
    description: 'The project with its completeness, origin and cost.',
    response: ProjectResponse,
    errors: [404],
  })
  async getProject(@Caller() caller: Principal, @Param('project_id') projectId: string): Promise<JsonText> {
    return await this.projects.details(caller.company_id, projectId);
  }

  @Patch(':project_id')
  @Operation({
    tag: 'Projects',
    summary: 'Update project',
    example: { description: 'Which mix of chairs and tables earns most next week?' },
    description: 'Absent fields are unchanged; null clears a description.',
    response: ProjectResponse,
    errors: [404, 409],
  })
  async updateProject(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Body() body: ProjectUpdate,
  ): Promise<JsonText> {
    return await this.projects.update(caller.company_id, projectId, body);
  }

  @Delete(':project_id')
  @Operation({
    tag: 'Projects',
    summary: 'Delete project',
    description:
      'Deletes everything in it at once: running turns and uploads end, streams close. Its cost stays in the usage ' +
      'listings.',
    status: 204,
    errors: [404],
    extension: true,
  })
  async deleteProject(@Caller() caller: Principal, @Param('project_id') projectId: string): Promise<void> {
    await this.deletion.delete(caller, projectId);
  }

  @Get(':project_id/cards')
  @Operation({
    tag: 'Projects',
    summary: 'List cards',
    description: 'The whole canvas, oldest card first.',
    response: CardListResponse,
    errors: [404],
    extension: true,
  })
  async listCards(@Caller() caller: Principal, @Param('project_id') projectId: string): Promise<CardListResponse> {
    return CardListResponse.from(await this.cards.list(caller.company_id, projectId));
  }
}
