import type { StoredBlob } from '../blobs/blobs.service.js';
import { namesOf } from '../../../packages/paths/index.js';
import type { ContainerKind } from './container.entity.js';
import type { FileOrigin } from './node.entity.js';

/** Details of a file that only workspaces keep. */
export interface FileDetails {
  /** Media type as sent by the client. */
  content_type?: string | null;
  /** Default: `upload`. */
  source?: FileOrigin;
}

/** File to create. */
export interface NewFile extends StoredBlob {
  content_type: string | null;
  source: FileOrigin | null;
  /** Whether the file gets an id that clients can use. */
  with_id: boolean;
}

/** File or implied directory to create. Without a `parent`, it is directly in the target directory. */
export interface NewNode extends Partial<NewFile> {
  /** Zero-based number. */
  id: number;
  parent: number | null;
  name: string;
}

/** Returns the details that a kind of container keeps for a file. */
export function newFile(
  kind: ContainerKind,
  blob: StoredBlob,
  { content_type = null, source = 'upload' }: FileDetails,
): NewFile {
  return kind === 'workspace'
    ? { ...blob, content_type, source, with_id: true }
    : { ...blob, content_type: null, source: null, with_id: false };
}

/** Returns files with their directories, each directory before its entries. */
export function withDirectories(files: readonly (NewFile & { path: string })[]): NewNode[] {
  const nodes: NewNode[] = [];
  const directories = new Map<string, number | null>([['', null]]);
  const add = (parent: number | null, name: string, file?: NewFile): number =>
    nodes.push({ ...file, id: nodes.length, parent, name }) - 1;
  const directory = (names: readonly string[]): number | null => {
    const path = names.join('/');
    const existing = directories.get(path);
    if (existing !== undefined) return existing;
    const id = add(directory(names.slice(0, -1)), names.at(-1) ?? '');
    directories.set(path, id);
    return id;
  };
  for (const { path, ...file } of files) {
    const names = namesOf(path);
    add(directory(names.slice(0, -1)), names.at(-1) ?? '', file);
  }
  return nodes;
}
