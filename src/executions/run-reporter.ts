import type { Logger } from 'pino';
import { MAX_LINES, type Phase, type Progress } from './execution-log.entity.js';
import { gapBetween, type ModelSize, type Search } from '../../packages/solver/index.js';
import type { SolveNews } from './solver/task.js';

const TELLING_MS = 1_000;
/** Maximum length of a line in characters. */
const MAX_LINE = 200;

const NOTHING: Search = { incumbent: null, bound: null, nodes: 0 };
const DOING: Record<Phase, string> = {
  reading: 'reading the model',
  solving: 'solving',
  explaining: 'finding out why there is no plan',
};

/**
 * Reports the progress and new log lines of a running execution every second. If the solver has logged nothing, the report
 * contains a status line.
 */
export class RunReporter {
  private readonly startedAt = performance.now();
  private readonly timer: NodeJS.Timeout;
  private phase: Phase = 'reading';
  private search = NOTHING;
  private lines: string[];
  /** Resolves when the pending report has been stored. Reports never overlap. */
  private reporting: Promise<void> = Promise.resolve();
  private isReporting = false;
  size: ModelSize | undefined;

  /** @param report stores a report; errors are logged and do not stop the solve */
  constructor(
    isFirst: boolean,
    private readonly report: (progress: Progress, lines: readonly string[]) => Promise<void>,
    private readonly logger: Logger,
  ) {
    this.lines = [isFirst ? 'Reading the model' : 'Restarted: the previous process stopped'];
    this.next();
    this.timer = setInterval(() => this.next(), TELLING_MS);
  }

  record(news: SolveNews): void {
    if (news.kind === 'line') this.add(news.text);
    else if (news.kind === 'solves') this.phase = 'solving';
    else if (news.kind === 'explains') this.phase = 'explaining';
    else if (news.kind === 'search') this.search = { incumbent: news.incumbent, bound: news.bound, nodes: news.nodes };
    else {
      const { variables, integer_variables, constraints, terms } = news.size;
      this.size = news.size;
      this.add(`Variables: ${variables} (${integer_variables} integer), constraints: ${constraints}, terms: ${terms}`);
    }
  }

  /** Stops reporting and sends the remaining lines. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.reporting;
    if (this.lines.length > 0) await this.sendReport();
  }

  private add(line: string): void {
    this.lines.push(line.slice(0, MAX_LINE));
    if (this.lines.length > MAX_LINES) this.lines.shift();
  }

  private next(): void {
    if (this.lines.length === 0) this.add(`${Math.round(this.seconds)} s: ${DOING[this.phase]}`);
    // While the database is slow, lines accumulate and are sent together later.
    if (!this.isReporting) this.reporting = this.sendReport();
  }

  private get seconds(): number {
    return (performance.now() - this.startedAt) / 1000;
  }

  private async sendReport(): Promise<void> {
    const { lines, phase, search } = this;
    this.isReporting = true;
    this.lines = [];
    const { incumbent, bound, nodes } = search;
    const gap = incumbent === null || bound === null ? null : gapBetween(incumbent, bound);
    const seconds = Number(this.seconds.toFixed(1));
    try {
      await this.report({ phase, seconds, incumbent, bound, gap, nodes }, lines);
    } catch (error) {
      this.logger.warn({ err: error }, 'the progress of a solve could not be stored');
      this.lines = [...lines, ...this.lines].slice(-MAX_LINES);
    } finally {
      this.isReporting = false;
    }
  }
}
