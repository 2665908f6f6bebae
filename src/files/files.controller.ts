import { Body, Controller, Post, Query, type StreamableFile } from '@nestjs/common';
import { Caller, ReadAccess } from '../auth/decorators.js';
import { Principal } from '../auth/principal.js';
import { ClientSignal } from '../common/http/client-signal.js';
import { RequestOrigin } from '../storage/request-origin.js';
import { EXAMPLE, EXAMPLE_WORKSPACE, EXAMPLE_DEPLOYMENT } from '../common/openapi/examples.js';
import { Operation } from '../common/openapi/operation.js';
import { CONTAINER_CODES, WRITING_CODES } from './container-request.js';
import { DownloadsService } from './downloads.service.js';
import {
  BatchDeleteRequest,
  BatchMoveRequest,
  BatchMoveResponse,
  DeleteResponse,
  FileContentQuery,
  FileContentRequest,
  FileContentResponse,
  FileDeleteRequest,
  FileDownloadRequest,
  FileDownloadResponse,
  FileListRequest,
  FileListResponse,
  MkdirRequest,
  MkdirResponse,
} from './files.dto.js';
import { FilesService } from './files.service.js';

@Controller('files')
export class FilesController {
  constructor(
    private readonly files: FilesService,
    private readonly downloads: DownloadsService,
  ) {}

  @Post('mkdir')
  @Operation({
    tag: 'Files',
    summary: 'Make directory',
    description: 'Also creates missing parents. For an existing directory, `created` is false.',
    example: { ...EXAMPLE_WORKSPACE, path: 'inputs' },
    response: MkdirResponse,
    errors: [...WRITING_CODES, 'directory_in_the_way', 'file_in_the_way', 'tree_full'],
    idempotent: true,
  })
  async makeDirectory(@Caller() caller: Principal, @Body() body: MkdirRequest): Promise<MkdirResponse> {
    return await this.files.makeDirectory(caller, body);
  }

  @Post('content')
  @ReadAccess()
  @Operation({
    tag: 'Files',
    summary: 'Read content',
    example: { ...EXAMPLE_DEPLOYMENT, path: 'AGENTS.md' },
    description:
      'A file that is too large for a response returns 413. Use the download operation instead. A file is also too ' +
      'large if its JSON encoding, with escaped control characters, exceeds twice the maximum size.\n\nWith ' +
      '`as=text`, the text of a PDF, DOCX or XLSX file (by its extension) is extracted and returned in `text`. Each ' +
      'page of a PDF begins with a line such as `--- page 3 ---`, each sheet with a line such as `--- sheet Costs ' +
      '---`. Cells are separated by tabs. Pages that are images have no text. The limit then applies to the ' +
      'extracted text. Returns 422 for `path` if the document is damaged or encrypted. `as=text` has no effect on ' +
      'other files.',
    response: FileContentResponse,
    errors: [...CONTAINER_CODES, 'content_too_large', 'file_not_found'],
  })
  async readContent(
    @Caller() caller: Principal,
    @Body() body: FileContentRequest,
    @Query() { as }: FileContentQuery,
    @ClientSignal() signal: AbortSignal,
  ): Promise<FileContentResponse | StreamableFile> {
    return as === 'text' ? await this.files.text(caller, body, signal) : await this.files.content(caller, body);
  }

  @Post('delete')
  @Operation({
    tag: 'Files',
    summary: 'Delete file',
    description:
      'Deletes a file or directory. Set `recursive` to delete a non-empty directory. `deleted` counts files and ' +
      'explicitly created directories.',
    example: { ...EXAMPLE_WORKSPACE, path: EXAMPLE.draft },
    response: DeleteResponse,
    errors: [...WRITING_CODES, 'conversation_not_found', 'directory_not_empty', 'file_not_found'],
    idempotent: true,
  })
  async deleteFile(@Caller() caller: Principal, @Body() body: FileDeleteRequest): Promise<DeleteResponse> {
    return await this.files.delete(caller, body);
  }

  @Post('batch-move')
  @Operation({
    tag: 'Files',
    summary: 'Batch move',
    example: { ...EXAMPLE_WORKSPACE, moves: [{ source_path: EXAMPLE.notes, dest_path: `archive/${EXAMPLE.notes}` }] },
    description: 'Reports failed moves in `errors`. A failed move does not stop the others.',
    response: BatchMoveResponse,
    errors: [...WRITING_CODES],
    idempotent: true,
  })
  async batchMove(@Caller() caller: Principal, @Body() body: BatchMoveRequest): Promise<BatchMoveResponse> {
    return await this.files.moveAll(caller, body);
  }

  @Post('batch-delete')
  @Operation({
    tag: 'Files',
    summary: 'Batch delete',
    description: 'Deletes files, and directories with their contents. Missing paths are skipped.',
    example: { ...EXAMPLE_WORKSPACE, paths: EXAMPLE.old_drafts },
    response: DeleteResponse,
    errors: [...WRITING_CODES],
    idempotent: true,
  })
  async batchDelete(@Caller() caller: Principal, @Body() body: BatchDeleteRequest): Promise<DeleteResponse> {
    return await this.files.deleteAll(caller, body);
  }

  @Post('list')
  @ReadAccess()
  @Operation({
    tag: 'Files',
    summary: 'List directory',
    example: { ...EXAMPLE_WORKSPACE, path: '', recursive: true },
    description:
      'Lists directories first, then files, each sorted by path bytes. `limit` and `offset` count directories and ' +
      'files.',
    response: FileListResponse,
    errors: [...CONTAINER_CODES, 'directory_not_found'],
    extension: true,
  })
  async listDirectory(@Caller() caller: Principal, @Body() body: FileListRequest): Promise<FileListResponse> {
    return await this.files.list(caller, body);
  }

  @Post('download')
  @ReadAccess()
  @Operation({
    tag: 'Files',
    summary: 'Get download URL',
    example: { ...EXAMPLE_DEPLOYMENT, path: 'AGENTS.md' },
    description:
      'Returns a URL for the current content, valid for 15 minutes. With the disk store, the URL stops working earlier ' +
      'if the project, snapshot or deployment is deleted, or if the requesting API key is revoked or expires.',
    response: FileDownloadResponse,
    errors: [...CONTAINER_CODES, 'file_not_found'],
    extension: true,
  })
  async signDownload(
    @Caller() caller: Principal,
    @Body() body: FileDownloadRequest,
    @RequestOrigin() origin: string,
  ): Promise<FileDownloadResponse> {
    return await this.downloads.sign(caller, body, origin);
  }
}
