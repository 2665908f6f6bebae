import { Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { Caller } from '../platform/auth/decorators.js';
import { Principal } from '../platform/auth/principal.js';
import { PageQuery } from '../platform/listing/page.query.js';
import { Operation } from '../platform/openapi/operation.js';
import { SnapshotListResponse, SnapshotResponse } from './snapshots.dto.js';
import { SnapshotsService } from './snapshots.service.js';

@Controller('projects/:project_id/snapshots')
export class SnapshotsController {
  constructor(private readonly snapshots: SnapshotsService) {}

  @Post()
  @Operation({
    tag: 'Projects',
    summary: 'Take snapshot',
    description: 'Saves the workspace and the cards as they are now; the snapshot becomes the current one.',
    status: 201,
    response: SnapshotResponse,
    errors: [404, 409],
    extension: true,
  })
  async takeSnapshot(@Caller() caller: Principal, @Param('project_id') projectId: string): Promise<SnapshotResponse> {
    return SnapshotResponse.from(await this.snapshots.create(caller.company_id, projectId));
  }

  @Get()
  @Operation({
    tag: 'Projects',
    summary: 'List snapshots',
    description: 'Newest first.',
    response: SnapshotListResponse,
    errors: [404],
    extension: true,
  })
  async listSnapshots(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Query() query: PageQuery,
  ): Promise<SnapshotListResponse> {
    return SnapshotListResponse.from(await this.snapshots.list(caller.company_id, projectId, query), query);
  }

  @Delete(':snapshot_id')
  @Operation({
    tag: 'Projects',
    summary: 'Delete snapshot',
    description: '409 for the current one: take another snapshot first.',
    status: 204,
    errors: [404, 409],
    extension: true,
  })
  async deleteSnapshot(
    @Caller() caller: Principal,
    @Param('project_id') projectId: string,
    @Param('snapshot_id') snapshotId: string,
  ): Promise<void> {
    await this.snapshots.delete(caller.company_id, projectId, snapshotId);
  }
}
