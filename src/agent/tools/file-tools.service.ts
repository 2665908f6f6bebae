import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { BlobsService } from '../../files/blobs/blobs.service.js';
import { contentTypeByName, decodeText } from '../../files/blobs/content.js';
import { ContainerResolver } from '../../files/container-resolver.js';
import type { ContainerRef } from '../../files/tree/container-ref.js';
import { ContainersService } from '../../files/tree/containers.service.js';
import { normalizePath, pathProblem } from '../../files/tree/paths.js';
import type { TreeFile } from '../../files/tree/tree-file.js';
import { FileTreeReader } from '../../files/tree/file-tree-reader.service.js';
import { FileTreeService } from '../../files/tree/file-tree.service.js';
import type { AgentContext } from '../agent.js';
import { namesFile } from './named-files.js';
import { refusing } from './problem.js';
import { type Effect, type Tool, ToolFailure, type ToolOutcome } from './tool.js';

const MAX_FILE_BYTES = 1_000_000;
/** One answer of read_file: JSON text of it stays below the limit of results even where every character is escaped. */
const MAX_READ_BYTES = 30_000;
const PAGE = 200;
/** What is recorded of a content that was written. */
const RECORDED_CHARACTERS = 2_000;

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
    .describe('Empty for the whole workspace'),
  recursive: z.boolean().default(false),
  offset: offset.describe('Entries to skip'),
});
const readInput = z.strictObject({ path, offset: offset.describe('Byte to begin at: next_offset of an earlier call') });
const writeInput = z.strictObject({
  path,
  content: z.string().describe(`Whole text, at most ${MAX_FILE_BYTES} bytes`),
});

/** Tools on the files of the project's workspace. No other container can be reached with them. */
@Injectable()
export class FileTools {
  readonly list: Tool<z.infer<typeof listInput>> = {
    name: 'list_files',
    description: 'Lists files and directories of the workspace.',
    input: listInput,
    run: async ({ directory, recursive, offset: from }, context) => {
      const workspace = await this.workspace(context);
      const page = { recursive, limit: PAGE, offset: from };
      const { directories, files, total } = await this.reader.list(
        workspace,
        normalizePath(directory, { root: true }),
        page,
      );
      const shown = files.map(({ path: at, size, source }) => ({ path: at, size, source }));
      const next = from + directories.length + files.length;
      return { result: { directories, files: shown, total, next_offset: next < total ? next : null } };
    },
  };

  readonly read: Tool<z.infer<typeof readInput>> = {
    name: 'read_file',
    description: `Reads a text file of the workspace, ${MAX_READ_BYTES} bytes at a time.`,
    input: readInput,
    run: async ({ path: at, offset: from }, context) => await this.readPart(context, normalizePath(at), from),
  };

  readonly write: Tool<z.infer<typeof writeInput>> = {
    name: 'write_file',
    description:
      'Writes a text file of the workspace, whole. A file that a person uploaded is replaced only when their message names its path.',
    input: writeInput,
    record: ({ path: at, content }) => ({
      path: at,
      content: content.slice(0, RECORDED_CHARACTERS),
      ...(content.length > RECORDED_CHARACTERS && { content_cut: true }),
    }),
    run: async ({ path: at, content }, context) => ({
      effect: await this.prepareWrite(context, normalizePath(at), content),
    }),
  };

  constructor(
    private readonly resolver: ContainerResolver,
    private readonly containers: ContainersService,
    private readonly reader: FileTreeReader,
    private readonly fileTree: FileTreeService,
    private readonly blobs: BlobsService,
  ) {}

  private async workspace({ principal, project_id }: AgentContext): Promise<ContainerRef> {
    const { company_id, container_id } = await this.resolver.findForWriting(principal, {
      source: 'workspace',
      project_id,
    });
    return { company_id, container_id };
  }

  private async readPart(context: AgentContext, at: string, from: number): Promise<ToolOutcome> {
    const file = await this.reader.find(await this.workspace(context), at);
    if (file === undefined) throw new ToolFailure('not_found', `There is no file ${at} in the workspace`);
    const { size } = file;
    const bytes = from >= size ? Buffer.alloc(0) : await this.bytes(file, from);
    const start = firstWholeCharacter(bytes, from);
    const part = bytes.subarray(start);
    const isLast = from + bytes.length >= size;
    const whole = isLast ? part : wholeCharacters(part);
    const text = decodeText(whole);
    if (text === undefined) throw new ToolFailure('not_text', `${at} is no text in UTF-8`, { size });
    const next = from + start + whole.length;
    return { result: { path: at, size, text, next_offset: next < size ? next : null } };
  }

  private async bytes({ blob_id, size }: TreeFile, from: number): Promise<Buffer> {
    const end = Math.min(size, from + MAX_READ_BYTES) - 1;
    return await buffer(await this.blobs.stream(blob_id, { start: from, end }));
  }

  /** Stores the content; the effect puts it in place, unless a person's file is there that nobody has named. */
  private async prepareWrite(context: AgentContext, at: string, content: string): Promise<Effect> {
    const size = Buffer.byteLength(content);
    if (size > MAX_FILE_BYTES) {
      throw new ToolFailure('too_large', `A file that is written has at most ${MAX_FILE_BYTES} bytes`, { size });
    }
    const workspace = await this.workspace(context);
    const blob = await this.blobs.store(workspace.company_id, content);
    return async (tx) => {
      await this.containers.lock(tx, workspace.company_id, workspace.container_id);
      const present = await this.reader.find(workspace, at, tx);
      const isUpload = present?.source === 'upload';
      if (isUpload && !context.messages.some((message) => message.to_answer && namesFile(message.content, at))) {
        const reason = `${at} was uploaded by a person and is replaced only when their message names it`;
        throw new ToolFailure('forbidden', reason, { path: at });
      }
      // A replaced upload stays one, so that the next turn has to be told its name again.
      const details = {
        content_type: contentTypeByName(at),
        source: isUpload ? ('upload' as const) : ('agent' as const),
      };
      const file = await this.fileTree.putFile(tx, workspace, at, blob, details);
      return { result: { path: at, size: file.size, replaced: present !== undefined } };
    };
  }
}

/** Where the first character begins in bytes that may have been cut off inside of one. */
function firstWholeCharacter(bytes: Buffer, from: number): number {
  let start = 0;
  while (from > 0 && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}

/** The bytes without the beginning of a character whose rest is not there. */
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
