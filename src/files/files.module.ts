import { Module } from '@nestjs/common';
import { DataEngineModule } from '../data-engine/data-engine.module.js';
import { ObjectStoreModule } from '../storage/object-store.module.js';
import { BlobsRepository } from './blobs/blobs.repository.js';
import { BlobsService } from './blobs/blobs.service.js';
import { DoomedObjectsRepository } from './blobs/doomed-objects.repository.js';
import { LocalCopies } from './blobs/local-copies.service.js';
import { ContainerResolver } from './container-resolver.js';
import { DocumentsService } from './documents.service.js';
import { DownloadsService } from './downloads.service.js';
import { FilesController } from './files.controller.js';
import { FilesService } from './files.service.js';
import { Collector } from './maintenance/collector.service.js';
import { ContainerEmptier } from './maintenance/container-emptier.service.js';
import { Reconciler } from './maintenance/reconciler.service.js';
import { Sweeper } from './maintenance/sweeper.service.js';
import { ContainersRepository } from './tree/containers.repository.js';
import { ContainersService } from './tree/containers.service.js';
import { FileTreeRepository } from './tree/file-tree.repository.js';
import { FileTreeReader } from './tree/file-tree-reader.service.js';
import { FileTreeService } from './tree/file-tree.service.js';
import { CompletionService } from './uploads/completion.service.js';
import { PartAdmission } from './uploads/part-admission.service.js';
import { UploadObjects } from './uploads/upload-objects.service.js';
import { UploadPartsRepository } from './uploads/upload-parts.repository.js';
import { UploadRegistry } from './uploads/upload-registry.service.js';
import { UploadsController } from './uploads/uploads.controller.js';
import { UploadsRepository } from './uploads/uploads.repository.js';
import { UploadsService } from './uploads/uploads.service.js';
import { WorkspaceChanges } from './workspace-changes.js';

/**
 * Files and directories of deployments, workspaces and snapshots. Other modules make containers and work on trees through
 * what is exported; they say where requests find their containers ({@link ContainerResolver}) and who hears of changes in
 * the name of a conversation ({@link WorkspaceChanges}).
 *
 * Imports between the folders go one way: maintenance, uploads, the files beside this one, tree, blobs.
 */
@Module({
  imports: [DataEngineModule, ObjectStoreModule],
  controllers: [UploadsController, FilesController],
  providers: [
    BlobsRepository,
    BlobsService,
    Collector,
    CompletionService,
    ContainerEmptier,
    ContainerResolver,
    ContainersRepository,
    ContainersService,
    DocumentsService,
    DoomedObjectsRepository,
    DownloadsService,
    FilesService,
    FileTreeRepository,
    PartAdmission,
    Reconciler,
    Sweeper,
    FileTreeReader,
    FileTreeService,
    LocalCopies,
    UploadObjects,
    UploadPartsRepository,
    UploadRegistry,
    UploadsRepository,
    UploadsService,
    WorkspaceChanges,
  ],
  exports: [
    BlobsService,
    ContainerResolver,
    ContainersService,
    DocumentsService,
    FileTreeReader,
    FileTreeService,
    LocalCopies,
    UploadRegistry,
    WorkspaceChanges,
  ],
})
export class FilesModule {}
