import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BadRequest, TooLarge } from '../../common/errors/errors.js';
import { chooseParts, planParts } from './part-plan.js';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

describe('planParts', () => {
  it.each([
    [0, 5 * MiB, 1],
    [1, 5 * MiB, 1],
    [5 * MiB, 5 * MiB, 1],
    [5 * MiB + 1, 5 * MiB, 2],
    [12_000_000, 5 * MiB, 3],
    [5 * GiB, 6 * MiB, 854],
  ])('cuts %d bytes into parts of %d: %d', (size, part_size, parts) => {
    expect(planParts(size, 5 * GiB)).toEqual({ part_size, parts });
  });

  it('allows for the largest file when the size is unknown', () => {
    expect(planParts(null, 5 * GiB)).toEqual({ part_size: 5 * MiB, parts: 10 });
    expect(planParts(null, 500 * GiB).part_size).toBe(52 * MiB);
  });

  it('holds any size in at most 1,000 parts, all of them needed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5 * 1024 * GiB }), (size) => {
        const { part_size, parts } = planParts(size, 5 * 1024 * GiB);
        expect(parts).toBeLessThanOrEqual(1000);
        expect(parts * part_size).toBeGreaterThanOrEqual(size);
        expect((parts - 1) * part_size).toBeLessThanOrEqual(size);
      }),
    );
  });
});

describe('chooseParts', () => {
  const limits = { size: null, maxBytes: 5 * GiB };
  const first = { part_number: 1, etag: 'aa', size: 5 * MiB };
  const second = { part_number: 2, etag: 'bb', size: 5 * MiB };
  const last = { part_number: 3, etag: 'cc', size: 7 };
  const received = [first, second, last];

  it('takes all that was received when nothing is named', () => {
    expect(chooseParts(received, [], limits)).toEqual({ parts: received, size: 10 * MiB + 7 });
    expect(chooseParts([], [], { ...limits, size: 0 })).toEqual({ parts: [], size: 0 });
  });

  it('puts named parts in order and leaves the others out', () => {
    const named = [
      { part_number: 3, etag: 'cc' },
      { part_number: 1, etag: '"aa"' },
    ];
    expect(chooseParts(received, named, limits)).toEqual({ parts: [first, last], size: 5 * MiB + 7 });
  });

  it('takes a single small part and an empty one', () => {
    expect(chooseParts([last], [last], limits).size).toBe(7);
    expect(chooseParts([{ ...last, size: 0 }], [], { ...limits, size: 0 }).size).toBe(0);
  });

  it.each([
    ['a part that was not received', [{ part_number: 4, etag: 'dd' }], 'Part 4 was not received'],
    ['a part number that cannot be', [{ part_number: -1, etag: 'dd' }], 'Part -1 was not received'],
    ['another etag', [{ part_number: 1, etag: 'bb' }], 'The etag of part 1'],
    ['half a quote', [{ part_number: 1, etag: '"aa' }], 'The etag of part 1'],
    ['a part named twice', [first, first], 'Part 1 is named twice'],
    ['a small part before another', [first, last, { part_number: 4, etag: 'dd' }], 'Part 3 is too small'],
  ])('refuses %s', (_, named, sentence) => {
    const all = [...received, ...(sentence.includes('small') ? [{ part_number: 4, etag: 'dd', size: 1 }] : [])];
    const choose = (): unknown => chooseParts(all, named, limits);
    expect(choose).toThrow(BadRequest);
    expect(choose).toThrow(sentence);
  });

  it('refuses another size than the declared one', () => {
    expect(() => chooseParts(received, [], { ...limits, size: 10 * MiB })).toThrow('were declared');
  });

  it('refuses more than a file may have', () => {
    expect(() => chooseParts(received, [], { size: null, maxBytes: 10 * MiB })).toThrow(TooLarge);
  });
});
