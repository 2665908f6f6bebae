import { LRUCache } from 'lru-cache';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Tagged } from '../../common/etag/tagged.js';
import { JsonBytes } from '../../common/http/json-text.js';

const MIB = 1024 ** 2;

/** Canvas as the JSON of a CardListResponse, with its entity tag. */
type CanvasJson = Tagged<JsonBytes>;

/**
 * Caches the JSON of recently read canvases, so that polling does not build it again. Every change to a card gives the
 * project's canvas a new entity tag. A cached canvas is sent only if its tag matches the current tag in the database.
 */
@Injectable()
export class RecentCanvasesService {
  private readonly canvases: LRUCache<string, { tag: string; bytes: Buffer }>;

  constructor(config: Config) {
    this.canvases = new LRUCache({
      maxSize: config.CANVASES_CACHE_MIB * MIB,
      // Counts the underlying buffer, because a slice keeps all of it in memory.
      sizeCalculation: ({ bytes }) => bytes.buffer.byteLength + 500,
    });
  }

  /** Returns a project's cached canvas, or undefined if no canvas with this tag is cached. */
  find(project_id: string, tag: string): CanvasJson | undefined {
    const cached = this.canvases.get(project_id);
    return cached?.tag === tag ? Tagged.of(tag, new JsonBytes(cached.bytes)) : undefined;
  }

  /** Caches a canvas, replacing the project's older canvas. */
  keep(project_id: string, tag: string, canvas: string): CanvasJson {
    const bytes = Buffer.from(canvas);
    this.canvases.set(project_id, { tag, bytes });
    return Tagged.of(tag, new JsonBytes(bytes));
  }
}
