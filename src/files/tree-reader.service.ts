import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../platform/database/database.js';
import { NotFound, TooLarge } from '../platform/errors/errors.js';
import { BlobsService } from './blobs.service.js';
import type { ContainerRef, SoughtContainer } from './containers.service.js';
import { decodeTextLoosely } from './content.js';
import type { FileOrigin } from './node.entity.js';
import { listBelow, listChildren } from './listing-sql.js';
import { joinPath, normalizePath, pathProblem } from './paths.js';
import { DIGEST, FILES_BELOW, FILES_OF, FIND_FILES, FIND_FILES_BY_ID } from './tree-sql.js';

/** What a tree knows of the content of a file; `size` in bytes. */
export interface FileContent {
  blob_id: string;
  size: number;
  /** Id for clients; null outside workspaces and snapshots. */
  file_id: string | null;
  /** As given by whoever sent the file. */
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
  /** Everything below the directory instead of what is directly in it. */
  recursive: boolean;
  limit: number;
  offset: number;
}

/** Most bytes that are read into memory as texts at once. */
const MAX_TEXT_BYTES = 16 * 1024 ** 2;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Reads trees: one statement each, so that every answer is of one moment, and no lock. Paths are normalised ones
 * ({@link normalizePath}); `tx` is for readers inside a transaction.
 */
@Injectable()
export class TreeReader {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobsService,
  ) {}

  /** One page of a directory: directories first, then files, each by bytes of path. @throws NotFound */
  async list(
    container: ContainerRef | SoughtContainer,
    path: string,
    { recursive, limit, offset }: TreePageRequest,
  ): Promise<TreePage> {
    const { company_id, select, identifier, resource } = 'container_id' in container ? known(container) : container;
    const [page] = await this.query<Omit<TreePage, 'total'> & { total: number | null }>(
      recursive ? listBelow(select) : listChildren(select),
      [identifier, company_id, path, limit, offset],
    );
    if (page === undefined) throw new NotFound(resource);
    const { directories, files, total } = page;
    if (total === null) throw new NotFound('Directory');
    return { directories, files, total };
  }

  /** The file at a path; undefined when there is none. */
  async find(ref: ContainerRef, path: string, tx?: Tx): Promise<TreeFile | undefined> {
    const [row] = await this.query<FileContent>(FIND_FILES, [ref.container_id, ref.company_id, [path]], tx);
    return row && toFile(row, path);
  }

  /** The files that references name, by reference: a file's id, or else its path. Unknown ones are missing. */
  async findAll(ref: ContainerRef, references: readonly string[], tx?: Tx): Promise<Map<string, TreeFile>> {
    const wanted = references.map((reference) => ({
      reference,
      id: UUID.test(reference) ? reference.toLowerCase() : undefined,
      path: pathProblem(reference) === undefined ? normalizePath(reference) : undefined,
    }));
    const ids = wanted.flatMap(({ id }) => id ?? []);
    const paths = wanted.flatMap(({ path }) => path ?? []);
    const byId = await this.query<TreeFile>(FIND_FILES_BY_ID, [ref.container_id, ref.company_id, ids], tx);
    const byPath = await this.query<FileContent & { ord: number }>(
      FIND_FILES,
      [ref.container_id, ref.company_id, paths],
      tx,
    );
    const found = new Map([
      ...byPath.map((row) => toFile(row, paths[row.ord - 1] ?? '')).map((file) => [file.path, file] as const),
      ...byId.map((row) => [row.file_id ?? '', toFile(row, row.path)] as const),
    ]);
    return new Map(
      wanted.flatMap(({ reference, id, path }): [string, TreeFile][] => {
        const file = found.get(id ?? '') ?? found.get(path ?? '');
        return file === undefined ? [] : [[reference, file]];
      }),
    );
  }

  /** All files at any depth below a directory, by path; none when there is no such directory. */
  async filesBelow(ref: ContainerRef, path: string, tx?: Tx): Promise<TreeFile[]> {
    const rows = await this.query<TreeFile>(FILES_BELOW, [ref.container_id, ref.company_id, [path]], tx);
    return rows.map((row) => toFile(row, joinPath(path, row.path)));
  }

  /**
   * All files at and below each of some places, by path, as one moment has them; a place is a container and a path in it
   * that is not the root.
   */
  async filesOf(
    company_id: string,
    places: readonly (readonly [container_id: string, path: string])[],
  ): Promise<TreeFile[][]> {
    const rows = await this.query<TreeFile & { ord: number }>(FILES_OF, [
      places.map(([container_id]) => container_id),
      company_id,
      places.map(([, path]) => path),
    ]);
    return places.map((_, index) => rows.filter(({ ord }) => ord === index + 1).map((row) => toFile(row, row.path)));
  }

  /** The text of the file at a path, U+FFFD for what is no UTF-8; undefined when there is no such file. */
  async readText(ref: ContainerRef, path: string, tx?: Tx): Promise<string | undefined> {
    const file = await this.find(ref, path, tx);
    return file && (await this.readTexts([file])).get(path);
  }

  /** The texts of files, by path, U+FFFD for what is no UTF-8. @throws TooLarge over 16 MiB together */
  async readTexts(files: readonly TreeFile[]): Promise<Map<string, string>> {
    if (files.reduce((sum, { size }) => sum + size, 0) > MAX_TEXT_BYTES) {
      throw new TooLarge(`Too much to be read as text: at most ${MAX_TEXT_BYTES} bytes together`);
    }
    const contents = await this.blobs.readAll(files);
    return new Map(files.map(({ path }, index) => [path, decodeTextLoosely(contents[index] ?? Buffer.alloc(0))]));
  }

  /** A hash of the paths and contents of everything at and below `paths`, the same for equal copies. */
  async digest(ref: ContainerRef, paths: readonly string[], tx?: Tx): Promise<string> {
    const [row] = await this.query<{ digest: string }>(DIGEST, [ref.container_id, ref.company_id, paths], tx);
    if (row === undefined) throw new Error('A digest has no row');
    return row.digest;
  }

  private async query<Row>(statement: string, parameters: unknown[], tx: Tx = this.database.manager): Promise<Row[]> {
    return await tx.query(statement, parameters);
  }
}

const known = ({ company_id, container_id }: ContainerRef): SoughtContainer => ({
  company_id,
  select: 'SELECT $1::uuid AS container_id',
  identifier: container_id,
  resource: 'Directory',
});

/** The file that a row with the columns of content is. */
export function toFile(
  { blob_id, size, file_id, content_type, source, modified }: FileContent,
  path: string,
): TreeFile {
  return { path, blob_id, size, file_id, content_type, source, modified };
}
