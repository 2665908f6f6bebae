import { Body, Controller, Post } from '@nestjs/common';
import { Caller } from '../../auth/decorators.js';
import { Principal } from '../../auth/principal.js';
import { BodyLimit } from '../../common/http/body-reader.service.js';
import { RequestOrigin } from '../../storage/request-origin.js';
import { EXAMPLE_WORKSPACE } from '../../common/openapi/examples.js';
import { Operation } from '../../common/openapi/operation.js';
import { WRITING_CODES } from '../container-request.js';
import { FileEntry } from '../files.dto.js';
import { CompletionService } from './completion.service.js';
import {
  UploadCompleteRequest,
  UploadPartsRequest,
  UploadPartsResponse,
  UploadStartRequest,
  UploadStartResponse,
  UploadStatusResponse,
  UploadTokenRequest,
} from './uploads.dto.js';
import { UploadsService } from './uploads.service.js';

const COMPLETION_BYTES = 8 * 1024 ** 2;

/** Placeholder in examples, because the token of another upload would not work. */
const UPLOAD_TOKEN = 'the upload_token from the response of Start upload';

/** Error codes for parts that do not form a complete file. */
const PART_CODES = [
  'etag_mismatch',
  'part_changed',
  'part_missing',
  'part_repeated',
  'part_too_small',
  'size_mismatch',
] as const;

/** Error codes for an upload that must be open. */
const OPEN_CODES = [
  ...WRITING_CODES,
  'upload_aborted',
  'upload_completed',
  'upload_expired',
  'upload_not_found',
] as const;

@Controller('files/upload')
export class UploadsController {
  constructor(
    private readonly uploads: UploadsService,
    private readonly completion: CompletionService,
  ) {}

  @Post('start')
  @Operation({
    tag: 'Files',
    summary: 'Start upload',
    example: { ...EXAMPLE_WORKSPACE, path: 'data/demand.csv', size: 24, content_type: 'text/csv' },
    description:
      'Returns a token and URLs. Send each part to its URL with `PUT`, for example with `curl --upload-file ' +
      'demand.csv "<url>"`. All parts except the last have `part_size` bytes. Keep the `ETag` header of each ' +
      'response, then complete the upload. A URL can be used again until the upload ends. A member can have 20 open ' +
      'uploads, a company 100. With the disk store, the URLs also stop working when the API key that started the ' +
      'upload is revoked or expires.',
    status: 201,
    response: UploadStartResponse,
    errors: [
      ...WRITING_CODES,
      'company_storage_full',
      'file_too_large',
      'store_full',
      'too_many_uploads',
      'upload_aborted',
      'upload_expired',
    ],
    idempotent: true,
    extension: true,
  })
  async startUpload(
    @Caller() caller: Principal,
    @Body() body: UploadStartRequest,
    @RequestOrigin() origin: string,
  ): Promise<UploadStartResponse> {
    return await this.uploads.start(caller, body, origin);
  }

  @Post('complete')
  @BodyLimit(COMPLETION_BYTES)
  @Operation({
    tag: 'Files',
    summary: 'Complete upload',
    example: { ...EXAMPLE_WORKSPACE, upload_token: UPLOAD_TOKEN },
    description:
      'Adds the file to its container. An existing file gets the new content and keeps its id. A repeated call ' +
      'returns the same response.',
    response: FileEntry,
    errors: [
      ...WRITING_CODES,
      ...PART_CODES,
      'company_storage_full',
      'container_mismatch',
      'conversation_not_found',
      'directory_in_the_way',
      'file_in_the_way',
      'file_too_large',
      'store_full',
      'tree_full',
      'upload_aborted',
      'upload_being_completed',
      'upload_expired',
      'upload_not_found',
      'upload_parts_gone',
    ],
    idempotent: true,
  })
  async completeUpload(@Caller() caller: Principal, @Body() body: UploadCompleteRequest): Promise<FileEntry> {
    return await this.completion.complete(caller, body);
  }

  @Post('parts')
  @Operation({
    tag: 'Files',
    summary: 'Get upload part URLs',
    example: { upload_token: UPLOAD_TOKEN, part_numbers: [1] },
    description: 'Returns URLs for more parts, or for parts whose URL was lost.',
    response: UploadPartsResponse,
    errors: [...OPEN_CODES, 'upload_parts_gone'],
    extension: true,
  })
  async signUploadParts(
    @Caller() caller: Principal,
    @Body() body: UploadPartsRequest,
    @RequestOrigin() origin: string,
  ): Promise<UploadPartsResponse> {
    return await this.uploads.sign(caller, body, origin);
  }

  @Post('status')
  @Operation({
    tag: 'Files',
    summary: 'Get upload status',
    example: { upload_token: UPLOAD_TOKEN },
    description: 'Returns the received parts, so that a client can resume the upload.',
    response: UploadStatusResponse,
    errors: [...OPEN_CODES, 'upload_assembled', 'upload_parts_gone'],
    extension: true,
  })
  async getUploadStatus(@Caller() caller: Principal, @Body() body: UploadTokenRequest): Promise<UploadStatusResponse> {
    return await this.uploads.status(caller, body.upload_token);
  }

  @Post('abort')
  @Operation({
    tag: 'Files',
    summary: 'Abort upload',
    description: 'Cancels an upload and discards its parts.',
    example: { upload_token: UPLOAD_TOKEN },
    status: 204,
    errors: [...WRITING_CODES, 'upload_being_completed', 'upload_completed', 'upload_not_found'],
    extension: true,
  })
  async abortUpload(@Caller() caller: Principal, @Body() body: UploadTokenRequest): Promise<void> {
    await this.uploads.abort(caller, body.upload_token);
  }
}
