import { isWithin, MAX_PATH_BYTES, namesOf } from '../../../packages/paths/index.js';
import { MAX_ENTRIES } from './container.entity.js';
import type { LockedContainer } from './containers.repository.js';
import type { FileTreeRepository, NodePlaces, WalkedNode } from './file-tree.repository.js';

export interface Move {
  source_path: string;
  dest_path: string;
}

/** Maximum number of nodes in memory before they are written and discarded. Processing them blocks other requests. */
const MAX_HELD = 5_000;
/** Maximum number of directories that a batch scans to measure the length of their paths. */
const MAX_MEASURED = 1_000_000;

const NOT_FOUND = 'File not found';
const EXISTS = 'The destination already exists';
const INTO_ITSELF = 'A directory cannot be moved into itself';
const TOO_LONG = `A path in the directory would exceed ${MAX_PATH_BYTES} bytes`;
const FULL = `There would be more than ${MAX_ENTRIES} files and directories; delete some first`;
const TOO_MUCH_TO_MEASURE = 'The directories in this batch are too large; move this one in a separate request';

/** Node as it is after the moves made so far. */
interface CachedNode {
  /** Undefined for a directory that has not been inserted yet. */
  node_id: number | undefined;
  /** Undefined for the root, and for an implied directory that was dropped. */
  parent: CachedNode | undefined;
  name: string;
  kind: 'directory' | 'file';
  implied: boolean;
  /** Number of direct entries. */
  entries: number;
  /** Known entries in the directory, by name. Null if no entry has the name. */
  children: Map<string, CachedNode | null> | undefined;
  /** Location in the database, as {@link slotOf}. */
  stored: string | undefined;
}

/** Outcome of following a path. */
interface PathResult {
  deepest: CachedNode;
  /** Remaining names that do not exist. */
  missing: string[];
}

/**
 * Applies moves to a locked container, in memory and in order. {@link write} saves the result. The number of statements depends
 * neither on the number nor on the depth of the moves. The nodes on a path are read once, when they are first needed.
 */
export class MoveBatch {
  private root: CachedNode;
  private cachedNodes = 0;
  private nextNode: number;
  private created: CachedNode[] = [];
  private changed = new Set<CachedNode>();
  /** Maximum length in bytes of the paths below directories, by node id of the directory. */
  private readonly heights = new Map<number, number>();
  private measured = 0;

  constructor(
    /** Repository of the transaction that holds the lock. */
    private readonly tree: FileTreeRepository,
    private readonly ref: LockedContainer,
    /** Number of directories that the batch may add. */
    private room: number,
  ) {
    this.nextNode = ref.next_node;
    this.root = newRoot();
  }

  /** Moves a file or directory. Returns the reason for a failure, or undefined after success. */
  async move({ source_path, dest_path }: Move): Promise<string | undefined> {
    if (this.cachedNodes > MAX_HELD) await this.restart();
    const [source, dest] = await this.find([source_path, dest_path]);
    if (source === undefined || dest === undefined || source.missing.length > 0) return NOT_FOUND;
    const name = dest.missing.pop();
    if (name === undefined) return EXISTS;
    const node = source.deepest;
    if (node.kind === 'directory' && isWithin(dest_path, source_path)) return INTO_ITSELF;
    if (dest.deepest.kind === 'file') {
      const names = namesOf(dest_path);
      return `A file already exists at ${names.slice(0, names.length - dest.missing.length - 1).join('/')}`;
    }
    if (dest.missing.length > Math.max(this.room, 0)) return FULL;
    const room = MAX_PATH_BYTES - Buffer.byteLength(dest_path);
    if (node.kind === 'directory' && Buffer.byteLength(dest_path) > Buffer.byteLength(source_path)) {
      const height = await this.heightOf(node, room);
      if (height === undefined) return TOO_MUCH_TO_MEASURE;
      if (height > room) return TOO_LONG;
    }
    const from = node.parent;
    this.place(node, this.makeDirectories(dest.deepest, dest.missing), name);
    this.prune(from);
    return undefined;
  }

  /** Writes the changes from the moves made so far. */
  async write(): Promise<void> {
    const created = this.created.filter(({ parent }) => parent !== undefined);
    for (const node of created) node.node_id = this.nextNode++;
    const changed = [...this.changed];
    const doomed = changed.filter(({ parent }) => parent === undefined);
    const moved = changed.filter((node) => node.parent !== undefined && slotOf(node) !== node.stored);

    const freedSlots = new Set([...moved, ...doomed].map(({ stored }) => stored));
    if ([...created, ...moved].some((node) => freedSlots.has(slotOf(node)))) {
      // Names must be unique after every statement, so nodes that replace each other get temporary names first.
      await this.tree.park(this.ref, [...moved, ...doomed].map(idOf));
    }
    if (created.length > 0) {
      const entries = new Map<CachedNode | undefined, number>();
      for (const { parent } of created) entries.set(parent, (entries.get(parent) ?? 0) + 1);
      const counts = created.map((node) => entries.get(node) ?? 0);
      await this.tree.insertDirectories(this.ref, placesOf(created), counts, this.nextNode);
    }
    if (moved.length > 0) await this.tree.move(this.ref, placesOf(moved));
    if (doomed.length > 0) await this.tree.deleteEmpty(this.ref, doomed.map(idOf));

    for (const node of [...created, ...moved]) node.stored = slotOf(node);
    this.created = [];
    this.changed = new Set();
  }

  private async restart(): Promise<void> {
    await this.write();
    this.root = newRoot();
    this.cachedNodes = 0;
  }

  /** Follows paths with a single statement for all unknown nodes. */
  private async find(paths: readonly string[]): Promise<PathResult[]> {
    const ways = paths.map((path) => ({ node: this.root, names: namesOf(path), at: 0 }));
    const unknown = ways.filter((way) => descend(way) === undefined);
    if (unknown.length > 0) {
      const rows = await this.tree.walkFrom(
        this.ref,
        unknown.map(({ node }) => idOf(node)),
        unknown.map(({ names, at }) => names.slice(at).join('/')),
      );
      unknown.forEach((way, index) => {
        const steps = rows.filter(({ ord }) => ord === index + 1);
        this.cacheSteps(way.node, way.names.slice(way.at), steps);
      });
      for (const way of unknown) descend(way);
    }
    return ways.map(({ node, names, at }) => ({ deepest: node, missing: names.slice(at) }));
  }

  /** Caches the nodes `steps` that were read along a path below `from`, and the first name that does not exist. */
  private cacheSteps(from: CachedNode, names: readonly string[], steps: readonly WalkedNode[]): void {
    let at = from;
    for (const [index, { node_id, kind, implied, entries }] of steps.entries()) {
      const name = names[index] ?? '';
      const children = (at.children ??= new Map<string, CachedNode | null>());
      const cached = children.get(name);
      const node: CachedNode = cached ?? {
        node_id,
        parent: at,
        name,
        kind,
        implied,
        entries,
        children: undefined,
        stored: undefined,
      };
      if (cached == null) {
        node.stored = slotOf(node);
        children.set(name, node);
        this.cachedNodes += 1;
      }
      at = node;
    }
    const next = names[steps.length];
    if (next !== undefined && at.kind === 'directory') {
      at.children ??= new Map();
      if (!at.children.has(next)) at.children.set(next, null);
    }
  }

  private makeDirectories(above: CachedNode, names: readonly string[]): CachedNode {
    this.room -= names.length;
    let parent = above;
    for (const name of names) {
      const directory: CachedNode = {
        node_id: undefined,
        parent: undefined,
        name,
        kind: 'directory',
        implied: true,
        entries: 0,
        children: undefined,
        stored: undefined,
      };
      this.created.push(directory);
      this.cachedNodes += 1;
      this.place(directory, parent, name);
      parent = directory;
    }
    return parent;
  }

  private place(node: CachedNode, parent: CachedNode, name: string): void {
    this.take(node);
    node.parent = parent;
    node.name = name;
    parent.entries += 1;
    (parent.children ??= new Map()).set(name, node);
    this.grow(node);
  }

  /** Detaches a node from its directory. */
  private take(node: CachedNode): void {
    if (node.node_id !== undefined) this.changed.add(node);
    if (node.parent === undefined) return;
    node.parent.entries -= 1;
    node.parent.children?.set(node.name, null);
    node.parent = undefined;
  }

  /** Drops a directory if it is implied and empty, and then each parent for which this becomes true. */
  private prune(directory: CachedNode | undefined): void {
    let at = directory;
    while (at !== undefined && at.implied && at.entries === 0) {
      const { parent } = at;
      this.room += 1;
      this.take(at);
      at = parent;
    }
  }

  /**
   * Returns the maximum length of the paths below a directory in bytes. It is an upper bound if it is within `room`, otherwise
   * exact. Returns undefined if this batch has reached its scan limit.
   */
  private async heightOf(directory: CachedNode, room: number): Promise<number | undefined> {
    const measured = directory.node_id === undefined ? undefined : this.heights.get(directory.node_id);
    if (measured !== undefined && measured <= room) return measured;
    if (this.measured > MAX_MEASURED) return undefined;
    await this.write();
    const { directories, height } = await this.tree.measure(this.ref, idOf(directory), room);
    this.measured += directories;
    this.heights.set(idOf(directory), height);
    return height;
  }

  /** Updates the path lengths of the directories above a node that was moved into them. */
  private grow(node: CachedNode): void {
    if (this.heights.size === 0) return;
    const own = node.node_id === undefined ? undefined : this.heights.get(node.node_id);
    let bytes = node.entries === 0 ? 0 : own;
    for (let at = node; at.parent !== undefined; at = at.parent) {
      if (bytes !== undefined) bytes += 1 + Buffer.byteLength(at.name);
      const id = at.parent.node_id;
      const height = id === undefined ? undefined : this.heights.get(id);
      if (id === undefined || height === undefined) continue;
      if (bytes === undefined) this.heights.delete(id);
      else this.heights.set(id, Math.max(height, bytes));
    }
  }
}

const newRoot = (): CachedNode => ({
  node_id: 0,
  parent: undefined,
  name: '',
  kind: 'directory',
  implied: false,
  entries: 0,
  children: undefined,
  stored: undefined,
});

/** Follows the names as far as nodes are known. Returns undefined if the next node is unknown. */
function descend(way: { node: CachedNode; names: readonly string[]; at: number }): true | undefined {
  for (let name = way.names[way.at]; name !== undefined; name = way.names[way.at]) {
    if (way.node.kind === 'file') return true;
    const next = way.node.children?.get(name);
    // A directory that is not inserted yet has no other entries.
    if (next === undefined && way.node.node_id !== undefined) return undefined;
    if (next == null) return true;
    way.node = next;
    way.at += 1;
  }
  return true;
}

function idOf({ node_id }: CachedNode): number {
  if (node_id === undefined) throw new Error('A directory was not inserted yet');
  return node_id;
}

/**
 * Returns a key for the location of a node in the database. A directory that is not inserted yet has no entries in the
 * database.
 */
const slotOf = ({ parent, name }: CachedNode): string => `${parent?.node_id ?? 'new'}/${name}`;

const placesOf = (nodes: readonly CachedNode[]): NodePlaces => [
  nodes.map(idOf),
  nodes.map(({ parent }) => (parent === undefined ? 0 : idOf(parent))),
  nodes.map(({ name }) => name),
];
