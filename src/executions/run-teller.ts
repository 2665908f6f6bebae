import type { Logger } from 'pino';
import type { Phase, Progress } from './execution-log.entity.js';
import type { ModelSize } from './model/model.js';
import type { SolveNews } from './solver/task.js';
import { gapBetween, type Search } from './solver/watch.js';

const TELLING_MS = 1_000;
/** Most characters of a line. */
const MAX_LINE = 200;
/** Lines that are kept until they are told: no more of a log are kept at all. */
const MAX_LINES = 200;

const NOTHING: Search = { incumbent: null, bound: null, nodes: 0 };
const DOING: Record<Phase, string> = {
  reading: 'reading the model',
  solving: 'solving',
  explaining: 'looking for the reason why there is no plan',
};

/** Tells of a running execution every second: how far it is, and what its log has to add, a line at least. */
export class RunTeller {
  private readonly startedAt = performance.now();
  private readonly timer: NodeJS.Timeout;
  private phase: Phase = 'reading';
  private search = NOTHING;
  private lines: string[];
  /** The one before is over before the next one begins. */
  private told: Promise<void>;
  size: ModelSize | undefined;

  /** @param tell what fails in it is logged, and keeps nothing from being solved */
  constructor(
    attempts: number,
    private readonly tell: (progress: Progress, lines: readonly string[]) => Promise<void>,
    private readonly logger: Logger,
  ) {
    this.lines = [attempts > 1 ? `Attempt ${attempts}: the process of the one before went away` : 'Reading the model'];
    this.told = this.tellOnce();
    this.timer = setInterval(() => void this.next(), TELLING_MS);
  }

  hear(news: SolveNews): void {
    if (news.kind === 'line') this.add(news.text);
    else if (news.kind === 'explains') this.phase = 'explaining';
    else if (news.kind === 'search') this.search = { incumbent: news.incumbent, bound: news.bound, nodes: news.nodes };
    else {
      const { variables, integer_variables, constraints, terms } = news.size;
      this.size = news.size;
      this.phase = 'solving';
      this.add(`Variables: ${variables} (${integer_variables} whole), constraints: ${constraints}, terms: ${terms}`);
    }
  }

  /** The work is over: the last lines are told. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.told;
    if (this.lines.length > 0) await this.tellOnce();
  }

  private add(line: string): void {
    this.lines.push(line.slice(0, MAX_LINE));
    if (this.lines.length > MAX_LINES) this.lines.shift();
  }

  private async next(): Promise<void> {
    if (this.lines.length === 0) this.add(`${Math.round(this.seconds)} s: ${DOING[this.phase]}`);
    await this.told;
    this.told = this.tellOnce();
  }

  private get seconds(): number {
    return (performance.now() - this.startedAt) / 1000;
  }

  private async tellOnce(): Promise<void> {
    const { lines, phase, search } = this;
    this.lines = [];
    const { incumbent, bound, nodes } = search;
    const gap = incumbent === null || bound === null ? null : gapBetween(incumbent, bound);
    const seconds = Number(this.seconds.toFixed(1));
    try {
      await this.tell({ phase, seconds, incumbent, bound, gap, nodes }, lines);
    } catch (error) {
      this.logger.warn({ err: error }, 'the progress of a solve could not be kept');
    }
  }
}
