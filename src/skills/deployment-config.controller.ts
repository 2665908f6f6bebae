import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { CompanyCaller, type CompanyPrincipal } from '../auth/company-level.js';
import { Caller, CompanyLevel } from '../auth/decorators.js';
import { Principal } from '../auth/principal.js';
import { IfMatch, IfNoneMatch } from '../common/etag/conditions.js';
import { ExpectedTags, ClientTags } from '../common/etag/entity-tag.js';
import type { Tagged } from '../common/etag/tagged.js';
import { BodyLimit } from '../common/http/body-reader.service.js';
import { Operation } from '../common/openapi/operation.js';
import { DeploymentSkillsService } from './deployment-skills.service.js';
import { InstructionsService } from './instructions.service.js';
import {
  AgentInstructionsRequest,
  AgentInstructionsResponse,
  SkillDetail,
  SkillListResponse,
  SkillSummary,
  SkillWriteRequest,
} from './skills.dto.js';
import { MAX_SKILL_BODY_BYTES } from './skill-files.js';

const tag = 'Skills and agent configuration';

@Controller('deployments/:name')
export class DeploymentConfigController {
  constructor(
    private readonly instructions: InstructionsService,
    private readonly skills: DeploymentSkillsService,
  ) {}

  @Get('instructions')
  @Operation({
    tag,
    summary: 'Get deployment instructions',
    description: 'Returns the deployment’s current AGENTS.md. Projects have their own copies.',
    response: AgentInstructionsResponse,
    errors: ['instructions_not_found'],
    tagged: true,
    extension: true,
  })
  async getDeploymentInstructions(
    @Caller() caller: Principal,
    @Param('name') name: string,
    @IfNoneMatch() clientTags: ClientTags,
  ): Promise<Tagged<AgentInstructionsResponse>> {
    return (await this.instructions.get(caller.company_id, name, clientTags)).map((content) => ({ content }));
  }

  @Put('instructions')
  @CompanyLevel()
  @Operation({
    tag,
    summary: 'Put deployment instructions',
    example: {
      content: '# Production planning\n\nAsk for one thing at a time, and state quantities with their units.\n',
    },
    description:
      'Replaces the deployment’s AGENTS.md. Projects keep their copy until they pull. Only for company-level ' +
      'callers.',
    response: AgentInstructionsResponse,
    errors: ['company_storage_full', 'directory_in_the_way', 'file_in_the_way', 'store_full', 'tree_full'],
    tagged: true,
  })
  async putDeploymentInstructions(
    @CompanyCaller() caller: CompanyPrincipal,
    @Param('name') name: string,
    @Body() body: AgentInstructionsRequest,
    @IfMatch() expected: ExpectedTags,
  ): Promise<Tagged<AgentInstructionsResponse>> {
    return (await this.instructions.put(caller, name, body.content, expected)).map((content) => ({ content }));
  }

  @Get('skills')
  @Operation({
    tag,
    summary: 'List deployment skills',
    description: 'Returns the name, description and file paths of every skill, sorted by name.',
    response: SkillListResponse,
    extension: true,
  })
  async listDeploymentSkills(@Caller() caller: Principal, @Param('name') name: string): Promise<SkillListResponse> {
    return SkillListResponse.from(await this.skills.list(caller.company_id, name));
  }

  @Get('skills/:skill')
  @Operation({
    tag,
    summary: 'Get deployment skill',
    description: 'Returns the whole skill with the text of its files.',
    response: SkillDetail,
    errors: ['content_too_large'],
    tagged: true,
    extension: true,
  })
  async getDeploymentSkill(
    @Caller() caller: Principal,
    @Param('name') name: string,
    @Param('skill') skill: string,
    @IfNoneMatch() clientTags: ClientTags,
  ): Promise<Tagged<SkillDetail>> {
    return (await this.skills.get(caller.company_id, name, skill, clientTags)).map((whole) => SkillDetail.from(whole));
  }

  @Put('skills/:skill')
  @CompanyLevel()
  @BodyLimit(MAX_SKILL_BODY_BYTES)
  @Operation({
    tag,
    summary: 'Put deployment skill',
    example: {
      files: { 'SKILL.md': 'No shift is longer than ten hours.\n', 'examples/night.md': 'Night shifts end at six.\n' },
    },
    description:
      'Creates or replaces a skill with all its files. Projects receive it when they pull. Only for company-level ' +
      'callers.',
    response: SkillSummary,
    errors: ['company_storage_full', 'directory_in_the_way', 'file_in_the_way', 'store_full', 'tree_full'],
    tagged: true,
    extension: true,
  })
  async putDeploymentSkill(
    @CompanyCaller() caller: CompanyPrincipal,
    @Param('name') name: string,
    @Param('skill') skill: string,
    @Body() body: SkillWriteRequest,
    @IfMatch() expected: ExpectedTags,
  ): Promise<Tagged<SkillSummary>> {
    const written = await this.skills.put(caller, name, skill, body.files, expected);
    return written.map((whole) => SkillSummary.from(whole));
  }

  @Delete('skills/:skill')
  @CompanyLevel()
  @Operation({
    tag,
    summary: 'Delete deployment skill',
    description: 'Only for company-level callers.',
    status: 204,
    tagged: true,
    extension: true,
  })
  async deleteDeploymentSkill(
    @CompanyCaller() caller: CompanyPrincipal,
    @Param('name') name: string,
    @Param('skill') skill: string,
    @IfMatch() expected: ExpectedTags,
  ): Promise<void> {
    await this.skills.delete(caller, name, skill, expected);
  }
}
