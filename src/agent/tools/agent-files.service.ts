import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../../events/project-events.service.js';
import type { StoredBlob } from '../../files/blobs/blobs.service.js';
import { contentTypeByName } from '../../files/blobs/content.js';
import { ContainerResolverService } from '../../files/container-resolver.service.js';
import type { ContainerRef } from '../../files/tree/container-ref.js';
import { ContainersService } from '../../files/tree/containers.service.js';
import { FileTreeReaderService } from '../../files/tree/file-tree-reader.service.js';
import { FileTreeService } from '../../files/tree/file-tree.service.js';
import type { Tx } from '../../database/database.service.js';
import type { AgentContext } from '../agent.js';
import { namesFile } from './named-files.js';
import { ToolFailure } from './tool.js';

/** A file that an agent has put in place; `size` in bytes. */
export interface PlacedFile {
  path: string;
  size: number;
  /** Whether there was a file at the path before. */
  replaced: boolean;
}

/** The one container that tools reach, and what they may write there. */
@Injectable()
export class AgentFilesService {
  constructor(
    private readonly resolver: ContainerResolverService,
    private readonly containers: ContainersService,
    private readonly reader: FileTreeReaderService,
    private readonly fileTree: FileTreeService,
    private readonly events: ProjectEventsService,
  ) {}

  /** The workspace of the turn's project. */
  async workspace({ principal, project_id }: AgentContext): Promise<ContainerRef> {
    const { company_id, container_id } = await this.resolver.find(principal, {
      source: 'workspace',
      project_id,
    });
    return { company_id, container_id };
  }

  /**
   * Puts a stored content in place.
   *
   * @throws ToolFailure when a person's file is there that no message to answer has named
   */
  async place(
    tx: Tx,
    { messages, project_id }: AgentContext,
    workspace: ContainerRef,
    path: string,
    blob: StoredBlob,
  ): Promise<PlacedFile> {
    await this.containers.lock(tx, workspace.company_id, workspace.container_id);
    const present = await this.reader.find(workspace, path, tx);
    const isUpload = present?.source === 'upload';
    if (isUpload && !messages.some((message) => message.to_answer && namesFile(message.content, path))) {
      const reason = `${path} was uploaded by a person and is replaced only when their message names it`;
      throw new ToolFailure('forbidden', reason, { path });
    }
    // A replaced upload stays one, so that the next turn has to be told its name again.
    const details = {
      content_type: contentTypeByName(path),
      source: isUpload ? ('upload' as const) : ('agent' as const),
    };
    const { size } = await this.fileTree.putFile(tx, workspace, path, blob, details);
    this.events.noteFiles(tx, project_id, [path]);
    return { path, size, replaced: present !== undefined };
  }
}
