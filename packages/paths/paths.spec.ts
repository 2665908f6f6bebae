import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cpuMs } from '../../test/support/cpu-time.js';
import { InvalidPath, isWithin, joinPath, namesOf, normalizePath, pathProblem } from './paths.js';

describe('normalizePath', () => {
  it.each([
    ['a', 'a'],
    ['/a/b.txt', 'a/b.txt'],
    ['Ünïcode/ü 100%+#?.csv', 'Ünïcode/ü 100%+#?.csv'],
    ['e\u0301', '\u00e9'],
    ['...', '...'],
    ['.hidden/..a', '.hidden/..a'],
    ['x'.repeat(255), 'x'.repeat(255)],
    ['\u2028', '\u2028'],
  ])('normalizes %j to %j', (text, path) => {
    expect(normalizePath(text)).toBe(path);
  });

  it.each([
    ['', 'path must not be empty'],
    ['/', 'path must not be empty'],
    ['//a', 'path must not contain empty segments'],
    ['a//b', 'path must not contain empty segments'],
    ['a/', 'path must not contain empty segments'],
    ['.', "path must not contain '.' or '..' segments"],
    ['a/../b', "path must not contain '.' or '..' segments"],
    ['a\\b', 'path must not contain a backslash'],
    ['a\nb', 'path must not contain control characters'],
    ['a\u0000', 'path must not contain control characters'],
    ['a\u007f', 'path must not contain control characters'],
    ['a\u0085', 'path must not contain control characters'],
    ['a\ud800', 'path must be valid Unicode'],
    ['x'.repeat(256), 'path segments must have at most 255 bytes'],
    ['ü'.repeat(128), 'path segments must have at most 255 bytes'],
    ['x/'.repeat(512) + 'x', 'path must have at most 1024 bytes'],
  ])('rejects %j: %s', (text, message) => {
    expect(() => normalizePath(text)).toThrow(new InvalidPath(message));
    expect(pathProblem(text)).toBe(message);
  });

  it.each([
    [`a${'\u0301\u0323'.repeat(500_000)}`, 'path must have at most 1024 bytes'],
    [`a${'\u0301\u0323'.repeat(255)}`, 'path segments must have at most 255 bytes'],
  ])('rejects long runs of combining marks before normalization would sort them', (text, message) => {
    expect(cpuMs(() => pathProblem(text))).toBeLessThan(250);
    expect(pathProblem(text)).toBe(message);
  });

  it('counts bytes after NFC normalization, even if that shortens the path to a third', () => {
    expect(normalizePath('\u03b9\u0308\u0301'.repeat(127))).toBe('\u0390'.repeat(127));
  });

  it('accepts the root only if the caller allows it', () => {
    expect(normalizePath('', { root: true })).toBe('');
    expect(normalizePath('/', { root: true })).toBe('');
    expect(() => normalizePath('//', { root: true })).toThrow(InvalidPath);
  });

  it('counts a letter with a combining accent as a single character of two bytes', () => {
    expect(normalizePath('e\u0301'.repeat(127))).toBe('\u00e9'.repeat(127));
  });

  it('returns normalized paths unchanged, and namesOf splits them into valid names', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom('a', '/', '.', '\\', 'e\u0301', '\u0000', ' ', '日'), { maxLength: 12 })
        .map((letters) => letters.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        fc.pre(pathProblem(given, { root: true }) === undefined);
        const path = normalizePath(given, { root: true });
        expect(normalizePath(path, { root: true })).toBe(path);
        expect(path.normalize('NFC')).toBe(path);
        for (const name of namesOf(path)) {
          expect(name).not.toMatch(/^(\.{0,2})$|[/\\\p{Cc}]/u);
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        }
        expect(namesOf(path).reduce(joinPath, '')).toBe(path);
      }),
    );
  });
});

describe('isWithin', () => {
  it.each([
    ['a', 'a', true],
    ['a/b', 'a', true],
    ['ab', 'a', false],
    ['a', 'a/b', false],
    ['a', '', true],
  ])('tests whether %j is within %j: %s', (path, ancestor, within) => {
    expect(isWithin(path, ancestor)).toBe(within);
  });
});
