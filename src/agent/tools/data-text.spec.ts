import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutResult, cutText, markAsData, MAX_RESULT_BYTES } from './data-text.js';

describe('data for a language model', () => {
  it('is truncated to 64 kB of JSON, but remains unchanged if it is shorter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.integer({ min: 0, max: 30_000 }), (piece, times) => {
        const result = { text: piece.toWellFormed().repeat(times) };
        const cut = cutResult(result);
        expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(MAX_RESULT_BYTES);
        if (Buffer.byteLength(JSON.stringify(result)) <= MAX_RESULT_BYTES) expect(cut).toBe(result);
      }),
    );
    expect(cutResult(null)).toBeNull();
  });

  it('is truncated between characters', () => {
    expect([cutText('a\u20acb', 3), cutText('a\u20acb', 4), cutText('\u{1f600}', 3)]).toEqual(['a', 'a\u20ac', '']);
  });

  it('is enclosed in different delimiters each time', () => {
    const [first, second] = [markAsData('read_file', { a: 1 }), markAsData('read_file', { a: 1 })];
    expect(first).toMatch(/^Data from read_file\. .*\n<(data-[0-9a-f]{16})>\n[^]*\n<\/\1>$/);
    expect(first).not.toBe(second);
  });
});
