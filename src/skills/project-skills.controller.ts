import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { EditingCaller, ProjectEditor, ProjectReader, ReadingCaller } from '../projects/project-access.js';
import { BodyLimit } from '../platform/http/body-reader.service.js';
import { EXAMPLE } from '../platform/openapi/examples.js';
import { RequestOnce } from '../platform/idempotency/idempotency.interceptor.js';
import { Once } from '../platform/idempotency/once.js';
import { Operation } from '../platform/openapi/operation.js';
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
import { SKILL_BODY_BYTES } from './skill-files.js';

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
    description: 'Skills that a turn would mount, sorted by name.',
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
    description: 'The whole skill as a turn would mount it: the project’s own copy, else the deployment’s.',
    response: ProjectSkillDetail,
  })
  async getProjectSkill(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Param('skill') skill: string,
  ): Promise<ProjectSkillDetail> {
    return ProjectSkillDetail.from(await this.skills.get(reader, projectId, skill));
  }

  @Put('skills/:skill')
  @BodyLimit(SKILL_BODY_BYTES)
  @Operation({
    tag,
    summary: 'Put project skill',
    example: { files: { 'SKILL.md': 'Shifts last eight hours here.\n' } },
    description:
      'Creates or replaces one of the project’s own skills with all its files. One named after a deployment skill shadows it.',
    response: SkillSummary,
    errors: ['company_storage_full', 'store_full'],
  })
  async putProjectSkill(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('skill') skill: string,
    @Body() body: SkillWriteRequest,
  ): Promise<SkillSummary> {
    return SkillSummary.from(await this.skills.put(editor, projectId, skill, body.files));
  }

  @Delete('skills/:skill')
  @Operation({
    tag,
    summary: 'Delete project skill',
    description: 'Removes the project’s own copy.',
    status: 204,
    extension: true,
  })
  async deleteProjectSkill(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('skill') skill: string,
  ): Promise<void> {
    await this.skills.delete(editor, projectId, skill);
  }

  @Get('agent-config')
  @Operation({
    tag,
    summary: 'Get agent config',
    description: 'The instructions and skills that a turn would mount, in one atomic read.',
    response: AgentConfigResponse,
    extension: true,
  })
  async getAgentConfig(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
  ): Promise<AgentConfigResponse> {
    return AgentConfigResponse.from(await this.config.get(reader, projectId));
  }

  @Post('agent-config/pull')
  @Operation({
    tag,
    summary: 'Pull agent config',
    example: { from_deployment: EXAMPLE.deployment_handle, instructions: true, skills: true },
    description:
      'Replaces the project’s copy of the deployment’s instructions and skills; the project’s own skills stay.',
    response: AgentConfigPullResponse,
    errors: ['deployment_not_found', 'no_origin'],
    idempotent: true,
  })
  async pullAgentConfig(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Body() body: AgentConfigPullRequest,
    @RequestOnce() once: Once<AgentConfigPullResponse>,
  ): Promise<AgentConfigPullResponse> {
    return await this.config.pull(editor, projectId, body, once);
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
    errors: ['deployment_not_found'],
    idempotent: true,
    extension: true,
  })
  async checkoutDeployment(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Body() body: CheckoutRequest,
    @RequestOnce() once: Once<CheckoutResponse>,
  ): Promise<CheckoutResponse> {
    return await this.config.checkout(editor, projectId, body, once);
  }
}
