import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { TooManyRequests } from '../errors/errors.js';
import { FairShares, type Share, type Ticket } from './fair-shares.js';

const of = (caller: string, company = caller.slice(0, 1)): [Share, Share] => [
  { key: `caller ${caller}`, limit: 2 },
  { key: `company ${company}`, limit: 3 },
];

/** Records the names of tickets in the order in which they are granted. */
function watched() {
  const got: string[] = [];
  const watch = (name: string, ticket: Ticket): Ticket => {
    if (ticket.granted === undefined) got.push(name);
    else void ticket.granted.then(() => got.push(name));
    return ticket;
  };
  return { got, watch };
}

describe('FairShares', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('limits slots per caller, per company and in total, and passes released slots to waiting requests', async () => {
    const shares = new FairShares(4);
    const { got, watch } = watched();
    const [first] = ['a1', 'a1', 'a1', 'a2', 'a2', 'b1', 'c1'].map((name) => watch(name, shares.take(1, of(name))));
    expect(got).toEqual(['a1', 'a1', 'a2', 'b1']);
    expect([shares.usedTotal, shares.waiting]).toEqual([4, 3]);
    first?.leave();
    first?.leave();
    await Promise.resolve();
    expect(got).toEqual(['a1', 'a1', 'a2', 'b1', 'a1']);
  });

  it('serves waiting callers in turn, even if one of them has a long queue', async () => {
    const shares = new FairShares(1);
    const { got, watch } = watched();
    const tickets = ['a', 'a', 'a', 'a', 'b', 'c'].map((name) => watch(name, shares.take(1, of(name))));
    for (let index = 0; index < 4; index++) {
      // The ticket that was granted last leaves and frees its slot.
      tickets[[0, 1, 4, 5][index] ?? 0]?.leave();
      await Promise.resolve();
    }
    expect(got).toEqual(['a', 'a', 'b', 'c', 'a']);
  });

  it('rejects requests that do not get a slot in time, and removes requests that leave while they wait', async () => {
    const shares = new FairShares(1, 500);
    const held = shares.take(1, of('a'));
    const late = shares.take(1, of('b'));
    const gone = shares.take(1, of('c'));
    gone.leave();
    expect(shares.waiting).toBe(1);
    const refused = expect(late.granted).rejects.toThrow(TooManyRequests);
    jest.advanceTimersByTime(500);
    await refused;
    expect(shares.waiting).toBe(0);
    held.leave();
    expect(shares.usedTotal).toBe(0);
  });

  it('ignores a repeated call to `leave` and a call after a rejection', async () => {
    const shares = new FairShares(1, 500);
    const held = shares.take(1, of('a'));
    const late = shares.take(1, of('b'));
    const refused = expect(late.granted).rejects.toThrow(TooManyRequests);
    jest.advanceTimersByTime(500);
    await refused;
    const { got, watch } = watched();
    watch('b', shares.take(1, of('b')));
    late.leave();
    held.leave();
    held.leave();
    await Promise.resolve();
    expect(got).toEqual(['b']);
    expect(shares.usedTotal).toBe(1);
  });

  it('serves the next waiting request after an oversized request leaves', async () => {
    const shares = new FairShares(10);
    const { got, watch } = watched();
    const share: [Share] = [{ key: 'a', limit: 10 }];
    shares.take(8, share);
    const large = watch('large', shares.take(9, share));
    watch('small', shares.take(1, share));
    large.leave();
    await Promise.resolve();
    expect(got).toEqual(['small']);
  });

  it('admits an oversized request while its share is idle, so that it cannot wait forever', () => {
    const shares = new FairShares(4);
    const ticket = shares.take(9, of('a'));
    expect(ticket.granted).toBeUndefined();
    expect(shares.takeNow(1, of('b'))).toBeUndefined();
    ticket.leave();
    expect(shares.takeNow(1, of('b'))).toBeDefined();
  });

  it('rejects a request immediately if a thousand requests from the same caller are waiting', () => {
    const shares = new FairShares(1);
    for (let count = 0; count < 1_001; count++) shares.take(1, of('a'));
    expect(() => shares.take(1, of('a'))).toThrow(TooManyRequests);
    expect(() => shares.take(1, of('b'))).not.toThrow();
  });
});

it('never exceeds a share and never keeps a request waiting while a slot is free', async () => {
  const step = fc.record({ who: fc.constantFrom('a1', 'a2', 'a3', 'b1', 'b2', 'c1'), leaves: fc.nat(20) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const shares = new FairShares(5);
      const held: { who: string; ticket: Ticket }[] = [];
      const waiting = new Set<string>();
      const count = (of: (who: string) => boolean): number => held.filter(({ who }) => of(who)).length;
      for (const { who, leaves } of steps) {
        held[leaves]?.ticket.leave();
        held.splice(leaves, 1);
        const ticket = shares.take(1, of(who));
        if (ticket.granted === undefined) held.push({ who, ticket });
        else {
          waiting.add(who);
          void ticket.granted.then(() => held.push({ who, ticket }));
        }
        await Promise.resolve();
        await Promise.resolve();
        expect(shares.usedTotal).toBe(held.length);
        expect(held.length).toBeLessThanOrEqual(5);
        for (const caller of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) {
          expect(count((who) => who === caller)).toBeLessThanOrEqual(2);
          expect(count((who) => who[0] === caller[0])).toBeLessThanOrEqual(3);
        }
      }
      // After all holders have left, every waiting request has been served.
      for (let left = held.length; left > 0; left = held.length) {
        for (const { ticket } of held.splice(0)) ticket.leave();
        await Promise.resolve();
        await Promise.resolve();
      }
      expect([shares.usedTotal, shares.waiting]).toEqual([0, 0]);
    }),
  );
});
