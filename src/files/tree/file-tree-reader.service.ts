import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/database.service.js';
import { NotFound, TooLarge } from '../../common/errors/errors.js';
import { BlobsService } from '../blobs/blobs.service.js';
import { decodeTextLoosely } from '../blobs/content.js';
import { normalizePath, pathProblem } from '../../../packages/paths/index.js';
import type { ContainerRef, ContainerQuery } from './container-ref.js';
import { FileTreeRepository } from './file-tree.repository.js';
import type { TreeFile, TreePage, TreePageRequest } from './tree-file.js';

/** Maximum size of the texts that a call reads into memory, in bytes. */
const MAX_TEXT_BYTES = 16 * 1024 ** 2;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Reads trees without locks. Each read is a single statement, so that its result is a consistent snapshot. Paths must be
 * normalized ({@link normalizePath}). `tx` is for readers inside a transaction.
 */
@Injectable()
export class FileTreeReaderService {
  constructor(
    private readonly tree: FileTreeRepository,
    private readonly blobs: BlobsService,
  ) {}

  /**
   * Returns a page of a directory. Directories come first, then files, each ordered by the bytes of their paths. @throws NotFound
   */
  async list(container: ContainerRef | ContainerQuery, path: string, request: TreePageRequest): Promise<TreePage> {
    const page = await this.tree.page(container, path, request);
    if (page === undefined) throw new NotFound('resource' in container ? container.resource : 'Directory');
    const { directories, files, total } = page;
    if (total === null) throw new NotFound('Directory');
    return { directories, files, total };
  }

  /** Returns the file at a path, or undefined if it does not exist. */
  async find(ref: ContainerRef, path: string, tx?: Tx): Promise<TreeFile | undefined> {
    const [file] = await this.within(tx).filesAt(ref, [path]);
    return file;
  }

  /** Returns the files at paths, by path. Omits paths without a file. */
  async findAt(ref: ContainerRef, paths: readonly string[], tx?: Tx): Promise<Map<string, TreeFile>> {
    return new Map((await this.within(tx).filesAt(ref, paths)).map((file) => [file.path, file]));
  }

  /** Returns files by reference, which is the file's id or else its path. Omits unknown references. */
  async findAll(ref: ContainerRef, references: readonly string[], tx?: Tx): Promise<Map<string, TreeFile>> {
    const parsed = references.map((reference) => ({
      reference,
      id: UUID.test(reference) ? reference.toLowerCase() : undefined,
      path: pathProblem(reference) === undefined ? normalizePath(reference) : undefined,
    }));
    const ids = parsed.flatMap(({ id }) => id ?? []);
    const paths = parsed.flatMap(({ path }) => path ?? []);
    const tree = this.within(tx);
    const byId = await tree.filesById(ref, ids);
    const byPath = await tree.filesAt(ref, paths);
    const filesByKey = new Map([
      ...byPath.map((file) => [file.path, file] as const),
      ...byId.map((file) => [file.file_id ?? '', file] as const),
    ]);
    return new Map(
      parsed.flatMap(({ reference, id, path }): [string, TreeFile][] => {
        const file = filesByKey.get(id ?? '') ?? filesByKey.get(path ?? '');
        return file === undefined ? [] : [[reference, file]];
      }),
    );
  }

  /** Returns all files at any depth below a directory, ordered by path. Empty if the directory does not exist. */
  async filesBelow(ref: ContainerRef, path: string, tx?: Tx): Promise<TreeFile[]> {
    return await this.within(tx).filesBelow(ref, path);
  }

  /**
   * Returns a consistent snapshot of all files at and below several paths, ordered by path. Each path is in its own container
   * and is not the root.
   */
  async filesOf(
    company_id: string,
    places: readonly (readonly [container_id: string, path: string])[],
  ): Promise<TreeFile[][]> {
    return await this.tree.filesOf(company_id, places);
  }

  /** Returns the text of the file at a path, with U+FFFD for invalid UTF-8, or undefined if the file does not exist. */
  async readText(ref: ContainerRef, path: string, tx?: Tx): Promise<string | undefined> {
    const file = await this.find(ref, path, tx);
    return file && (await this.readTexts([file])).get(path);
  }

  /** Returns the texts of files by path, with U+FFFD for invalid UTF-8. @throws TooLarge if they exceed 16 MiB in total */
  async readTexts(files: readonly TreeFile[]): Promise<Map<string, string>> {
    if (files.reduce((sum, { size }) => sum + size, 0) > MAX_TEXT_BYTES) {
      throw new TooLarge(
        'content_too_large',
        `The texts are too large: together they must not exceed ${MAX_TEXT_BYTES} bytes`,
      );
    }
    const contents = await this.blobs.readAll(files);
    return new Map(files.map(({ path }, index) => [path, decodeTextLoosely(contents[index] ?? Buffer.alloc(0))]));
  }

  /** Returns a hash of the paths and contents of everything at and below `paths`. Equal copies have the same hash. */
  async digest(ref: ContainerRef, paths: readonly string[], tx?: Tx): Promise<string> {
    return await this.within(tx).digest(ref, paths);
  }

  private within(tx: Tx | undefined): FileTreeRepository {
    return tx === undefined ? this.tree : tx.withRepository(this.tree);
  }
}
