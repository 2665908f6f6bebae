import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../logging/logging.module.js';
import { RequestCountsRepository } from './request-counts.repository.js';

/** Longest that hits stay unknown to other processes. */
const SYNC_INTERVAL_MS = 1_000;
/** The part of a limit that is counted here before other processes hear of it at once. */
const UNSYNCED_PART = 1 / 20;
/** Most windows in memory; the oldest is forgotten first. */
const MAX_WINDOWS = 50_000;
/** Most windows in one statement. */
const MAX_SYNCED = 1_000;

interface Window {
  /** By this process's monotonic clock, in ms. */
  ends: number;
  /** Those of all processes, as far as they are known, and all of this one. */
  hits: number;
  /** Those that the database does not know of. */
  unsynced: number;
}

/**
 * Hits in a window that begins with the first of them, counted by all processes together.
 *
 * A process counts by itself, and syncs with the database behind the requests: all windows in one statement, once a
 * second or when a twentieth of a limit has come together. So no request waits for it, and a limit may be overrun by a
 * twentieth for each process, and by what arrives while a statement runs. Without a database each process goes on alone.
 */
@Injectable()
export class SharedCountsService {
  /** By key, in order of age. */
  private readonly windows = new Map<string, Window>();
  /** Keys of windows that the database has to hear of. */
  private readonly changed = new Set<string>();
  private isSyncing = false;
  private isUrgent = false;
  private hurry = new AbortController();

  constructor(
    private readonly requestCounts: RequestCountsRepository,
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
      window.unsynced += 1;
      this.changed.add(key);
      this.syncSoon(window.unsynced >= limit * UNSYNCED_PART);
    }
    return { hits: window.hits, isOver, endsInMs: window.ends - now };
  }

  /** Removes from the database what is over. */
  async forget(): Promise<void> {
    await this.requestCounts.removeEnded();
  }

  private open(key: string, ends: number): Window {
    const now = performance.now();
    for (const [old, window] of this.windows) {
      if (window.ends > now && this.windows.size < MAX_WINDOWS) break;
      this.windows.delete(old);
    }
    const window = { ends, hits: 0, unsynced: 0 };
    // To the end of the map.
    this.windows.delete(key);
    this.windows.set(key, window);
    return window;
  }

  private syncSoon(urgently: boolean): void {
    if (urgently && !this.isUrgent) {
      this.isUrgent = true;
      this.hurry.abort();
    }
    if (!this.isSyncing) void this.syncAll();
  }

  /** Syncs until there is nothing to sync. */
  private async syncAll(): Promise<void> {
    this.isSyncing = true;
    while (this.changed.size > 0) {
      if (!this.isUrgent) {
        this.hurry = new AbortController();
        const { signal } = this.hurry;
        await pause(SYNC_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
      this.isUrgent = false;
      try {
        await this.sync(this.takeChanged());
      } catch (err) {
        this.logger.warn({ err }, 'requests are counted by this process alone for a moment');
        await pause(SYNC_INTERVAL_MS, undefined, { ref: false });
      }
    }
    this.isSyncing = false;
  }

  /** Windows to sync now; those that have ended are dropped. */
  private takeChanged(): [string, Window][] {
    const now = performance.now();
    const due: [string, Window][] = [];
    for (const key of this.changed) {
      if (due.length === MAX_SYNCED) break;
      this.changed.delete(key);
      const window = this.windows.get(key);
      if (window !== undefined && window.ends > now) due.push([key, window]);
    }
    return due;
  }

  private async sync(due: [string, Window][]): Promise<void> {
    if (due.length === 0) return;
    const now = performance.now();
    const sent = due.map(([key, { unsynced, ends }]) => ({ key, hits: unsynced, ends_in: Math.ceil(ends - now) }));
    try {
      const counted = new Map((await this.requestCounts.add(sent)).map((row) => [row.key, row]));
      due.forEach(([key, window], index) => {
        const row = counted.get(key);
        if (row === undefined) return;
        window.unsynced -= sent[index]?.hits ?? 0;
        window.hits = row.hits + window.unsynced;
        window.ends = performance.now() + row.ends_in;
      });
    } catch (error) {
      for (const [key] of due) this.changed.add(key);
      throw error;
    }
  }
}
