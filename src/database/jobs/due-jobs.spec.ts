import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { WorkerEvents, WorkerPool } from 'graphile-worker';
import { lookingInTurn } from './due-jobs.js';

let events: WorkerEvents;
let end: () => void;
const nudge = jest.fn();
/** Tells of a pool, or of what it does; its payload is the pool and nothing else. */
const tell = (event: string): void => void events.emit(event as 'pool:create', { workerPool } as never);
let workerPool: Pick<WorkerPool, 'nudge' | 'promise'>;

beforeEach(() => {
  jest.useFakeTimers();
  nudge.mockClear();
  workerPool = {
    nudge,
    promise: new Promise((resolve) => {
      end = resolve;
    }),
  };
  events = lookingInTurn();
  tell('pool:create');
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the workers of a runner', () => {
  it('look for due jobs one every two seconds, however many they are', () => {
    jest.advanceTimersByTime(20_000);
    expect(nudge.mock.calls).toEqual(Array.from({ length: 10 }, () => [1]));
  });

  it('look at once when another one has found a job', () => {
    tell('job:start');
    tell('job:start');
    expect(nudge.mock.calls).toEqual([[1], [1]]);
  });

  it.each(['pool:gracefulShutdown', 'pool:forcefulShutdown'])('are left alone after %s', (event) => {
    tell(event);
    tell('job:start');
    jest.advanceTimersByTime(20_000);
    expect(nudge).not.toHaveBeenCalled();
  });

  it('are left alone when their runner has ended by itself', async () => {
    end();
    await workerPool.promise;
    jest.advanceTimersByTime(20_000);
    expect(nudge).not.toHaveBeenCalled();
  });
});
