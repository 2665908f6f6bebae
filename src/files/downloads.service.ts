import { basename } from 'node:path/posix';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { Principal } from '../auth/principal.js';
import { NotFound } from '../common/errors/errors.js';
import { ObjectStore } from '../storage/object-store.js';
import { normalizePath } from '../../packages/paths/index.js';
import { keyOf } from './blobs/blobs.service.js';
import { ContainerResolverService } from './container-resolver.service.js';
import { writeScope } from './download-scope.js';
import { FileEntry, type FileDownloadRequest, type FileDownloadResponse } from './files.dto.js';
import { FileTreeReaderService } from './tree/file-tree-reader.service.js';

const LIFETIME_MS = 15 * 60 * 1000;
const UNKNOWN_TYPE = 'application/octet-stream';

/** Signs download URLs for files whose content is too large for a response. */
@Injectable()
export class DownloadsService {
  constructor(
    private readonly resolver: ContainerResolverService,
    private readonly reader: FileTreeReaderService,
    private readonly store: ObjectStore,
    private readonly config: Config,
  ) {}

  /** Signs a download URL. `origin` is the address at which the client reached this service. @throws NotFound */
  async sign(caller: Principal, body: FileDownloadRequest, origin: string): Promise<FileDownloadResponse> {
    const container = await this.resolver.find(caller, body);
    const file = await this.reader.find(container, normalizePath(body.path));
    if (file === undefined) throw new NotFound('File');
    const { path, content_type } = FileEntry.from(body.source, file);
    const expires_at = new Date(Date.now() + LIFETIME_MS);
    const url = await this.store.signDownload({
      key: keyOf(file.blob_id),
      fileName: basename(path),
      contentType: content_type ?? UNKNOWN_TYPE,
      scope: writeScope({ container_id: container.container_id, api_key_id: caller.api_key_id }),
      expiresAt: expires_at,
      baseUrl: this.config.PUBLIC_URL ?? origin,
    });
    return { url, expires_at };
  }
}
