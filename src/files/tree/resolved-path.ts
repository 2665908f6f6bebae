import { Conflict } from '../../common/errors/errors.js';
import { namesOf } from '../../../packages/paths/index.js';

/** A node that a path leads over. */
export interface PathNode {
  node_id: number;
  /** Null for the root. */
  parent_id: number | null;
  kind: 'directory' | 'file';
  implied: boolean;
  /** How many nodes are directly in it. */
  entries: number;
}

/** How far a path exists. */
export class ResolvedPath {
  private readonly names: string[];

  constructor(
    path: string,
    /** From the root down. */
    private readonly nodes: readonly [PathNode, ...PathNode[]],
  ) {
    this.names = namesOf(path);
  }

  /** The node that the whole path leads to. */
  get end(): PathNode | undefined {
    return this.nodes[this.names.length];
  }

  /** The last node there is on the way. */
  get deepest(): PathNode {
    return this.nodes.at(-1) ?? this.nodes[0];
  }

  /** Names that lead on from there. */
  get missing(): string[] {
    return this.names.slice(this.nodes.length - 1);
  }

  /** Why there can be no directory on the way: a file is. */
  get obstacle(): string | undefined {
    if (this.deepest.kind === 'directory') return undefined;
    return `A file is in the way: ${this.names.slice(0, this.nodes.length - 1).join('/')}`;
  }

  /** @throws Conflict */
  assertPassable(): void {
    if (this.obstacle !== undefined) throw new Conflict('file_in_the_way', this.obstacle);
  }
}
