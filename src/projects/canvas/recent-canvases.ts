import { LRUCache } from 'lru-cache';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { JsonBytes } from '../../platform/http/json-text.js';

const MIB = 1024 ** 2;

/**
 * Canvases that were read lately, each as the JSON of a CardListResponse under its entity tag, so that it is made once and not
 * for each poll. Each change of a card gives its project another tag, and none comes back: what is under a tag stays true.
 */
@Injectable()
export class RecentCanvases extends LRUCache<string, JsonBytes> {
  constructor(config: Config) {
    super({
      maxSize: config.CANVASES_CACHE_MIB * MIB,
      sizeCalculation: ({ bytes }) => bytes.length + 500,
    });
  }
}
