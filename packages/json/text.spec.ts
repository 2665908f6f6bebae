import { describe, expect, it } from '@jest/globals';
import { codePoints, isValidText } from './text.js';

describe('codePoints', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 2],
    ['😀', 1],
    ['a😀b😀', 4],
    ['❤\ufe0f', 2],
    ['👩‍👧', 3],
    ['\ud800', 1],
    ['\udc00\ud800', 2],
    ['\ud800😀', 2],
    ['😀\udc00', 2],
  ])('counts %j as %d', (text, count) => {
    expect(codePoints(text)).toBe(count);
    expect(Array.from(text)).toHaveLength(count);
  });
});

describe('isValidText', () => {
  it.each(['', 'abc', '😀', '\u0001', '\ufffd'])('accepts %j', (text) => expect(isValidText(text)).toBe(true));
  it.each(['\0', 'a\0b', '\ud800', 'a\udc00', '\udc00\ud800'])('rejects %j', (text) =>
    expect(isValidText(text)).toBe(false),
  );
});
