import { Conflict } from '../../common/errors/errors.js';
import { namesOf } from '../../../packages/paths/index.js';

export interface PathNode {
  node_id: number;
  /** Null for the root. */
  parent_id: number | null;
  kind: 'directory' | 'file';
  implied: boolean;
  /** Number of direct entries. */
  entries: number;
}

/** Existing part of a path. */
export class ResolvedPath {
  private readonly names: string[];

  constructor(
    path: string,
    /** Nodes from the root downwards. */
    private readonly nodes: readonly [PathNode, ...PathNode[]],
  ) {
    this.names = namesOf(path);
  }

  /** Node at the end of the whole path. */
  get end(): PathNode | undefined {
    return this.nodes[this.names.length];
  }

  /** Last existing node on the path. */
  get deepest(): PathNode {
    return this.nodes.at(-1) ?? this.nodes[0];
  }

  /** Remaining names that do not exist. */
  get missing(): string[] {
    return this.names.slice(this.nodes.length - 1);
  }

  /** Reason why a directory cannot be created on the path: a file is in the way. */
  get obstacle(): string | undefined {
    if (this.deepest.kind === 'directory') return undefined;
    return `A file already exists at ${this.names.slice(0, this.nodes.length - 1).join('/')}`;
  }

  /** @throws Conflict */
  assertPassable(): void {
    if (this.obstacle !== undefined) throw new Conflict('file_in_the_way', this.obstacle);
  }
}
