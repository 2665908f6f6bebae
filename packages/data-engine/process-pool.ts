import { EngineConnection } from './engine-connection.js';

/** How many processes there are, and for how long. */
export interface PoolOptions {
  size: number;
  /** A process without a task ends after so long. */
  idleMs?: number;
  /** Bytes that they leave free on a disk. */
  reservedBytes?: number;
  /** Module that the processes run. */
  entry?: URL;
}

const IDLE_MS = 60_000;

/** Thrown if the pool has no process for a task. `cause` is the error of a process that did not start. */
export class EngineUnavailable extends Error {}

/** The processes of the data engine: started when there is a task for them, and ended when there is none for some time. */
export class ProcessPool {
  readonly size: number;
  private readonly idleMs: number;
  private readonly entry: URL;
  private readonly reservedBytes: number;
  private readonly living = new Set<EngineConnection>();
  /** The one that was used last is at the end, and is taken first. */
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

  /** Number of processes that run. */
  get processes(): number {
    return this.living.size;
  }

  /** Process ids, for those who look at them from outside. */
  get pids(): number[] {
    return [...this.living].flatMap(({ pid }) => pid ?? []);
  }

  /** A process without a task; it is the caller's until it is given back. @throws EngineUnavailable when none starts */
  async take(): Promise<EngineConnection> {
    for (let last = this.idle.pop(); last !== undefined; last = this.idle.pop()) {
      clearTimeout(last.timer);
      if (!last.connection.hasEnded) return last.connection;
    }
    return await this.startFresh();
  }

  /** A process that has had no task. @throws EngineUnavailable when it does not start */
  async startFresh(): Promise<EngineConnection> {
    if (this.isClosed) throw new EngineUnavailable('The data engine is closed');
    try {
      const connection = await EngineConnection.start(this.entry, this.reservedBytes);
      this.living.add(connection);
      this.endIfClosed(connection);
      void connection.ended.then(() => this.living.delete(connection));
      return connection;
    } catch (cause) {
      throw new EngineUnavailable('A process of the data engine did not start', { cause });
    }
  }

  /** A worn process ends. */
  giveBack(connection: EngineConnection): void {
    if (connection.hasEnded || this.endIfClosed(connection)) return;
    if (connection.isWorn) {
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

  /** A process may start while the pool closes. */
  private endIfClosed(connection: EngineConnection): boolean {
    if (this.isClosed) connection.kill();
    return this.isClosed;
  }

  /** Ends all processes, whatever they do. */
  close(): void {
    this.isClosed = true;
    for (const { timer } of this.idle.splice(0)) clearTimeout(timer);
    for (const connection of this.living) connection.kill();
  }
}
