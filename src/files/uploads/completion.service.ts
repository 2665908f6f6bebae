import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal.js';
import { DatabaseService, type Tx } from '../../database/database.service.js';
import { Conflict, Invalid } from '../../common/errors/errors.js';
import { BlobsService } from '../blobs/blobs.service.js';
import { ContainerResolverService, type RequestedContainer } from '../container-resolver.service.js';
import { FileEntry } from '../files.dto.js';
import { FileTreeService } from '../tree/file-tree.service.js';
import { WorkspaceChangesService } from '../workspace-changes.service.js';
import { UploadObjectsService } from './upload-objects.service.js';
import type { UploadCompleteRequest } from './uploads.dto.js';
import { type UploadRow, type UploadLease, UploadsRepository } from './uploads.repository.js';
import { assertAlive, UploadsService } from './uploads.service.js';

/** Maximum wait for another request that completes the same upload. It is longer than a lease. */
const PATIENCE_MS = 20_000;
const POLL_MS = 100;

/** Thrown if another request has taken over the upload. */
class TakenOver extends Error {}

/** Thrown to roll back a successful transaction. */
class RolledBackOnPurpose extends Error {}

/**
 * Completes uploads. The object is assembled outside of a transaction. Then a single transaction adds the file, ends the upload
 * and stores its response. An interruption leaves an upload that can be completed or aborted.
 */
@Injectable()
export class CompletionService {
  constructor(
    private readonly database: DatabaseService,
    private readonly uploads: UploadsService,
    private readonly uploadsRepository: UploadsRepository,
    private readonly objects: UploadObjectsService,
    private readonly resolver: ContainerResolverService,
    private readonly blobs: BlobsService,
    private readonly fileTree: FileTreeService,
    private readonly changes: WorkspaceChangesService,
  ) {}

  /**
   * Completes an upload and returns its file. Repeated and simultaneous requests get the same response.
   *
   * @throws NotFound @throws Conflict @throws Gone @throws Forbidden @throws BadRequest @throws TooLarge
   */
  async complete(caller: Principal, body: UploadCompleteRequest): Promise<FileEntry> {
    const container = await this.containerOf(caller, body);
    for (const start = Date.now(); Date.now() - start < PATIENCE_MS; await pause(POLL_MS)) {
      const upload = await this.uploads.find(caller.company_id, body.upload_token);
      if (upload.entry !== null) {
        await caller.keyed?.check();
        return asAnswered(upload.entry);
      }
      assertAlive(upload);
      const lease = await this.uploadsRepository.claim(upload.id);
      if (lease === undefined) continue;
      try {
        return await this.finish(caller, body, container, upload, lease);
      } catch (error) {
        await this.uploadsRepository.release(lease);
        if (!(error instanceof TakenOver)) throw error;
      }
    }
    throw new Conflict('upload_being_completed', 'Another request is completing the upload; try again later');
  }

  /** Returns the container. The token is checked before the identifiers. */
  private async containerOf(caller: Principal, body: UploadCompleteRequest): Promise<RequestedContainer> {
    const upload = await this.uploads.findWritable(caller, body.upload_token);
    assertAlive(upload);
    if (body.lacking.length > 0)
      throw new Invalid(body.lacking.map((entry) => ({ ...entry, loc: ['body', ...entry.loc] })));
    const container = await this.resolver.findForWriting(caller, body);
    if (container.container_id !== upload.container_id)
      throw new Conflict(
        'container_mismatch',
        'The upload was started for another container; complete it there or start a new one',
      );
    return container;
  }

  private async finish(
    caller: Principal,
    body: UploadCompleteRequest,
    { project_id, ...container }: RequestedContainer,
    upload: UploadRow,
    lease: UploadLease,
  ): Promise<FileEntry> {
    const { source, parts = [], conversation_id } = body;
    const { blob_id } = lease;
    const { path, content_type } = upload;
    const place = async (tx: Tx, size: number): Promise<FileEntry> => {
      // The caller may have lost access while the object was assembled.
      await this.resolver.findForWriting(caller, body, tx);
      if (conversation_id != null && project_id !== null) {
        await this.changes.publish(tx, caller, { project_id, conversation_id, kind: 'uploaded', path });
      }
      await this.blobs.finish(tx, container.company_id, { blob_id, size });
      const file = await this.fileTree.putFile(
        tx,
        container,
        path,
        { blob_id, size },
        { content_type, source: 'upload' },
      );
      const entry = FileEntry.from(source, file);
      if (!(await tx.withRepository(this.uploadsRepository).end(lease, 'completed', entry))) throw new TakenOver();
      this.changes.note(tx, caller, project_id, [path]);
      return entry;
    };
    // Problems with the file must be detected at this point, while its parts can still be replaced.
    const size = await this.objects.assemble(
      upload,
      parts,
      async (bytes) => await this.dryRun((tx) => place(tx, bytes)),
    );
    return await this.database.transaction(async (tx) => caller.once(tx, async () => place(tx, size)));
  }

  /** Runs the work in a transaction and rolls it back. */
  private async dryRun(work: (tx: Tx) => Promise<unknown>): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        await work(tx);
        throw new RolledBackOnPurpose();
      });
    } catch (error) {
      if (!(error instanceof RolledBackOnPurpose)) throw error;
    }
  }
}

/** Restores the field order and the date of a stored response, which `jsonb` does not preserve. */
function asAnswered({ path, size, content_type, modified, source, id }: FileEntry): FileEntry {
  return { path, size, content_type, modified: modified && new Date(modified), source, id };
}
