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
    ['UTF-16LE', utf16(TEXT)],
    ['UTF-16BE', utf16(TEXT).swap16()],
    ['UTF-16LE with a byte order mark', utf16(`\ufeff${TEXT}`)],
    ['UTF-16BE with a byte order mark', utf16(`\ufeff${TEXT}`).swap16()],
    ['UTF-32LE', utf32(TEXT)],
    ['UTF-32BE', utf32(TEXT).swap32()],
    ['UTF-32LE with a byte order mark', utf32(`\ufeff${TEXT}`)],
    ['UTF-32BE with a byte order mark', utf32(`\ufeff${TEXT}`).swap32()],
  ])('decodes %s', (_, bytes) => expect(decodeText(bytes)).toBe(TEXT));

  it.each([
    ['one UTF-8 character', Buffer.from('5'), '5'],
    ['two UTF-8 characters', Buffer.from('55'), '55'],
    ['one UTF-16LE character', utf16('5'), '5'],
    ['one UTF-16BE character', utf16('5').swap16(), '5'],
    ['one UTF-32 character', utf32('5'), '5'],
  ])('decodes short text: %s', (_, bytes, text) => expect(decodeText(bytes)).toBe(text));
});

describe('decodeText with invalid input', () => {
  it.each([
    ['a stray byte', Buffer.from([0x22, 0xff, 0x22])],
    ['an overlong encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['a truncated UTF-8 character', Buffer.from([0x22, 0xc3])],
    ['a lone surrogate in UTF-16', utf16('"\ud800"')],
    ['a truncated UTF-16 character', utf16(TEXT).subarray(0, -1)],
    ['a truncated UTF-32 character', utf32(TEXT).subarray(0, -1)],
    ['a UTF-32 code point above U+10FFFF', Buffer.concat([utf32('['), Buffer.from([0, 0, 0x11, 0]), utf32(']')])],
    ['a surrogate in UTF-32', Buffer.concat([utf32('["'), Buffer.from([0, 0xd8, 0, 0]), utf32('"]')])],
  ])('rejects %s', (_, bytes) => expect(() => decodeText(bytes)).toThrow(UndecodableText));
});
