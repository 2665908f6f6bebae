import { describe, expect, it } from '@jest/globals';
import { imageType } from './image-type.js';

const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

describe('imageType', () => {
  it.each([
    ['image/png', bytes([0x89], 'PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR')],
    ['image/png', bytes([0x89], 'PNG\r\n\x1a\n', 'junk')],
    ['image/jpeg', bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF')],
    ['image/gif', bytes('GIF87a', [1, 0, 1, 0, 0, 0, 0])],
    ['image/gif', bytes('GIF89a', [1, 0, 1, 0, 0x80, 0, 0])],
    ['image/webp', bytes('RIFF', [26, 0, 0, 0], 'WEBPVP8L')],
    ['image/webp', bytes('RIFF', [10, 13, 0, 0], 'WEBPVP8 ')],
  ])('detects %s by its first bytes', (type, head) => {
    expect(imageType(head)).toBe(type);
    expect(imageType(Buffer.concat([head, Buffer.alloc(1_000)]))).toBe(type);
  });

  it.each([
    ['an empty file', bytes()],
    ['a truncated PNG signature', bytes([0x89], 'PNG\r\n')],
    ['a PNG that was decoded as text', bytes([0xef, 0xbf, 0xbd], 'PNG\r\n\x1a\n')],
    ['text that begins like a GIF', bytes('GIF89a is a format of 1989')],
    ['text that begins like a WebP', bytes('RIFF and WEBP are words')],
    ['a WAV file', bytes('RIFF', [26, 0, 0, 0], 'WAVEfmt ')],
    ['a BMP file', bytes('BM', [0, 0, 0, 0])],
    ['an SVG file', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a PNG with a leading space', bytes(' ', [0x89], 'PNG\r\n\x1a\n')],
  ])('does not detect an image in %s', (_, head) => expect(imageType(head)).toBeUndefined());
});
