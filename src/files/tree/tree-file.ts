import type { FileOrigin } from './node.entity.js';

/** Details of a file's content in a tree. `size` is in bytes. */
export interface FileContent {
  blob_id: string;
  size: number;
  /** Id for clients. Null outside workspaces and snapshots. */
  file_id: string | null;
  /** Media type as sent by the client. */
  content_type: string | null;
  /** Null outside workspaces and snapshots. */
  source: FileOrigin | null;
  modified: Date;
}

/** File with its path from the root of its container. */
export interface TreeFile extends FileContent {
  path: string;
}

/** File in a listing. `modified` is in ISO 8601. */
export interface ListedFile extends Omit<TreeFile, 'blob_id' | 'modified'> {
  modified: string;
}

export interface TreePage {
  /** Paths from the root of the container. */
  directories: string[];
  files: ListedFile[];
  /** Number of directories and files. */
  total: number;
}

export interface TreePageRequest {
  /** Whether to list all levels below the directory instead of its direct entries. */
  recursive: boolean;
  limit: number;
  offset: number;
  /** Entry after which the page begins. Replaces the offset. */
  after?: EntryPlace;
}

/**
 * Position of an entry in listings, with directories first. The path is relative to the directory. Both are empty at the start
 * of a listing.
 */
export type EntryPlace = readonly [kind: '' | 'directory' | 'file', path: string];

/** Converts a row with the content columns to a file. */
export function toFile(
  { blob_id, size, file_id, content_type, source, modified }: FileContent,
  path: string,
): TreeFile {
  return { path, blob_id, size, file_id, content_type, source, modified };
}
