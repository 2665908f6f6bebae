import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import type { Logger } from 'pino';
import { LOGGER } from '../common/logging/logging.module.js';
import { DatabaseUrl } from './database-url.js';
import { DatabaseWatchService } from './database-watch.service.js';

/** Receives the key of a change. Null means that messages may have been missed, so anything may have changed. */
export type Listener = (key: string | null) => void;

/** Minimum interval between two sends. Each send wakes every process. */
const PACE_MS = 25;
/** Minimum interval between two sends if no key is urgent. */
const PATIENT_PACE_MS = 100;
/** Maximum payload size. PostgreSQL accepts payloads of less than 8,000 bytes. */
const MAX_BYTES = 7_900;
const RECONNECT_MS = 500;
const TIMEOUT_MS = 5_000;
const SEPARATOR = ',';

/**
 * Sends wake-ups between the service's processes with LISTEN and NOTIFY. Each process uses a single connection.
 *
 * Wake-ups carry no data and may be lost. Listeners read the tables, and also poll them from time to time. Sending inside
 * writing transactions would serialize their commits, so send after the commit. Listeners in the sending process are called
 * directly, without the database.
 */
@Injectable()
export class NotificationsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly listeners = new Map<string, Set<Listener>>();
  /** Keys to send, by channel. */
  private waiting = new Map<string, Set<string>>();
  /** Whether any waiting key is urgent. */
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

  /**
   * Registers a listener for a channel. Must be called while modules initialize. Messages arrive once the application has
   * started.
   */
  listen(channel: string, listener: Listener): void {
    const listeners = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, listeners.add(listener));
  }

  /**
   * Wakes listeners in this process immediately and listeners in other processes soon. Urgent keys are sent up to forty times a
   * second. If all waiting keys have `canWait`, they are sent ten times a second. A key must not contain a comma.
   */
  send(channel: string, key: string, { canWait = false } = {}): void {
    queueMicrotask(() => this.deliver(channel, key));
    this.isUrgent ||= !canWait;
    const keys = this.waiting.get(channel) ?? new Set();
    this.waiting.set(channel, keys.add(key));
    this.sending ??= this.sendWaiting();
  }

  /** Connects only if there are listeners. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.listeners.size > 0) await this.connect();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sending;
    this.closing.abort();
    await this.connection?.end().catch(() => undefined);
  }

  private async sendWaiting(): Promise<void> {
    // Yielding here batches all keys that are sent synchronously. It also lets the caller set `sending` before the code below
    // runs.
    await Promise.resolve();
    for (let { connection } = this; this.waiting.size > 0 && connection !== undefined; { connection } = this) {
      const batch = this.waiting;
      this.waiting = new Map();
      this.isUrgent = false;
      const payloads = [...batch].flatMap(([channel, keys]) => pack(keys).map((payload) => [channel, payload]));
      try {
        await connection.query(
          'SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS sent (channel, payload)',
          [payloads.map(([channel]) => channel), payloads.map(([, payload]) => payload)],
        );
      } catch (error) {
        // Lost keys are acceptable because listeners poll. A connection is not used again after a failure.
        this.logger.warn({ err: error }, 'change notifications could not be sent');
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
      // A notification is committed like a write but does not need to reach the disk.
      options: '-c synchronous_commit=off',
    });
    client.on('error', () => this.drop(client));
    client.on('end', () => this.drop(client));
    client.on('notification', ({ channel, payload = '', processId }) => {
      // Listeners in this process were already called when the key was sent.
      if (processId === (client as unknown as { processID: number }).processID) return;
      for (const key of payload.split(SEPARATOR)) this.deliver(channel, key);
    });
    this.connection = client;
    try {
      await client.connect();
      for (const channel of this.listeners.keys()) await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      this.logger.warn({ err: error }, 'change notifications cannot be received');
      this.drop(client);
      return;
    }
    // Notifications sent before the connection was opened are lost.
    for (const channel of this.listeners.keys()) this.deliver(channel, null);
    if (this.waiting.size > 0) this.sending ??= this.sendWaiting();
  }

  /** Drops a connection and schedules a reconnect. Does nothing if the connection was already dropped. */
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

/** Joins the keys into as few payloads as possible. */
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
