import { extname } from 'node:path/posix';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Config } from '../config/config.js';
import { DataEngine } from '../data-engine/data-engine.service.js';
import type { TextAnswer, TextTask } from '../../packages/data-engine/index.js';
import { type CompanyBlob, LocalCopiesService } from './blobs/local-copies.service.js';

/** Kinds of files whose text is read by the data engine. */
export type DocumentFormat = TextTask['format'];

/** What of a document is read; absent: all. */
export type DocumentPart = Pick<TextTask, 'pages' | 'sheet'>;

const FORMATS: ReadonlyMap<string, DocumentFormat> = new Map([
  ['.pdf', 'pdf'],
  ['.docx', 'docx'],
  ['.xlsx', 'xlsx'],
]);

/** Texts that were read last are kept in memory, so that whoever reads one part after the other does not wait for each. */
const KEPT_BYTES = 32 * 1024 ** 2;

/** The kind of document that a file is by its extension; whether its content is one, shows when it is read. */
export function documentFormat(path: string): DocumentFormat | undefined {
  return FORMATS.get(extname(path).toLowerCase());
}

/** Texts of PDF, DOCX and XLSX files. */
@Injectable()
export class DocumentsService {
  private readonly kept = new LRUCache<string, TextAnswer>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ text }) => 1_024 + 2 * text.length,
  });

  constructor(
    private readonly copies: LocalCopiesService,
    private readonly engine: DataEngine,
    private readonly config: Config,
  ) {}

  /**
   * The text of a document, at most FILES_CONTENT_MAX_BYTES of it.
   *
   * @throws TaskProblem for what cannot be read
   * @throws what {@link LocalCopiesService.withCopy} and {@link DataEngine.run} do
   */
  async text(
    { company_id, blob_id, size }: CompanyBlob,
    format: DocumentFormat,
    part: DocumentPart = {},
    signal?: AbortSignal,
  ): Promise<TextAnswer> {
    const key = JSON.stringify([blob_id, format, part.pages?.first, part.pages?.last, part.sheet]);
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const { FILES_CONTENT_MAX_BYTES: maxBytes } = this.config;
    const work = async (from: string): Promise<TextAnswer> =>
      await this.engine.run(
        { kind: 'text', from, format, ...part, maxBytes },
        { company_id, bytes: size, ...(signal !== undefined && { signal }) },
      );
    const answer = await this.copies.withCopy({ company_id, blob_id, size }, work, signal);
    this.kept.set(key, answer);
    return answer;
  }
}
