/** Simple in-memory file tree with which tests compare the real tree. */

export interface ModelFile {
  kind: 'file';
  content: string;
  id: string | null;
}

export interface ModelDirectory {
  kind: 'directory';
  implied: boolean;
}

export type ModelNode = ModelFile | ModelDirectory;

export interface ModelMove {
  source_path: string;
  dest_path: string;
}

/** Result of a rejected operation. */
export class Refusal {
  constructor(readonly status: 404 | 409) {}
}

const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/');
const within = (path: string, ancestor: string): boolean => path === ancestor || path.startsWith(`${ancestor}/`);
const topOf = (path: string): string => path.split('/')[0] ?? '';
const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

export class ModelTree {
  /** Nodes by path, without the root. */
  readonly nodes = new Map<string, ModelNode>();

  constructor(readonly kind: 'workspace' | 'deployment' | 'snapshot') {}

  makeDirectory(path: string): boolean | Refusal {
    if (this.isBlocked(path) || this.nodes.get(path)?.kind === 'file') return new Refusal(409);
    const old = this.nodes.get(path);
    if (old?.kind === 'directory') old.implied = false;
    else this.addDirectories(path, false);
    return old === undefined && path !== '';
  }

  putFile(path: string, content: string, newId: string | null): Refusal | undefined {
    const old = this.nodes.get(path);
    if (this.isBlocked(path) || old?.kind === 'directory') return new Refusal(409);
    this.addDirectories(parentOf(path), true);
    this.nodes.set(path, { kind: 'file', content, id: old?.kind === 'file' ? old.id : newId });
    return undefined;
  }

  replaceDirectory(path: string, files: readonly { path: string; content: string }[]): Refusal | undefined {
    if (this.isBlocked(path)) return new Refusal(409);
    this.removeAll([path]);
    for (const file of files) this.putFile(`${path}/${file.path}`, file.content, null);
    return undefined;
  }

  remove(path: string, recursive: boolean): number | Refusal {
    if (!this.nodes.has(path)) return new Refusal(404);
    if (!recursive && this.below(path).length > 0) return new Refusal(409);
    return this.removeAll([path]);
  }

  removeAll(paths: readonly string[]): number {
    const there = paths.filter((path) => this.nodes.has(path));
    let deleted = 0;
    for (const [path, node] of [...this.nodes]) {
      if (!there.some((ancestor) => within(path, ancestor))) continue;
      this.nodes.delete(path);
      if (node.kind === 'file' || !node.implied) deleted += 1;
    }
    for (const path of there) this.prune(parentOf(path));
    return deleted;
  }

  move({ source_path, dest_path }: ModelMove): boolean {
    const source = this.nodes.get(source_path);
    if (
      source === undefined ||
      this.nodes.has(dest_path) ||
      within(dest_path, source_path) ||
      this.isBlocked(dest_path)
    )
      return false;
    this.addDirectories(parentOf(dest_path), true);
    for (const [path, node] of [...this.nodes]) {
      if (!within(path, source_path)) continue;
      this.nodes.delete(path);
      this.nodes.set(dest_path + path.slice(source_path.length), node);
    }
    this.prune(parentOf(source_path));
    return true;
  }

  /** Copies files that do not exist yet from another tree. Returns their paths. */
  copy(from: ModelTree, selected: (topName: string) => boolean): string[] {
    const came: string[] = [];
    const skipped: string[] = [];
    for (const [path, node] of [...from.nodes].sort(([a], [b]) => a.length - b.length)) {
      if (!selected(topOf(path)) || skipped.some((ancestor) => within(path, ancestor))) continue;
      const here = this.nodes.get(path);
      if (here === undefined) {
        const id = this.kind === 'snapshot' && node.kind === 'file' ? node.id : null;
        this.nodes.set(path, node.kind === 'file' ? { ...node, id } : { ...node });
        if (node.kind === 'file') came.push(path);
      } else if (here.kind === 'file' || node.kind === 'file') skipped.push(path);
    }
    return came;
  }

  /** Returns the entries of a directory in listing order, or undefined if it does not exist. */
  list(path: string, recursive: boolean): { path: string; kind: 'directory' | 'file' }[] | undefined {
    if (path !== '' && this.nodes.get(path)?.kind !== 'directory') return undefined;
    return this.below(path)
      .filter((inside) => recursive || parentOf(inside) === path)
      .map((inside) => ({ path: inside, kind: this.nodes.get(inside)?.kind ?? 'file' }))
      .sort((a, b) => (a.kind === b.kind ? compareBytes(a.path, b.path) : a.kind === 'directory' ? -1 : 1));
  }

  private below(path: string): string[] {
    return [...this.nodes.keys()].filter((inside) => path === '' || inside.startsWith(`${path}/`));
  }

  /** Returns whether a file occupies the path of a directory above the given path. */
  private isBlocked(path: string): boolean {
    for (let above = parentOf(path); above !== ''; above = parentOf(above))
      if (this.nodes.get(above)?.kind === 'file') return true;
    return false;
  }

  private addDirectories(path: string, implied: boolean): void {
    for (let at = path; at !== ''; at = parentOf(at))
      if (!this.nodes.has(at)) this.nodes.set(at, { kind: 'directory', implied });
  }

  private prune(path: string): void {
    for (let at = path; at !== ''; at = parentOf(at)) {
      const node = this.nodes.get(at);
      if (node?.kind === 'directory' && node.implied && this.below(at).length === 0) this.nodes.delete(at);
    }
  }
}
