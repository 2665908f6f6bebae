import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { NotificationsService } from '../../database/notifications.service.js';
import { LOGGER } from '../../common/logging/logging.module.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** Channel for the ids of revoked API keys. */
const REVOKED_API_KEYS = 'revoked_api_keys';
/** Interval between checks for revoked keys in use. Needed because notifications may get lost. */
const CHECK_MS = 15_000;

/** Notifies all processes of revoked API keys immediately. */
@Injectable()
export class RevocationsChannel implements OnModuleInit, OnModuleDestroy {
  private readonly listeners = new Set<(id: string | null) => void>();
  /** Functions to call when a key is revoked, by key id. */
  private readonly watched = new Map<string, Set<() => void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly apiKeys: ApiKeysRepository,
    private readonly notifications: NotificationsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.notifications.listen(REVOKED_API_KEYS, (id) => this.notify(id));
    this.timer = setInterval(() => void this.check(), CHECK_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Notifies every process of a revocation. Must be called after the revocation was committed. */
  send(id: string): void {
    this.notify(id);
    this.notifications.send(REVOKED_API_KEYS, id);
  }

  /** Calls `listener` for every revocation. Null means that some revocations may have been missed. */
  listen(listener: (id: string | null) => void): void {
    this.listeners.add(listener);
  }

  /** Calls `end` within 30 s after the key is revoked, unless the returned function is called first. */
  watch(id: string, end: () => void): () => void {
    const callbacks = this.watched.get(id) ?? new Set();
    this.watched.set(id, callbacks.add(end));
    return () => {
      callbacks.delete(end);
      if (callbacks.size === 0 && this.watched.get(id) === callbacks) this.watched.delete(id);
    };
  }

  private notify(id: string | null): void {
    for (const listener of this.listeners) listener(id);
    if (id === null) void this.check();
    else this.end(id);
  }

  private end(id: string): void {
    const ends = this.watched.get(id);
    this.watched.delete(id);
    for (const end of ends ?? []) end();
  }

  private async check(): Promise<void> {
    const ids = [...this.watched.keys()];
    if (ids.length === 0) return;
    try {
      for (const id of await this.apiKeys.revokedOf(ids)) this.end(id);
    } catch (error) {
      this.logger.warn({ err: error }, 'API keys could not be checked');
    }
  }
}
