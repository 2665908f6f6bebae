import type { Logger } from 'pino';
import { MAX_LINES, type Phase, type Progress } from './execution-log.entity.js';
import { gapBetween, type ModelSize, type Search } from '../../packages/solver/index.js';
import type { SolveNews } from './solver/task.js';

const TELLING_MS = 1_000;
/** Most characters of a line. */
const MAX_LINE = 200;

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
  /** Over once everything is told that was to be told so far: one after the other. */
  private told: Promise<void> = Promise.resolve();
  private isTelling = false;
  size: ModelSize | undefined;

  /** @param tell what fails in it is logged, and keeps nothing from being solved */
  constructor(
    isFirst: boolean,
    private readonly tell: (progress: Progress, lines: readonly string[]) => Promise<void>,
    private readonly logger: Logger,
  ) {
    this.lines = [isFirst ? 'Reading the model' : 'Begun again: the process that ran it before has gone'];
    this.next();
    this.timer = setInterval(() => this.next(), TELLING_MS);
  }

  hear(news: SolveNews): void {
    if (news.kind === 'line') this.add(news.text);
    else if (news.kind === 'solves') this.phase = 'solving';
    else if (news.kind === 'explains') this.phase = 'explaining';
    else if (news.kind === 'search') this.search = { incumbent: news.incumbent, bound: news.bound, nodes: news.nodes };
    else {
      const { variables, integer_variables, constraints, terms } = news.size;
      this.size = news.size;
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

  private next(): void {
    if (this.lines.length === 0) this.add(`${Math.round(this.seconds)} s: ${DOING[this.phase]}`);
    // A slow database hears all of it together, later.
    if (!this.isTelling) this.told = this.tellOnce();
  }

  private get seconds(): number {
    return (performance.now() - this.startedAt) / 1000;
  }

  private async tellOnce(): Promise<void> {
    const { lines, phase, search } = this;
    this.isTelling = true;
    this.lines = [];
    const { incumbent, bound, nodes } = search;
    const gap = incumbent === null || bound === null ? null : gapBetween(incumbent, bound);
    const seconds = Number(this.seconds.toFixed(1));
    try {
      await this.tell({ phase, seconds, incumbent, bound, gap, nodes }, lines);
    } catch (error) {
      this.logger.warn({ err: error }, 'the progress of a solve could not be kept');
      this.lines = [...lines, ...this.lines].slice(-MAX_LINES);
    } finally {
      this.isTelling = false;
    }
  }
}
