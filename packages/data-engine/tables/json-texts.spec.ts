import { describe, expect, it } from '@jest/globals';
import { refusal, TableFiles } from '../../../test/support/converted-table.js';

const files = new TableFiles();

describe('a JSON file that is not encoded in UTF-8', () => {
  const place = 'bytes that are not UTF-8, near';
  it.each<[string, number[], string]>([
    ['Windows-1257', [0x52, 0xe7, 0x7a, 0x65, 0x6b, 0x6e, 0x65], '[%]'],
    ['Windows-1250', [0x47, 0x79, 0xf5, 0x72], '[%,\n%]'],
    ['ISO-8859-15', [0x8a, 0x61, 0x6b, 0x6b, 0x69], '%\n%\n'],
    ['ISO-8859-7', [0xb6, 0xe3, 0xe9, 0xef, 0xf2], '[%]'],
    ['Shift-JIS', [0x82, 0xa9, 0x82, 0xc8], '[%]'],
  ])('is rejected with the advice to save it as UTF-8: %s', async (_, word, list) => {
    const object = Buffer.concat([Buffer.from('{"city":"'), Buffer.from(word), Buffer.from('","n":1}')]);
    const content = Buffer.from(list.replaceAll('%', object.toString('latin1')), 'latin1');
    for (const ignoreErrors of [false, true]) {
      const sentence = await refusal(files.convert(content, 'json', { ignoreErrors }));
      expect(sentence).toMatch(new RegExp(`^Line 1 has ${place} .*\\. Save the file as UTF-8$`));
    }
  });

  it('is read in UTF-16 with a byte order mark', async () => {
    const content = Buffer.from('\ufeff[{"city":"Rēzekne"}]', 'utf16le');
    expect((await files.convert(content, 'json')).rows).toEqual([['Rēzekne']]);
  });
});

describe('repeated keys in JSON objects', () => {
  it.each<[string, string, string]>([
    ['in a list', '[{"a":"x"},{"a":1,"a":2}]', 'a'],
    ['in one object per line', '{"a":"x"}\n{"b":1,"long key":2,"long key":2}\n', 'long key'],
    ['as an escape sequence', String.raw`[{"a":"x"},{"é":1,"\u00e9":2}]`, 'é'],
    ['after other keys', '[{"a":"x"},{"a":1,"b":{"a":2},"c":[],"b":null}]', 'b'],
  ])('are rejected, or their row is left out if errors are ignored: %s', async (_, content, key) => {
    expect(await refusal(files.convert(content, 'json'))).toBe(
      `Row 2: the value has the key ${JSON.stringify(key)} twice. Keep one of them`,
    );
    const { rows, description } = await files.convert(content, 'json', { ignoreErrors: true });
    expect(rows).toEqual([['x']]);
    expect(description.skipped).toBe(1);
  });

  it.each(['[{"a":1,"A":2}]', '[{"a":1,"b":{"a":2}}]', '[{"a":1},{"a":1}]', '[{"__proto__":1,"a":2}]'])(
    'are not detected in %s',
    async (content) => {
      expect((await files.convert(content, 'json')).rows.length).toBeGreaterThan(0);
    },
  );
});

describe('an escape sequence that a table cannot store', () => {
  it.each<[string, string, string]>([
    ['NUL alone', String.raw`[{"a":"x"},{"a":"\u0000","b":1}]`, 'a'],
    ['NUL between letters', String.raw`[{"a":"x"},{"b":1,"text":"ab\u0000c"}]`, 'text'],
    ['the first half of a surrogate pair', String.raw`[{"a":"x"},{"a":"\ud800"}]`, 'a'],
    ['the second half of a surrogate pair', String.raw`{"a":"x"}` + '\n' + String.raw`{"a":"x\uDE00"}`, 'a'],
  ])('is rejected, or its row is left out if errors are ignored: %s', async (_, content, key) => {
    const problem = `Row 2: the value has \\u0000 or half of a surrogate pair at "${key}"`;
    expect(await refusal(files.convert(content, 'json'))).toBe(problem);
    const { rows, description } = await files.convert(content, 'json', { ignoreErrors: true });
    expect(rows).toEqual([['x']]);
    expect(description.skipped).toBe(1);
  });

  it('is rejected in a key', async () => {
    expect(await refusal(files.convert(String.raw`[{"a\u0000":1}]`, 'json'))).toContain('Row 1: the value has');
  });

  it.each([
    [String.raw`[{"a":"\ud83d\ude00"}]`, '😀'],
    [String.raw`[{"a":"\\u0000"}]`, String.raw`\u0000`],
    [String.raw`[{"a":"\u00e9"}]`, 'é'],
  ])('is not confused with a valid escape sequence: %s', async (content, text) => {
    expect((await files.convert(content, 'json')).rows).toEqual([[text]]);
  });
});
