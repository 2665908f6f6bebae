import { Injectable } from '@nestjs/common';
import { BlobsService, type StoredBlob } from '../files/blobs/blobs.service.js';
import { FileTreeService } from '../files/tree/file-tree.service.js';
import type { Tx } from '../platform/database/database.service.js';
import { Conflict, TooLarge } from '../platform/errors/errors.js';
import type { Project } from '../projects/project.entity.js';
import type { LeasedExecution } from './executions.repository.js';

/** Where a project finds the result of an execution. */
const resultPath = (execution_id: string): string => `results/${execution_id}.json`;

/** Results as files of the workspace. A result that cannot be written there is still in the execution. */
@Injectable()
export class ResultFiles {
  constructor(
    private readonly blobs: BlobsService,
    private readonly fileTree: FileTreeService,
  ) {}

  /** Writes the content of the file; null when the company may keep no more. */
  async store({ id, company_id }: LeasedExecution, json: string): Promise<StoredBlob | null> {
    try {
      return await this.blobs.store(company_id, `{"execution_id":"${id}",${json.slice(1)}\n`);
    } catch (error) {
      if (error instanceof TooLarge) return null;
      throw error;
    }
  }

  /** Puts the file in place and answers its path; null when something else is in the way. */
  async put(
    tx: Tx,
    { company_id, workspace_id: container_id }: Project,
    execution_id: string,
    blob: StoredBlob | null,
  ): Promise<string | null> {
    if (blob === null) return null;
    const path = resultPath(execution_id);
    const details = { content_type: 'application/json', source: 'execution' as const };
    try {
      await tx.transaction(async (inner: Tx) => {
        await this.fileTree.putFile(inner, { company_id, container_id }, path, blob, details);
      });
      return path;
    } catch (error) {
      if (error instanceof Conflict) return null;
      throw error;
    }
  }
}
