import { describe, expect, it } from '@jest/globals';
import { TableFiles } from '../../../test/support/converted-table.js';
import { workbookFile } from '../../../test/support/workbook-file.js';
import type { TableFormat } from '../tasks.js';

const files = new TableFiles();

/** Sequences of characters that break lines within cells. */
const BREAKS = ['\n', '\r\n', '\r', '\n\r', '\r\r\n'];

const rowsOf = async (content: string | Uint8Array, format: TableFormat): Promise<unknown[][]> =>
  (await files.convert(content, format)).rows;

describe.each(BREAKS)('the line break %j', (lineBreak) => {
  const note = `line 1${lineBreak}line 2`;

  it('is kept in the first object of a JSON file', async () => {
    const objects = [
      { note, n: 1 },
      { note: 'x', n: 2 },
    ];
    const rows = [
      [note, 1],
      ['x', 2],
    ];
    expect(await rowsOf(JSON.stringify(objects), 'json')).toEqual(rows);
    expect(await rowsOf(objects.map((object) => JSON.stringify(object)).join('\n'), 'json')).toEqual(rows);
  });

  it('is kept in a JSON key', async () => {
    const table = await files.convert(JSON.stringify([{ [note]: 1, n: 2 }]), 'json');
    expect(table).toMatchObject({ columns: [`${note} integer`, 'n integer'], rows: [[1, 2]] });
  });

  it('is kept in the header and the first cells of a workbook', async () => {
    const escaped = note.replaceAll('\r', '_x000D_');
    const table = await files.convert(
      workbookFile({
        Data: [
          [escaped, 'n'],
          ['x', 1],
          [escaped, 2],
        ],
      }),
      'xlsx',
    );
    expect(table).toMatchObject({
      columns: [`${note} text`, 'n integer'],
      rows: [
        ['x', 1],
        [note, 2],
      ],
    });
  });

  it.each(['\n', '\r\n', '\r'])('is kept in the cells of a CSV file whose rows end in %j', async (rowEnd) => {
    const header = [`"${note}";quantity`, '"1,50";3', '"2,25";4', ''].join(rowEnd);
    expect(await files.convert(header, 'csv')).toMatchObject({
      columns: [`${note} number`, 'quantity integer'],
      rows: [
        [1.5, 3],
        [2.25, 4],
      ],
    });
    const first = ['note,n', `"${note}",1`, 'x,2', ''].join(rowEnd);
    expect(await rowsOf(first, 'csv')).toEqual([
      [note, 1],
      ['x', 2],
    ]);
    expect(await rowsOf(`\ufeff${first}`, 'csv')).toEqual([
      [note, 1],
      ['x', 2],
    ]);
  });
});
