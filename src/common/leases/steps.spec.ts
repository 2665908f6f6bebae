import { describe, expect, it } from '@jest/globals';
import { Steps } from './steps.js';

const steps = new Steps({ waiting: ['working', 'dropped'], working: ['waiting', 'done'], done: [], dropped: [] });

describe('Steps', () => {
  it.each([
    ['working', "state = 'waiting'"],
    ['waiting', "state = 'working'"],
    ['dropped', "state = 'waiting'"],
  ] as const)('allows the state `%s` only after its predecessor', (state, condition) => {
    expect(steps.mayBecome(state)).toBe(condition);
  });

  it('allows a state with several predecessors', () => {
    const both = new Steps<'queued' | 'running' | 'ended'>({ queued: ['ended'], running: ['ended'], ended: [] });
    expect(both.mayBecome('ended', 't.status')).toBe("t.status IN ('queued', 'running')");
  });

  it('recognizes final states', () => {
    expect(['waiting', 'working', 'done', 'dropped'].filter((state) => steps.isEnd(state as 'done'))).toEqual([
      'done',
      'dropped',
    ]);
  });
});
