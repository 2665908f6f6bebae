import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../database/database.js';
import { LOGGER } from '../logging/logging.module.js';

/** Longest that hits stay unknown to other processes. */
const SETTLED_EVERY_MS = 1_000;
/** The part of a limit that is counted here before other processes hear of it at once. */
const UNSETTLED_PART = 1 / 20;
/** Most windows in memory; the oldest is forgotten first. */
const MOST_WINDOWS = 50_000;
/** Most windows in one statement. */
const MOST_SETTLED = 1_000;

interface Window {
  /** By this process's monotonic clock, in ms. */
  ends: number;
  /** Those of all processes, as far as they are known, and all of this one. */
  hits: number;
  /** Those that the database does not know of. */
  unsettled: number;
}

/** What the database knows of a window. */
interface Known {
  key: string;
  hits: number;
  ends_in: number;
}

/**
 * Hits in a window that begins with the first of them, counted by all processes together.
 *
 * A process counts by itself, and settles with the database behind the requests: all windows in one statement, once a
 * second or when a twentieth of a limit has come together. So no request waits for it, and a limit may be overrun by a
 * twentieth for each process, and by what arrives while a statement runs. Without a database each process goes on alone.
 */
@Injectable()
export class SharedCounts {
  /** By key, in order of age. */
  private readonly windows = new Map<string, Window>();
  /** Keys of windows that the database has to hear of. */
  private readonly changed = new Set<string>();
  private isSettling = false;
  private isUrgent = false;
  private hurry = new AbortController();

  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Counts a hit, unless the limit of the window is reached. */
  hit(key: string, windowMs: number, limit: number): { hits: number; isOver: boolean; endsInMs: number } {
    const now = performance.now();
    let window = this.windows.get(key);
    if (window === undefined || window.ends <= now) window = this.open(key, now + windowMs);
    const isOver = window.hits >= limit;
    if (!isOver) {
      window.hits += 1;
      window.unsettled += 1;
      this.changed.add(key);
      this.settleSoon(window.unsettled >= limit * UNSETTLED_PART);
    }
    return { hits: window.hits, isOver, endsInMs: window.ends - now };
  }

  /** Removes from the database what is over. */
  async forget(): Promise<void> {
    await this.database.manager.query('DELETE FROM request_counts WHERE ends_at <= now()');
  }

  private open(key: string, ends: number): Window {
    const now = performance.now();
    for (const [old, window] of this.windows) {
      if (window.ends > now && this.windows.size < MOST_WINDOWS) break;
      this.windows.delete(old);
    }
    const window = { ends, hits: 0, unsettled: 0 };
    // To the end of the map.
    this.windows.delete(key);
    this.windows.set(key, window);
    return window;
  }

  private settleSoon(urgently: boolean): void {
    if (urgently && !this.isUrgent) {
      this.isUrgent = true;
      this.hurry.abort();
    }
    if (!this.isSettling) void this.settleAll();
  }

  /** Settles until there is nothing to settle. */
  private async settleAll(): Promise<void> {
    this.isSettling = true;
    while (this.changed.size > 0) {
      if (!this.isUrgent) {
        this.hurry = new AbortController();
        const { signal } = this.hurry;
        await pause(SETTLED_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
      this.isUrgent = false;
      try {
        await this.settle(this.takeChanged());
      } catch (err) {
        this.logger.warn({ err }, 'requests are counted by this process alone for a moment');
        await pause(SETTLED_EVERY_MS, undefined, { ref: false });
      }
    }
    this.isSettling = false;
  }

  /** Windows to settle now; what is over in the meantime is nobody's business any more. */
  private takeChanged(): [string, Window][] {
    const now = performance.now();
    const due: [string, Window][] = [];
    for (const key of this.changed) {
      if (due.length === MOST_SETTLED) break;
      this.changed.delete(key);
      const window = this.windows.get(key);
      if (window !== undefined && window.ends > now) due.push([key, window]);
    }
    return due;
  }

  private async settle(due: [string, Window][]): Promise<void> {
    if (due.length === 0) return;
    const sent = due.map(([, { unsettled }]) => unsettled);
    try {
      const known = await this.store(due, sent);
      due.forEach(([key, window], index) => {
        const row = known.get(key);
        if (row === undefined) return;
        window.unsettled -= sent[index] ?? 0;
        window.hits = row.hits + window.unsettled;
        window.ends = performance.now() + row.ends_in;
      });
    } catch (error) {
      for (const [key] of due) this.changed.add(key);
      throw error;
    }
  }

  /** Adds to what the database knows; answers that, by key. */
  private async store(due: [string, Window][], hits: number[]): Promise<Map<string, Known>> {
    const now = performance.now();
    const rows: Known[] = await this.database.manager.query(
      // In one order, so that processes do not wait for each other in a circle.
      `INSERT INTO request_counts AS known (key, hits, ends_at)
       SELECT key, hits, now() + ends_in * interval '1 millisecond'
       FROM unnest($1::text[], $2::integer[], $3::integer[]) AS own (key, hits, ends_in)
       ORDER BY key COLLATE "C"
       ON CONFLICT (key) DO UPDATE SET
         hits = CASE WHEN known.ends_at > now() THEN known.hits ELSE 0 END + excluded.hits,
         ends_at = CASE WHEN known.ends_at > now() THEN known.ends_at ELSE excluded.ends_at END
       RETURNING key, hits, ceil(extract(epoch FROM ends_at - now()) * 1000)::integer AS ends_in`,
      [due.map(([key]) => key), hits, due.map(([, { ends }]) => Math.ceil(ends - now))],
    );
    return new Map(rows.map((row) => [row.key, row]));
  }
}
