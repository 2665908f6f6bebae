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

/** Copy from one of a company's containers to another. */
export interface TreeCopy {
  from: ContainerRef;
  to: ContainerRef;
  /** Top-level names of the source to copy. All other names are omitted. */
  only?: readonly string[];
  /** Top-level names of the source to omit. */
  except?: readonly string[];
}

/**
 * Changes trees. Every method locks its target container until the transaction ends, requires normalized paths ({@link
 * normalizePath}) and does not access the object store.
 *
 * Missing directories above a file are created with it as `implied` directories. They are deleted when they become empty, unless
 * a client creates them explicitly ({@link makeDirectory}).
 */
@Injectable()
export class FileTreeService {
  constructor(
    private readonly containers: ContainersService,
    private readonly tree: FileTreeRepository,
  ) {}

  /**
   * Creates a directory with its parents, all of them explicit. Returns false if it already existed.
   *
   * @throws Conflict if a file is in the way
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
   * Writes a file. An existing file gets the new content and keeps its identity.
   *
   * @throws Conflict if a directory is at the path or a file is in the way
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
      throw new Conflict('directory_in_the_way', `A directory already exists at ${path}`);
    if (resolved.end === undefined) {
      resolved.assertPassable();
      const { deepest, missing } = resolved;
      await assertRoom(tree, container, missing.length);
      return toFile(await tree.insertChain(ref, deepest.node_id, missing, { implied: true, file }), path);
    }
    return toFile(await tree.replaceFile(ref, resolved.end.node_id, file), path);
  }

  /**
   * Replaces the contents of a directory with these files, whose paths are relative to it.
   *
   * @throws Conflict if a file is in the way
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
    const newFiles = [...files].map(([inside, blob]) => ({
      ...newFile(container.kind, blob, details),
      path: joinPath(prefix, inside),
    }));
    const nodes = withDirectories(newFiles);
    await assertRoom(tree, container, nodes.length);
    await tree.insertNodes(ref, resolved.deepest.node_id, nodes);
  }

  /**
   * Deletes a file or directory. Returns the number of deleted files and explicit directories.
   *
   * @throws NotFound
   * @throws Conflict if the directory is not empty, unless `recursive` is true
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
   * Deletes files and directories with their contents. Paths may be nested or may not exist. Returns the same count as {@link
   * remove}.
   */
  async removeAll(tx: Tx, ref: ContainerRef, paths: readonly string[]): Promise<number> {
    await this.lock(tx, ref);
    const tree = tx.withRepository(this.tree);
    return await deleteNodes(tree, ref, await tree.nodesAt(ref, paths));
  }

  /**
   * Applies moves in order, each based on the result of the earlier moves. Returns the failure reason of each move, or
   * undefined if it succeeded. A failed move changes nothing, and no path exceeds the maximum length.
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
   * Copies a tree or a selection of it into another container, and returns the number of files.
   *
   * Existing directories are filled, and existing files are kept. Copies in a workspace are new files with source `deployment`.
   * Copies in a snapshot are the same files.
   */
  async copy(tx: Tx, { from, to, only, except = [] }: TreeCopy): Promise<number> {
    if (from.company_id !== to.company_id) throw new Error('Trees cannot be copied between companies');
    const { kind, next_node } = await this.lock(tx, to);
    const tree = tx.withRepository(this.tree);
    const isWhole = only === undefined && except.length === 0 && next_node === 1;
    const files = isWhole
      ? await tree.copyWhole(from, to, kind)
      : await tree.copySelected(from, to, kind, only ?? except, only !== undefined);
    // Only the statement knows how many entries it adds. A copy into an empty tree has the size of its source.
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
 * Returns how many more entries a locked tree can hold. Returns `added` without counting if that many are known to fit. Node ids
 * are never reused, so only a tree that has used many ids can be full.
 */
async function roomOf(tree: FileTreeRepository, container: LockedContainer, added: number): Promise<number> {
  if (CONTAINER_KINDS[container.kind].limited === undefined) return Infinity;
  if (container.next_node - 1 + added <= MAX_ENTRIES) return added;
  // The count includes the root.
  const nodes = await tree.countBy({ container_id: container.container_id });
  return MAX_ENTRIES + 1 - nodes;
}

/** @throws Conflict if a locked tree cannot hold this many more entries */
async function assertRoom(tree: FileTreeRepository, container: LockedContainer, added: number): Promise<void> {
  if ((await roomOf(tree, container, added)) >= added) return;
  throw new Conflict(
    'tree_full',
    `A ${CONTAINER_KINDS[container.kind].limited} can have at most ${MAX_ENTRIES} files and directories; delete some first`,
  );
}

/** Deletes nodes with everything below them, and returns the number of files and explicit directories. */
async function deleteNodes(
  tree: FileTreeRepository,
  ref: ContainerRef,
  nodes: readonly Pick<PathNode, 'node_id' | 'parent_id'>[],
): Promise<number> {
  if (nodes.length === 0) return 0;
  if (nodes.some(({ node_id }) => node_id === 0)) throw new Error('The root of a container cannot be deleted');
  return await tree.deleteSubtrees(ref, nodes);
}
