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
  ])('splits %d bytes into parts of %d bytes (number of parts: %d)', (size, part_size, parts) => {
    expect(planParts(size, 5 * GiB)).toEqual({ part_size, parts });
  });

  it('plans for the largest possible file if the size is unknown', () => {
    expect(planParts(null, 5 * GiB)).toEqual({ part_size: 5 * MiB, parts: 10 });
    expect(planParts(null, 500 * GiB).part_size).toBe(52 * MiB);
  });

  it('splits a file of any size into at most 1,000 parts without unnecessary parts', () => {
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

  it('uses all received parts if the request does not list any parts', () => {
    expect(chooseParts(received, [], limits)).toEqual({ parts: received, size: 10 * MiB + 7 });
    expect(chooseParts([], [], { ...limits, size: 0 })).toEqual({ parts: [], size: 0 });
  });

  it('sorts the listed parts and omits all others', () => {
    const named = [
      { part_number: 3, etag: 'cc' },
      { part_number: 1, etag: '"aa"' },
    ];
    expect(chooseParts(received, named, limits)).toEqual({ parts: [first, last], size: 5 * MiB + 7 });
  });

  it('accepts a single small part and an empty part', () => {
    expect(chooseParts([last], [last], limits).size).toBe(7);
    expect(chooseParts([{ ...last, size: 0 }], [], { ...limits, size: 0 }).size).toBe(0);
  });

  it.each([
    ['a part that was not received', [{ part_number: 4, etag: 'dd' }], 'Part 4 was not received'],
    ['an invalid part number', [{ part_number: -1, etag: 'dd' }], 'Part -1 was not received'],
    ['the etag of another part', [{ part_number: 1, etag: 'bb' }], 'The etag of part 1'],
    ['an etag with an unbalanced quote', [{ part_number: 1, etag: '"aa' }], 'The etag of part 1'],
    ['a part that is listed twice', [first, first], 'Part 1 is listed twice'],
    ['a small part that is not the last part', [first, last, { part_number: 4, etag: 'dd' }], 'Part 3 is too small'],
  ])('rejects %s', (_, named, sentence) => {
    const all = [...received, ...(sentence.includes('small') ? [{ part_number: 4, etag: 'dd', size: 1 }] : [])];
    const choose = (): unknown => chooseParts(all, named, limits);
    expect(choose).toThrow(BadRequest);
    expect(choose).toThrow(sentence);
  });

  it('rejects parts whose total differs from the declared size', () => {
    expect(() => chooseParts(received, [], { ...limits, size: 10 * MiB })).toThrow('were declared');
  });

  it('rejects parts whose total exceeds the maximum file size', () => {
    expect(() => chooseParts(received, [], { size: null, maxBytes: 10 * MiB })).toThrow(TooLarge);
  });
});
