import { LRUCache } from 'lru-cache';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { ConversationId } from './conversation-id.js';
import { MAX_WINDOW_BYTES, type MessageWindow } from './message-json.sql.js';

const MIB = 1024 ** 2;
/** Most bytes of one conversation. */
const MAX_BYTES = MAX_WINDOW_BYTES / 2;
const COMMA = Buffer.from(',');
const EMPTY = Buffer.alloc(0);

/** JSON texts of finished messages, as ChatMessageResponse: those from `first` on, without a gap. */
export interface MessageTexts {
  conversation_id: ConversationId;
  first: number;
  /** Versions of the messages. */
  versions: string[];
  /** Where each text ends in `bytes`. */
  ends: number[];
  /** The texts, with commas between them. */
  bytes: Buffer;
}

/** Sequence of the last message. */
export const lastOf = ({ first, versions }: MessageTexts): number => first + versions.length - 1;

/**
 * The newest messages of conversations that were read lately, so that the JSON of a finished message is made once and not for
 * each poll. What a reader is sent was of the asked version when the statement ran that has named it: the statement says which
 * versions the messages have, and makes the texts of all others.
 */
@Injectable()
export class RecentMessages {
  private readonly texts: LRUCache<string, MessageTexts>;

  constructor(config: Config) {
    this.texts = new LRUCache({
      maxSize: config.MESSAGES_CACHE_MIB * MIB,
      sizeCalculation: ({ bytes, versions }) => bytes.length + 50 * versions.length + 500,
    });
  }

  /** What is known of a conversation, by the name under which it is read. */
  find(name: string): MessageTexts | undefined {
    return this.texts.get(name);
  }

  /**
   * The texts of a window, with commas between them; undefined when what was known of it is not true any more. The newest
   * finished ones are kept under the name.
   *
   * @param known what was known when the window was asked for
   * @param isNewest whether the window ends with the conversation
   */
  complete(
    name: string,
    known: MessageTexts | undefined,
    conversation_id: ConversationId,
    { first, versions, made, parts }: MessageWindow,
    isNewest: boolean,
  ): Buffer | undefined {
    const found = versions === null ? [] : versions.split(',');
    const kept = found.length === 0 ? EMPTY : textsOf(known, conversation_id, first, found);
    if (kept === undefined) return undefined;
    if (made === null) return kept;
    const bytes = Buffer.from(made);
    if (kept.length + bytes.length > MAX_WINDOW_BYTES && kept.length > 0) return undefined;
    // Messages were left out, which then are the older ones: behind known ones that would be a gap.
    if (parts === null) return kept.length > 0 ? undefined : bytes;
    if (isNewest)
      this.keep(name, found.length > 0 ? known : undefined, conversation_id, first + found.length, bytes, parts);
    return kept.length === 0 ? bytes : Buffer.concat([kept, COMMA, bytes]);
  }

  /** Adds the finished messages of a window behind those that are known, or in place of them. */
  private keep(
    name: string,
    known: MessageTexts | undefined,
    conversation_id: ConversationId,
    first: number,
    bytes: Buffer,
    parts: string,
  ): void {
    const ends: number[] = [];
    const versions: string[] = [];
    for (const part of parts.split(',')) {
      const [length, version = ''] = part.split(':');
      if (version === '') break;
      ends.push((ends.at(-1) ?? -1) + 1 + Number(length));
      versions.push(version);
    }
    if (versions.length === 0) return;
    const added = bytes.subarray(0, ends.at(-1));
    const together: MessageTexts =
      known === undefined
        ? // A copy, where what is cut off would stay in memory with it.
          { conversation_id, first, versions, ends, bytes: added.length === bytes.length ? bytes : Buffer.from(added) }
        : {
            conversation_id,
            first: known.first,
            versions: [...known.versions, ...versions],
            ends: [...known.ends, ...ends.map((end) => known.bytes.length + 1 + end)],
            bytes: Buffer.concat([known.bytes, COMMA, added]),
          };
    const shortened = newest(together);
    if (shortened !== undefined) this.texts.set(name, shortened);
  }
}

/** The texts of the messages from `first` on that are to have these versions; undefined when they are others. */
function textsOf(
  known: MessageTexts | undefined,
  conversation_id: ConversationId,
  first: number,
  versions: string[],
): Buffer | undefined {
  if (known?.conversation_id !== conversation_id) return undefined;
  const from = first - known.first;
  if (!versions.every((version, at) => known.versions[from + at] === version)) return undefined;
  return known.bytes.subarray(startOf(known, from), known.ends[from + versions.length - 1]);
}

const startOf = ({ ends }: MessageTexts, at: number): number => (at === 0 ? 0 : (ends[at - 1] ?? 0) + 1);

/** The newest of the texts that fit; undefined when the last one alone does not. */
function newest(texts: MessageTexts): MessageTexts | undefined {
  const { conversation_id, first, versions, ends, bytes } = texts;
  if (bytes.length <= MAX_BYTES) return texts;
  const left = ends.findIndex((_, at) => bytes.length - startOf(texts, at) <= MAX_BYTES);
  if (left === -1) return undefined;
  const start = startOf(texts, left);
  return {
    conversation_id,
    first: first + left,
    versions: versions.slice(left),
    ends: ends.slice(left).map((end) => end - start),
    bytes: Buffer.from(bytes.subarray(start)),
  };
}
