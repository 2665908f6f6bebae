import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { Lease, LeaseLost, WorkTooLong } from './lease.js';

const logger = pino({ level: 'silent' });

describe('Lease', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('renews itself every 5 seconds until it is stopped', async () => {
    const renew = jest.fn(() => Promise.resolve());
    const lease = new Lease(renew, logger);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(renew).toHaveBeenCalledTimes(4);
    expect(lease.signal.aborted).toBe(false);
    lease.stop();
    await jest.advanceTimersByTimeAsync(20_000);
    expect(renew).toHaveBeenCalledTimes(4);
    expect(lease.signal.aborted).toBe(true);
  });

  it('aborts when another process has taken over the work', async () => {
    const lease = new Lease(() => Promise.reject(new LeaseLost()), logger);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(lease.signal.reason).toBeInstanceOf(LeaseLost);
    lease.stop();
  });

  it('survives a failed renewal but aborts when it expires', async () => {
    let isBroken = true;
    const lease = new Lease(() => (isBroken ? Promise.reject(new Error('no database')) : Promise.resolve()), logger);
    await jest.advanceTimersByTimeAsync(10_000);
    isBroken = false;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(lease.signal.aborted).toBe(false);
    isBroken = true;
    await jest.advanceTimersByTimeAsync(20_000);
    expect(lease.signal.reason).toBeInstanceOf(LeaseLost);
    lease.stop();
  });

  it('aborts if a renewal hangs until the lease expires', async () => {
    const lease = new Lease(() => new Promise<never>(() => {}), logger);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(lease.signal.reason).toBeInstanceOf(LeaseLost);
    lease.stop();
  });

  it('aborts work that exceeds the maximum duration', async () => {
    const lease = new Lease(() => Promise.resolve(), logger);
    await jest.advanceTimersByTimeAsync(60 * 60_000);
    expect(lease.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(lease.signal.reason).toBeInstanceOf(WorkTooLong);
    lease.stop();
  });
});
