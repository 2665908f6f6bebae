import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database.js';
import { Conflict, NotFound } from '../platform/errors/errors.js';
import type { StoredBlob } from './blobs.service.js';
import type { ContainerKind } from './container.entity.js';
import { type ContainerRef, ContainersService, type LockedContainer } from './containers.service.js';
import { type Move, MoveBatch } from './move-batch.js';
import type { FileOrigin } from './node.entity.js';
import { joinPath } from './paths.js';
import { deleteNodes, deletePaths, insertChain, insertFiles, type NewFile, walk } from './tree-nodes.js';
import { type FileContent, toFile, type TreeFile } from './tree-reader.service.js';
import { COPY_SELECTED, COPY_WHOLE, MAKE_EXPLICIT, REPLACE_FILE } from './tree-sql.js';

/** What is known of a file beside its content; kept in workspaces only. */
export interface FileDetails {
  /** Media type as given by the sender. */
  content_type?: string | null;
  /** Default `upload`. */
  source?: FileOrigin;
}

/** From one container of a company to another one. */
export interface TreeCopy {
  from: ContainerRef;
  to: ContainerRef;
  /** Names at the top of the source that alone are copied. */
  only?: readonly string[];
  /** Names at the top of the source that are not copied. */
  except?: readonly string[];
}

/**
 * Changes trees. Every method locks the container it writes to until the transaction ends, takes normalised paths
 * ({@link normalizePath}) and touches no object of the store.
 *
 * Directories above a file are made with it and are `implied`: they go when nothing is left in them, unless somebody
 * makes them explicitly ({@link makeDirectory}).
 */
@Injectable()
export class TreesService {
  constructor(private readonly containers: ContainersService) {}

  /**
   * Makes a directory with its parents, all explicit; resolves with false when it was there.
   *
   * @throws Conflict when a file is in the way
   */
  async makeDirectory(tx: Tx, ref: ContainerRef, path: string): Promise<boolean> {
    await this.lock(tx, ref);
    const trail = await walk(tx, ref, path);
    trail.assertPassable();
    if (trail.end === undefined) {
      await insertChain(tx, ref, trail.deepest.node_id, trail.missing, { implied: false });
      return true;
    }
    if (trail.end.implied) await tx.query(MAKE_EXPLICIT, [ref.container_id, trail.end.node_id]);
    return false;
  }

  /**
   * Puts a file in place. One that is there gets the new content and stays the same file.
   *
   * @throws Conflict when a directory is there or a file is on the way
   */
  async putFile(
    tx: Tx,
    ref: ContainerRef,
    path: string,
    blob: StoredBlob,
    details: FileDetails = {},
  ): Promise<TreeFile> {
    const { kind } = await this.lock(tx, ref);
    const file = newFile(kind, blob, details);
    const trail = await walk(tx, ref, path);
    if (trail.end?.kind === 'directory') throw new Conflict(`A directory is in the way: ${path}`);
    if (trail.end === undefined) {
      trail.assertPassable();
      return toFile(await insertChain(tx, ref, trail.deepest.node_id, trail.missing, { implied: true, file }), path);
    }
    const { blob_id, size, content_type, source } = file;
    const [replaced]: FileContent[] = await tx.query(REPLACE_FILE, [
      ref.container_id,
      trail.end.node_id,
      blob_id,
      size,
      content_type,
      source,
    ]);
    if (replaced === undefined) throw new Error('A locked file is gone');
    return toFile(replaced, path);
  }

  /**
   * Makes a directory hold exactly these files, by paths relative to it; whatever was there is gone.
   *
   * @throws Conflict when a file is on the way
   */
  async replaceDirectory(
    tx: Tx,
    ref: ContainerRef,
    path: string,
    files: ReadonlyMap<string, StoredBlob>,
    details: FileDetails = {},
  ): Promise<void> {
    const { kind } = await this.lock(tx, ref);
    await deletePaths(tx, ref, [path]);
    const trail = await walk(tx, ref, path);
    trail.assertPassable();
    const prefix = trail.missing.join('/');
    const made = [...files].map(([inside, blob]) => ({
      ...newFile(kind, blob, details),
      path: joinPath(prefix, inside),
    }));
    await insertFiles(tx, ref, trail.deepest.node_id, made);
  }

  /**
   * Deletes a file or directory; resolves with the number of files and explicit directories that went.
   *
   * @throws NotFound
   * @throws Conflict for a directory with something in it, unless `recursive`
   */
  async remove(tx: Tx, ref: ContainerRef, path: string, { recursive }: { recursive: boolean }): Promise<number> {
    await this.lock(tx, ref);
    const trail = await walk(tx, ref, path);
    if (trail.end === undefined) throw new NotFound('File');
    if (!recursive && trail.end.entries > 0) throw new Conflict('The directory is not empty');
    return await deleteNodes(tx, ref, [trail.end]);
  }

  /**
   * Deletes files and directories with all they hold; paths may lie inside each other or lead nowhere. Counts like
   * {@link remove}.
   */
  async removeAll(tx: Tx, ref: ContainerRef, paths: readonly string[]): Promise<number> {
    await this.lock(tx, ref);
    return await deletePaths(tx, ref, paths);
  }

  /**
   * Moves in order, each on what the ones before have left. Resolves, for each, with the reason when it could not be
   * made; that one has changed nothing. No path gets longer than paths may be.
   */
  async moveAll(tx: Tx, ref: ContainerRef, moves: readonly Move[]): Promise<(string | undefined)[]> {
    const { next_node } = await this.lock(tx, ref);
    const batch = new MoveBatch(tx, ref, next_node);
    const problems: (string | undefined)[] = [];
    for (const move of moves) problems.push(await batch.move(move));
    await batch.write();
    return problems;
  }

  /**
   * Copies a tree or a selection of it into another container; resolves with the number of files.
   *
   * What is there already stays: directories are filled, files are kept as they are. Copies in a workspace are new files
   * with source `deployment`; copies in a snapshot are the same files.
   */
  async copy(tx: Tx, { from, to, only, except = [] }: TreeCopy): Promise<number> {
    if (from.company_id !== to.company_id) throw new Error('Trees are copied inside a company only');
    const { kind, next_node } = await this.lock(tx, to);
    const parameters = [from.container_id, to.container_id, kind];
    const whole = only === undefined && except.length === 0 && next_node === 1;
    const [row]: { files: number }[] = whole
      ? await tx.query(COPY_WHOLE, parameters)
      : await tx.query(COPY_SELECTED, [...parameters, only ?? except, only !== undefined]);
    return row?.files ?? 0;
  }

  private async lock(tx: Tx, { company_id, container_id }: ContainerRef): Promise<LockedContainer> {
    const [container] = await this.containers.lock(tx, company_id, container_id);
    if (container === undefined) throw new Error('A locked container has no row');
    return container;
  }
}

/** What a kind of container keeps of a file. */
function newFile(
  kind: ContainerKind,
  blob: StoredBlob,
  { content_type = null, source = 'upload' }: FileDetails,
): NewFile {
  return kind === 'workspace'
    ? { ...blob, content_type, source, with_id: true }
    : { ...blob, content_type: null, source: null, with_id: false };
}
