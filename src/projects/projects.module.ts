import { Module, type OnModuleInit } from '@nestjs/common';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { ContainerResolver } from '../files/container-resolver.js';
import { FilesModule } from '../files/files.module.js';
import { CanvasController } from './canvas/canvas.controller.js';
import { CanvasService } from './canvas/canvas.service.js';
import { CardsService } from './canvas/cards.service.js';
import { ProjectDeletion } from './deletion.service.js';
import { ProjectsController } from './projects.controller.js';
import { WORKSPACES } from './projects.queries.js';
import { ProjectsService } from './projects.service.js';
import { ProjectPurge } from './purge.service.js';
import { SnapshotsController } from './snapshots.controller.js';
import { SnapshotsOfProject } from './snapshots-of-project.service.js';
import { SNAPSHOT_TREES, SnapshotsService } from './snapshots.service.js';

/** Projects, their canvas and snapshots. */
@Module({
  imports: [FilesModule, DeploymentsModule],
  controllers: [ProjectsController, CanvasController, SnapshotsController],
  providers: [
    ProjectsService,
    ProjectDeletion,
    ProjectPurge,
    CanvasService,
    CardsService,
    SnapshotsService,
    SnapshotsOfProject,
  ],
  exports: [ProjectsService, ProjectDeletion, ProjectPurge, CanvasService, SnapshotsService],
})
export class ProjectsModule implements OnModuleInit {
  constructor(private readonly resolver: ContainerResolver) {}

  onModuleInit(): void {
    this.resolver.provide('workspace', WORKSPACES);
    this.resolver.provide('snapshot', SNAPSHOT_TREES);
  }
}
