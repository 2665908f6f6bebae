import type { StoredBlob } from '../blobs/blobs.service.js';
import { namesOf } from '../../../packages/paths/index.js';
import type { ContainerKind } from './container.entity.js';
import type { FileOrigin } from './node.entity.js';

/** What is known of a file beside its content; kept in workspaces only. */
export interface FileDetails {
  /** Media type as given by the sender. */
  content_type?: string | null;
  /** Default `upload`. */
  source?: FileOrigin;
}

/** A file to be made. */
export interface NewFile extends StoredBlob {
  content_type: string | null;
  source: FileOrigin | null;
  /** Whether it gets an id for clients. */
  with_id: boolean;
}

/** A file or an implied directory to be made; without `parent` it is directly in the directory that all of them are made in. */
export interface NewNode extends Partial<NewFile> {
  /** Counts from 0. */
  id: number;
  parent: number | null;
  name: string;
}

/** What a kind of container keeps of a file. */
export function newFile(
  kind: ContainerKind,
  blob: StoredBlob,
  { content_type = null, source = 'upload' }: FileDetails,
): NewFile {
  return kind === 'workspace'
    ? { ...blob, content_type, source, with_id: true }
    : { ...blob, content_type: null, source: null, with_id: false };
}

/** Files and the directories that they are in, each directory before what is in it. */
export function withDirectories(files: readonly (NewFile & { path: string })[]): NewNode[] {
  const nodes: NewNode[] = [];
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
  return nodes;
}
