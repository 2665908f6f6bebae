import { setImmediate as nextRound } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../platform/logging/logging.module.js';
import { ConversationChangedChannel } from '../conversations/conversation-changed.channel.js';
import { eventId } from './position.js';
import { type Cursor, type Following, StreamReadsRepository } from './stream-reads.repository.js';
import type { ConversationId } from '../messages/conversation-id.js';

const POLL_MS = 2_000;
/** Streams leave most of the process's connections to requests and turns. */
const READS_AT_ONCE = 4;

/** Wakes readers of conversations when there is something new, and reads it for them, once for all that wait for the same. */
@Injectable()
export class StreamHub implements OnModuleInit, OnModuleDestroy {
  private readonly readers = new Map<string, Set<() => void>>();
  /** What conversations looked like when they were last polled. */
  private heads = new Map<string, string>();
  private readonly asked = new Map<string, Promise<Following | null>>();
  private readonly queue: (() => void)[] = [];
  private reading = 0;
  private isPolling = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly reads: StreamReadsRepository,
    private readonly changed: ConversationChangedChannel,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.changed.listen((id) => {
      for (const wake of id === null ? this.all() : (this.readers.get(id) ?? [])) wake();
    });
    // Notifications can get lost.
    this.timer = setInterval(() => void this.poll(), POLL_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Calls `wake` whenever the conversation may have changed, until the returned function is called. */
  watch(conversation_id: ConversationId, wake: () => void): () => void {
    const known = this.readers.get(conversation_id) ?? new Set();
    this.readers.set(conversation_id, known.add(wake));
    return () => {
      known.delete(wake);
      if (known.size > 0) return;
      this.readers.delete(conversation_id);
      this.heads.delete(conversation_id);
    };
  }

  /** What follows a cursor, read after this call; null when the conversation is gone. */
  read(conversation_id: ConversationId, cursor: Cursor): Promise<Following | null> {
    const { turn_id, next_seq, sequence } = cursor;
    const key = `${conversation_id} ${eventId(turn_id, next_seq)} ${sequence}`;
    let answer = this.asked.get(key);
    if (answer === undefined) {
      answer = this.inTurn(() => {
        // From here on, the result may be stale for new callers.
        this.asked.delete(key);
        return this.reads.following(conversation_id, cursor);
      });
      this.asked.set(key, answer);
    }
    return answer;
  }

  private async inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    // Readers woken by the same notification ask in this tick.
    await nextRound();
    if (this.reading >= READS_AT_ONCE) await this.queued();
    else this.reading += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next one.
      const next = this.queue.shift();
      if (next === undefined) this.reading -= 1;
      else next();
    }
  }

  private queued(): Promise<void> {
    return new Promise((resolve) => {
      this.queue.push(resolve);
    });
  }

  private all(): (() => void)[] {
    return [...this.readers.values()].flatMap((wakes) => [...wakes]);
  }

  private async poll(): Promise<void> {
    if (this.readers.size === 0 || this.isPolling) return;
    this.isPolling = true;
    try {
      const heads = await this.inTurn(() => this.reads.heads([...this.readers.keys()]));
      const before = this.heads;
      this.heads = heads;
      for (const [id, wakes] of this.readers) {
        if (!heads.has(id) || heads.get(id) !== before.get(id)) for (const wake of wakes) wake();
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'conversations could not be looked at');
    } finally {
      this.isPolling = false;
    }
  }
}
