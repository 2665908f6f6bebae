import { describe, expect, it } from '@jest/globals';
import { refusal, TableFiles } from '../../test/support/converted-table.js';
import { docxParts, makeArchive, paragraph, xlsxParts } from '../../test/support/documents.js';
import { type SheetCell, workbookFile, type WorkbookParts } from '../../test/support/workbook-file.js';

const files = new TableFiles();

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const STRICT = 'http://purl.oclc.org/ooxml/spreadsheetml/main';

/** Header row for sheets of text cells. */
const HEADER: SheetCell[] = ['name', 'value'];
const shared = (index: number): SheetCell => ({ xml: `<c t="s"><v>${index}</v></c>` });
const xml = (cell: string): SheetCell => ({ xml: cell });

const rowsOf = async (rows: SheetCell[][], parts: WorkbookParts = {}): Promise<unknown[][]> =>
  (await files.convert(workbookFile({ Data: [HEADER, ...rows] }, parts), 'xlsx')).rows;

const textOf = async (rows: SheetCell[][], parts: WorkbookParts = {}): Promise<string> =>
  (await files.text(workbookFile({ Data: [HEADER, ...rows] }, parts), 'xlsx')).text.split('\n').slice(2, -1).join('\n');

/** Returns the error message for a workbook whose cell B2 has the given XML. */
const refused = async (cell: string, parts: WorkbookParts = {}): Promise<string> =>
  refusal(files.convert(workbookFile({ Data: [HEADER, ['oak', { xml: cell }]] }, parts), 'xlsx'));

/** Returns the workbook part. {@link withEnd} replaces the `%` in its XML. */
const workbookXml = (content: string, root = `xmlns="${MAIN}"`): Record<string, string> => ({
  'xl/workbook.xml':
    `<workbook ${root} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">${content}` +
    '<sheets><sheet name="Data" sheetId="1" r:id="s0"/></sheets>%</workbook>',
});
const withEnd = (parts: Record<string, string>, end = ''): Record<string, string> =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.replace('%', end)]));

describe('a date in the spring of 1900', () => {
  const day = (serial: string): SheetCell => xml(`<c s="1"><v>${serial}</v></c>`);

  it.each([
    ['60', '1900-02-29'],
    ['60.5', '1900-02-29T12:00:00'],
    ['59.999999999', '1900-02-29'],
  ])('is kept as text if it is the nonexistent 29 February: %s', async (serial, text) => {
    expect(
      await rowsOf([
        ['oak', day('59')],
        ['elm', day(serial)],
        ['pine', day('61')],
      ]),
    ).toEqual([
      ['oak', '1900-02-28'],
      ['elm', text],
      ['pine', '1900-03-01'],
    ]);
  });
});

describe('a workbook with unusual XML', () => {
  const day = xml('<c s="1"><v>43890</v></c>');
  const extension =
    '<extLst><ext xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main">' +
    '<x15:workbookPr chartTrackingRefBase="1"/></ext></extLst>';

  it.each([
    ['a prefixed extension', workbookXml('<workbookPr date1904="1"/>'), extension, '2024-03-01'],
    [
      'an extension with a default namespace',
      workbookXml('<workbookPr date1904="true"/>'),
      '<extLst><ext><workbookPr xmlns="urn:other" date1904="0"/></ext></extLst>',
      '2024-03-01',
    ],
    [
      'an extension that says the opposite',
      workbookXml('<workbookPr/>'),
      '<extLst><x:workbookPr xmlns:x="urn:other" date1904="1"/></extLst>',
      '2020-02-29',
    ],
    ['the strict namespace', workbookXml('<workbookPr date1904="1"/>', `xmlns="${STRICT}"`), extension, '2024-03-01'],
  ])('keeps its calendar despite %s', async (_, parts, end, date) => {
    const options = { parts: withEnd(parts, end) };
    expect(await rowsOf([['oak', day]], options)).toEqual([['oak', date]]);
    expect(await textOf([['oak', day]], options)).toBe(`oak\t${date}`);
  });

  it('may use prefixed elements, and its cells in foreign namespaces are ignored', async () => {
    const sheet =
      `<x:worksheet xmlns:x="${MAIN}" xmlns:o="urn:other"><x:sheetData><x:row r="1"><x:c t="inlineStr"><x:is><x:t>n</x:t></x:is></x:c>` +
      '<o:c><o:v>9</o:v></o:c></x:row><x:row r="2"><x:c><x:v>5</x:v><o:v>9</o:v></x:c></x:row></x:sheetData>' +
      '<o:row r="3"><o:c><o:v>7</o:v></o:c></o:row></x:worksheet>';
    const table = await files.convert(
      workbookFile({ Data: [] }, { parts: { 'xl/worksheets/sheet0.xml': sheet } }),
      'xlsx',
    );
    expect(table).toMatchObject({ columns: ['n integer'], rows: [[5]] });
  });

  it('is rejected if one of its parts does not match the declared encoding', async () => {
    const parts = xlsxParts({ Data: [['caf\u00e9']] });
    const broken = { ...parts, 'xl/sharedStrings.xml': Buffer.from(parts['xl/sharedStrings.xml']!, 'latin1') };
    expect(await refusal(files.convert(makeArchive(broken), 'xlsx'))).toBe(
      'The part xl/sharedStrings.xml of the file is not UTF-8, although it declares this encoding',
    );
  });

  it('may declare ISO-8859-1 as the encoding of a part', async () => {
    const parts = xlsxParts({ Data: [['caf\u00e9']] });
    const latin = parts['xl/sharedStrings.xml']!.replace('UTF-8', 'ISO-8859-1');
    const { text } = await files.text(
      makeArchive({ ...parts, 'xl/sharedStrings.xml': Buffer.from(latin, 'latin1') }),
      'xlsx',
    );
    expect(text).toBe('--- sheet Data ---\ncafé\n');
  });
});

describe('the name of an archive part', () => {
  const parts = xlsxParts({
    Data: [
      ['name', 'due'],
      ['oak', { xml: '<c s="1"><v>45730</v></c>' }],
    ],
  });
  const renamed = (change: (name: string) => string) =>
    makeArchive(Object.fromEntries(Object.entries(parts).map(([name, part]) => [change(name), part])));

  it.each<[string, Uint8Array]>([
    ['shared strings in a different case', renamed((name) => name.replace('sharedStrings', 'SharedStrings'))],
    ['all parts in uppercase', renamed((name) => name.toUpperCase())],
    [
      'styles and sheets in a different case',
      renamed((name) => name.replace('styles', 'Styles').replace('sheet1', 'Sheet1')),
    ],
    ['backslashes in the archive', renamed((name) => name.replaceAll('/', '\\'))],
    [
      'backslashes in relationships',
      makeArchive({
        ...parts,
        'xl/_rels/workbook.xml.rels': parts['xl/_rels/workbook.xml.rels']!.replace(
          'worksheets/',
          'worksheets\\',
        ).replace('"/xl/styles.xml"', '"\\XL\\styles.xml"'),
      }),
    ],
  ])('matches despite %s', async (_, file) => {
    expect((await files.convert(file, 'xlsx')).rows).toEqual([['oak', '2025-03-14']]);
  });

  it('matches despite uppercase letters and backslashes in a DOCX file', async () => {
    const docx = Object.entries(docxParts(paragraph('Plan'))).map(([name, part]): [string, string] => [
      name.replace('word/document', 'Word\\Document'),
      part.replace('word/document', 'WORD\\document'),
    ]);
    expect((await files.text(makeArchive(Object.fromEntries(docx)), 'docx')).text).toBe('Plan\n');
  });
});

describe('a time in a sheet', () => {
  const time = (stored: string): SheetCell => ({ xml: `<c s="2"><v>${stored}</v></c>` });

  it.each([
    ['a tenth of a second', '0.56313888888888886', '13:30:55.2'],
    ['milliseconds of a date', '45730.354172453706', '2025-03-14T08:30:00.5'],
    ['one millisecond', '1.1574074074074074E-8', '00:00:00.001'],
    ['a whole second despite a rounding error', '45730.354861111111', '2025-03-14T08:31:00'],
    ['a second that a program has rounded', '45730.35417', '2025-03-14T08:30:00'],
    ['the last moment of a day', '0.999999999999', '23:59:59.999'],
    ['the last moment of the calendar', '2958465.999999999', '9999-12-31T23:59:59.999'],
  ])('keeps %s', async (_, stored, value) => {
    expect(await rowsOf([['oak', time(stored)]])).toEqual([['oak', value]]);
  });

  it('is read as a number if it is past the year 9999 in the 1904 date system', async () => {
    const options = { startsIn1904: true };
    expect(await rowsOf([['oak', time('2957004')]], options)).toEqual([['oak', 2_957_004]]);
    expect(await rowsOf([['oak', time('2957003')]], options)).toEqual([['oak', '9999-12-31']]);
  });
});

describe('the cell reader', () => {
  it.each([
    ['an inline string next to a value', '<c t="inlineStr"><v>1.0</v><is><r><t>1.</t></r></is></c>', '1.'],
    ['a value next to an inline string', '<c t="str"><v>a</v><is><t>b</t></is></c>', 'a'],
    ['a shared string next to an inline string', '<c t="s"><is><t>0</t></is><v>0</v></c>', 'zero'],
    ['a number next to an inline string', '<c><v>1</v><is><t>b</t></is></c>', 1],
    ['an inline string without a cell type', '<c><is><t>b</t></is></c>', 'b'],
    ['a value with the inline type', '<c t="inlineStr"><v>b</v></c>', 'b'],
    ['text outside both elements', '<c t="str"><t>x</t><v>a</v></c>', 'a'],
  ])('reads the value that the cell type requires: %s', async (_, cell, value) => {
    expect(await rowsOf([['oak', xml(cell)]], { shared: ['zero'] })).toEqual([['oak', value]]);
  });

  it.each(['XFE2', '7B', ''])('rejects an invalid cell reference: "%s"', async (reference) => {
    expect(await refused(`<c r="${reference}"><v>1</v></c>`)).toBe(
      `The sheet "Data" has a cell with the reference "${reference}" in row 2. Use A1 to XFD1048576`,
    );
  });

  it.each([
    [
      'a row',
      '<row r="3"><c r="A3"><v>7</v></c></row><row r="1"><c r="A1"><v>5</v></c></row>',
      'has row 1 after row 3',
    ],
    ['an empty row', '<row r="2"/><row r="1"><c r="A1"><v>5</v></c></row>', 'has row 1 after row 2'],
    ['a row twice', '<row><c><v>7</v></c></row><row r="1"><c><v>5</v></c></row>', 'has row 1 after row 1'],
    [
      'a cell twice',
      '<row r="1"><c r="A1"><v>7</v></c><c r="A1"><v>5</v></c></row>',
      'Cell A1 of the sheet "Data" occurs twice',
    ],
  ])('rejects cells out of order: %s', async (_, rows, sentence) => {
    const parts = { 'xl/worksheets/sheet0.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>` };
    const problem = await refusal(files.convert(workbookFile({ Data: [] }, { parts }), 'xlsx'));
    expect(problem).toContain(`${sentence}. Open the file in a spreadsheet program`);
  });

  it('finds the column of a cell that follows its right neighbor', async () => {
    const row = '<row r="1"><c r="B1"><v>7</v></c><c r="A1"><v>5</v></c><c r="C1"><v>9</v></c></row>';
    const parts = { 'xl/worksheets/sheet0.xml': `<worksheet><sheetData>${row}</sheetData></worksheet>` };
    expect((await files.convert(workbookFile({ Data: [] }, { parts }), 'xlsx')).rows).toEqual([[5, 7, 9]]);
  });

  it('accepts lowercase references', async () => {
    const cell = (reference: string, value: number): string => `<c r="${reference}"><v>${value}</v></c>`;
    const columns = [...'abcdefghijklmnopqrstuvwxyz', 'aA', 'aB'];
    const first = columns.map((column, at) => cell(`${column}1`, at)).join('');
    const parts = {
      'xl/worksheets/sheet0.xml': `<worksheet><sheetData><row r="1">${first}</row><row r="2">${cell('b2', 4)}</row>
        <row r="3">${cell('aB3', 5)}</row></sheetData></worksheet>`,
    };
    const { rows } = await files.convert(workbookFile({ Data: [] }, { parts }), 'xlsx');
    expect(rows.map((row) => [row[0], row[1], row[27]])).toEqual([
      [0, 1, 27],
      [null, 4, null],
      [null, null, 5],
    ]);
  });

  it.each([
    ['a shared string', 'line 1_x000D_\nline 2', 'line 1\r\nline 2'],
    ['an escaped underscore', '_x005F_x000D_', '_x000D_'],
    ['lowercase hexadecimal digits', 'a_x00e9_b', 'aéb'],
    ['a surrogate pair', '_xD83D__xDE00_', '😀'],
    ['sequences that are not escapes', '_x00_ _xZZZZ_ x000D_ _X000D_', '_x00_ _xZZZZ_ x000D_ _X000D_'],
  ])('decodes escape sequences: %s', async (_, stored, text) => {
    const options = { shared: [stored] };
    const cells = [shared(0), stored, xml(`<c t="str"><f>A1</f><v>${stored}</v></c>`)];
    expect(
      await rowsOf(
        cells.map((cell) => ['oak', cell]),
        options,
      ),
    ).toEqual(cells.map(() => ['oak', text]));
    expect(await textOf([['oak', cells[0]!]], options)).toBe(`oak\t${text.trim().replace(/\s+/g, ' ')}`);
  });

  it('decodes escape sequences in column names and sheet names', async () => {
    const file = workbookFile({
      A_x0026_B: [
        ['unit_x000D_\nprice', 'n'],
        [1.5, 2],
      ],
    });
    const table = await files.convert(file, 'xlsx', { sheet: 'A&B' });
    expect(table).toMatchObject({ columns: ['unit\r\nprice number', 'n integer'], rows: [[1.5, 2]] });
    expect(table.description.sheets).toEqual(['A&B']);
  });

  it('keeps integers with more than 15 digits as text', async () => {
    const long = ['12345678901234567890', '12345678901234567891', '1234567890123456', '-1234567890123456'];
    const rows = long.map((digits) => ['oak', xml(`<c><v>${digits}</v></c>`)]);
    expect(await rowsOf(rows)).toEqual(long.map((digits) => ['oak', digits]));
    expect(await textOf(rows.slice(0, 1))).toBe(`oak\t${long[0]}`);
    expect(await rowsOf([['oak', xml('<c><v>123456789012345</v></c>')]])).toEqual([['oak', 123456789012345]]);
    expect(await rowsOf([['oak', xml('<c><v>1.2345678901234567E+19</v></c>')]])).toEqual([
      ['oak', 12345678901234567000],
    ]);
  });
});

describe('a cell that cannot be read', () => {
  it.each([
    [
      'an unknown shared string',
      '<c t="s"><v>7</v></c>',
      'refers to a text that is missing from the workbook. Save the workbook again',
    ],
    [
      'a shared string without an index',
      '<c t="s"><v>x</v></c>',
      'refers to a text that is missing from the workbook. Save the workbook again',
    ],
    ['an unknown type', '<c t="x"><v>1</v></c>', 'has the unknown type "x"'],
    ['a number with letters', '<c><v>12 pieces</v></c>', 'is not a number, but "12 pieces"'],
    ['a hexadecimal number', '<c><v>0x1F</v></c>', 'is not a number, but "0x1F"'],
    ['an infinite number', '<c><v>1E999</v></c>', 'is not a number, but "1E999"'],
    ['an invalid boolean', '<c t="b"><v>2</v></c>', 'is neither true nor false, but "2"'],
  ])('causes an error message that names the sheet and cell: %s', async (_, cell, sentence) => {
    expect(await refused(cell)).toBe(`Cell B2 of the sheet "Data" ${sentence}`);
  });

  it('causes an error message if the part with the shared strings is missing', async () => {
    const { 'xl/sharedStrings.xml': texts, ...parts } = xlsxParts({ Data: [['name'], ['oak']] });
    expect(texts).toContain('oak');
    expect(await refusal(files.convert(makeArchive(parts), 'xlsx'))).toBe(
      'Cell A1 of the sheet "Data" refers to a text that is missing from the workbook. Save the workbook again',
    );
    expect(await refusal(files.text(makeArchive(parts), 'xlsx'))).toMatch(/^Cell A1 of the sheet "Data" refers/);
  });

  it('is not confused with a blank or missing value, which is read as an empty cell', async () => {
    expect(
      await rowsOf([
        [1, xml('<c><v> </v></c>')],
        [2, xml('<c t="s"/>')],
        [3, 'x'],
      ]),
    ).toEqual([
      [1, null],
      [2, null],
      [3, 'x'],
    ]);
  });
});

describe('a formula without a stored result', () => {
  const ending = '. Open the file in a spreadsheet program, save it and upload it again';

  it.each([
    ['without a value', '<c><f>A1*2</f></c>'],
    ['with an empty value', '<c><f>A1*2</f><v></v></c>'],
    ['with a text type and without a value', '<c t="str"><f>A1</f></c>'],
    ['with an error type and without a value', '<c t="e"><f>1/0</f></c>'],
    ['shared with another cell', '<c><f t="shared" si="0"/></c>'],
  ])('causes an error message with its location: %s', async (_, cell) => {
    expect(await refused(cell)).toBe(`Cell B2 of the sheet "Data" has a formula without a stored result${ending}`);
  });

  it('is shown as a formula in the text of the workbook', async () => {
    expect(await textOf([['oak', xml('<c><f>SUM(A1:A2)</f></c>'), xml('<c><f t="shared" si="0"/></c>')]])).toBe(
      'oak\t=SUM(A1:A2)\t=(shared formula)',
    );
  });

  it('is not confused with a formula whose stored result is empty, zero or an error', async () => {
    const cells = [
      '<c t="str"><f>A1</f><v></v></c>',
      '<c><f>0</f><v>0</v></c>',
      '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>',
    ];
    expect(await rowsOf([...cells.map((cell) => ['oak', xml(cell)]), ['ash', 3]])).toEqual([
      ['oak', null],
      ['oak', 0],
      ['oak', null],
      ['ash', 3],
    ]);
  });

  it('is detected if all results are zero and the workbook requests a recalculation', async () => {
    const zero = xml('<c><f>A1*2</f><v>0</v></c>');
    const parts = withEnd(workbookXml(''), '<calcPr calcId="124519" fullCalcOnLoad="1"/>');
    const file = workbookFile({ Data: [HEADER, ['oak', zero], ['ash', zero]] }, { parts });
    expect(await refusal(files.convert(file, 'xlsx'))).toBe(
      `Formulas such as B2 in the sheet "Data" were never calculated${ending}`,
    );
    expect((await files.text(file, 'xlsx')).text).toContain('oak\t=A1*2\n');
    const computed = xml('<c><f>A1*2</f><v>7</v></c>');
    expect(
      await rowsOf(
        [
          ['oak', zero],
          ['ash', computed],
        ],
        { parts },
      ),
    ).toEqual([
      ['oak', 0],
      ['ash', 7],
    ]);
  });
});

describe('a sheet without values', () => {
  const error = (code: string): SheetCell => xml(`<c t="e"><v>${code}</v></c>`);

  it.each([
    ['one row', [[error('#REF!'), error('#N/A')]]],
    ['a column of pictures', [[error('#VALUE!')], [error('#VALUE!')], [error('#VALUE!')]]],
    [
      'errors in several rows and columns',
      [
        [null, error('#NAME?')],
        [error('#DIV/0!'), null],
      ],
    ],
  ])('is rejected if it contains only errors: %s', async (_, rows) => {
    expect(await refusal(files.convert(workbookFile({ Prices: rows }), 'xlsx'))).toBe(
      'The sheet "Prices" has only errors, such as #REF!, and no values',
    );
  });

  it('is rejected with the names of the sheets that have cells', async () => {
    const book = { Cover: [], Demand: [['n'], [1]], Notes: [[null]], Prices: [[xml('<c><f>1</f></c>')]] };
    const sentence = 'The sheet "Cover" is empty, but these sheets have cells: "Demand", "Prices"';
    expect(await refusal(files.convert(workbookFile(book), 'xlsx'))).toBe(sentence);
    expect(await refusal(files.convert(workbookFile(book), 'xlsx', { sheet: 'Notes' }))).toBe(
      sentence.replace('Cover', 'Notes'),
    );
    expect(await refusal(files.convert(workbookFile({ Cover: [], Notes: [] }), 'xlsx'))).toBe(
      'The sheet "Cover" is empty, and so are the others',
    );
  });
});
