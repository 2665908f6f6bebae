import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import type { Page } from '../platform/listing/page.js';
import type { PageQuery } from '../platform/listing/page.query.js';
import { ProjectsService } from './projects.service.js';
import { type SnapshotRow, SnapshotsService } from './snapshots.service.js';

/** The snapshot operations of clients. Each finds its project first: NotFound. */
@Injectable()
export class SnapshotsOfProject {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly snapshots: SnapshotsService,
  ) {}

  /** Takes a snapshot that becomes the current one. @throws Conflict when the project has too many */
  async take(company_id: string, projectId: string): Promise<SnapshotRow> {
    return await this.database.transaction(async (tx) => {
      const project = await this.projects.lock(tx, company_id, projectId);
      const { id } = await this.snapshots.take(tx, project);
      await this.projects.setCurrentSnapshot(tx, project.id, id);
      return await this.snapshots.row(tx, project.id, id);
    });
  }

  async list(company_id: string, projectId: string, page: PageQuery): Promise<Page<SnapshotRow>> {
    const { id } = await this.projects.require(company_id, projectId);
    return await this.snapshots.list(id, page);
  }

  /** @throws NotFound @throws Conflict for the current one */
  async delete(company_id: string, projectId: string, snapshotId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const project = await this.projects.lock(tx, company_id, projectId);
      await this.snapshots.delete(tx, project, snapshotId);
    });
  }
}
