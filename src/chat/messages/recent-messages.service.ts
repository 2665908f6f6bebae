import { LRUCache } from 'lru-cache';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { ConversationId } from './conversation-id.js';
import type { MessageBody } from './message-body.js';
import { MAX_WINDOW_BYTES, type MessageWindow } from './message-window.js';
import { type UnwrittenEvent, withEvents } from './unwritten-events.js';

const MIB = 1024 ** 2;
const COMMA = Buffer.from(',');
const EMPTY = Buffer.alloc(0);

/** JSON texts of messages, as ChatMessageResponse. */
interface Texts {
  /** Versions of the messages. */
  versions: string[];
  /** Where each text ends in `bytes`. */
  ends: number[];
  /** The texts, with commas between them. */
  bytes: Buffer;
}

/** Those of finished messages of a conversation: from `first` on, without a gap. */
export interface MessageTexts extends Texts {
  conversation_id: ConversationId;
  first: number;
}

/** A window of a conversation, as it is read. */
interface ConversationWindow extends MessageWindow {
  id: ConversationId;
  last_sequence: number;
  /** Events that the message still being written lacks. */
  unwritten: UnwrittenEvent[] | null;
}

/** What is known of a conversation without messages. */
const NOTHING = { first: 1, versions: [], ends: [], bytes: EMPTY };

/** Sequence of the last message. */
export const lastOf = ({ first, versions }: MessageTexts): number => first + versions.length - 1;

/**
 * The newest messages of conversations that were read lately, so that the JSON of a finished message is made once and not for
 * each poll. What a reader is sent was of the asked version when the statement ran that has named it: the statement says which
 * versions the messages have, and makes the texts of all others.
 */
@Injectable()
export class RecentMessagesService {
  private readonly texts: LRUCache<string, MessageTexts>;

  constructor(config: Config) {
    this.texts = new LRUCache({
      maxSize: config.MESSAGES_CACHE_MIB * MIB,
      // A small buffer keeps the larger one that it is a part of.
      sizeCalculation: ({ bytes, versions }) => bytes.buffer.byteLength + 50 * versions.length + 500,
    });
  }

  /**
   * What is known of a conversation, by the name under which it is read; undefined when it does not reach back far enough for
   * the window.
   */
  find(name: string, { limit, offset }: { limit: number; offset: number }): MessageTexts | undefined {
    const known = this.texts.get(name);
    return known !== undefined && known.first <= Math.max(1, lastOf(known) - offset - limit + 1) ? known : undefined;
  }

  /**
   * The texts of a window, with commas between them; undefined when what was known of it is not true any more, or too little. The
   * newest finished ones are kept under the name.
   *
   * @param known what was known when the window was asked for
   */
  complete(name: string, known: MessageTexts | undefined, window: ConversationWindow): Buffer | undefined {
    const { id, first, last, versions, is_cut, made, parts, unwritten } = window;
    if (is_cut && known !== undefined) return undefined;
    const found = versions === null ? [] : versions.split(',');
    const kept = found.length === 0 ? EMPTY : textsOf(known, id, first, found);
    if (kept === undefined) return undefined;
    if (made === null || parts === null) {
      if (window.last_sequence === 0 && known?.conversation_id !== id)
        this.texts.set(name, { ...NOTHING, conversation_id: id });
      return kept;
    }
    const more = grown(split(made, parts), unwritten);
    if (kept.length + more.bytes.length > MAX_WINDOW_BYTES && kept.length > 0) return undefined;
    if (last === window.last_sequence) {
      this.keep(name, found.length > 0 ? known : undefined, id, last - more.versions.length + 1, more);
    }
    return kept.length === 0 ? more.bytes : Buffer.concat([kept, COMMA, more.bytes]);
  }

  /** Adds the finished messages among some behind those that are known, or in place of them. */
  private keep(
    name: string,
    known: MessageTexts | undefined,
    conversation_id: ConversationId,
    first: number,
    { bytes, versions, ends }: Texts,
  ): void {
    const unfinished = versions.indexOf('');
    const count = unfinished === -1 ? versions.length : unfinished;
    if (count === 0) return;
    const added = bytes.subarray(0, ends[count - 1]);
    const together: MessageTexts =
      known === undefined
        ? {
            conversation_id,
            first,
            versions: versions.slice(0, count),
            ends: ends.slice(0, count),
            // A copy, where what is cut off would stay in memory with it.
            bytes: added.length === bytes.length ? bytes : Buffer.from(added),
          }
        : {
            conversation_id,
            first: known.first,
            versions: [...known.versions, ...versions.slice(0, count)],
            ends: [...known.ends, ...ends.slice(0, count).map((end) => known.bytes.length + 1 + end)],
            bytes: Buffer.concat([known.bytes, COMMA, added]),
          };
    const shortened = newest(together);
    if (shortened === undefined) this.texts.delete(name);
    else this.texts.set(name, shortened);
  }
}

/** Texts as the database has made them; a message that is still written has the version ''. */
function split(made: string, parts: string): Texts {
  const ends: number[] = [];
  const versions: string[] = [];
  for (const part of parts.split(',')) {
    const [length, version = ''] = part.split(':');
    ends.push((ends.at(-1) ?? -1) + 1 + Number(length));
    versions.push(version);
  }
  return { versions, ends, bytes: Buffer.from(made) };
}

/** The texts with the events that the message still being written lacks, where it is among them. */
function grown(texts: Texts, events: readonly UnwrittenEvent[] | null): Texts {
  const at = events === null ? -1 : texts.versions.indexOf('');
  if (events === null || at === -1) return texts;
  const { versions, ends, bytes } = texts;
  const [start, end] = [startOf(texts, at), ends[at] ?? 0];
  const message = JSON.parse(bytes.toString('utf8', start, end)) as MessageBody;
  const text = Buffer.from(JSON.stringify(withEvents(message, events)));
  return {
    versions,
    ends: ends.map((one, index) => (index < at ? one : one + text.length - (end - start))),
    bytes: Buffer.concat([bytes.subarray(0, start), text, bytes.subarray(end)]),
  };
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

const startOf = ({ ends }: Texts, at: number): number => (at === 0 ? 0 : (ends[at - 1] ?? 0) + 1);

/** The newest of the texts that fit; undefined when the last one alone does not. */
function newest(texts: MessageTexts): MessageTexts | undefined {
  const { conversation_id, first, versions, ends, bytes } = texts;
  if (bytes.length <= MAX_WINDOW_BYTES) return texts;
  const left = ends.findIndex((_, at) => bytes.length - startOf(texts, at) <= MAX_WINDOW_BYTES);
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
