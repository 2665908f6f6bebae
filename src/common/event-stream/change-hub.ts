import { setImmediate as nextRound } from 'node:timers/promises';
import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { TooManyRequests } from '../errors/errors.js';
import { FairShares } from '../throttling/fair-shares.js';
import type { Listener } from '../../database/notifications.service.js';

const POLL_MS = 2_000;
/** Number of concurrent reads. Leaves most of the process's connections for requests and turns. */
const READS_AT_ONCE = 4;
/**
 * Maximum number of concurrent reads per company. Leaves one read for other companies, even if many of a company's streams
 * resume at once.
 */
const READS_OF_COMPANY = READS_AT_ONCE - 1;
/** Maximum wait for a read. The stream then ends and its client reconnects. */
const PATIENCE_MS = 60_000;
/** Key for reads that serve all companies. */
const POLL = 'poll';

/**
 * Wakes the readers of an object when the object has updates, and reads the updates for them. Readers that wait for the same
 * updates share a single read.
 */
export abstract class ChangeHub<Cursor, Following> implements OnModuleInit, OnModuleDestroy {
  private readonly readers = new Map<string, Set<() => void>>();
  /** Heads of the followed objects at the last poll. */
  private heads = new Map<string, string>();
  private readonly pending = new Map<string, Promise<Following | null>>();
  private readonly places = new FairShares(READS_AT_ONCE, PATIENCE_MS);
  private isPolling = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly channel: { listen(listener: Listener): void },
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.channel.listen((id) => {
      for (const wake of id === null ? this.allWakes() : (this.readers.get(id) ?? [])) wake();
    });
    // Notifications can get lost, so changes are also detected by polling.
    this.timer = setInterval(() => void this.poll(), POLL_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Returns the updates after a cursor, or null if the object was deleted. */
  protected abstract following(id: string, cursor: Cursor): Promise<Following | null>;

  /** Returns the head of each existing object as a string that changes with every update. Omits deleted objects. */
  protected abstract headsOf(ids: string[]): Promise<Map<string, string>>;

  /** Returns the same string for equal cursors. */
  protected abstract keyOf(cursor: Cursor): string;

  /** Calls `wake` whenever there may be updates, until the returned function is called. */
  watch(id: string, wake: () => void): () => void {
    const wakes = this.readers.get(id) ?? new Set();
    this.readers.set(id, wakes.add(wake));
    return () => {
      wakes.delete(wake);
      if (wakes.size > 0) return;
      this.readers.delete(id);
      this.heads.delete(id);
    };
  }

  /**
   * Returns the updates after a cursor. The read starts after this call, when it is the company's turn. Returns null if the
   * object was deleted.
   */
  read(company_id: string, id: string, cursor: Cursor): Promise<Following | null> {
    const key = `${id} ${this.keyOf(cursor)}`;
    const existing = this.pending.get(key);
    if (existing !== undefined) return existing;
    // Once the read starts, its result may be stale for new callers.
    const forget = (): boolean => this.pending.delete(key);
    const answer = this.runInTurn(company_id, () => {
      forget();
      return this.following(id, cursor);
    });
    this.pending.set(key, answer);
    // The queue rejected the read, so it never started.
    answer.catch((error: unknown) => error instanceof TooManyRequests && forget());
    return answer;
  }

  private async runInTurn<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    // Readers woken by the same notification call this in the same tick. Waiting lets them share the read.
    await nextRound();
    return await this.places.run([{ key, limit: READS_OF_COMPANY }], work);
  }

  private allWakes(): (() => void)[] {
    return [...this.readers.values()].flatMap((wakes) => [...wakes]);
  }

  private async poll(): Promise<void> {
    if (this.readers.size === 0 || this.isPolling) return;
    this.isPolling = true;
    try {
      const heads = await this.runInTurn(POLL, () => this.headsOf([...this.readers.keys()]));
      const before = this.heads;
      this.heads = heads;
      for (const [id, wakes] of this.readers) {
        if (!heads.has(id) || heads.get(id) !== before.get(id)) for (const wake of wakes) wake();
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'streams could not be checked for changes');
    } finally {
      this.isPolling = false;
    }
  }
}
