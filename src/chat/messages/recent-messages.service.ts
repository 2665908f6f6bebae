import type { ConversationId } from '../../database/checked-id.js';
import { LRUCache } from 'lru-cache';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { MessageBody } from './message-body.js';
import { MAX_WINDOW_BYTES, type MessageWindow } from './message-window.js';
import { type UnwrittenEvent, withEvents } from './unwritten-events.js';

const MIB = 1024 ** 2;
const COMMA = Buffer.from(',');
/** Memory used by a message in addition to its JSON, in bytes. */
const OVERHEAD = 200;

interface RecentMessage {
  /** Version of the message's row. Empty while the message is being written. */
  version: string;
  /** JSON of a ChatMessageResponse. */
  json: Buffer;
}

/** Consecutive finished messages from a conversation, starting at sequence `first`. */
export interface RecentMessages {
  conversation_id: ConversationId;
  first: number;
  messages: readonly RecentMessage[];
}

/** Window of a conversation, as read from the database. */
interface ConversationWindow extends MessageWindow {
  id: ConversationId;
  last_sequence: number;
  /** Events that the row of the message being written does not contain yet. */
  unwritten: UnwrittenEvent[] | null;
}

/** Returns the sequence number of the last message. */
export const lastOf = ({ first, messages }: RecentMessages): number => first + messages.length - 1;

/**
 * Caches the newest messages of recently read conversations, so that polling does not build the JSON of a finished message
 * again. Readers never get stale messages, because each statement returns the current versions of the cached messages and the
 * JSON of all other messages.
 */
@Injectable()
export class RecentMessagesService {
  private readonly cache: LRUCache<string, RecentMessages>;

  constructor(config: Config) {
    this.cache = new LRUCache({
      maxSize: config.MESSAGES_CACHE_MIB * MIB,
      sizeCalculation: ({ messages }) => bytesOf(messages) + OVERHEAD * (messages.length + 1),
    });
  }

  /**
   * Returns the messages cached under a name, or undefined if the requested window may start before the first cached message.
   */
  find(name: string, { limit, offset }: { limit: number; offset: number }): RecentMessages | undefined {
    const cached = this.cache.get(name);
    return cached !== undefined && cached.first <= Math.max(1, lastOf(cached) - offset - limit + 1)
      ? cached
      : undefined;
  }

  /**
   * Returns the JSON of the messages in a window, separated by commas, or undefined if the cached messages are stale or
   * insufficient. Caches the newest finished messages under the name.
   *
   * @param cached messages that were cached when the query was sent
   */
  complete(name: string, cached: RecentMessages | undefined, window: ConversationWindow): Buffer | undefined {
    const { id, first, last, is_cut, unwritten } = window;
    if (is_cut && cached !== undefined) return undefined;
    const versions = window.versions?.split(',') ?? [];
    const reused = versions.length === 0 ? [] : withVersions(cached, id, first, versions);
    if (reused === undefined) return undefined;
    const built = splitTexts(window).map((message) =>
      unwritten !== null && message.version === '' ? withUnwritten(message, unwritten) : message,
    );
    if (reused.length > 0 && bytesOf(reused) + bytesOf(built) > MAX_WINDOW_BYTES) return undefined;
    const isNewest =
      last === window.last_sequence && (built.length > 0 || (last === 0 && cached?.conversation_id !== id));
    if (isNewest) this.keep(name, id, last, [...(reused.length > 0 && cached ? cached.messages : []), ...built]);
    return joinTexts([...reused, ...built]);
  }

  /** Caches the newest finished messages up to sequence `last` that fit into {@link MAX_WINDOW_BYTES}. */
  private keep(name: string, conversation_id: ConversationId, last: number, all: readonly RecentMessage[]): void {
    const unfinished = all.findIndex(({ version }) => version === '');
    const end = unfinished === -1 ? all.length : unfinished;
    if (end === 0 && all.length > 0) return;
    let start = end;
    for (let bytes = 0; start > 0; start -= 1) {
      bytes += all[start - 1]!.json.length + 1;
      if (bytes > MAX_WINDOW_BYTES) break;
    }
    if (start === end && end > 0) this.cache.delete(name);
    else
      this.cache.set(name, { conversation_id, first: last - all.length + 1 + start, messages: all.slice(start, end) });
  }
}

/** Splits the JSON that the database has built into messages. */
function splitTexts({ made, parts }: MessageWindow): RecentMessage[] {
  if (made === null || parts === null) return [];
  const bytes = Buffer.from(made);
  let start = 0;
  return parts.split(',').map((part) => {
    const [length, version = ''] = part.split(':');
    const end = start + Number(length);
    // Copies the bytes, because a view would keep the whole buffer in memory.
    const json = Buffer.from(bytes.subarray(start, end));
    start = end + 1;
    return { version, json };
  });
}

/** Updates the message being written with the events that its row does not contain yet. */
function withUnwritten({ version, json }: RecentMessage, events: readonly UnwrittenEvent[]): RecentMessage {
  const body = withEvents(JSON.parse(json.toString()) as MessageBody, events);
  return { version, json: Buffer.from(JSON.stringify(body)) };
}

/**
 * Returns the cached messages from sequence number `first`, or undefined if their versions differ from the current versions.
 */
function withVersions(
  cached: RecentMessages | undefined,
  conversation_id: ConversationId,
  first: number,
  versions: readonly string[],
): readonly RecentMessage[] | undefined {
  if (cached?.conversation_id !== conversation_id) return undefined;
  const from = first - cached.first;
  const messages = cached.messages.slice(from, from + versions.length);
  return versions.every((version, at) => messages[at]?.version === version) ? messages : undefined;
}

/** Returns the length of the messages' JSON, including a separator for each message. */
const bytesOf = (messages: readonly RecentMessage[]): number =>
  messages.reduce((bytes, { json }) => bytes + json.length + 1, 0);

const joinTexts = (messages: readonly RecentMessage[]): Buffer =>
  Buffer.concat(messages.flatMap(({ json }, at) => (at === 0 ? [json] : [COMMA, json])));
