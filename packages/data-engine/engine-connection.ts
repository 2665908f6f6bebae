import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MEMORY_MIB, MEMORY_SIGNAL, type Order, type Reply } from './messages.js';
import { type Answers, type Task, TaskProblem } from './tasks.js';

/** Maximum time for a process to start. It allows for slow, busy machines. */
const START_MS = 15_000;
/** A task that ignores an interruption for this long is killed with its process. */
const GRACE_MS = 1_000;

/** Result of a task. */
export type TaskResult =
  | { kind: 'answered'; answer: Answers[Task['kind']] }
  | { kind: 'problem'; problem: TaskProblem }
  | { kind: 'fault' | 'unloadable'; sentence: string }
  | { kind: 'too_slow' | 'aborted' | 'died' | 'out_of_memory' | 'disk_full' };

/** Connection from the service to a data engine process. */
export class EngineConnection {
  private tasks = 0;
  private receive: ((reply: Reply) => void) | undefined;
  private exit: { signal: NodeJS.Signals | null } | undefined;
  /** Whether the process must be replaced before the next task. */
  needsReplacement = false;
  /** Settles when the process has ended. */
  readonly ended: Promise<void>;

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (reply: Reply) => this.receive?.(reply));
    this.ended = new Promise((resolve) => {
      const end = (signal: NodeJS.Signals | null): void => {
        this.exit ??= { signal };
        resolve();
      };
      child.once('exit', (_code, signal) => end(signal));
      // The process could not be started, killed or written to. A process that did start still exits later.
      child.on('error', () => (child.pid === undefined ? end(null) : this.kill()));
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Whether the process has not received a task yet. */
  get isFresh(): boolean {
    return this.tasks === 0;
  }

  get hasEnded(): boolean {
    return this.exit !== undefined;
  }

  /** @throws Error if the process does not start */
  static async start(entry: URL, reservedBytes: number): Promise<EngineConnection> {
    const connection = new EngineConnection(launch(entry, reservedBytes));
    let startTimer: NodeJS.Timeout | undefined;
    const isReady = await Promise.race([
      new Promise<boolean>((resolve) => {
        connection.receive = () => resolve(true);
        startTimer = setTimeout(() => resolve(false), START_MS);
      }),
      connection.ended.then(() => false),
    ]);
    clearTimeout(startTimer);
    connection.receive = undefined;
    if (isReady) return connection;
    connection.kill();
    throw new Error('A data engine process did not start');
  }

  /**
   * Sends a task to the process and returns its result. The time limit starts once the process has loaded the required modules.
   */
  async perform(task: Task, milliseconds: number, signal?: AbortSignal): Promise<TaskResult> {
    const id = ++this.tasks;
    let stopReason: 'too_slow' | 'aborted' | undefined;
    const timers: NodeJS.Timeout[] = [];
    const stop = (kind: 'too_slow' | 'aborted'): void => {
      if (stopReason !== undefined) return;
      stopReason = kind;
      this.send({ interrupt: id });
      timers.push(setTimeout(() => this.kill(), GRACE_MS));
    };
    const abort = (): void => stop('aborted');
    this.ref();
    try {
      const reply = await Promise.race([
        new Promise<Reply>((resolve) => {
          const limit = (ms: number): void => void timers.push(setTimeout(() => stop('too_slow'), ms));
          this.receive = (reply) => ('started' in reply ? limit(milliseconds) : resolve(reply));
          this.send({ id, task });
          limit(START_MS + milliseconds);
          signal?.addEventListener('abort', abort, { once: true });
          if (signal?.aborted === true) abort();
        }),
        this.ended,
      ]);
      return this.toResult(reply, stopReason);
    } finally {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.receive = undefined;
      this.unref();
    }
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private toResult(reply: Reply | void, stopReason: 'too_slow' | 'aborted' | undefined): TaskResult {
    if (reply === undefined) {
      if (this.exit?.signal === MEMORY_SIGNAL) return { kind: 'out_of_memory' };
      return { kind: stopReason ?? 'died' };
    }
    if ('ready' in reply || 'started' in reply) throw new Error('A data engine process sent an unexpected message');
    this.needsReplacement = reply.needsReplacement || 'fault' in reply;
    if ('answer' in reply) return { kind: 'answered', answer: reply.answer };
    if ('problem' in reply) {
      const { code, sentence, place } = reply.problem;
      this.needsReplacement ||= code === 'out_of_memory' || code === 'engine_failed';
      return { kind: 'problem', problem: new TaskProblem(code, sentence, place) };
    }
    if ('loadError' in reply) return { kind: 'unloadable', sentence: reply.loadError };
    if ('diskFull' in reply) return { kind: 'disk_full' };
    if ('fault' in reply && stopReason === undefined) return { kind: 'fault', sentence: reply.fault };
    return { kind: stopReason ?? 'died' };
  }

  private send(order: Order): void {
    // If sending fails, the process is killed, and its exit settles the pending task.
    if (this.child.connected) this.child.send(order, (error) => error !== null && this.kill());
  }

  /** Allows the service to exit while the process is idle. */
  unref(): void {
    this.child.unref();
    this.child.channel?.unref();
  }

  private ref(): void {
    this.child.ref();
    this.child.channel?.ref();
  }
}

function launch(entry: URL, reservedBytes: number): ChildProcess {
  const node = [
    process.execPath,
    `--max-old-space-size=${MEMORY_MIB.heap}`,
    fileURLToPath(entry),
    String(reservedBytes),
  ];
  // With `ulimit`, the operating system refuses to allocate more memory and DuckDB reports an error. Polling memory use would
  // be too slow.
  const limited = ['/bin/sh', '-c', `ulimit -c 0; ulimit -d ${MEMORY_MIB.reserved * 1024} && exec "$@"`, 'sh', ...node];
  const [command, ...args] = process.platform === 'linux' ? limited : node;
  return spawn(command!, args, {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
}
