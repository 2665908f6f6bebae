import { Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { EditingCaller, ProjectEditor, ProjectReader, ReadingCaller } from './project-access.js';
import { WalkQuery } from '../common/listing/walk.query.js';
import { Operation } from '../common/openapi/operation.js';
import { SnapshotListResponse, SnapshotResponse } from './snapshots.dto.js';
import { SnapshotsService } from './snapshots.service.js';

@Controller('projects/:project_id/snapshots')
export class SnapshotsController {
  constructor(private readonly snapshots: SnapshotsService) {}

  @Post()
  @Operation({
    tag: 'Projects',
    summary: 'Take snapshot',
    description:
      'Saves the current state of the workspace and the cards, and makes this snapshot the current snapshot.',
    status: 201,
    response: SnapshotResponse,
    errors: ['too_many_snapshots'],
    idempotent: true,
    extension: true,
  })
  async takeSnapshot(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
  ): Promise<SnapshotResponse> {
    return await this.snapshots.create(editor, projectId);
  }

  @Get()
  @Operation({
    tag: 'Projects',
    summary: 'List snapshots',
    description: 'Newest first.',
    response: SnapshotListResponse,
    extension: true,
  })
  async listSnapshots(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Query() query: WalkQuery,
  ): Promise<SnapshotListResponse> {
    return SnapshotListResponse.from(await this.snapshots.list(reader, projectId, query), query);
  }

  @Delete(':snapshot_id')
  @Operation({
    tag: 'Projects',
    summary: 'Delete snapshot',
    description: 'Returns 409 for the current snapshot. Take another snapshot first.',
    status: 204,
    errors: ['snapshot_in_use'],
    extension: true,
  })
  async deleteSnapshot(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('snapshot_id') snapshotId: string,
  ): Promise<void> {
    await this.snapshots.delete(editor, projectId, snapshotId);
  }
}
