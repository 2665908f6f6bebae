import type { FileOrigin } from './node.entity.js';

/** What a tree knows of the content of a file; `size` in bytes. */
export interface FileContent {
  blob_id: string;
  size: number;
  /** Id for clients; null outside workspaces and snapshots. */
  file_id: string | null;
  /** As given by the sender of the file. */
  content_type: string | null;
  /** Null outside workspaces and snapshots. */
  source: FileOrigin | null;
  modified: Date;
}

/** A file with its path from the root of its container. */
export interface TreeFile extends FileContent {
  path: string;
}

/** A file as listings have it; `modified` in ISO 8601. */
export interface ListedFile extends Omit<TreeFile, 'blob_id' | 'modified'> {
  modified: string;
}

export interface TreePage {
  /** Paths from the root of the container. */
  directories: string[];
  files: ListedFile[];
  /** Of directories and files together. */
  total: number;
}

export interface TreePageRequest {
  /** Lists all levels below the directory, not only its entries. */
  recursive: boolean;
  limit: number;
  offset: number;
  /** The entry behind which the page begins, in place of the offset. */
  after?: EntryPlace;
}

/** Where an entry comes in listings: directories come first; its path is that in the directory. Both are empty before the first. */
export type EntryPlace = readonly [kind: '' | 'directory' | 'file', path: string];

/** Makes a file from a row with the columns of content. */
export function toFile(
  { blob_id, size, file_id, content_type, source, modified }: FileContent,
  path: string,
): TreeFile {
  return { path, blob_id, size, file_id, content_type, source, modified };
}
