import type { Tx } from '../platform/database/database.js';
import { Conflict } from '../platform/errors/errors.js';
import type { StoredBlob } from './blobs.service.js';
import type { ContainerRef } from './containers.service.js';
import type { FileOrigin } from './node.entity.js';
import { namesOf } from './paths.js';
import type { FileContent } from './tree-reader.service.js';
import { DELETE_EMPTIED, DELETE_SUBTREES, FIND_NODES, INSERT_CHAIN, INSERT_NODES, WALK_PATH } from './tree-sql.js';

// The steps that changes of trees are made of. All of them run under the lock of the container.

/** A node on the way of a path. */
export interface Step {
  node_id: number;
  /** Null for the root. */
  parent_id: number | null;
  kind: 'directory' | 'file';
  implied: boolean;
  /** How many nodes are directly in it. */
  entries: number;
}

/** How far a path exists. */
export class Trail {
  private readonly names: string[];

  constructor(
    path: string,
    /** From the root down. */
    private readonly steps: readonly [Step, ...Step[]],
  ) {
    this.names = namesOf(path);
  }

  /** The node that the whole path leads to. */
  get end(): Step | undefined {
    return this.steps[this.names.length];
  }

  /** The last node there is on the way. */
  get deepest(): Step {
    return this.steps.at(-1) ?? this.steps[0];
  }

  /** Names that lead on from there. */
  get missing(): string[] {
    return this.names.slice(this.steps.length - 1);
  }

  /** Why there can be no directory on the way: a file is. */
  get obstacle(): string | undefined {
    if (this.deepest.kind === 'directory') return undefined;
    return `A file is in the way: ${this.names.slice(0, this.steps.length - 1).join('/')}`;
  }

  /** @throws Conflict */
  assertPassable(): void {
    if (this.obstacle !== undefined) throw new Conflict(this.obstacle);
  }
}

/** Follows a path. */
export async function walk(tx: Tx, ref: ContainerRef, path: string): Promise<Trail> {
  const [root, ...rest]: Step[] = await tx.query(WALK_PATH, [ref.container_id, ref.company_id, [path]]);
  if (root === undefined) throw new Error(`Container ${ref.container_id} has no root`);
  return new Trail(path, [root, ...rest]);
}

/** A file to be made. */
export interface NewFile extends StoredBlob {
  content_type: string | null;
  source: FileOrigin | null;
  /** Whether it gets an id for clients. */
  with_id: boolean;
}

/** Makes directories one inside the other and, where `file` is given, a file under the last name; answers the last. */
export async function insertChain(
  tx: Tx,
  ref: ContainerRef,
  parent_id: number,
  names: readonly string[],
  { implied, file }: { implied: boolean; file?: NewFile },
): Promise<FileContent & { node_id: number }> {
  const [last]: (FileContent & { node_id: number })[] = await tx.query(INSERT_CHAIN, [
    ref.container_id,
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

/** Makes files below an existing directory, with implied directories on the way; nothing may be there yet. */
export async function insertFiles(
  tx: Tx,
  ref: ContainerRef,
  parent_id: number,
  files: readonly (NewFile & { path: string })[],
): Promise<void> {
  const nodes: (Partial<NewFile> & { id: number; parent: number | null; name: string })[] = [];
  const directories = new Map<string, number | null>([['', null]]);
  const add = (parent: number | null, name: string, file?: NewFile): number =>
    nodes.push({ ...file, id: nodes.length, parent, name }) - 1;
  const directory = (names: readonly string[]): number | null => {
    const path = names.join('/');
    const known = directories.get(path);
    if (known !== undefined) return known;
    const made = add(directory(names.slice(0, -1)), names.at(-1) ?? '');
    directories.set(path, made);
    return made;
  };
  for (const { path, ...file } of files) {
    const names = namesOf(path);
    add(directory(names.slice(0, -1)), names.at(-1) ?? '', file);
  }
  await tx.query(INSERT_NODES, [ref.container_id, parent_id, JSON.stringify(nodes), nodes.length]);
}

/**
 * Deletes what paths lead to, with everything below and with the implied directories that are left empty; resolves with the
 * number of files and explicit directories. Paths that lead nowhere are fine.
 */
export async function deletePaths(tx: Tx, ref: ContainerRef, paths: readonly string[]): Promise<number> {
  const found: { node_id: number; parent_id: number | null }[] = await tx.query(FIND_NODES, [
    ref.container_id,
    ref.company_id,
    paths,
  ]);
  return await deleteNodes(tx, ref, found);
}

/** The same for nodes. */
export async function deleteNodes(
  tx: Tx,
  ref: ContainerRef,
  nodes: readonly { node_id: number; parent_id: number | null }[],
): Promise<number> {
  if (nodes.length === 0) return 0;
  if (nodes.some(({ node_id }) => node_id === 0)) throw new Error('The root of a container cannot be deleted');
  const ids = nodes.map(({ node_id }) => node_id);
  const [row]: { deleted: number }[] = await tx.query(DELETE_SUBTREES, [ref.container_id, ids]);
  await tx.query(DELETE_EMPTIED, [ref.container_id, [...new Set(nodes.map(({ parent_id }) => parent_id))]]);
  return row?.deleted ?? 0;
}
