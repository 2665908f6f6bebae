import { Module } from '@nestjs/common';
import { DataEngineModule } from '../data-engine/data-engine.module.js';
import { ObjectStoreModule } from '../storage/object-store.module.js';
import { BlobsRepository } from './blobs/blobs.repository.js';
import { BlobsService } from './blobs/blobs.service.js';
import { DoomedObjectsRepository } from './blobs/doomed-objects.repository.js';
import { LocalCopiesService } from './blobs/local-copies.service.js';
import { ContainerResolverService } from './container-resolver.service.js';
import { DocumentsService } from './documents.service.js';
import { DownloadsService } from './downloads.service.js';
import { FilesController } from './files.controller.js';
import { FilesService } from './files.service.js';
import { CollectorService } from './maintenance/collector.service.js';
import { ContainerEmptierService } from './maintenance/container-emptier.service.js';
import { ReconcilerService } from './maintenance/reconciler.service.js';
import { SweeperService } from './maintenance/sweeper.service.js';
import { ContainersRepository } from './tree/containers.repository.js';
import { ContainersService } from './tree/containers.service.js';
import { FileTreeRepository } from './tree/file-tree.repository.js';
import { FileTreeReaderService } from './tree/file-tree-reader.service.js';
import { FileTreeService } from './tree/file-tree.service.js';
import { CompletionService } from './uploads/completion.service.js';
import { PartAdmissionService } from './uploads/part-admission.service.js';
import { UploadObjectsService } from './uploads/upload-objects.service.js';
import { UploadPartsRepository } from './uploads/upload-parts.repository.js';
import { UploadsController } from './uploads/uploads.controller.js';
import { UploadsRepository } from './uploads/uploads.repository.js';
import { UploadsService } from './uploads/uploads.service.js';
import { WorkspaceChangesService } from './workspace-changes.service.js';

/**
 * Files and directories of deployments, workspaces and snapshots. Other modules create containers and work on trees through the
 * exported services. They register how requests find their containers ({@link ContainerResolverService}) and listen to changes
 * made on behalf of a conversation ({@link WorkspaceChangesService}).
 *
 * Each folder imports only from folders after it in this order: maintenance, uploads, the files directly in this folder, tree,
 * blobs.
 */
@Module({
  imports: [DataEngineModule, ObjectStoreModule],
  controllers: [UploadsController, FilesController],
  providers: [
    BlobsRepository,
    BlobsService,
    CollectorService,
    CompletionService,
    ContainerEmptierService,
    ContainerResolverService,
    ContainersRepository,
    ContainersService,
    DocumentsService,
    DoomedObjectsRepository,
    DownloadsService,
    FilesService,
    FileTreeRepository,
    PartAdmissionService,
    ReconcilerService,
    SweeperService,
    FileTreeReaderService,
    FileTreeService,
    LocalCopiesService,
    UploadObjectsService,
    UploadPartsRepository,
    UploadsRepository,
    UploadsService,
    WorkspaceChangesService,
  ],
  exports: [
    BlobsService,
    ContainerResolverService,
    ContainersService,
    DocumentsService,
    FileTreeReaderService,
    FileTreeService,
    LocalCopiesService,
    UploadsService,
    WorkspaceChangesService,
  ],
})
export class FilesModule {}
