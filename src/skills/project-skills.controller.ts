import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { EditingCaller, ProjectEditor, ProjectReader, ReadingCaller } from '../projects/project-access.js';
import { IfMatch, IfNoneMatch } from '../common/etag/conditions.js';
import { ExpectedTags, ClientTags } from '../common/etag/entity-tag.js';
import type { Tagged } from '../common/etag/tagged.js';
import { BodyLimit } from '../common/http/body-reader.service.js';
import { EXAMPLE } from '../common/openapi/examples.js';
import { Operation } from '../common/openapi/operation.js';
import { AgentConfigService } from './agent-config.service.js';
import { ProjectSkillsService } from './project-skills.service.js';
import {
  AgentConfigPullRequest,
  AgentConfigPullResponse,
  AgentConfigResponse,
  CheckoutRequest,
  CheckoutResponse,
  ProjectSkillDetail,
  ProjectSkillListResponse,
  SkillSummary,
  SkillWriteRequest,
} from './skills.dto.js';
import { MAX_SKILL_BODY_BYTES } from './skill-files.js';

const tag = 'Skills and agent configuration';

@Controller('projects/:project_id')
export class ProjectSkillsController {
  constructor(
    private readonly skills: ProjectSkillsService,
    private readonly config: AgentConfigService,
  ) {}

  @Get('skills')
  @Operation({
    tag,
    summary: 'List project skills',
    description: 'Lists the skills that a turn would mount, sorted by name.',
    response: ProjectSkillListResponse,
    extension: true,
  })
  async listProjectSkills(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
  ): Promise<ProjectSkillListResponse> {
    return ProjectSkillListResponse.from(await this.skills.list(reader, projectId));
  }

  @Get('skills/:skill')
  @Operation({
    tag,
    summary: 'Get project skill',
    description:
      'Returns the whole skill as a turn would mount it: the project’s own copy, or the deployment’s if there is no ' +
      'copy.',
    response: ProjectSkillDetail,
    tagged: true,
  })
  async getProjectSkill(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Param('skill') skill: string,
    @IfNoneMatch() clientTags: ClientTags,
  ): Promise<Tagged<ProjectSkillDetail>> {
    const tagged = await this.skills.get(reader, projectId, skill, clientTags);
    return tagged.map((whole) => ProjectSkillDetail.from(whole));
  }

  @Put('skills/:skill')
  @BodyLimit(MAX_SKILL_BODY_BYTES)
  @Operation({
    tag,
    summary: 'Put project skill',
    example: { files: { 'SKILL.md': 'Shifts last eight hours here.\n' } },
    description:
      'Creates or replaces one of the project’s own skills with all its files. The skill shadows a deployment skill ' +
      'with the same name. `If-Match` applies to the project’s own skill.',
    response: SkillSummary,
    errors: ['company_storage_full', 'store_full', 'tree_full'],
    tagged: true,
  })
  async putProjectSkill(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('skill') skill: string,
    @Body() body: SkillWriteRequest,
    @IfMatch() expected: ExpectedTags,
  ): Promise<Tagged<SkillSummary>> {
    const written = await this.skills.put(editor, projectId, skill, body.files, expected);
    return written.map((whole) => SkillSummary.from(whole));
  }

  @Delete('skills/:skill')
  @Operation({
    tag,
    summary: 'Delete project skill',
    description: 'Removes the project’s own copy of the skill.',
    status: 204,
    tagged: true,
    extension: true,
  })
  async deleteProjectSkill(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('skill') skill: string,
    @IfMatch() expected: ExpectedTags,
  ): Promise<void> {
    await this.skills.delete(editor, projectId, skill, expected);
  }

  @Get('agent-config')
  @Operation({
    tag,
    summary: 'Get agent config',
    description: 'Returns the instructions and skills that a turn would mount, from a single atomic read.',
    response: AgentConfigResponse,
    tagged: true,
    extension: true,
  })
  async getAgentConfig(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @IfNoneMatch() clientTags: ClientTags,
  ): Promise<Tagged<AgentConfigResponse>> {
    return (await this.config.get(reader, projectId, clientTags)).map((config) => AgentConfigResponse.from(config));
  }

  @Post('agent-config/pull')
  @Operation({
    tag,
    summary: 'Pull agent config',
    example: { from_deployment: EXAMPLE.deployment_handle, instructions: true, skills: true },
    description:
      'Replaces the project’s copy of the deployment’s instructions and skills. Keeps the project’s own skills.',
    response: AgentConfigPullResponse,
    errors: ['deployment_not_found', 'no_origin'],
    idempotent: true,
  })
  async pullAgentConfig(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Body() body: AgentConfigPullRequest,
  ): Promise<AgentConfigPullResponse> {
    return await this.config.pull(editor, projectId, body);
  }

  @Post('checkout')
  @Operation({
    tag,
    summary: 'Check out a deployment',
    example: { from_deployment: EXAMPLE.deployment_handle },
    description:
      'Makes the deployment the project’s origin: pulls instructions and skills, and copies its template files ' +
      'into the workspace. Existing files are kept.',
    response: CheckoutResponse,
    errors: ['deployment_not_found', 'tree_full'],
    idempotent: true,
    extension: true,
  })
  async checkoutDeployment(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Body() body: CheckoutRequest,
  ): Promise<CheckoutResponse> {
    return await this.config.checkout(editor, projectId, body);
  }
}
