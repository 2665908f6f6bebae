import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import type { Logger } from 'pino';
import { LOGGER } from '../common/logging/logging.module.js';
import { DatabaseUrl } from './database-url.js';
import { DatabaseWatchService } from './database-watch.service.js';

/** Hears that something has changed: the key says what, null that anything may have, as messages can have been missed. */
export type Listener = (key: string | null) => void;

/** Least time between two sends: each wakes every process. */
const PACE_MS = 25;
/** The same where all that is to be sent can wait. */
const PATIENT_PACE_MS = 100;
/** PostgreSQL takes payloads of less than 8,000 bytes. */
const MAX_BYTES = 7_900;
const RECONNECT_MS = 500;
const TIMEOUT_MS = 5_000;
const SEPARATOR = ',';

/**
 * Wake-ups between the processes of the service by LISTEN and NOTIFY, over one connection a process.
 *
 * They carry no data and may get lost, so whoever listens reads the tables, and also looks there now and then by
 * itself. Sending inside a writing transaction would make all of them wait for each other: send after the commit. The
 * listeners of this process need no database to hear it.
 */
@Injectable()
export class NotificationsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly listeners = new Map<string, Set<Listener>>();
  /** Keys to send, by channel. */
  private waiting = new Map<string, Set<string>>();
  /** Whether one of them cannot wait. */
  private isUrgent = false;
  private connection: pg.Client | undefined;
  private sending: Promise<void> | undefined;
  private readonly closing = new AbortController();

  constructor(
    private readonly url: DatabaseUrl,
    @Inject(LOGGER) private readonly logger: Logger,
    watch: DatabaseWatchService,
  ) {
    watch.onUnresponsive(() => {
      if (this.connection !== undefined) this.drop(this.connection);
    });
  }

  /** Lets `listener` hear a channel from the start of the application on; called while modules initialise. */
  listen(channel: string, listener: Listener): void {
    const known = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, known.add(listener));
  }

  /**
   * Wakes the listeners of this process at once, and those of every other soon: where they are woken all the time anyway, what
   * can wait is told ten times a second, all else forty times. A key must not hold a comma.
   */
  send(channel: string, key: string, { canWait = false } = {}): void {
    queueMicrotask(() => this.deliver(channel, key));
    this.isUrgent ||= !canWait;
    const keys = this.waiting.get(channel) ?? new Set();
    this.waiting.set(channel, keys.add(key));
    this.sending ??= this.sendWaiting();
  }

  /** A program in which nothing listens needs no connection. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.listeners.size > 0) await this.connect();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sending;
    this.closing.abort();
    await this.connection?.end().catch(() => undefined);
  }

  private async sendWaiting(): Promise<void> {
    // What the same step of the process sends goes together; and nothing below runs before `sending` is set.
    await Promise.resolve();
    for (let { connection } = this; this.waiting.size > 0 && connection !== undefined; { connection } = this) {
      const taken = this.waiting;
      this.waiting = new Map();
      this.isUrgent = false;
      const payloads = [...taken].flatMap(([channel, keys]) => pack(keys).map((payload) => [channel, payload]));
      try {
        await connection.query(
          'SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS sent (channel, payload)',
          [payloads.map(([channel]) => channel), payloads.map(([, payload]) => payload)],
        );
      } catch (error) {
        // Listeners poll soon anyway; a connection that fails once is not used again.
        this.logger.warn({ err: error }, 'changes could not be told');
        this.drop(connection);
      }
      await pause(PACE_MS);
      for (let paused = PACE_MS; this.canWait() && paused < PATIENT_PACE_MS; paused += PACE_MS) await pause(PACE_MS);
    }
    this.sending = undefined;
  }

  private canWait(): boolean {
    return this.waiting.size > 0 && !this.isUrgent;
  }

  /** Connects, or schedules another attempt. */
  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url.value,
      application_name: 'project-workspace-service notifications',
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      keepAlive: true,
      // A notification is committed like a write, but nobody needs it on the disk.
      options: '-c synchronous_commit=off',
    });
    client.on('error', () => this.drop(client));
    client.on('end', () => this.drop(client));
    client.on('notification', ({ channel, payload = '', processId }) => {
      // What this process has sent it has heard already.
      if (processId === (client as unknown as { processID: number }).processID) return;
      for (const key of payload.split(SEPARATOR)) this.deliver(channel, key);
    });
    this.connection = client;
    try {
      await client.connect();
      for (const channel of this.listeners.keys()) await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      this.logger.warn({ err: error }, 'changes cannot be listened to');
      this.drop(client);
      return;
    }
    // What was sent before is lost.
    for (const channel of this.listeners.keys()) this.deliver(channel, null);
    if (this.waiting.size > 0) this.sending ??= this.sendWaiting();
  }

  /** Drops a connection, once, and opens a new one. */
  private drop(client: pg.Client): void {
    if (this.connection !== client) return;
    this.connection = undefined;
    if (this.closing.signal.aborted) return;
    client.end().catch(() => undefined);
    void pause(RECONNECT_MS, undefined, { signal: this.closing.signal }).then(
      () => this.connect(),
      () => undefined,
    );
  }

  private deliver(channel: string, key: string | null): void {
    for (const listener of this.listeners.get(channel) ?? []) listener(key);
  }
}

/** The keys in as few texts as fit. */
function pack(keys: Iterable<string>): string[] {
  const packed: string[] = [];
  let text = '';
  for (const key of keys) {
    if (text !== '' && text.length + SEPARATOR.length + key.length > MAX_BYTES) {
      packed.push(text);
      text = '';
    }
    text = text === '' ? key : text + SEPARATOR + key;
  }
  return text === '' ? packed : [...packed, text];
}
