import { Module, type OnModuleInit } from '@nestjs/common';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { ApiKeysService } from '../auth/api-keys/api-keys.service.js';
import { ContainerResolver } from '../files/container-resolver.js';
import { FilesModule } from '../files/files.module.js';
import { CanvasController } from './canvas/canvas.controller.js';
import { CanvasEditor } from './canvas/canvas-editor.service.js';
import { CardsRepository } from './canvas/cards.repository.js';
import { CardsService } from './canvas/cards.service.js';
import { RecentCanvases } from './canvas/recent-canvases.js';
import { DataFileJobs } from './canvas/data-file-jobs.service.js';
import { DataFiles } from './canvas/data-files.service.js';
import { FileFactsRepository } from './canvas/file-facts.repository.js';
import { MetricsModule } from '../common/metrics/metrics.module.js';
import { OpenStreams } from './streams/open-streams.service.js';
import { ProjectEventHub } from './streams/project-event-hub.service.js';
import { ProjectEventsController } from './streams/project-events.controller.js';
import { ProjectEventStreams } from './streams/project-event-stream.service.js';
import { TablesModule } from '../tables/tables.module.js';
import { ProjectReader } from './project-access.js';
import { ProjectDeletion } from './project-deletion.service.js';
import { ProjectMembersController } from './project-members.controller.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import { ProjectMembers } from './project-members.service.js';
import { ProjectPurge } from './project-purge.service.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsRepository, WORKSPACES } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';
import { SnapshotsController } from './snapshots.controller.js';
import { SNAPSHOT_TREES, SnapshotsRepository } from './snapshots.repository.js';
import { SnapshotsService } from './snapshots.service.js';

/** Projects, their canvas and snapshots. */
@Module({
  imports: [MetricsModule, FilesModule, DeploymentsModule, TablesModule],
  controllers: [
    ProjectsController,
    ProjectMembersController,
    CanvasController,
    SnapshotsController,
    ProjectEventsController,
  ],
  providers: [
    ProjectsRepository,
    SnapshotsRepository,
    CardsRepository,
    ProjectsService,
    ProjectDeletion,
    ProjectPurge,
    SnapshotsService,
    ProjectMembersRepository,
    ProjectMembers,
    CanvasEditor,
    CardsService,
    RecentCanvases,
    DataFiles,
    DataFileJobs,
    FileFactsRepository,
    OpenStreams,
    ProjectEventHub,
    ProjectEventStreams,
  ],
  exports: [
    ProjectsRepository,
    SnapshotsRepository,
    CardsRepository,
    ProjectsService,
    ProjectDeletion,
    ProjectMembers,
    ProjectPurge,
    CanvasEditor,
    DataFiles,
    OpenStreams,
  ],
})
export class ProjectsModule implements OnModuleInit {
  constructor(
    private readonly resolver: ContainerResolver,
    private readonly apiKeys: ApiKeysService,
    private readonly projects: ProjectsRepository,
  ) {}

  onModuleInit(): void {
    this.apiKeys.provideProjects(async (caller, ids) => await this.projects.unseen(ProjectReader.of(caller), ids));
    this.resolver.provide('workspace', WORKSPACES);
    this.resolver.provide('snapshot', SNAPSHOT_TREES);
  }
}
