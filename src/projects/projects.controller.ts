import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import {
  EditingCaller,
  OwningCaller,
  ProjectEditor,
  ProjectOwner,
  ProjectReader,
  ReadingCaller,
} from './project-access.js';
import { IfMatch, IfNoneMatch } from '../common/etag/conditions.js';
import { ExpectedTags, ClientTags } from '../common/etag/entity-tag.js';
import type { Tagged } from '../common/etag/tagged.js';
import type { JsonBytes } from '../common/http/json-text.js';
import { EXAMPLE } from '../common/openapi/examples.js';
import { Operation } from '../common/openapi/operation.js';
import { CardListResponse } from './canvas/canvas.dto.js';
import { CardsService } from './canvas/cards.service.js';
import { ProjectCreationService } from './project-creation.service.js';
import { ProjectDeletionService } from './project-deletion.service.js';
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
    private readonly creation: ProjectCreationService,
    private readonly deletion: ProjectDeletionService,
    private readonly cards: CardsService,
  ) {}

  @Get()
  @Operation({
    tag: 'Projects',
    summary: 'List projects',
    description: 'Lists the projects that the caller can see, most recently changed first.',
    response: ProjectSummaryListResponse,
  })
  async listProjects(
    @ReadingCaller() reader: ProjectReader,
    @Query() query: ProjectQuery,
  ): Promise<ProjectSummaryListResponse> {
    return ProjectSummaryListResponse.from(await this.projects.list(reader, query), query);
  }

  @Post()
  @Operation({
    tag: 'Projects',
    summary: 'Create project',
    example: { name: 'My first plan', from_deployment: EXAMPLE.deployment_handle },
    description:
      'With `from_deployment`, the project starts with a copy of the deployment’s instructions, skills and files.',
    status: 201,
    response: ProjectResponse,
    errors: ['api_key_limited', 'deployment_not_found', 'editor_required', 'project_not_found'],
    idempotent: true,
    extension: true,
  })
  async createProject(
    @EditingCaller() editor: ProjectEditor,
    @Body() body: ProjectCreateRequest,
  ): Promise<ProjectResponse> {
    return await this.creation.create(editor, body);
  }

  @Get(':project_id')
  @Operation({
    tag: 'Projects',
    summary: 'Get project',
    description: 'Returns the project with its completeness, origin and cost.',
    response: ProjectResponse,
    tagged: true,
  })
  async getProject(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @IfNoneMatch() clientTags: ClientTags,
  ): Promise<Tagged<ProjectResponse>> {
    const project = await this.projects.details(reader, projectId, clientTags);
    return project.map((details) => ProjectResponse.from(details));
  }

  @Patch(':project_id')
  @Operation({
    tag: 'Projects',
    summary: 'Update project',
    example: { description: 'Which mix of chairs and tables earns most next week?' },
    description: 'Absent fields are unchanged; null clears a description.',
    response: ProjectResponse,
    errors: ['owner_required', 'too_many_snapshots'],
    tagged: true,
  })
  async updateProject(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Body() body: ProjectUpdate,
    @IfMatch() expected: ExpectedTags,
  ): Promise<Tagged<ProjectResponse>> {
    const project = await this.projects.update(editor, projectId, body, expected);
    return project.map((changed) => ProjectResponse.from(changed));
  }

  @Delete(':project_id')
  @Operation({
    tag: 'Projects',
    summary: 'Delete project',
    description:
      'Only for project owners and company-level callers. Hides the project and its contents immediately, ' +
      'ends running turns, solves and uploads, and closes streams. The project can be restored for some time (24 ' +
      'hours by default). Its cost remains in the usage listings.',
    status: 204,
    errors: ['owner_required'],
    tagged: true,
    extension: true,
  })
  async deleteProject(
    @OwningCaller() owner: ProjectOwner,
    @Param('project_id') projectId: string,
    @IfMatch() expected: ExpectedTags,
  ): Promise<void> {
    await this.deletion.delete(owner, projectId, expected);
  }

  @Post(':project_id/restore')
  @Operation({
    tag: 'Projects',
    summary: 'Restore project',
    description:
      'Only for project owners and company-level callers. Restores a deleted project with its contents. ' +
      'Turns, solves and incomplete uploads that ended with it do not resume. Returns 404 after the grace period. ' +
      '`GET /projects?deleted=true` lists projects that can be restored.',
    response: ProjectResponse,
    errors: ['owner_required'],
    idempotent: true,
    extension: true,
  })
  async restoreProject(
    @OwningCaller() owner: ProjectOwner,
    @Param('project_id') projectId: string,
  ): Promise<ProjectResponse> {
    return await this.deletion.restore(owner, projectId);
  }

  @Get(':project_id/cards')
  @Operation({
    tag: 'Projects',
    summary: 'List cards',
    description: 'Returns the whole canvas, oldest card first.',
    response: CardListResponse,
    tagged: true,
    extension: true,
  })
  async listCards(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @IfNoneMatch() clientTags: ClientTags,
  ): Promise<Tagged<JsonBytes>> {
    return await this.cards.list(reader, projectId, clientTags);
  }
}
