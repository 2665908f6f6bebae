import { EntityRepository } from '../../database/entity-repository.js';
import { joinPath } from '../../../packages/paths/index.js';
import type { ContainerRef, ContainerQuery } from './container-ref.js';
import type { ContainerKind } from './container.entity.js';
import { KNOWN_CONTAINER, listBelow, listChildren, walkBelow, walkChildren } from './file-listing.sql.js';
import * as changes from './file-tree-changes.sql.js';
import * as sql from './file-tree.sql.js';
import type { NewFile, NewNode } from './new-nodes.js';
import { Node } from './node.entity.js';
import { type PathNode, ResolvedPath } from './resolved-path.js';
import { type FileContent, toFile, type TreeFile, type TreePage, type TreePageRequest } from './tree-file.js';

/** File with its location. */
export interface LocatedFile {
  container_id: string;
  path: string;
  blob_id: string;
}

/** Node on a path from a directory. `ord` is the one-based number of the path. */
export interface WalkedNode extends Omit<PathNode, 'parent_id'> {
  ord: number;
}

/** Nodes with their new directories and names. */
export type NodePlaces = [ids: number[], parents: number[], names: string[]];

/** Returns the statement for a page. */
const listing = (recursive: boolean, isWalk: boolean): ((place: string) => string) =>
  isWalk ? (recursive ? walkBelow : walkChildren) : recursive ? listBelow : listChildren;

/**
 * Stores nodes, which are the files and directories of containers. Paths must be normalized.
 *
 * Changes to nodes, and {@link resolve} before them, require a transaction that has locked the container. Reads take no locks.
 * Each read is a single statement, so that its result is a consistent snapshot.
 */
export class FileTreeRepository extends EntityRepository(Node) {
  /**
   * Returns a page of a directory, or undefined if the container does not exist. `total` is null if the directory does not exist.
   */
  async page(
    container: ContainerRef | ContainerQuery,
    path: string,
    { recursive, limit, offset, after }: TreePageRequest,
  ): Promise<(Omit<TreePage, 'total'> & { total: number | null }) | undefined> {
    const [place, identifier, ...scope] =
      'container_id' in container
        ? [KNOWN_CONTAINER, container.container_id]
        : [container.select('$6'), container.identifier, container.scope];
    const statement = listing(recursive, after !== undefined)(place);
    const parameters = [identifier, container.company_id, path, limit, after ?? offset, ...scope];
    const [page]: (Omit<TreePage, 'total'> & { total: number | null })[] = await this.query(statement, parameters);
    return page;
  }

  /** Returns the files at paths. Omits paths without a file. */
  async filesAt({ company_id, container_id }: ContainerRef, paths: readonly string[]): Promise<TreeFile[]> {
    const rows: (FileContent & { ord: number })[] = await this.query(sql.FIND_FILES, [container_id, company_id, paths]);
    return rows.map((row) => toFile(row, paths[row.ord - 1] ?? ''));
  }

  /** Returns the files with these client ids. Omits unknown ids. */
  async filesById({ company_id, container_id }: ContainerRef, ids: readonly string[]): Promise<TreeFile[]> {
    const rows: TreeFile[] = await this.query(sql.FIND_FILES_BY_ID, [container_id, company_id, ids]);
    return rows.map((row) => toFile(row, row.path));
  }

  /** Returns all files at any depth below a directory, ordered by path. Empty if the directory does not exist. */
  async filesBelow({ company_id, container_id }: ContainerRef, path: string): Promise<TreeFile[]> {
    const rows: TreeFile[] = await this.query(sql.FILES_BELOW, [container_id, company_id, [path]]);
    return rows.map((row) => toFile(row, joinPath(path, row.path)));
  }

  /** Returns all files at and below several paths, ordered by path. Each path is in its own container and is not the root. */
  async filesOf(
    company_id: string,
    places: readonly (readonly [container_id: string, path: string])[],
  ): Promise<TreeFile[][]> {
    const rows: (TreeFile & { ord: number })[] = await this.query(sql.FILES_OF, [
      places.map(([container_id]) => container_id),
      company_id,
      places.map(([, path]) => path),
    ]);
    return places.map((_, index) => rows.filter(({ ord }) => ord === index + 1).map((row) => toFile(row, row.path)));
  }

  /** Returns the files that refer to these blobs, in all containers of all companies. */
  async filesOfBlobs(blob_ids: readonly string[]): Promise<LocatedFile[]> {
    return await this.query(sql.FILES_OF_BLOBS, [blob_ids]);
  }

  /** Returns a hash of the paths and contents of everything at and below `paths`. */
  async digest({ company_id, container_id }: ContainerRef, paths: readonly string[]): Promise<string> {
    const [row]: { digest: string }[] = await this.query(sql.DIGEST, [container_id, company_id, paths]);
    if (row === undefined) throw new Error('A digest has no row');
    return row.digest;
  }

  /** Follows a path through its existing nodes. */
  async resolve({ company_id, container_id }: ContainerRef, path: string): Promise<ResolvedPath> {
    const [root, ...rest]: PathNode[] = await this.query(sql.WALK_PATH, [container_id, company_id, [path]]);
    if (root === undefined) throw new Error(`Container ${container_id} has no root`);
    return new ResolvedPath(path, [root, ...rest]);
  }

  /** Returns the nodes at paths. Omits paths without a node. */
  async nodesAt(
    { company_id, container_id }: ContainerRef,
    paths: readonly string[],
  ): Promise<Pick<PathNode, 'node_id' | 'parent_id'>[]> {
    return await this.query(sql.FIND_NODES, [container_id, company_id, paths]);
  }

  /** Returns the nodes on each path, from its directory downwards. */
  async walkFrom(
    { container_id }: ContainerRef,
    directories: readonly number[],
    paths: readonly string[],
  ): Promise<WalkedNode[]> {
    return await this.query(sql.WALK_FROM, [container_id, directories, paths]);
  }

  /**
   * Returns the number of directories at and below a directory, and the maximum length of the paths below it in bytes. The length
   * is an upper bound if it is within `room`, otherwise exact.
   */
  async measure(
    { container_id }: ContainerRef,
    directory: number,
    room: number,
  ): Promise<{ directories: number; height: number }> {
    const [measured]: { directories: number; height: number }[] = await this.query(sql.MEASURE_DIRECTORY, [
      container_id,
      directory,
      room,
    ]);
    if (measured === undefined) throw new Error('A directory that was measured is gone');
    return measured;
  }

  /** Inserts nested directories and, if `file` is given, a file under the last name. Returns the last node. */
  async insertChain(
    { container_id }: ContainerRef,
    parent_id: number,
    names: readonly string[],
    { implied, file }: { implied: boolean; file?: NewFile },
  ): Promise<FileContent & { node_id: number }> {
    const [last]: (FileContent & { node_id: number })[] = await this.query(changes.INSERT_CHAIN, [
      container_id,
      parent_id,
      names,
      implied,
      file?.blob_id ?? null,
      file?.size ?? null,
      file?.content_type ?? null,
      file?.source ?? null,
      file?.with_id ?? false,
    ]);
    if (last === undefined) throw new Error('New nodes have no row');
    return last;
  }

  /** Inserts nodes below an existing directory. Their names must be free. */
  async insertNodes({ container_id }: ContainerRef, parent_id: number, nodes: readonly NewNode[]): Promise<void> {
    await this.query(changes.INSERT_NODES, [container_id, parent_id, JSON.stringify(nodes), nodes.length]);
  }

  /**
   * Inserts implied directories, with the initial number of directories in each. `next_node` is the next free node id afterwards.
   */
  async insertDirectories(
    { container_id }: ContainerRef,
    [ids, parents, names]: NodePlaces,
    entries: readonly number[],
    next_node: number,
  ): Promise<void> {
    await this.query(changes.INSERT_DIRECTORIES, [container_id, ids, parents, names, entries, next_node]);
  }

  /** Makes a directory explicit. */
  async makeExplicit({ container_id }: ContainerRef, node_id: number): Promise<void> {
    await this.query(changes.MAKE_EXPLICIT, [container_id, node_id]);
  }

  /** Replaces the content of a file, which keeps its identity. */
  async replaceFile({ container_id }: ContainerRef, node_id: number, file: NewFile): Promise<FileContent> {
    const { blob_id, size, content_type, source } = file;
    const [replaced]: FileContent[] = await this.query(changes.REPLACE_FILE, [
      container_id,
      node_id,
      blob_id,
      size,
      content_type,
      source,
    ]);
    if (replaced === undefined) throw new Error('A locked file is gone');
    return replaced;
  }

  /** Gives nodes temporary names that paths cannot contain. */
  async park({ container_id }: ContainerRef, node_ids: readonly number[]): Promise<void> {
    await this.query(changes.PARK_NODES, [container_id, node_ids]);
  }

  /** Moves nodes into directories under new names. */
  async move({ container_id }: ContainerRef, [ids, parents, names]: NodePlaces): Promise<void> {
    await this.query(changes.MOVE_NODES, [container_id, ids, parents, names]);
  }

  /** Copies all of a container into an empty container of this kind, and returns the number of files. */
  async copyWhole(from: ContainerRef, to: ContainerRef, kind: ContainerKind): Promise<number> {
    const [row]: { files: number }[] = await this.query(changes.COPY_WHOLE, [from.container_id, to.container_id, kind]);
    return row?.files ?? 0;
  }

  /** Copies the given top-level names of a container, or all other names, depending on `chosen`. Returns the number of files. */
  async copySelected(
    from: ContainerRef,
    to: ContainerRef,
    kind: ContainerKind,
    names: readonly string[],
    chosen: boolean,
  ): Promise<number> {
    const parameters = [from.container_id, to.container_id, kind, names, chosen];
    const [row]: { files: number }[] = await this.query(changes.COPY_SELECTED, parameters);
    return row?.files ?? 0;
  }

  /**
   * Deletes nodes with everything below them, and implied directories that become empty. Returns the number of files and explicit
   * directories.
   */
  async deleteSubtrees(
    { container_id }: ContainerRef,
    nodes: readonly Pick<PathNode, 'node_id' | 'parent_id'>[],
  ): Promise<number> {
    const ids = nodes.map(({ node_id }) => node_id);
    const [row]: { deleted: number }[] = await this.query(changes.DELETE_SUBTREES, [container_id, ids]);
    await this.query(changes.DELETE_EMPTIED, [container_id, [...new Set(nodes.map(({ parent_id }) => parent_id))]]);
    return row?.deleted ?? 0;
  }

  /** Deletes empty directories. */
  async deleteEmpty({ container_id }: ContainerRef, node_ids: readonly number[]): Promise<void> {
    await this.query(changes.DELETE_NODES, [container_id, node_ids]);
  }

  /** Deletes at most `limit` nodes of a deleted container from the leaves upwards, and returns their number. */
  async deleteLeaves(container_id: string, limit: number): Promise<number> {
    const [row]: { deleted: number }[] = await this.query(changes.DELETE_LEAVES, [container_id, limit]);
    return row?.deleted ?? 0;
  }
}
