import { describe, expect, it } from '@jest/globals';
import { consumeUntilAborted } from './consume-until-aborted.js';

const never = (): Promise<never> => new Promise<never>(() => {});

describe('consumeUntilAborted', () => {
  it('passes on the values in order', async () => {
    const log: string[] = [];
    async function* source() {
      for (const value of ['a', 'b']) {
        log.push(`make ${value}`);
        yield value;
        await Promise.resolve();
      }
    }
    await consumeUntilAborted(source(), new AbortController().signal, async (value) => {
      await Promise.resolve();
      log.push(`took ${value}`);
    });
    expect(log).toEqual(['make a', 'took a', 'make b', 'took b']);
  });

  it('rethrows an error of the source', async () => {
    async function* source() {
      yield await Promise.resolve(1);
      throw new Error('broken');
    }
    await expect(consumeUntilAborted(source(), new AbortController().signal, () => Promise.resolve())).rejects.toThrow(
      'broken',
    );
  });

  it('closes the source when the consumer rejects a value', async () => {
    let closed = false;
    async function* source() {
      try {
        for (;;) yield await Promise.resolve(1);
      } finally {
        closed = true;
      }
    }
    await expect(
      consumeUntilAborted(source(), new AbortController().signal, () => Promise.reject(new Error('full'))),
    ).rejects.toThrow('full');
    expect(closed).toBe(true);
  });

  it.each([
    ['a source that hangs', { next: never } satisfies AsyncIterator<number>, () => Promise.resolve()],
    ['a consumer that hangs', { next: () => Promise.resolve({ value: 1 }) } satisfies AsyncIterator<number>, never],
  ])('abandons %s when the signal aborts', async (_, iterator, take) => {
    const controller = new AbortController();
    const done = consumeUntilAborted({ [Symbol.asyncIterator]: () => iterator }, controller.signal, take);
    setImmediate(() => controller.abort(new Error('stop')));
    await expect(done).rejects.toThrow('stop');
  });

  it('does not start if the signal is already aborted', async () => {
    const taken: number[] = [];
    const source = { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ value: 1 }) }) };
    const take = (value: number): Promise<void> => Promise.resolve(void taken.push(value));
    await expect(consumeUntilAborted(source, AbortSignal.abort(new Error('over')), take)).rejects.toThrow('over');
    expect(taken).toEqual([]);
  });
});
