import type { ConversationId } from '../../database/checked-id.js';
import { LRUCache } from 'lru-cache';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { MessageBody } from './message-body.js';
import { MAX_WINDOW_BYTES, type MessageWindow } from './message-window.js';
import { type UnwrittenEvent, withEvents } from './unwritten-events.js';

const MIB = 1024 ** 2;
const COMMA = Buffer.from(',');
/** Bytes that a message takes in memory beside its JSON. */
const OVERHEAD = 200;

interface RecentMessage {
  /** Of its row; '' while the message is still written. */
  version: string;
  /** A ChatMessageResponse. */
  json: Buffer;
}

/** Finished messages of a conversation next to each other, from sequence `first` on. */
export interface RecentMessages {
  conversation_id: ConversationId;
  first: number;
  messages: readonly RecentMessage[];
}

/** A window of a conversation, as it is read. */
interface ConversationWindow extends MessageWindow {
  id: ConversationId;
  last_sequence: number;
  /** Events that the message still being written lacks. */
  unwritten: UnwrittenEvent[] | null;
}

/** Sequence of the last message. */
export const lastOf = ({ first, messages }: RecentMessages): number => first + messages.length - 1;

/**
 * The newest messages of conversations that were read lately, so that the JSON of a finished message is made once and not for
 * each poll. What a reader is sent was of the asked version when the statement ran that has named it: the statement says which
 * versions the messages have, and makes the texts of all others.
 */
@Injectable()
export class RecentMessagesService {
  private readonly known: LRUCache<string, RecentMessages>;

  constructor(config: Config) {
    this.known = new LRUCache({
      maxSize: config.MESSAGES_CACHE_MIB * MIB,
      sizeCalculation: ({ messages }) => bytesOf(messages) + OVERHEAD * (messages.length + 1),
    });
  }

  /**
   * What is known of a conversation, by the name under which it is read; undefined when it does not reach back far enough for
   * the window.
   */
  find(name: string, { limit, offset }: { limit: number; offset: number }): RecentMessages | undefined {
    const known = this.known.get(name);
    return known !== undefined && known.first <= Math.max(1, lastOf(known) - offset - limit + 1) ? known : undefined;
  }

  /**
   * The JSON texts of a window, with commas between them; undefined when what was known of it is not true any more, or too little.
   * The newest finished messages are kept under the name.
   *
   * @param known what was known when the window was asked for
   */
  complete(name: string, known: RecentMessages | undefined, window: ConversationWindow): Buffer | undefined {
    const { id, first, last, is_cut, unwritten } = window;
    if (is_cut && known !== undefined) return undefined;
    const versions = window.versions?.split(',') ?? [];
    const kept = versions.length === 0 ? [] : withVersions(known, id, first, versions);
    if (kept === undefined) return undefined;
    const made = splitTexts(window).map((message) =>
      unwritten !== null && message.version === '' ? withUnwritten(message, unwritten) : message,
    );
    if (kept.length > 0 && bytesOf(kept) + bytesOf(made) > MAX_WINDOW_BYTES) return undefined;
    const isNewest =
      last === window.last_sequence && (made.length > 0 || (last === 0 && known?.conversation_id !== id));
    if (isNewest) this.keep(name, id, last, [...(kept.length > 0 && known ? known.messages : []), ...made]);
    return joined([...kept, ...made]);
  }

  /** Keeps the newest of the messages up to sequence `last`, as far as they are finished and fit. */
  private keep(name: string, conversation_id: ConversationId, last: number, all: readonly RecentMessage[]): void {
    const unfinished = all.findIndex(({ version }) => version === '');
    const end = unfinished === -1 ? all.length : unfinished;
    if (end === 0 && all.length > 0) return;
    let start = end;
    for (let bytes = 0; start > 0; start -= 1) {
      bytes += all[start - 1]!.json.length + 1;
      if (bytes > MAX_WINDOW_BYTES) break;
    }
    if (start === end && end > 0) this.known.delete(name);
    else
      this.known.set(name, { conversation_id, first: last - all.length + 1 + start, messages: all.slice(start, end) });
  }
}

/** The messages that the database has made the texts of. */
function splitTexts({ made, parts }: MessageWindow): RecentMessage[] {
  if (made === null || parts === null) return [];
  const bytes = Buffer.from(made);
  let start = 0;
  return parts.split(',').map((part) => {
    const [length, version = ''] = part.split(':');
    const end = start + Number(length);
    // A copy: a part of the whole would keep all of it in memory.
    const json = Buffer.from(bytes.subarray(start, end));
    start = end + 1;
    return { version, json };
  });
}

/** The message that is still written with the events that its row lacks. */
function withUnwritten({ version, json }: RecentMessage, events: readonly UnwrittenEvent[]): RecentMessage {
  const body = withEvents(JSON.parse(json.toString()) as MessageBody, events);
  return { version, json: Buffer.from(JSON.stringify(body)) };
}

/** The known messages from sequence `first` on, if they have these versions. */
function withVersions(
  known: RecentMessages | undefined,
  conversation_id: ConversationId,
  first: number,
  versions: readonly string[],
): readonly RecentMessage[] | undefined {
  if (known?.conversation_id !== conversation_id) return undefined;
  const from = first - known.first;
  const messages = known.messages.slice(from, from + versions.length);
  return versions.every((version, at) => messages[at]?.version === version) ? messages : undefined;
}

/** Length of the joined texts. */
const bytesOf = (messages: readonly RecentMessage[]): number =>
  messages.reduce((bytes, { json }) => bytes + json.length + 1, 0);

const joined = (messages: readonly RecentMessage[]): Buffer =>
  Buffer.concat(messages.flatMap(({ json }, at) => (at === 0 ? [json] : [COMMA, json])));
