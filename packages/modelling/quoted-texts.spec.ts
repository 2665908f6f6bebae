import { describe, expect, it } from '@jest/globals';
import { listNearest, quotedList } from './quoted-texts.js';

/** Returns the part of a warning that quotes a string and its nearest match. */
const named = (text: string, near: string): string => quotedList({ texts: [text], count: 1 }, [near]);

describe('similar strings', () => {
  it.each([
    ['San\u00a0Diego', 'San Diego', 'where character 4 is a space and not U+00A0'],
    ['San Diego', 'San\u00a0Diego', 'where character 4 is U+00A0 and not a space'],
    ['San\tDiego', 'San Diego', 'where character 4 is a space and not U+0009'],
    ['San  Diego', 'San Diego', 'where character 5 is "D" and not a space'],
    ['Café', 'Cafe\u0301', 'where character 4 is "e" and not U+00E9'],
    ['Cafe\u0301', 'Café', 'where character 4 is U+00E9 and not "e"'],
    ['oak\u200b', 'oak', 'where character 4 is missing and not U+200B'],
    ['oak', '\ufeffoak', 'where character 1 is U+FEFF and not "o"'],
    ['co\u00adop', 'coop', 'where character 3 is "o" and not U+00AD'],
    ['\u0421ity', 'City', 'where character 1 is "C" and not U+0421'],
    [`${'x'.repeat(50)}a`, `${'x'.repeat(50)}b`, 'where character 51 is "b" and not "a"'],
  ])('are quoted with the character that distinguishes %j from %j', (text, near, difference) => {
    expect(named(text, near)).toMatch(new RegExp(`^".*" \\(near ".*", ${difference.replaceAll('+', '\\+')}\\)$`));
  });

  it('are quoted with the same explanation in a list of values', () => {
    expect(listNearest(new Set(['San\u00a0Diego', 'Topeka']), 'San Diego')).toBe(
      '"San\u00a0Diego" (where character 4 is U+00A0 and not a space), "Topeka"',
    );
  });

  it.each([
    ['San Diego', 'san diego'],
    ['Zürich', 'Zurich'],
    ['elmm', 'elm'],
    ['Week 1', 'Week-1'],
  ])('are quoted without an explanation if the difference is visible: %s and %s', (text, near) => {
    expect(named(text, near)).toBe(`"${text}" (near "${near}")`);
  });
});
