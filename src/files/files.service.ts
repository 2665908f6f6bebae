import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { Config } from '../config/config.js';
import { TaskProblem } from '../../packages/data-engine/index.js';
import type { Principal } from '../auth/principal.js';
import { DatabaseService } from '../database/database.service.js';
import { Invalid, invalidValue, NotFound, TooLarge } from '../common/errors/errors.js';
import { normalizePath } from '../../packages/paths/index.js';
import { BlobsService } from './blobs/blobs.service.js';
import { decodeText } from './blobs/content.js';
import { ContainerResolverService } from './container-resolver.service.js';
import { jsonOf, measureContent } from './content-answer.js';
import { documentFormat, DocumentsService } from './documents.service.js';
import {
  type BatchDeleteRequest,
  type BatchMoveRequest,
  type BatchMoveResponse,
  type DeleteResponse,
  type FileContentRequest,
  type FileContentResponse,
  type FileDeleteRequest,
  FileEntry,
  FileListRequest,
  FileListResponse,
  type MkdirRequest,
  type MkdirResponse,
} from './files.dto.js';
import type { TreeFile } from './tree/tree-file.js';
import { FileTreeReaderService } from './tree/file-tree-reader.service.js';
import { FileTreeService } from './tree/file-tree.service.js';
import { WorkspaceChangesService } from './workspace-changes.service.js';

/** Maximum size of content that is returned from memory, in bytes. */
const IN_MEMORY_BYTES = 256 * 1024;
/**
 * Maximum size of content in JSON, as a multiple of FILES_CONTENT_MAX_BYTES. Base64 adds a third, and escapes add up to five
 * times the size.
 */
const MAX_ESCAPED = 2;

/**
 * Implements the file operations that clients call. Each operation first looks up its container and throws NotFound if the
 * container does not exist, or Forbidden if the caller may not write to it.
 */
@Injectable()
export class FilesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly resolver: ContainerResolverService,
    private readonly fileTree: FileTreeService,
    private readonly reader: FileTreeReaderService,
    private readonly blobs: BlobsService,
    private readonly documents: DocumentsService,
    private readonly changes: WorkspaceChangesService,
    private readonly config: Config,
  ) {}

  /** @throws Conflict if a file is in the way */
  async makeDirectory(caller: Principal, body: MkdirRequest): Promise<MkdirResponse> {
    const container = await this.resolver.findForWriting(caller, body);
    const path = normalizePath(body.path, { root: true });
    return await this.database.transaction(async (tx) =>
      caller.once(tx, async () => {
        const created = await this.fileTree.makeDirectory(tx, container, path);
        if (created) this.changes.note(tx, caller, container.project_id, [path]);
        return { created, path };
      }),
    );
  }

  async list(caller: Principal, body: FileListRequest): Promise<FileListResponse> {
    const container = this.resolver.seek(caller, body);
    const path = normalizePath(body.path, { root: true });
    const after = FileListRequest.afterOf(body);
    const page = await this.reader.list(container, path, { ...body, ...(after !== undefined && { after }) });
    return FileListResponse.from(page, path, body);
  }

  /** @throws TooLarge if the file must be downloaded instead */
  async content(caller: Principal, body: FileContentRequest): Promise<FileContentResponse | StreamableFile> {
    return await this.answer(body, await this.find(caller, body));
  }

  /**
   * Works like {@link content}, but returns the extracted text of documents.
   *
   * @throws Invalid if the document cannot be read
   */
  async text(
    caller: Principal,
    body: FileContentRequest,
    signal: AbortSignal,
  ): Promise<FileContentResponse | StreamableFile> {
    const file = await this.find(caller, body);
    const format = documentFormat(file.path);
    if (format === undefined) return await this.answer(body, file);
    const { text, truncated } = await this.documents.text(file, format, {}, signal).catch((error: unknown) => {
      if (!(error instanceof TaskProblem)) throw error;
      throw new Invalid([invalidValue(['body', 'path'], error.message, body.path)]);
    });
    if (truncated) throw downloadInstead('The document has too much text for this response');
    const { content_type = null } = FileEntry.from(body.source, file);
    const bytes = Buffer.from(text);
    if (bytes.length <= IN_MEMORY_BYTES) return { text, base64: null, content_type };
    return await this.streamed({ size: bytes.length, content_type }, () => Promise.resolve(Readable.from([bytes])));
  }

  private async find(caller: Principal, body: FileContentRequest): Promise<TreeFile & { company_id: string }> {
    const container = await this.resolver.find(caller, body);
    const file = await this.reader.find(container, normalizePath(body.path));
    if (file === undefined) throw new NotFound('File');
    return { ...file, company_id: container.company_id };
  }

  /**
   * Returns small content from memory and streams large content. Memory use depends neither on the file size nor on the
   * client's speed.
   */
  private async answer({ source }: FileContentRequest, file: TreeFile): Promise<FileContentResponse | StreamableFile> {
    const { FILES_CONTENT_MAX_BYTES: limit } = this.config;
    if (file.size > limit)
      throw downloadInstead(`The file has ${file.size} bytes, but this response can have at most ${limit}`);
    const { content_type = null } = FileEntry.from(source, file);
    if (file.size > IN_MEMORY_BYTES) {
      return await this.streamed({ size: file.size, content_type }, async () => await this.blobs.stream(file.blob_id));
    }
    const [bytes = Buffer.alloc(0)] = await this.blobs.readAll([file]);
    const text = decodeText(bytes) ?? null;
    return { text, base64: text === null ? bytes.toString('base64') : null, content_type };
  }

  /** Streams the response of {@link answer}. The content is read twice, first to determine its encoding and length. */
  private async streamed(
    { size, content_type }: { size: number; content_type: string | null },
    open: () => Promise<Readable>,
  ): Promise<StreamableFile> {
    const { form, bytes } = await measureContent(await open());
    const limit = MAX_ESCAPED * this.config.FILES_CONTENT_MAX_BYTES;
    if (bytes > limit)
      throw downloadInstead(
        `The file has ${size} bytes (${bytes} as JSON), but this response can have at most ${limit}`,
      );
    const rest = `,"content_type":${JSON.stringify(content_type)}}`;
    const [before, after] =
      form === 'text' ? ['{"text":"', `","base64":null${rest}`] : ['{"text":null,"base64":"', `"${rest}`];
    async function* answer(): AsyncGenerator<string> {
      yield before;
      yield* jsonOf(await open(), form);
      yield after;
    }
    return new StreamableFile(Readable.from(answer(), { objectMode: false }), {
      type: 'application/json',
      length: Buffer.byteLength(before) + bytes + Buffer.byteLength(after),
    });
  }

  /** @throws Conflict if the directory is not empty, unless `recursive` is true */
  async delete(caller: Principal, body: FileDeleteRequest): Promise<DeleteResponse> {
    const container = await this.resolver.findForWriting(caller, body);
    const { project_id } = container;
    const path = normalizePath(body.path);
    const { conversation_id, recursive = false } = body;
    return await this.database.transaction(async (tx) =>
      caller.once(tx, async () => {
        if (conversation_id != null && project_id !== null) {
          await this.changes.publish(tx, caller, { project_id, conversation_id, kind: 'deleted', path });
        }
        const deleted = await this.fileTree.remove(tx, container, path, { recursive });
        this.changes.note(tx, caller, container.project_id, [path]);
        return { deleted };
      }),
    );
  }

  async deleteAll(caller: Principal, body: BatchDeleteRequest): Promise<DeleteResponse> {
    const container = await this.resolver.findForWriting(caller, body);
    const paths = (body.paths ?? []).map((path) => normalizePath(path));
    return await this.database.transaction(async (tx) =>
      caller.once(tx, async () => {
        const deleted = await this.fileTree.removeAll(tx, container, paths);
        if (deleted > 0) this.changes.note(tx, caller, container.project_id, paths);
        return { deleted };
      }),
    );
  }

  /** Moves files and directories. A failed move is reported and does not affect the others. */
  async moveAll(caller: Principal, body: BatchMoveRequest): Promise<BatchMoveResponse> {
    const container = await this.resolver.findForWriting(caller, body);
    const moves = body.moves.map((move) => ({
      source_path: normalizePath(move.source_path),
      dest_path: normalizePath(move.dest_path),
    }));
    return await this.database.transaction(async (tx) =>
      caller.once(tx, async () => {
        const problems = await this.fileTree.moveAll(tx, container, moves);
        const successful = moves.filter((_, index) => problems[index] === undefined);
        const paths = successful.flatMap(({ source_path, dest_path }) => [source_path, dest_path]);
        this.changes.note(tx, caller, container.project_id, paths);
        const errors = body.moves.flatMap(({ source_path }, index) => {
          const error = problems[index];
          return error === undefined ? [] : [{ error, source_path }];
        });
        return { moved: moves.length - errors.length, errors };
      }),
    );
  }
}

const downloadInstead = (sentence: string): TooLarge =>
  new TooLarge('content_too_large', `${sentence}; use POST /api/v1/files/download`);
