import { Module, type OnModuleInit } from '@nestjs/common';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { ApiKeysService } from '../auth/api-keys/api-keys.service.js';
import { ContainerResolverService } from '../files/container-resolver.service.js';
import { FilesModule } from '../files/files.module.js';
import { CanvasController } from './canvas/canvas.controller.js';
import { CanvasEditorService } from './canvas/canvas-editor.service.js';
import { CardsRepository } from './canvas/cards.repository.js';
import { CardsService } from './canvas/cards.service.js';
import { RecentCanvasesService } from './canvas/recent-canvases.service.js';
import { DataFileRefreshesRepository } from './canvas/data-file-refreshes.repository.js';
import { DataFileRefreshesService } from './canvas/data-file-refreshes.service.js';
import { DataFilesService } from './canvas/data-files.service.js';
import { FileFactsRepository } from './canvas/file-facts.repository.js';
import { MetricsModule } from '../common/metrics/metrics.module.js';
import { OpenStreamsService } from './streams/open-streams.service.js';
import { ProjectEventHubService } from './streams/project-event-hub.service.js';
import { ProjectEventsController } from './streams/project-events.controller.js';
import { ProjectEventStreamsService } from './streams/project-event-streams.service.js';
import { TablesModule } from '../tables/tables.module.js';
import { ProjectReader } from './project-access.js';
import { ProjectCreationService } from './project-creation.service.js';
import { ProjectDeletionService } from './project-deletion.service.js';
import { ProjectLifeService } from './project-life.service.js';
import { ProjectRemovalService } from './project-removal.service.js';
import { ProjectMembersController } from './project-members.controller.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import { ProjectMembersService } from './project-members.service.js';
import { ProjectPurgeService } from './project-purge.service.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectOriginsService } from './project-origins.service.js';
import { ProjectViewsRepository } from './project-views.repository.js';
import { ProjectsRepository, WORKSPACES } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';
import { SnapshotsController } from './snapshots.controller.js';
import { SNAPSHOT_TREES, SnapshotsRepository } from './snapshots.repository.js';
import { SnapshotsService } from './snapshots.service.js';

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
    ProjectViewsRepository,
    SnapshotsRepository,
    CardsRepository,
    ProjectsService,
    ProjectCreationService,
    ProjectDeletionService,
    ProjectLifeService,
    ProjectOriginsService,
    ProjectPurgeService,
    ProjectRemovalService,
    SnapshotsService,
    ProjectMembersRepository,
    ProjectMembersService,
    CanvasEditorService,
    CardsService,
    RecentCanvasesService,
    DataFilesService,
    DataFileRefreshesService,
    DataFileRefreshesRepository,
    FileFactsRepository,
    OpenStreamsService,
    ProjectEventHubService,
    ProjectEventStreamsService,
  ],
  exports: [
    ProjectsRepository,
    SnapshotsRepository,
    CardsRepository,
    ProjectLifeService,
    ProjectMembersService,
    ProjectOriginsService,
    CanvasEditorService,
    DataFilesService,
    OpenStreamsService,
  ],
})
export class ProjectsModule implements OnModuleInit {
  constructor(
    private readonly resolver: ContainerResolverService,
    private readonly apiKeys: ApiKeysService,
    private readonly projects: ProjectsRepository,
  ) {}

  onModuleInit(): void {
    this.apiKeys.provideProjects(
      async (caller, ids) => await this.projects.indexesOfInvisible(ProjectReader.of(caller), ids),
    );
    this.resolver.provide('workspace', WORKSPACES);
    this.resolver.provide('snapshot', SNAPSHOT_TREES);
  }
}
