import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConvertedTables } from '../../../test/support/converted-tables.js';
import type { Dialect, DialectOptions } from '../tasks.js';

let tables: ConvertedTables;
beforeAll(async () => {
  tables = await ConvertedTables.open();
});
afterAll(async () => await tables.close());

const problemOf = async (content: Parameters<ConvertedTables['read']>[0], dialect: DialectOptions): Promise<unknown> =>
  await tables.read(content, { dialect }).then(
    () => undefined,
    (error: unknown) => error,
  );

it('ignores number cells in a sheet when it detects the decimal separator of text cells', async () => {
  const table = await tables.read([
    ['n', 'id', 'price', 'm'],
    [1, '500', '1,96', 2.5],
    [2, '501', '0,19', 3.5],
  ]);
  expect(table.dialect).toMatchObject({ decimal: ',', uncertain: [] });
  expect(table.cells).toEqual([
    [1, 500, 1.96, 2.5],
    [2, 501, 0.19, 3.5],
  ]);
});

describe('a single column with a separator in every row', () => {
  it.each([
    ['circumflexes', 'a^b^c\n1^2^3\n4^5^6\n', '^'],
    ['colons', 'a:b:c\n1:2:3\n4:5:6\n', ':'],
    ['spaces', 'a b c\n1 2 3\n4 5 6\n', ' '],
    ['tildes between two numbers', 'a~b\n1~2\n', '~'],
    ['slashes', 'a/b/c\nx/y/z\n', '/'],
  ])('makes the delimiter uncertain: %s', async (_, content, delimiter) => {
    const table = await tables.read(content);
    expect(table.names).toHaveLength(1);
    expect(table.dialect!.uncertain).toContain('delimiter');
    const split = await tables.read(content, { dialect: { delimiter } });
    expect(split.names).toEqual(content.split('\n')[0]!.split(delimiter));
    expect(split.dialect!.uncertain).not.toContain('delimiter');
  });

  it.each([
    ['names', 'name\nAnna Berg\nBo Carl\n'],
    ['names and a header of two words', 'full name\nAnna Berg\nBo Carl\n'],
    ['sentences', 'remark\nThe cat sat on the mat.\nA dog.\n'],
    ['times', 'time\n10:20\n11:30\n'],
    ['addresses', 'url\nhttp://a.b/c\nhttp://c.d/e\n'],
    ['dates and times', 'start\n2025-01-02 10:00\n2025-01-03 11:00\n'],
  ])('does not make the delimiter uncertain if it contains %s', async (_, content) => {
    expect((await tables.read(content)).dialect!.uncertain).not.toContain('delimiter');
  });
});

/** Converts a dialect to options that a caller can send. Null fields are omitted, so that the service detects them. */
const optionsOf = (dialect: Dialect): DialectOptions =>
  Object.fromEntries(
    Object.entries(dialect).filter(
      ([field, value]) => value !== null && !['other_encodings', 'uncertain'].includes(field),
    ),
  );

describe('columns with different notations', () => {
  it.each<[string, string, Partial<Dialect>, unknown[]]>([
    [
      'date orders',
      'a,b\n13/04/2025,05/26/2025\n',
      { date_order: null, uncertain: ['date_order'] },
      ['2025-04-13', '2025-05-26'],
    ],
    [
      'date orders, and a column with an ambiguous date',
      'a,b,c\n13/04/2025,05/26/2025,03/04/2025\n',
      { date_order: null, uncertain: ['date_order'] },
      ['2025-04-13', '2025-05-26', '2025-04-03'],
    ],
    [
      'a date order next to dates with dots',
      'a,b\n13.04.2025,05/26/2025\n',
      { date_order: null, uncertain: ['date_order'] },
      ['2025-04-13', '2025-05-26'],
    ],
    ['decimal separators', 'a;b\n1,5;2.75\n', { decimal: null, uncertain: ['decimal'] }, [1.5, 2.75]],
    [
      'decimal separators, and a column with an ambiguous number',
      'a;b;c\n1,5;2.75;1.250\n',
      { decimal: null, uncertain: ['decimal'] },
      [1.5, 2.75, 1250],
    ],
    [
      'decimal and thousands separators',
      'a;b\n1.234,5;1,234.5\n',
      { decimal: null, thousands: null, uncertain: ['decimal'] },
      [1234.5, 1234.5],
    ],
    ['thousands separators', 'a;b\n1 234;1.234,5\n', { decimal: ',', thousands: null }, [1234, 1234.5]],
    [
      'decimal separators in only some columns',
      'a;b;c\n1;2,5;3\n',
      { decimal: ',', thousands: '', uncertain: [] },
      [1, 2.5, 3],
    ],
  ])('produce the same table when read with the reported dialect: %s', async (_, content, dialect, cells) => {
    const table = await tables.read(content);
    expect(table.dialect).toMatchObject(dialect);
    expect(table.cells).toEqual([cells]);
    const again = await tables.read(content, { dialect: optionsOf(table.dialect!) });
    expect(again.types).toEqual(table.types);
    expect(again.cells).toEqual([cells]);
  });
});

describe('the reported dialect', () => {
  it.each<[string, string | Uint8Array, Partial<Dialect>]>([
    ['an ambiguous number', 'a;b\n1.250;x1\n', { decimal: ',', uncertain: ['decimal'] }],
    ['an ambiguous number in quotes', 'a,b\n"1,250",1\n', { decimal: '.', uncertain: ['decimal'] }],
    [
      'an ambiguous number that another column resolves',
      'a;b\n1.250;0,5\n',
      { decimal: ',', thousands: '.', uncertain: [] },
    ],
    ['quoted decimal commas between commas', 'a,b\nx,"1,7"\n', { decimal: ',', uncertain: ['decimal'] }],
    ['quoted decimals of different lengths', 'a,b\nx,"12,75"\ny,"0,5"\n', { decimal: ',', uncertain: ['decimal'] }],
    ['percentages with decimal commas', 'a,b\nx,"1,7 %"\n', { decimal: ',', uncertain: ['decimal'] }],
    ['decimal commas between semicolons', 'a;b\nx;1,7\n', { decimal: ',', uncertain: [] }],
    ['a first row of ascending numbers', '1,2\n3,4\n', { header: false, first_row: 1, uncertain: ['header'] }],
    ['a first row of decimals', '1,7\n3,4\n', { header: false, first_row: 1, uncertain: [] }],
    ['plain integers', 'a;b\n1250;5\n', { decimal: '.', uncertain: [] }],
    ['a date with an ambiguous order', 'a,b\n03/04/2025,1\n', { date_order: 'day_first', uncertain: ['date_order'] }],
    ['a date with an unambiguous order', 'a,b\n12/31/2025,1\n', { date_order: 'month_first', uncertain: [] }],
    [
      'an ambiguous date that another column resolves',
      'a,b\n03/04/2025,12/31/2025\n',
      { date_order: 'month_first', uncertain: [] },
    ],
    ['dates with dots', 'a;b\n03.04.2025;1\n', { date_order: 'day_first', uncertain: [] }],
    ['a two-digit year that may be first', 'd,n\n25/03/14,1\n25/04/30,2\n', { uncertain: ['date_order'] }],
    ['a two-digit year that may be first or last', 'd;n\n24.12.01;1\n24.12.15;2\n', { uncertain: ['date_order'] }],
    ['a date with a two-digit year that fits three orders', 'd,n\n03/04/05,1\n', { uncertain: ['date_order'] }],
    ['a date with a two-digit year and a time', 'd,n\n25/03/14 08:30,1\n', { uncertain: ['date_order'] }],
    [
      'dates with two-digit years and a value that must begin with the day',
      'd;n\n24.12.01;1\n14.03.99;2\n',
      { uncertain: [] },
    ],
    [
      'dates with two-digit years next to a column that must begin with the day',
      'd;e\n24.12.01;31.12.99\n',
      { uncertain: [] },
    ],
    [
      'dates with two-digit years and a value that must begin with the month',
      'd,n\n03/14/25,1\n03/04/25,2\n',
      { uncertain: [] },
    ],
    ['ISO dates', 'a,b\n2025-04-03,1\n', { date_order: null, uncertain: [] }],
    [
      'bytes that are not UTF-8',
      Buffer.from('name;n\nM\xfcller;1\n', 'latin1'),
      { encoding: 'windows-1252', uncertain: ['encoding'] },
    ],
    ['only text cells', 'a,b\nx,y\n', { header_row: 1, first_row: 2, last_row: 2, uncertain: ['header'] }],
    ['a header without rows', 'a,b\n', { header_row: 1, first_row: null, last_row: null }],
    ['two delimiters', 'a;b,c\n1;2,3\n', { delimiter: ';', uncertain: ['delimiter'] }],
  ])('is correct for %s', async (_, content, dialect) => {
    const table = await tables.read(content);
    const { uncertain = [] } = dialect;
    expect(table.dialect).toMatchObject({ ...dialect, uncertain: expect.arrayContaining(uncertain) });
    if (uncertain.length === 0 && dialect.first_row !== null) expect(table.dialect?.uncertain).toEqual([]);
  });

  it('does not contain a delimiter, quote or encoding for a sheet', async () => {
    const table = await tables.read([['Plan'], undefined, ['p', 'n'], ['a', 1], ['b', 2]]);
    expect(table.dialect).toEqual({
      delimiter: null,
      quote: null,
      encoding: null,
      other_encodings: [],
      header: true,
      header_row: 3,
      first_row: 4,
      last_row: 5,
      other_last_row: null,
      decimal: '.',
      thousands: '',
      date_order: null,
      subtotals: null,
      uncertain: [],
    });
  });
});

describe('dialect options from the caller', () => {
  const rows = 'x,y\na,b\n1,2\n3,4\n5,6\n';
  it.each<[string, string | Uint8Array, DialectOptions, string[], unknown[][]]>([
    ['a delimiter', 'a,b;c\n1,2;3\n', { delimiter: ',' }, ['a integer', 'b;c text'], [[1, '2;3']]],
    ['an unusual delimiter', 'a:b\n1:2\n', { delimiter: ':' }, ['a integer', 'b integer'], [[1, 2]]],
    [
      'no quotes',
      'a,b\n"x,1\n"y,2\n',
      { quote: '' },
      ['a text', 'b integer'],
      [
        ['"x', 1],
        ['"y', 2],
      ],
    ],
    ['an apostrophe as the quote', "a,b\n'x,z',1\n", { quote: "'" }, ['a text', 'b integer'], [['x,z', 1]]],
    ['a decimal point', 'a;b\n1.250;1\n', { decimal: '.' }, ['a number', 'b integer'], [[1.25, 1]]],
    ['a decimal comma', 'a,b\n"1,250",1\n', { decimal: ',' }, ['a number', 'b integer'], [[1.25, 1]]],
    [
      'a decimal separator that does not fit the numbers',
      'a;b\n1,5;1\n',
      { decimal: '.' },
      ['a text', 'b integer'],
      [['1,5', 1]],
    ],
    ['no thousands separator', 'a;b\n1.250;1\n', { thousands: '' }, ['a number', 'b integer'], [[1.25, 1]]],
    ['points as thousands separators', 'a,b\n1.250,1\n', { thousands: '.' }, ['a integer', 'b integer'], [[1250, 1]]],
    [
      'the month first',
      'a,b\n03/04/2025,1\n',
      { date_order: 'month_first' },
      ['a date', 'b integer'],
      [['2025-03-04', 1]],
    ],
    [
      'two-digit years last',
      'a;b\n24.12.01;1\n',
      { date_order: 'day_first' },
      ['a date', 'b integer'],
      [['2001-12-24', 1]],
    ],
    ['the day first', 'a,b\n03-04-2025,1\n', { date_order: 'day_first' }, ['a date', 'b integer'], [['2025-04-03', 1]]],
    [
      'an order that does not fit the dates',
      'a,b\n12/31/2025,1\n',
      { date_order: 'day_first' },
      ['a text', 'b integer'],
      [['12/31/2025', 1]],
    ],
    [
      'no header',
      'a,b\nx,y\n',
      { header: false },
      ['column_1 text', 'column_2 text'],
      [
        ['a', 'b'],
        ['x', 'y'],
      ],
    ],
    ['a header of numbers', '1,2\n3,4\n', { header: true }, ['1 integer', '2 integer'], [[3, 4]]],
    [
      'a header row',
      rows,
      { header_row: 2 },
      ['a integer', 'b integer'],
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    ],
    [
      'a header row and a first row',
      rows,
      { header_row: 1, first_row: 4 },
      ['x integer', 'y integer'],
      [
        [3, 4],
        [5, 6],
      ],
    ],
    [
      'a first row below names',
      rows,
      { first_row: 3 },
      ['a integer', 'b integer'],
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    ],
    [
      'a first row below other data',
      rows,
      { first_row: 4 },
      ['x integer', 'y integer'],
      [
        [3, 4],
        [5, 6],
      ],
    ],
    [
      'a first row without names',
      rows,
      { first_row: 4, header: false },
      ['column_1 integer', 'column_2 integer'],
      [
        [3, 4],
        [5, 6],
      ],
    ],
    [
      'a first row below a row of units',
      'product,n\nname,pieces\nid,7\noak,1\npine,2\n',
      { first_row: 4 },
      ['product text', 'n integer'],
      [
        ['oak', 1],
        ['pine', 2],
      ],
    ],
    [
      'a first row below the second row of names',
      'product,n\nitem,pieces\noak,1\npine,2\n',
      { first_row: 3 },
      ['item text', 'pieces integer'],
      [
        ['oak', 1],
        ['pine', 2],
      ],
    ],
    [
      'a last row',
      rows,
      { header_row: 2, last_row: 4 },
      ['a integer', 'b integer'],
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      'a last row that is labelled as a total',
      'p,n\na,1\nb,2\nTotal,3\n',
      { last_row: 4 },
      ['p text', 'n integer'],
      [
        ['a', 1],
        ['b', 2],
        ['Total', 3],
      ],
    ],
    [
      'a last row above ragged rows',
      'p,n\na,1\nb,2\nx\ny,1,2\n',
      { last_row: 3 },
      ['p text', 'n integer'],
      [
        ['a', 1],
        ['b', 2],
      ],
    ],
    [
      'Shift JIS',
      Buffer.from('90bb95692c909497ca0a836c83572c31300a837b838b83672c32300a', 'hex'),
      { encoding: 'shift_jis' },
      ['製品 text', '数量 integer'],
      [
        ['ネジ', 10],
        ['ボルト', 20],
      ],
    ],
    [
      'ISO 8859-2',
      Buffer.from('n,m\n\xb3\xf3d\xbc,1\n', 'latin1'),
      { encoding: 'iso-8859-2' },
      ['n text', 'm integer'],
      [['łódź', 1]],
    ],
    [
      'KOI8-R',
      Buffer.from('eed92c6e0af7c5d32c310a', 'hex'),
      { encoding: 'koi8-r' },
      ['Ны text', 'n integer'],
      [['Вес', 1]],
    ],
    [
      'UTF-16 without byte order mark',
      Buffer.from('a,b\nä,1\n', 'utf16le'),
      { encoding: 'utf-16le' },
      ['a text', 'b integer'],
      [['ä', 1]],
    ],
  ])('override the detection: %s', async (_, content, dialect, types, cells) => {
    const table = await tables.read(content, { dialect });
    expect(table.types).toEqual(types);
    expect(table.cells).toEqual(cells);
    for (const field of Object.keys(dialect)) expect(table.dialect?.uncertain).not.toContain(field);
    for (const field of ['delimiter', 'quote', 'encoding', 'header', 'header_row', 'first_row', 'last_row'] as const)
      if (dialect[field] !== undefined) expect(table.dialect?.[field]).toBe(dialect[field]);
  });

  it('override the detection for a sheet', async () => {
    const content = [['Plan'], ['a', 'b'], ['kg', 'm'], [1, 2.5], [3, 4], ['x', 'y']];
    const dialect = { header_row: 2, first_row: 4, last_row: 5, decimal: ',' } as const;
    const table = await tables.read(content, { dialect });
    expect(table.types).toEqual(['a integer', 'b number']);
    expect(table.cells).toEqual([
      [1, 2.5],
      [3, 4],
    ]);
    expect(table.dialect).toMatchObject(dialect);
  });

  it.each<[string, Parameters<ConvertedTables['read']>[0], DialectOptions, string]>([
    ['a header below the end', 'a,b\n1,2\n', { header_row: 9 }, 'header_row'],
    ['a header in an empty row', 'a,b\n\n1,2\n', { header_row: 2 }, 'header_row'],
    ['data below the end', 'a,b\n1,2\n', { first_row: 9 }, 'first_row'],
    ['data in an empty row', 'a,b\n\n1,2\n', { header_row: 1, first_row: 2 }, 'first_row'],
    ['a last row below the end', 'a,b\n1,2\n', { last_row: 9 }, 'last_row'],
    ['a header above the first row of the file', '1,2\n3,4\n', { first_row: 1, header: true }, 'first_row'],
    [
      'bytes that do not exist in the encoding',
      Buffer.from('a,b\n\xe9,1\n', 'latin1'),
      { encoding: 'utf-8' },
      'encoding',
    ],
    [
      'a header below the end of a sheet',
      [
        ['a', 'b'],
        [1, 2],
      ],
      { header_row: 9 },
      'header_row',
    ],
    [
      'data below the end of a sheet',
      [
        ['a', 'b'],
        [1, 2],
      ],
      { first_row: 9 },
      'first_row',
    ],
    [
      'a delimiter for a workbook',
      [
        ['a', 'b'],
        [1, 2],
      ],
      { delimiter: ';' },
      'delimiter',
    ],
    [
      'an encoding for a workbook',
      [
        ['a', 'b'],
        [1, 2],
      ],
      { encoding: 'utf-8' },
      'encoding',
    ],
  ])('are rejected with the name of the invalid option: %s', async (_, content, dialect, field) => {
    expect(await problemOf(content, dialect)).toMatchObject({ code: 'invalid_dialect', place: { loc: [field] } });
  });

  it('are rejected for JSON', async () => {
    const read = tables.read('[{"a":1}]', { format: 'json', dialect: { decimal: ',' } });
    await expect(read).rejects.toMatchObject({ code: 'invalid_dialect' });
  });
});

describe('columns aligned with spaces', () => {
  it.each([
    ['two columns', 'product   qty\noak       10\npine      30\n'],
    ['three columns', 'product   week   qty\noak       1      10\npine      12     30\n'],
    ['text with spaces', 'product     qty\noak chair   10\npine table  30\n'],
    ['right-aligned numbers', 'product   qty\noak        10\npine      130\n'],
    ['a left margin', '  product   qty\n  oak       10\n  pine      30\n'],
  ])('make the delimiter uncertain: %s', async (_, content) => {
    expect((await tables.read(content)).dialect?.uncertain).toContain('delimiter');
  });

  it.each([
    ['only a left margin', '  product\n  oak ash\n  pine\n'],
    ['spaces in only one row', 'comment\nvery  good\nfine\n'],
  ])('are not detected in a table with %s', async (_, content) => {
    expect((await tables.read(content)).dialect?.uncertain).not.toContain('delimiter');
  });
});
