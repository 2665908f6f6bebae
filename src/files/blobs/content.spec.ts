import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeText, decodeTextLoosely } from './content.js';

describe('decodeText', () => {
  it('preserves any text without NUL in a round trip', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeText(Buffer.from(text))).toBe(text.includes('\0') ? undefined : text);
      }),
    );
  });

  it('preserves a byte order mark', () => {
    expect(decodeText(Buffer.from('\ufeffa'))).toBe('\ufeffa');
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong encoding', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a truncated sequence', [0x61, 0xe2, 0x82]],
    ['NUL', [0x61, 0x00]],
    ['UTF-16', [0xff, 0xfe, 0x61, 0x00]],
  ])('returns undefined for %s', (_, bytes) => {
    expect(decodeText(Buffer.from(bytes))).toBeUndefined();
  });
});

describe('decodeTextLoosely', () => {
  it('replaces invalid UTF-8', () => {
    expect(decodeTextLoosely(Buffer.from([0x61, 0x80, 0x62]))).toBe('a\ufffdb');
  });
});
