import { Module, type OnModuleInit } from '@nestjs/common';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { ContainerResolver } from '../files/container-resolver.js';
import { FilesModule } from '../files/files.module.js';
import { CanvasController } from './canvas/canvas.controller.js';
import { CanvasEditor } from './canvas/canvas-editor.service.js';
import { CardsRepository } from './canvas/cards.repository.js';
import { CardsService } from './canvas/cards.service.js';
import { DataFileJobs } from './canvas/data-file-jobs.service.js';
import { DataFiles } from './canvas/data-files.service.js';
import { FileFactsRepository } from './canvas/file-facts.repository.js';
import { TablesModule } from '../tables/tables.module.js';
import { ProjectDeletion } from './project-deletion.service.js';
import { ProjectPurge } from './project-purge.service.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsRepository, WORKSPACES } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';
import { SnapshotsController } from './snapshots.controller.js';
import { SNAPSHOT_TREES, SnapshotsRepository } from './snapshots.repository.js';
import { SnapshotsService } from './snapshots.service.js';

/** Projects, their canvas and snapshots. */
@Module({
  imports: [FilesModule, DeploymentsModule, TablesModule],
  controllers: [ProjectsController, CanvasController, SnapshotsController],
  providers: [
    ProjectsRepository,
    SnapshotsRepository,
    CardsRepository,
    ProjectsService,
    ProjectDeletion,
    ProjectPurge,
    SnapshotsService,
    CanvasEditor,
    CardsService,
    DataFiles,
    DataFileJobs,
    FileFactsRepository,
  ],
  exports: [
    ProjectsRepository,
    SnapshotsRepository,
    CardsRepository,
    ProjectsService,
    ProjectDeletion,
    ProjectPurge,
    CanvasEditor,
    DataFiles,
  ],
})
export class ProjectsModule implements OnModuleInit {
  constructor(private readonly resolver: ContainerResolver) {}

  onModuleInit(): void {
    this.resolver.provide('workspace', WORKSPACES);
    this.resolver.provide('snapshot', SNAPSHOT_TREES);
  }
}
