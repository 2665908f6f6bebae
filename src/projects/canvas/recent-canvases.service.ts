import { LRUCache } from 'lru-cache';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Tagged } from '../../common/etag/tagged.js';
import { JsonBytes } from '../../common/http/json-text.js';

const MIB = 1024 ** 2;

/** A canvas as the JSON of a CardListResponse, with its entity tag. */
type CanvasJson = Tagged<JsonBytes>;

/**
 * The canvases of projects that were read lately, so that the JSON of one is made once and not for each poll. Each change of a
 * card gives its project another tag: a canvas is sent from here only where the database has just named the tag that it has.
 */
@Injectable()
export class RecentCanvasesService {
  private readonly canvases: LRUCache<string, { tag: string; bytes: Buffer }>;

  constructor(config: Config) {
    this.canvases = new LRUCache({
      maxSize: config.CANVASES_CACHE_MIB * MIB,
      // A small buffer keeps the larger one that it is a part of.
      sizeCalculation: ({ bytes }) => bytes.buffer.byteLength + 500,
    });
  }

  /** The canvas of a project; undefined when none is known with this tag. */
  find(project_id: string, tag: string): CanvasJson | undefined {
    const known = this.canvases.get(project_id);
    return known?.tag === tag ? Tagged.of(tag, new JsonBytes(known.bytes)) : undefined;
  }

  /** Keeps a canvas in place of what was known of the project. */
  keep(project_id: string, tag: string, canvas: string): CanvasJson {
    const bytes = Buffer.from(canvas);
    this.canvases.set(project_id, { tag, bytes });
    return Tagged.of(tag, new JsonBytes(bytes));
  }
}
