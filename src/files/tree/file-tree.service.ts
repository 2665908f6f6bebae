import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/database.service.js';
import { Conflict, NotFound } from '../../common/errors/errors.js';
import type { StoredBlob } from '../blobs/blobs.service.js';
import { joinPath, namesOf } from '../../../packages/paths/index.js';
import type { ContainerRef } from './container-ref.js';
import { CONTAINER_KINDS, MAX_ENTRIES } from './container.entity.js';
import type { LockedContainer } from './containers.repository.js';
import { ContainersService } from './containers.service.js';
import { FileTreeRepository } from './file-tree.repository.js';
import { type Move, MoveBatch } from './move-batch.js';
import { type FileDetails, newFile, withDirectories } from './new-nodes.js';
import type { PathNode } from './resolved-path.js';
import { toFile, type TreeFile } from './tree-file.js';

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
export class FileTreeService {
  constructor(
    private readonly containers: ContainersService,
    private readonly tree: FileTreeRepository,
  ) {}

  /**
   * Makes a directory with its parents, all explicit; resolves with false when it was there.
   *
   * @throws Conflict when a file is in the way
   */
  async makeDirectory(tx: Tx, ref: ContainerRef, path: string): Promise<boolean> {
    const container = await this.lock(tx, ref);
    const tree = tx.withRepository(this.tree);
    const resolved = await tree.resolve(ref, path);
    resolved.assertPassable();
    if (resolved.end === undefined) {
      await assertRoom(tree, container, resolved.missing.length);
      await tree.insertChain(ref, resolved.deepest.node_id, resolved.missing, { implied: false });
      return true;
    }
    if (resolved.end.implied) await tree.makeExplicit(ref, resolved.end.node_id);
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
    const container = await this.lock(tx, ref);
    const file = newFile(container.kind, blob, details);
    const tree = tx.withRepository(this.tree);
    const resolved = await tree.resolve(ref, path);
    if (resolved.end?.kind === 'directory')
      throw new Conflict('directory_in_the_way', `A directory is in the way: ${path}`);
    if (resolved.end === undefined) {
      resolved.assertPassable();
      const { deepest, missing } = resolved;
      await assertRoom(tree, container, missing.length);
      return toFile(await tree.insertChain(ref, deepest.node_id, missing, { implied: true, file }), path);
    }
    return toFile(await tree.replaceFile(ref, resolved.end.node_id, file), path);
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
    const container = await this.lock(tx, ref);
    const tree = tx.withRepository(this.tree);
    await deleteNodes(tree, ref, await tree.nodesAt(ref, [path]));
    const resolved = await tree.resolve(ref, path);
    resolved.assertPassable();
    const prefix = resolved.missing.join('/');
    const made = [...files].map(([inside, blob]) => ({
      ...newFile(container.kind, blob, details),
      path: joinPath(prefix, inside),
    }));
    const nodes = withDirectories(made);
    await assertRoom(tree, container, nodes.length);
    await tree.insertNodes(ref, resolved.deepest.node_id, nodes);
  }

  /**
   * Deletes a file or directory; resolves with the number of files and explicit directories that went.
   *
   * @throws NotFound
   * @throws Conflict for a directory with something in it, unless `recursive`
   */
  async remove(tx: Tx, ref: ContainerRef, path: string, { recursive }: { recursive: boolean }): Promise<number> {
    await this.lock(tx, ref);
    const tree = tx.withRepository(this.tree);
    const { end } = await tree.resolve(ref, path);
    if (end === undefined) throw new NotFound('File');
    if (!recursive && end.entries > 0) throw new Conflict('directory_not_empty', 'The directory is not empty');
    return await deleteNodes(tree, ref, [end]);
  }

  /**
   * Deletes files and directories with all they hold; paths may lie inside each other or lead nowhere. Counts like
   * {@link remove}.
   */
  async removeAll(tx: Tx, ref: ContainerRef, paths: readonly string[]): Promise<number> {
    await this.lock(tx, ref);
    const tree = tx.withRepository(this.tree);
    return await deleteNodes(tree, ref, await tree.nodesAt(ref, paths));
  }

  /**
   * Moves in order, each on what the ones before have left. Resolves, for each, with the reason when it could not be
   * made; that one has changed nothing. No path gets longer than paths may be.
   */
  async moveAll(tx: Tx, ref: ContainerRef, moves: readonly Move[]): Promise<(string | undefined)[]> {
    const container = await this.lock(tx, ref);
    const tree = tx.withRepository(this.tree);
    const most = moves.reduce((sum, { dest_path }) => sum + namesOf(dest_path).length, 0);
    const batch = new MoveBatch(tree, container, await roomOf(tree, container, most));
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
    const tree = tx.withRepository(this.tree);
    const isWhole = only === undefined && except.length === 0 && next_node === 1;
    const files = isWhole
      ? await tree.copyWhole(from, to, kind)
      : await tree.copySelected(from, to, kind, only ?? except, only !== undefined);
    // Only the statement knows how many entries it adds. A copy into an empty tree is as large as its source.
    if (next_node > 1) await assertRoom(tree, await this.lock(tx, to), 0);
    return files;
  }

  private async lock(tx: Tx, { company_id, container_id }: ContainerRef): Promise<LockedContainer> {
    const [container] = await this.containers.lock(tx, company_id, container_id);
    if (container === undefined) throw new Error('A locked container has no row');
    return container;
  }
}

/**
 * Returns how many entries a locked tree has room for, or `added` if it surely has room for so many. Node ids are never used again, so
 * entries are counted only in trees that have had many.
 */
async function roomOf(tree: FileTreeRepository, container: LockedContainer, added: number): Promise<number> {
  if (CONTAINER_KINDS[container.kind].limited === undefined) return Infinity;
  if (container.next_node - 1 + added <= MAX_ENTRIES) return added;
  // Including the root.
  const nodes = await tree.countBy({ container_id: container.container_id });
  return MAX_ENTRIES + 1 - nodes;
}

/** @throws Conflict if a locked tree has no room for so many more entries */
async function assertRoom(tree: FileTreeRepository, container: LockedContainer, added: number): Promise<void> {
  if ((await roomOf(tree, container, added)) >= added) return;
  throw new Conflict(
    'tree_full',
    `A ${CONTAINER_KINDS[container.kind].limited} has at most ${MAX_ENTRIES} files and directories; delete some first`,
  );
}

/** Deletes nodes with everything below; resolves with the number of files and explicit directories. */
async function deleteNodes(
  tree: FileTreeRepository,
  ref: ContainerRef,
  nodes: readonly Pick<PathNode, 'node_id' | 'parent_id'>[],
): Promise<number> {
  if (nodes.length === 0) return 0;
  if (nodes.some(({ node_id }) => node_id === 0)) throw new Error('The root of a container cannot be deleted');
  return await tree.deleteSubtrees(ref, nodes);
}
