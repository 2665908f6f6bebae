import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { Caller } from '../auth/decorators.js';
import { Principal } from '../auth/principal.js';
import { WalkQuery } from '../common/listing/walk.query.js';
import { Operation } from '../common/openapi/operation.js';
import { OwningCaller, ProjectOwner, ProjectReader, ReadingCaller } from './project-access.js';
import { ProjectMemberListResponse, ProjectMemberRequest, ProjectMemberResponse } from './project-members.dto.js';
import { ProjectMembersService } from './project-members.service.js';

@Controller('projects/:project_id/members')
export class ProjectMembersController {
  constructor(private readonly members: ProjectMembersService) {}

  @Get()
  @Operation({
    tag: 'Members',
    summary: 'List members',
    description:
      'Returns members in the order in which they were added. Only members and company-level callers can see a ' +
      'private project. If a project is visible to the company, everyone in the company can edit it, and a role can ' +
      'only add rights.',
    response: ProjectMemberListResponse,
    extension: true,
  })
  async listMembers(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Query() query: WalkQuery,
  ): Promise<ProjectMemberListResponse> {
    return ProjectMemberListResponse.from(await this.members.list(reader, projectId, query), query);
  }

  @Put(':user_id')
  @Operation({
    tag: 'Members',
    summary: 'Add member, or change role',
    example: { role: 'editor' },
    description:
      'Only for project owners and company-level callers. Returns 404 for a user who has never used this ' +
      'service, and 409 if no owner would remain.',
    response: ProjectMemberResponse,
    errors: ['last_owner', 'owner_required', 'too_many_members', 'user_not_found'],
    extension: true,
  })
  async putMember(
    @OwningCaller() owner: ProjectOwner,
    @Param('project_id') projectId: string,
    @Param('user_id') userId: string,
    @Body() { role }: ProjectMemberRequest,
  ): Promise<ProjectMemberResponse> {
    return ProjectMemberResponse.from(await this.members.put(owner, projectId, userId, role));
  }

  @Delete(':user_id')
  @Operation({
    tag: 'Members',
    summary: 'Remove member',
    description:
      'Only for project owners and company-level callers, but users can remove themselves. Streams of a user ' +
      'who loses access close within 5 seconds. Returns 409 if no owner would remain.',
    status: 204,
    errors: ['last_owner', 'member_not_found', 'owner_required'],
    extension: true,
  })
  async removeMember(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Param('user_id') userId: string,
  ): Promise<void> {
    await this.members.remove(caller, projectId, userId);
  }
}
