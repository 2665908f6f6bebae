import type { ExecutionId } from '../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { BlobsService, type StoredBlob } from '../files/blobs/blobs.service.js';
import { ContainersService } from '../files/tree/containers.service.js';
import { FileTreeService } from '../files/tree/file-tree.service.js';
import type { Tx } from '../database/database.service.js';
import { Conflict, TooLarge } from '../common/errors/errors.js';
import type { Project } from '../projects/project.entity.js';
import type { ExecutionResult } from './execution.entity.js';
import type { LeasedExecution } from './executions.repository.js';
import type { Solved } from './solver/task.js';

/** Stored contents of a result: the complete result and its tables. */
export interface StoredResult {
  /** Complete result as JSON. Null if the company's storage is full. */
  whole: StoredBlob | null;
  tables: { name: string; blob: StoredBlob }[];
  /** Members of indexed variables. Null for models without such variables, or if the company's storage is full. */
  members: StoredBlob | null;
}

/** Workspace paths of a result. */
export type ResultPaths = Pick<ExecutionResult, 'file_path' | 'table_paths'>;

/** Workspace folder with the result file and the table folder of each execution. */
const RESULTS = 'results';
/** Name of the file in the result container that holds the members of indexed variables. */
export const MEMBERS = 'members.csv';

/** Writes results to files in the workspace. If that fails, the result is still stored in the execution. */
@Injectable()
export class ResultFilesService {
  constructor(
    private readonly blobs: BlobsService,
    private readonly containers: ContainersService,
    private readonly fileTree: FileTreeService,
    private readonly events: ProjectEventsService,
  ) {}

  /** Stores the file contents of a result. */
  async store({ id, company_id }: LeasedExecution, { json, tables, members }: Solved): Promise<StoredResult> {
    // Written first in case storage is almost full, because only this file contains all members in a format that the service
    // reads.
    const membersBlob = members === undefined ? null : await this.write(company_id, bufferOf(members));
    const whole = await this.write(company_id, `{"execution_id":"${id}",${json.slice(1)}\n`);
    const stored: StoredResult['tables'] = [];
    for (const { name, content } of tables) {
      const blob = await this.write(company_id, bufferOf(content));
      if (blob !== null) stored.push({ name, blob });
    }
    return { whole, tables: stored, members: membersBlob };
  }

  /**
   * Adds the members to a new container, so that the service can read them later. Returns undefined if there are no members.
   */
  async keep(tx: Tx, company_id: string, { members }: StoredResult): Promise<string | undefined> {
    if (members === null) return undefined;
    const container_id = await this.containers.create(tx, company_id, 'snapshot');
    await this.fileTree.putFile(tx, { company_id, container_id }, MEMBERS, members);
    return container_id;
  }

  /**
   * Adds the files to the workspace and returns their paths. Skips files whose path conflicts with an existing file or folder.
   */
  async put(
    tx: Tx,
    project: Project,
    execution_id: ExecutionId,
    { whole, tables }: StoredResult,
  ): Promise<ResultPaths> {
    const table_paths: string[] = [];
    for (const { name, blob } of tables) {
      const path = await this.putOne(tx, project, `${RESULTS}/${execution_id}/${name}`, blob, 'text/csv');
      if (path !== null) table_paths.push(path);
    }
    const file_path =
      whole && (await this.putOne(tx, project, `${RESULTS}/${execution_id}.json`, whole, 'application/json'));
    this.events.noteFiles(tx, project.id, [...(file_path === null ? [] : [file_path]), ...table_paths]);
    return { file_path, ...(table_paths.length > 0 && { table_paths }) };
  }

  private async write(company_id: string, content: string | Buffer): Promise<StoredBlob | null> {
    try {
      return await this.blobs.store(company_id, content);
    } catch (error) {
      if (error instanceof TooLarge) return null;
      throw error;
    }
  }

  private async putOne(
    tx: Tx,
    { company_id, workspace_id: container_id }: Project,
    path: string,
    blob: StoredBlob,
    content_type: string,
  ): Promise<string | null> {
    try {
      await tx.transaction(async (inner: Tx) => {
        await this.fileTree.putFile(inner, { company_id, container_id }, path, blob, {
          content_type,
          source: 'execution',
        });
      });
      return path;
    } catch (error) {
      if (error instanceof Conflict) return null;
      throw error;
    }
  }
}

/** Returns a buffer that shares the memory of the array. */
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
