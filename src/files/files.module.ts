import { Module } from '@nestjs/common';
import { ObjectStoreModule } from '../platform/object-store/object-store.module.js';
import { BlobsService } from './blobs.service.js';
import { ContainerDirectory } from './container-directory.js';
import { ContainersService } from './containers.service.js';
import { DownloadsService } from './downloads.service.js';
import { FilesController } from './files.controller.js';
import { FilesService } from './files.service.js';
import { Collector } from './maintenance/collector.service.js';
import { MaintenanceJobs } from './maintenance/maintenance-jobs.js';
import { Reconciler } from './maintenance/reconciler.service.js';
import { Sweeper } from './maintenance/sweeper.service.js';
import { TreeReader } from './tree-reader.service.js';
import { TreesService } from './trees.service.js';
import { CompletionService } from './uploads/completion.service.js';
import { PartAdmission } from './uploads/part-admission.service.js';
import { UploadObjects } from './uploads/upload-objects.service.js';
import { UploadRegistry } from './uploads/upload-registry.service.js';
import { UploadsController } from './uploads/uploads.controller.js';
import { UploadsService } from './uploads/uploads.service.js';
import { WorkspaceChanges } from './workspace-changes.js';

/**
 * Files and directories of deployments, workspaces and snapshots. Other modules make containers and work on trees through
 * what is exported; they say where requests find their containers ({@link ContainerDirectory}) and who hears of changes in
 * the name of a conversation ({@link WorkspaceChanges}).
 */
@Module({
  imports: [ObjectStoreModule],
  controllers: [UploadsController, FilesController],
  providers: [
    BlobsService,
    Collector,
    CompletionService,
    ContainerDirectory,
    ContainersService,
    DownloadsService,
    FilesService,
    MaintenanceJobs,
    PartAdmission,
    Reconciler,
    Sweeper,
    TreeReader,
    TreesService,
    UploadObjects,
    UploadRegistry,
    UploadsService,
    WorkspaceChanges,
  ],
  exports: [BlobsService, ContainerDirectory, ContainersService, TreeReader, TreesService, WorkspaceChanges],
})
export class FilesModule {}
