import { isWithin, MAX_PATH_BYTES, namesOf } from '../../../packages/paths/index.js';
import { MAX_ENTRIES } from './container.entity.js';
import type { LockedContainer } from './containers.repository.js';
import type { FileTreeRepository, NodePlaces, WalkedNode } from './file-tree.repository.js';

export interface Move {
  source_path: string;
  dest_path: string;
}

/** Nodes held in memory before they are written and forgotten: what is done with them holds up everybody else. */
const MAX_HELD = 5_000;
/** Directories that one batch looks through to find out how long the paths in them are. */
const MAX_MEASURED = 1_000_000;

const NOT_FOUND = 'File not found';
const EXISTS = 'The destination exists already';
const INTO_ITSELF = 'A directory cannot be moved into itself';
const TOO_LONG = `Something in the directory would have a path of more than ${MAX_PATH_BYTES} bytes`;
const FULL = `There would be more than ${MAX_ENTRIES} files and directories; delete some first`;
const TOO_MUCH_TO_MEASURE = 'The directories of this batch hold too much; move this one in a request of its own';

/** A node as the moves until now have left it. */
interface HeldNode {
  /** Undefined for a directory that is still to be inserted. */
  node_id: number | undefined;
  /** Undefined for the root, and for an implied directory that is gone. */
  parent: HeldNode | undefined;
  name: string;
  kind: 'directory' | 'file';
  implied: boolean;
  /** How many nodes are directly in it. */
  entries: number;
  /** What is known of the names in it; null where nothing has the name. */
  children: Map<string, HeldNode | null> | undefined;
  /** Where the database has it, as {@link slotOf}. */
  stored: string | undefined;
}

/** How far a path leads. */
interface Found {
  deepest: HeldNode;
  /** Names that lead on from there. */
  missing: string[];
}

/**
 * Moves of a locked container, made in memory in their order; {@link write} brings what is left of them all into the database,
 * by a few statements however many and however deep they are. What a path leads over is read once, when it is first met.
 */
export class MoveBatch {
  private root: HeldNode;
  private held = 0;
  private nextNode: number;
  private created: HeldNode[] = [];
  private changed = new Set<HeldNode>();
  /** Bytes that paths in directories have at most below them, by the directory's node. */
  private readonly heights = new Map<number, number>();
  private measured = 0;

  constructor(
    /** Of the transaction that holds the lock. */
    private readonly tree: FileTreeRepository,
    private readonly ref: LockedContainer,
    /** Directories that the batch may add. */
    private room: number,
  ) {
    this.nextNode = ref.next_node;
    this.root = newRoot();
  }

  /** Moves a file or directory; resolves with the reason when it cannot be done. */
  async move({ source_path, dest_path }: Move): Promise<string | undefined> {
    if (this.held > MAX_HELD) await this.startAnew();
    const [source, dest] = await this.find([source_path, dest_path]);
    if (source === undefined || dest === undefined || source.missing.length > 0) return NOT_FOUND;
    const name = dest.missing.pop();
    if (name === undefined) return EXISTS;
    const node = source.deepest;
    if (node.kind === 'directory' && isWithin(dest_path, source_path)) return INTO_ITSELF;
    if (dest.deepest.kind === 'file') {
      const names = namesOf(dest_path);
      return `A file is in the way: ${names.slice(0, names.length - dest.missing.length - 1).join('/')}`;
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

  /** Writes what the moves until now have changed. */
  async write(): Promise<void> {
    const created = this.created.filter(({ parent }) => parent !== undefined);
    for (const node of created) node.node_id = this.nextNode++;
    const changed = [...this.changed];
    const doomed = changed.filter(({ parent }) => parent === undefined);
    const moved = changed.filter((node) => node.parent !== undefined && slotOf(node) !== node.stored);

    const left = new Set([...moved, ...doomed].map(({ stored }) => stored));
    if ([...created, ...moved].some((node) => left.has(slotOf(node)))) {
      // Names are unique at every moment, so nodes that follow each other step aside first.
      await this.tree.park(this.ref, [...moved, ...doomed].map(idOf));
    }
    if (created.length > 0) {
      const entries = new Map<HeldNode | undefined, number>();
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

  private async startAnew(): Promise<void> {
    await this.write();
    this.root = newRoot();
    this.held = 0;
  }

  /** Follows paths, with one statement for all that is not known yet. */
  private async find(paths: readonly string[]): Promise<Found[]> {
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
        this.learn(way.node, way.names.slice(way.at), steps);
      });
      for (const way of unknown) descend(way);
    }
    return ways.map(({ node, names, at }) => ({ deepest: node, missing: names.slice(at) }));
  }

  /** Takes in how far names lead from a node, by what was read of the nodes on the way. */
  private learn(from: HeldNode, names: readonly string[], steps: readonly WalkedNode[]): void {
    let at = from;
    for (const [index, { node_id, kind, implied, entries }] of steps.entries()) {
      const name = names[index] ?? '';
      const children = (at.children ??= new Map<string, HeldNode | null>());
      const known = children.get(name);
      const node: HeldNode = known ?? {
        node_id,
        parent: at,
        name,
        kind,
        implied,
        entries,
        children: undefined,
        stored: undefined,
      };
      if (known == null) {
        node.stored = slotOf(node);
        children.set(name, node);
        this.held += 1;
      }
      at = node;
    }
    const next = names[steps.length];
    if (next !== undefined && at.kind === 'directory') {
      at.children ??= new Map();
      if (!at.children.has(next)) at.children.set(next, null);
    }
  }

  private makeDirectories(above: HeldNode, names: readonly string[]): HeldNode {
    this.room -= names.length;
    let parent = above;
    for (const name of names) {
      const made: HeldNode = {
        node_id: undefined,
        parent: undefined,
        name,
        kind: 'directory',
        implied: true,
        entries: 0,
        children: undefined,
        stored: undefined,
      };
      this.created.push(made);
      this.held += 1;
      this.place(made, parent, name);
      parent = made;
    }
    return parent;
  }

  private place(node: HeldNode, parent: HeldNode, name: string): void {
    this.take(node);
    node.parent = parent;
    node.name = name;
    parent.entries += 1;
    (parent.children ??= new Map()).set(name, node);
    this.grow(node);
  }

  /** Takes a node from where it is. */
  private take(node: HeldNode): void {
    if (node.node_id !== undefined) this.changed.add(node);
    if (node.parent === undefined) return;
    node.parent.entries -= 1;
    node.parent.children?.set(node.name, null);
    node.parent = undefined;
  }

  /** Drops a directory that is implied and empty, and so on upwards. */
  private prune(directory: HeldNode | undefined): void {
    let at = directory;
    while (at !== undefined && at.implied && at.entries === 0) {
      const { parent } = at;
      this.room += 1;
      this.take(at);
      at = parent;
    }
  }

  /**
   * Bytes that paths in a directory have below it: at most so many when that is within `room`, else exactly so many; undefined
   * when this batch has looked through enough.
   */
  private async heightOf(directory: HeldNode, room: number): Promise<number | undefined> {
    const known = directory.node_id === undefined ? undefined : this.heights.get(directory.node_id);
    if (known !== undefined && known <= room) return known;
    if (this.measured > MAX_MEASURED) return undefined;
    await this.write();
    const { directories, height } = await this.tree.measure(this.ref, idOf(directory), room);
    this.measured += directories;
    this.heights.set(idOf(directory), height);
    return height;
  }

  /** Directories above a node that has come to them reach down to it and to what is in it. */
  private grow(node: HeldNode): void {
    if (this.heights.size === 0) return;
    const own = node.node_id === undefined ? undefined : this.heights.get(node.node_id);
    let bytes = node.entries === 0 ? 0 : own;
    for (let at = node; at.parent !== undefined; at = at.parent) {
      if (bytes !== undefined) bytes += 1 + Buffer.byteLength(at.name);
      const id = at.parent.node_id;
      const known = id === undefined ? undefined : this.heights.get(id);
      if (id === undefined || known === undefined) continue;
      if (bytes === undefined) this.heights.delete(id);
      else this.heights.set(id, Math.max(known, bytes));
    }
  }
}

const newRoot = (): HeldNode => ({
  node_id: 0,
  parent: undefined,
  name: '',
  kind: 'directory',
  implied: false,
  entries: 0,
  children: undefined,
  stored: undefined,
});

/** Goes on along the names as far as it is known; undefined when what comes next is not. */
function descend(way: { node: HeldNode; names: readonly string[]; at: number }): true | undefined {
  for (let name = way.names[way.at]; name !== undefined; name = way.names[way.at]) {
    if (way.node.kind === 'file') return true;
    const next = way.node.children?.get(name);
    // In a directory that is still to be inserted there is nothing else.
    if (next === undefined && way.node.node_id !== undefined) return undefined;
    if (next == null) return true;
    way.node = next;
    way.at += 1;
  }
  return true;
}

function idOf({ node_id }: HeldNode): number {
  if (node_id === undefined) throw new Error('A directory was not inserted yet');
  return node_id;
}

/** Where a node is, as the database tells places apart; a directory to be inserted has no id that anything could be in. */
const slotOf = ({ parent, name }: HeldNode): string => `${parent?.node_id ?? 'new'}/${name}`;

const placesOf = (nodes: readonly HeldNode[]): NodePlaces => [
  nodes.map(idOf),
  nodes.map(({ parent }) => (parent === undefined ? 0 : idOf(parent))),
  nodes.map(({ name }) => name),
];
