import { extname } from 'node:path/posix';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Config } from '../config/config.js';
import { DataEngine } from '../data-engine/data-engine.service.js';
import type { TextAnswer, TextTask } from '../../packages/data-engine/index.js';
import { type CompanyBlob, LocalCopiesService } from './blobs/local-copies.service.js';

/** Document formats that the data engine reads. */
export type DocumentFormat = TextTask['format'];

/** Part of a document to read. Default: the whole document. */
export type DocumentPart = Pick<TextTask, 'pages' | 'sheet'>;

const FORMATS: ReadonlyMap<string, DocumentFormat> = new Map([
  ['.pdf', 'pdf'],
  ['.docx', 'docx'],
  ['.xlsx', 'xlsx'],
]);

/** Size of the cache of recently extracted texts, in bytes. The cache serves clients that read a document part by part. */
const KEPT_BYTES = 32 * 1024 ** 2;

/** Returns the document format for a path's extension. The content is checked only when it is read. */
export function documentFormat(path: string): DocumentFormat | undefined {
  return FORMATS.get(extname(path).toLowerCase());
}

/** Extracts text from PDF, DOCX and XLSX files. */
@Injectable()
export class DocumentsService {
  private readonly cache = new LRUCache<string, TextAnswer>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ text }) => 1_024 + 2 * text.length,
  });

  constructor(
    private readonly copies: LocalCopiesService,
    private readonly engine: DataEngine,
    private readonly config: Config,
  ) {}

  /**
   * Returns the text of a document, truncated to FILES_CONTENT_MAX_BYTES.
   *
   * @throws TaskProblem if the document cannot be read
   * @throws the errors of {@link LocalCopiesService.withCopy} and {@link DataEngine.run}
   */
  async text(
    { company_id, blob_id, size }: CompanyBlob,
    format: DocumentFormat,
    part: DocumentPart = {},
    signal?: AbortSignal,
  ): Promise<TextAnswer> {
    const key = JSON.stringify([blob_id, format, part.pages?.first, part.pages?.last, part.sheet]);
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const { FILES_CONTENT_MAX_BYTES: maxBytes } = this.config;
    const work = async (from: string): Promise<TextAnswer> =>
      await this.engine.run(
        { kind: 'text', from, format, ...part, maxBytes },
        { company_id, bytes: size, ...(signal !== undefined && { signal }) },
      );
    const answer = await this.copies.withCopy({ company_id, blob_id, size }, work, signal);
    this.cache.set(key, answer);
    return answer;
  }
}
