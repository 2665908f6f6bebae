import { describe, expect, it } from '@jest/globals';
import { decodeText, UndecodableText } from './decode-text.js';

const TEXT = '{"a":"é😀"}';
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf32 = (text: string): Buffer => {
  const bytes = Buffer.alloc(Array.from(text).length * 4);
  Array.from(text).forEach((character, index) => bytes.writeUInt32LE(character.codePointAt(0) ?? 0, index * 4));
  return bytes;
};

describe('decodeText', () => {
  it.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16, little end first', utf16(TEXT)],
    ['UTF-16, big end first', utf16(TEXT).swap16()],
    ['UTF-16 with a byte order mark, little end first', utf16(`\ufeff${TEXT}`)],
    ['UTF-16 with a byte order mark, big end first', utf16(`\ufeff${TEXT}`).swap16()],
    ['UTF-32, little end first', utf32(TEXT)],
    ['UTF-32, big end first', utf32(TEXT).swap32()],
    ['UTF-32 with a byte order mark, little end first', utf32(`\ufeff${TEXT}`)],
    ['UTF-32 with a byte order mark, big end first', utf32(`\ufeff${TEXT}`).swap32()],
  ])('decodes %s', (_, bytes) => expect(decodeText(bytes)).toBe(TEXT));

  it.each([
    ['one character of UTF-8', Buffer.from('5'), '5'],
    ['two characters of UTF-8', Buffer.from('55'), '55'],
    ['one character of UTF-16, little end first', utf16('5'), '5'],
    ['one character of UTF-16, big end first', utf16('5').swap16(), '5'],
    ['one character of UTF-32', utf32('5'), '5'],
  ])('decodes a short text: %s', (_, bytes, text) => expect(decodeText(bytes)).toBe(text));
});

describe('decodeText with invalid input', () => {
  it.each([
    ['a stray byte', Buffer.from([0x22, 0xff, 0x22])],
    ['an overlong form', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['a cut character in UTF-8', Buffer.from([0x22, 0xc3])],
    ['a lone surrogate in UTF-16', utf16('"\ud800"')],
    ['half a character in UTF-16', utf16(TEXT).subarray(0, -1)],
    ['half a character in UTF-32', utf32(TEXT).subarray(0, -1)],
    ['no character in UTF-32', Buffer.concat([utf32('['), Buffer.from([0, 0, 0x11, 0]), utf32(']')])],
    ['a surrogate in UTF-32', Buffer.concat([utf32('["'), Buffer.from([0, 0xd8, 0, 0]), utf32('"]')])],
  ])('rejects %s', (_, bytes) => expect(() => decodeText(bytes)).toThrow(UndecodableText));
});
