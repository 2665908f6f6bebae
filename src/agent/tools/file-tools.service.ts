import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { TaskProblem } from '../../../packages/data-engine/index.js';
import { BlobsService } from '../../files/blobs/blobs.service.js';
import { decodeText } from '../../files/blobs/content.js';
import { documentFormat, type DocumentFormat, DocumentsService } from '../../files/documents.service.js';
import type { ContainerRef } from '../../files/tree/container-ref.js';
import { normalizePath, pathProblem } from '../../../packages/paths/index.js';
import type { TreeFile } from '../../files/tree/tree-file.js';
import { FileTreeReaderService } from '../../files/tree/file-tree-reader.service.js';
import type { AgentContext } from '../agent.js';
import { ImagesService } from '../images/images.service.js';
import { AgentFilesService } from './agent-files.service.js';
import { refusing } from './problem.js';
import { type Effect, type Tool, ToolFailure, type ToolOutcome } from './tool.js';

const MAX_FILE_BYTES = 1_000_000;
/**
 * Maximum size of a read_file result in bytes. Its JSON text stays below the size limit of results even if every character is
 * escaped.
 */
const MAX_READ_BYTES = 30_000;
const PAGE = 200;
/** Maximum number of sheet names in a result. */
const MAX_SHEETS = 50;
/** Maximum number of characters of written content that are recorded with the call. */
const MAX_RECORDED_CHARACTERS = 2_000;

const path = z
  .string()
  .superRefine(refusing((text) => pathProblem(text)))
  .describe('Path in the workspace, such as inputs/demand.csv');
const offset = z.int().min(0).default(0);

const listInput = z.strictObject({
  directory: z
    .string()
    .default('')
    .superRefine(refusing((text) => pathProblem(text, { root: true })))
    .describe('Directory to list; empty for the whole workspace'),
  recursive: z.boolean().default(false),
  offset: offset.describe('Entries to skip'),
});
const PAGES = /^([1-9]\d{0,5})(?:-([1-9]\d{0,5}))?$/;
const readInput = z.strictObject({
  path,
  offset: offset.describe('Byte offset to start at: next_offset of an earlier call with the same pages or sheet'),
  pages: z
    .string()
    .superRefine(
      refusing((text) => (rangeOf(text) === undefined ? 'must be a page or a range, such as 3 or 3-7' : undefined)),
    )
    .optional()
    .describe('Pages of a PDF, such as 3 or 3-7. Default: all pages'),
  sheet: z.string().optional().describe('Name of a sheet of an XLSX file. Default: all sheets'),
});
type ReadInput = z.infer<typeof readInput>;
const writeInput = z.strictObject({
  path,
  content: z.string().describe(`Complete text, at most ${MAX_FILE_BYTES} bytes`),
});

/** Tools for the files in the project's workspace. They cannot access any other container. */
@Injectable()
export class FileToolsService {
  readonly list: Tool<z.infer<typeof listInput>> = {
    name: 'list_files',
    description: 'Lists files and directories in the workspace.',
    input: listInput,
    run: async ({ directory, recursive, offset: from }, context) => {
      const workspace = await this.files.workspace(context);
      const page = { recursive, limit: PAGE, offset: from };
      const { directories, files, total } = await this.reader.list(
        workspace,
        normalizePath(directory, { root: true }),
        page,
      );
      const entries = files.map(({ path: at, size, source }) => ({ path: at, size, source }));
      const next = from + directories.length + files.length;
      return { result: { directories, files: entries, total, next_offset: next < total ? next : null } };
    },
  };

  readonly read: Tool<ReadInput> = {
    name: 'read_file',
    description:
      `Reads a text file in the workspace, or the text of a PDF, DOCX or XLSX file, ${MAX_READ_BYTES} bytes at a time. ` +
      'Images in a PDF have no text.',
    input: readInput,
    run: async (input, context) => await this.readPart(context, { ...input, path: normalizePath(input.path) }),
  };

  readonly write: Tool<z.infer<typeof writeInput>> = {
    name: 'write_file',
    description:
      'Creates a text file in the workspace or replaces its whole content. A file that a user uploaded can only be replaced if a message to answer mentions its path.',
    input: writeInput,
    record: ({ path: at, content }) => ({
      path: at,
      content: content.slice(0, MAX_RECORDED_CHARACTERS),
      ...(content.length > MAX_RECORDED_CHARACTERS && { content_cut: true }),
    }),
    run: async ({ path: at, content }, context) => ({
      effect: await this.prepareWrite(context, normalizePath(at), content),
    }),
  };

  constructor(
    private readonly files: AgentFilesService,
    private readonly reader: FileTreeReaderService,
    private readonly blobs: BlobsService,
    private readonly images: ImagesService,
    private readonly documents: DocumentsService,
  ) {}

  private async readPart(context: AgentContext, input: ReadInput): Promise<ToolOutcome> {
    const { path: at, offset: from } = input;
    const workspace = await this.files.workspace(context);
    const file = await this.reader.find(workspace, at);
    if (file === undefined) throw new ToolFailure('not_found', `There is no file ${at} in the workspace`);
    const format = documentFormat(at);
    assertFits(input, format);
    if (format !== undefined) return await this.readDocument({ ...file, ...workspace }, format, input, context.signal);
    const { size } = file;
    const bytes = from >= size ? Buffer.alloc(0) : await this.bytes(file, from);
    const { start, whole } = wholeCharactersIn(bytes, from, size);
    const text = decodeText(whole);
    if (text === undefined) return await this.image(context, file);
    const next = from + start + whole.length;
    return { result: { path: at, size, text, next_offset: next < size ? next : null } };
  }

  /** Returns a file as an image. @throws ToolFailure if it is not an image or cannot be shown */
  private async image(context: AgentContext, file: TreeFile): Promise<ToolOutcome> {
    const { path: at, size } = file;
    const outcome = await this.images.load(context, file);
    if (outcome === undefined) throw new ToolFailure('not_text', `${at} is not UTF-8 text`, { size });
    if (outcome.image === undefined) {
      const { code, reason } = outcome.refusal;
      throw new ToolFailure(code, `The image ${at} is not shown: ${reason}`, { size });
    }
    const { image, isNew } = outcome;
    const result = { path: at, size, image: image.media_type };
    return isNew ? { result, image } : { result: { ...result, shown_before_as: `image ${image.number}` } };
  }

  private async readDocument(
    file: TreeFile & ContainerRef,
    format: DocumentFormat,
    { path: at, offset: from, pages, sheet }: ReadInput,
    signal: AbortSignal,
  ): Promise<ToolOutcome> {
    const range = pages === undefined ? undefined : rangeOf(pages);
    const part = { ...(range !== undefined && { pages: range }), ...(sheet !== undefined && { sheet }) };
    const answer = await this.documents.text(file, format, part, signal).catch((error: unknown) => {
      throw error instanceof TaskProblem ? new ToolFailure(error.code, `${at}: ${error.message}`) : error;
    });
    const all = Buffer.from(answer.text);
    const { start, whole } = wholeCharactersIn(all.subarray(from, from + MAX_READ_BYTES), from, all.length);
    const next = from + start + whole.length;
    return {
      result: {
        path: at,
        size: file.size,
        text: whole.toString(),
        next_offset: next < all.length ? next : null,
        ...(answer.pages !== null && { pages: answer.pages }),
        ...(answer.sheets !== null && { sheets: answer.sheets.slice(0, MAX_SHEETS) }),
        ...(all.length === 0 && { note: 'The document has no text. It may consist of images' }),
        ...(answer.truncated && next >= all.length && { note: 'The text continues. Request other pages or a sheet' }),
      },
    };
  }

  private async bytes({ blob_id, size }: TreeFile, from: number): Promise<Buffer> {
    const end = Math.min(size, from + MAX_READ_BYTES) - 1;
    return await buffer(await this.blobs.stream(blob_id, { start: from, end }));
  }

  /**
   * Stores the content. The returned effect writes it to the path, unless a user uploaded the existing file and no message to
   * answer mentions it.
   */
  private async prepareWrite(context: AgentContext, at: string, content: string): Promise<Effect> {
    const size = Buffer.byteLength(content);
    if (size > MAX_FILE_BYTES) {
      throw new ToolFailure('too_large', `The content of a file can have at most ${MAX_FILE_BYTES} bytes`, { size });
    }
    const workspace = await this.files.workspace(context);
    const blob = await this.blobs.store(workspace.company_id, content);
    return async (tx) => ({ result: await this.files.place(tx, context, workspace, at, blob) });
  }
}

/** Parses a range such as `3-7` or `3`. Returns undefined if it is malformed. */
function rangeOf(text: string): { first: number; last: number } | undefined {
  const [, from, to = from] = PAGES.exec(text) ?? [];
  const range = { first: Number(from), last: Number(to) };
  return range.first <= range.last ? range : undefined;
}

function assertFits({ path: at, pages, sheet }: ReadInput, format: DocumentFormat | undefined): void {
  if (pages !== undefined && format !== 'pdf')
    throw new ToolFailure('invalid_input', `${at} is not a PDF file, so it has no pages`);
  if (sheet !== undefined && format !== 'xlsx')
    throw new ToolFailure('invalid_input', `${at} is not an XLSX file, so it has no sheets`);
}

/**
 * Returns the complete characters in a chunk of a text file, and their offset in the chunk. The chunk starts at byte `from` of
 * `size`.
 */
function wholeCharactersIn(part: Buffer, from: number, size: number): { start: number; whole: Buffer } {
  const start = firstWholeCharacter(part, from);
  const rest = part.subarray(start);
  return { start, whole: from + part.length >= size ? rest : wholeCharacters(rest) };
}

/** Returns the offset of the first complete character in bytes that may start inside a character. */
function firstWholeCharacter(bytes: Buffer, from: number): number {
  let start = 0;
  while (from > 0 && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}

/** Removes an incomplete character from the end. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.subarray(0, -back) : bytes;
    }
  }
  return bytes;
}
