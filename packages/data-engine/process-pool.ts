import { EngineConnection } from './engine-connection.js';

/** Number and lifetime of the processes. */
export interface PoolOptions {
  size: number;
  /** A process without a task ends after this time. */
  idleMs?: number;
  /** Bytes that the processes leave free on the disk. */
  reservedBytes?: number;
  /** Module that the processes run. */
  entry?: URL;
}

const IDLE_MS = 60_000;

/** Thrown if the pool has no process for a task. `cause` is the error of a process that did not start. */
export class EngineUnavailable extends Error {}

/** Starts data engine processes on demand and ends them after some idle time. */
export class ProcessPool {
  readonly size: number;
  private readonly idleMs: number;
  private readonly entry: URL;
  private readonly reservedBytes: number;
  private readonly living = new Set<EngineConnection>();
  /** Idle processes. The most recently used process is last and is reused first. */
  private readonly idle: { connection: EngineConnection; timer: NodeJS.Timeout }[] = [];
  private isClosed = false;

  constructor({
    size,
    idleMs = IDLE_MS,
    reservedBytes = 0,
    entry = new URL('./engine-process.js', import.meta.url),
  }: PoolOptions) {
    this.size = size;
    this.idleMs = idleMs;
    this.entry = entry;
    this.reservedBytes = reservedBytes;
  }

  /** Number of running processes. */
  get processes(): number {
    return this.living.size;
  }

  /** Process ids, for monitoring from outside. */
  get pids(): number[] {
    return [...this.living].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * Returns a process without a task. The caller owns it until {@link giveBack}. @throws EngineUnavailable if a process does not
   * start
   */
  async take(): Promise<EngineConnection> {
    for (let last = this.idle.pop(); last !== undefined; last = this.idle.pop()) {
      clearTimeout(last.timer);
      if (!last.connection.hasEnded) return last.connection;
    }
    return await this.startFresh();
  }

  /** Returns a process that has not had a task. @throws EngineUnavailable if it does not start */
  async startFresh(): Promise<EngineConnection> {
    if (this.isClosed) throw new EngineUnavailable('The data engine is closed');
    try {
      const connection = await EngineConnection.start(this.entry, this.reservedBytes);
      this.living.add(connection);
      this.endIfClosed(connection);
      void connection.ended.then(() => this.living.delete(connection));
      return connection;
    } catch (cause) {
      throw new EngineUnavailable('A data engine process did not start', { cause });
    }
  }

  /** Takes back a process from its owner. Worn processes are killed. */
  giveBack(connection: EngineConnection): void {
    if (connection.hasEnded || this.endIfClosed(connection)) return;
    if (connection.needsReplacement) {
      connection.kill();
      return;
    }
    const timer = setTimeout(() => {
      this.idle.splice(this.idle.indexOf(entry), 1);
      connection.kill();
    }, this.idleMs).unref();
    const entry = { connection, timer };
    this.idle.push(entry);
  }

  /** Kills a process that started while the pool was closing. */
  private endIfClosed(connection: EngineConnection): boolean {
    if (this.isClosed) connection.kill();
    return this.isClosed;
  }

  /** Kills all processes, including busy processes. */
  close(): void {
    this.isClosed = true;
    for (const { timer } of this.idle.splice(0)) clearTimeout(timer);
    for (const connection of this.living) connection.kill();
  }
}
