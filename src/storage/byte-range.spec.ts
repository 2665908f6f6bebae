import { describe, expect, it } from '@jest/globals';
import { parseRange } from './byte-range.js';

describe('parseRange', () => {
  it.each([
    ['bytes=0-0', 10, { start: 0, end: 0 }],
    ['bytes=2-5', 10, { start: 2, end: 5 }],
    ['bytes=2-', 10, { start: 2, end: 9 }],
    ['bytes=2-500', 10, { start: 2, end: 9 }],
    ['bytes=-3', 10, { start: 7, end: 9 }],
    ['bytes=-30', 10, { start: 0, end: 9 }],
    ['Bytes=1-2', 10, { start: 1, end: 2 }],
  ])('parses %j for %d bytes', (header, size, range) => {
    expect(parseRange(header, size)).toEqual(range);
  });

  it.each([
    ['bytes=10-', 10],
    ['bytes=-0', 10],
    ['bytes=0-', 0],
    ['bytes=-5', 0],
  ])('reports %j of %d bytes as unsatisfiable', (header, size) => {
    expect(parseRange(header, size)).toBe('unsatisfiable');
  });

  it.each([undefined, '', 'bytes=-', 'bytes=5-2', 'bytes=0-1,4-5', 'items=0-1', 'bytes=a-b', 'bytes= 1-2'])(
    'ignores %j',
    (header) => {
      expect(parseRange(header, 10)).toBeUndefined();
    },
  );
});
