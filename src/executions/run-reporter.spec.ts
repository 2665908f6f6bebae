import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import type { Progress } from './execution-log.entity.js';
import { RunReporter } from './run-reporter.js';

const logger = pino({ level: 'silent' });

/** Database whose calls remain pending until the test calls `answer`. */
class Slow {
  readonly told: { progress: Progress; lines: readonly string[] }[] = [];
  private waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];

  readonly tell = (progress: Progress, lines: readonly string[]): Promise<void> => {
    this.told.push({ progress, lines });
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
    });
  };

  get open(): number {
    return this.waiting.length;
  }

  async answer(error?: Error): Promise<void> {
    const next = this.waiting.shift();
    if (error === undefined) next?.resolve();
    else next?.reject(error);
    await jest.advanceTimersByTimeAsync(0);
  }
}

describe('RunReporter', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('reports at least one log line per second', async () => {
    const database = new Slow();
    const reporter = new RunReporter(true, database.tell, logger);
    await database.answer();
    reporter.record({ kind: 'read', size: { variables: 2, integer_variables: 1, constraints: 3, terms: 4 } });
    reporter.record({ kind: 'solves' });
    for (let second = 0; second < 3; second += 1) {
      await jest.advanceTimersByTimeAsync(1_000);
      await database.answer();
    }
    const stopped = reporter.stop();
    await stopped;
    expect(database.told.map(({ lines }) => lines)).toEqual([
      ['Reading the model'],
      ['Variables: 2 (1 integer), constraints: 3, terms: 4'],
      ['2 s: solving'],
      ['3 s: solving'],
    ]);
  });

  it('sends reports one at a time and completes them before it stops', async () => {
    const database = new Slow();
    const reporter = new RunReporter(false, database.tell, logger);
    await jest.advanceTimersByTimeAsync(3_500);
    expect(database.open).toBe(1);
    reporter.record({ kind: 'line', text: 'late' });
    const stopped = reporter.stop();
    await database.answer();
    await database.answer();
    await stopped;
    expect(database.open).toBe(0);
    const [first, last] = database.told;
    expect(first?.lines).toEqual(['Restarted: the previous process stopped']);
    expect(last?.lines.at(-1)).toBe('late');
    await jest.advanceTimersByTimeAsync(5_000);
    expect(database.told).toHaveLength(2);
  });

  it('resends a report that could not be stored', async () => {
    const database = new Slow();
    const reporter = new RunReporter(true, database.tell, logger);
    await database.answer(new Error('gone'));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(database.told.at(-1)?.lines).toEqual(['Reading the model']);
    await database.answer();
    await reporter.stop();
  });
});
