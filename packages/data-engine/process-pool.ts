import { EngineConnection } from './engine-connection.js';

/** Number and lifetime of the processes. */
export interface PoolOptions {
  size: number;
  /** Time after which an idle process is ended. */
  idleMs?: number;
  /** Number of bytes that the processes leave free on the disk. */
  reservedBytes?: number;
  /** Module that the processes run. */
  entry?: URL;
}

const IDLE_MS = 60_000;

/** Thrown if the pool has no process for a task. `cause` is the error of a process that did not start. */
export class EngineUnavailable extends Error {}

/** Starts data engine processes on demand and ends them when they have been idle for some time. */
export class ProcessPool {
  readonly size: number;
  private readonly idleMs: number;
  private readonly entry: URL;
  private readonly reservedBytes: number;
  private readonly running = new Set<EngineConnection>();
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
    return this.running.size;
  }

  /** Process ids, for external monitoring. */
  get pids(): number[] {
    return [...this.running].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * Returns an idle process, which belongs to the caller until {@link release}. @throws EngineUnavailable if a process does not
   * start
   */
  async acquire(): Promise<EngineConnection> {
    for (let candidate = this.idle.pop(); candidate !== undefined; candidate = this.idle.pop()) {
      clearTimeout(candidate.timer);
      if (!candidate.connection.hasEnded) return candidate.connection;
    }
    return await this.acquireNew();
  }

  /** Returns a process that has not received a task yet. @throws EngineUnavailable if it does not start */
  async acquireNew(): Promise<EngineConnection> {
    if (this.isClosed) throw new EngineUnavailable('The data engine is closed');
    try {
      const connection = await EngineConnection.start(this.entry, this.reservedBytes);
      this.running.add(connection);
      this.killIfClosed(connection);
      void connection.ended.then(() => this.running.delete(connection));
      return connection;
    } catch (cause) {
      throw new EngineUnavailable('A data engine process did not start', { cause });
    }
  }

  /** Takes a process back from the caller. Worn processes are killed. */
  release(connection: EngineConnection): void {
    if (connection.hasEnded || this.killIfClosed(connection)) return;
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
  private killIfClosed(connection: EngineConnection): boolean {
    if (this.isClosed) connection.kill();
    return this.isClosed;
  }

  /** Kills all processes, including busy processes. */
  close(): void {
    this.isClosed = true;
    for (const { timer } of this.idle.splice(0)) clearTimeout(timer);
    for (const connection of this.running) connection.kill();
  }
}
