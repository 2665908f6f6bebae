import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../../events/project-events.service.js';
import type { StoredBlob } from '../../files/blobs/blobs.service.js';
import { contentTypeByName } from '../../files/blobs/content-type.js';
import { ContainerResolverService } from '../../files/container-resolver.service.js';
import type { ContainerRef } from '../../files/tree/container-ref.js';
import { ContainersService } from '../../files/tree/containers.service.js';
import { FileTreeReaderService } from '../../files/tree/file-tree-reader.service.js';
import { FileTreeService } from '../../files/tree/file-tree.service.js';
import type { Tx } from '../../database/database.service.js';
import type { AgentContext } from '../agent.js';
import { namesFile } from './named-files.js';
import { ToolFailure } from './tool.js';

/** File written by an agent. `size` is in bytes. */
export interface WrittenFile {
  path: string;
  size: number;
  /** Whether a file already existed at the path. */
  replaced: boolean;
}

/** Gives tools access to the project's workspace, the only container that they may use, and restricts their writes. */
@Injectable()
export class AgentFilesService {
  constructor(
    private readonly resolver: ContainerResolverService,
    private readonly containers: ContainersService,
    private readonly reader: FileTreeReaderService,
    private readonly fileTree: FileTreeService,
    private readonly events: ProjectEventsService,
  ) {}

  /** Returns the workspace of the turn's project. */
  async workspace({ principal, project_id }: AgentContext): Promise<ContainerRef> {
    const { company_id, container_id } = await this.resolver.find(principal, {
      source: 'workspace',
      project_id,
    });
    return { company_id, container_id };
  }

  /**
   * Creates or replaces the file at a path with stored content.
   *
   * @throws ToolFailure if a user uploaded the file at the path and no message to answer mentions it
   */
  async place(
    tx: Tx,
    { messages, project_id }: AgentContext,
    workspace: ContainerRef,
    path: string,
    blob: StoredBlob,
  ): Promise<WrittenFile> {
    await this.containers.lock(tx, workspace.company_id, workspace.container_id);
    const present = await this.reader.find(workspace, path, tx);
    const isUpload = present?.source === 'upload';
    if (isUpload && !messages.some((message) => message.to_answer && namesFile(message.content, path))) {
      const reason = `${path} was uploaded by a user and can only be replaced if a message to answer mentions its path`;
      throw new ToolFailure('forbidden', reason, { path });
    }
    // A replaced upload still counts as an upload, so the next turn also needs a message that mentions it.
    const details = {
      content_type: contentTypeByName(path),
      source: isUpload ? ('upload' as const) : ('agent' as const),
    };
    const { size } = await this.fileTree.putFile(tx, workspace, path, blob, details);
    this.events.noteFiles(tx, project_id, [path]);
    return { path, size, replaced: present !== undefined };
  }
}
