import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConvertedTables } from '../../../test/support/converted-tables.js';
import { type SheetCell, styled } from '../../../test/support/workbook-file.js';
import type { ConvertTask, LeftOut } from '../tasks.js';

let tables: ConvertedTables;
beforeAll(async () => {
  tables = await ConvertedTables.open();
});
afterAll(async () => await tables.close());

type Content = string | Uint8Array | (SheetCell[] | undefined)[];

/** Formats the rows and columns that were left out as `place kind first-last`. */
const shortForm = (parts: LeftOut[]): string[] =>
  parts.map(({ place, kind, first, last }) => `${place} ${kind} ${first}-${last}`);

const problemOf = async (content: Content, more: Partial<ConvertTask> = {}): Promise<unknown> =>
  await tables.read(content, more).then(
    () => undefined,
    (error: unknown) => error,
  );

const DEMAND = 'product,week,quantity\noak,1,10\npine,2,20\n';
const DEMAND_NAMES = ['product', 'week', 'quantity'];
const DEMAND_ROWS = [
  ['oak', 1, 10],
  ['pine', 2, 20],
];

describe('a first row with numbers', () => {
  const wide = [
    ['oak', 10, 20, 30],
    ['pine', 11, 21, 31],
  ];
  it.each<[string, Content, string[]]>([
    ['weeks', 'product,1,2,3\noak,10,20,30\npine,11,21,31\n', ['product', '1', '2', '3']],
    ['hours with semicolons', 'shift;0;6;12\noak;10;20;30\npine;11;21;31\n', ['shift', '0', '6', '12']],
    ['years', 'product\t2024\t2025\t2026\noak\t10\t20\t30\npine\t11\t21\t31\n', ['product', '2024', '2025', '2026']],
    ['weeks with an empty first cell', ',1,2,3\noak,10,20,30\npine,11,21,31\n', ['column_1', '1', '2', '3']],
    ['weeks below a title', 'Plan\n\nproduct,1,2,3\noak,10,20,30\npine,11,21,31\n', ['product', '1', '2', '3']],
    ['weeks in a sheet', [['product', 1, 2, 3], ...wide], ['product', '1', '2', '3']],
  ])('is read as a header: %s', async (_, content, names) => {
    const table = await tables.read(content);
    expect(table.names).toEqual(names);
    expect(table.cells).toEqual(wide);
    expect(table.dialect?.uncertain).toEqual(['header']);
  });

  it('is read as a header if a sheet has dates above numbers', async () => {
    const days = [45_663, 45_670, 45_677].map((day) => styled(day, 1));
    const table = await tables.read([['product', ...days], ...wide]);
    expect(table.names).toEqual(['product', '2025-01-06', '2025-01-13', '2025-01-20']);
    expect(table.cells).toEqual(wide);
  });

  it.each<[string, Content]>([
    ['in a text file', '2024,2025,2026\n10,20,30\n11,21,31\n'],
    ['in steps of two years', '2020;2022;2024\n10;20;30\n11;21;31\n'],
    [
      'in a sheet',
      [
        [2024, 2025, 2026],
        [10, 20, 30],
        [11, 21, 31],
      ],
    ],
  ])('is read as a header if it contains only years: %s', async (_, content) => {
    const table = await tables.read(content);
    expect(table.names.every((name) => /^20\d\d$/.test(name))).toBe(true);
    expect(table.cells).toEqual([
      [10, 20, 30],
      [11, 21, 31],
    ]);
    expect(table.dialect?.uncertain).toEqual(['header']);
  });

  it.each([
    ['years above years', '2020,2021\n2022,2023\n'],
    ['a single year above numbers', '2024\n10\n'],
    ['unevenly ascending numbers', 'oak,10,25,30\npine,11,21,31\n'],
    ['descending numbers', 'oak,3,2,1\npine,11,21,31\n'],
    ['a text cell that recurs below', 'oak,1,2,3\noak,11,21,31\n'],
    ['a text cell similar to the cells below', 'A1,1,2,3\nA2,11,21,31\n'],
    ['rows of numbers only', '1,2,3\n4,5,6\n'],
  ])('is read as data: %s', async (_, content) => {
    const table = await tables.read(content);
    expect(table.dialect).toMatchObject({ header: false, header_row: null, first_row: 1 });
    expect(table.rows).toBe(2);
  });
});

describe('titles above a table', () => {
  const cases: [string, Content, string[], Partial<ConvertTask>?][] = [
    ['a single line', `Demand 2025\n\n${DEMAND}`, ['above title 1-1']],
    ['comments', `# made by hand\n# a, b, c, d\n${DEMAND}`, ['above comment 1-2']],
    ['more comments than the sample has rows', `${'# made by hand\n'.repeat(1200)}${DEMAND}`, ['above comment 1-1200']],
    ['a comment with a quote', `# "draft\n${DEMAND}`, ['above comment 1-1']],
    ['a title with commas', `Demand, by week, for all plants, as planned\n${DEMAND}`, ['above title 1-1']],
    ['a quoted title after a byte order mark', `\ufeff"Demand, 2025"\r\n${DEMAND}`, ['above title 1-1']],
    ['semicolons', `Demand 2025\n\n${DEMAND.replaceAll(',', ';')}`, ['above title 1-1']],
    ['bars', `Demand | 2025\n${DEMAND.replaceAll(',', '|')}`, ['above title 1-1']],
    ['tabs', `Demand 2025\n\n${DEMAND.replaceAll(',', '\t')}`, ['above title 1-1'], { format: 'tsv' }],
    ['a title below a `sep=` line', `sep=;\nDemand\n\n${DEMAND.replaceAll(',', ';')}`, ['above title 2-2']],
    ['a title followed by delimiters', `Demand 2025,,\n,,\n${DEMAND}`, ['above title 1-1']],
    ['titles followed by semicolons', `Demand;;\nPlant;Berlin;\n${DEMAND.replaceAll(',', ';')}`, ['above title 1-2']],
    ['a date next to its label', `Printed,2025-01-01,\n,,\n${DEMAND}`, ['above title 1-1']],
    ['a label and its value', `Plant,Berlin\n${DEMAND}`, ['above title 1-1']],
    [
      'a label and its value if errors are ignored',
      `Plant,Berlin\n${DEMAND}`,
      ['above title 1-1'],
      { ignoreErrors: true },
    ],
    ['more titles than rows', `${'Note\n'.repeat(12)}${DEMAND}`, ['above title 1-12']],
    [
      'a title and a date in separate rows of a sheet',
      [['Demand'], [styled(45_658, 1)], undefined, DEMAND_NAMES, ...DEMAND_ROWS],
      ['above title 1-1', 'above note 2-2'],
    ],
  ];
  it.each(cases.map(([name, ...rest]) => [name, rest] as const))('are left out: %s', async (_, rest) => {
    const [content, leftOut, more] = rest;
    const table = await tables.read(content, more);
    expect(table.names).toEqual(DEMAND_NAMES);
    expect(table.cells).toEqual(DEMAND_ROWS);
    expect(shortForm(table.leftOut)).toEqual(leftOut);
    const header = table.dialect?.header_row ?? 0;
    expect(table.dialect).toMatchObject({ header: true, first_row: header + 1, last_row: header + 2 });
    expect(table.rowNumbers[0]).toEqual({ index: 0, row: header + 1 });
    expect(table.skipped).toBe(0);
  });

  it.each<[string, Content, string[], boolean]>([
    ['a table', `region,q\nN,10\nS,20\n\n${DEMAND}`, ['above table 1-3'], true],
    ['a table without an empty row below', `region,q\nN,10\nS,20\n${DEMAND}oak,3,30\n`, ['above table 1-3'], true],
    ['a table below a title', `Stock\nregion,q\nN,10\nS,20\n\n${DEMAND}`, ['above title 1-1', 'above table 2-4'], true],
    ['a list of values', `Capacity,500\nCost,3.5\n\n${DEMAND}`, ['above table 1-2'], false],
    ['a list of strings and values', `Plant,Berlin\nCapacity,500\n\n${DEMAND}`, ['above table 1-2'], false],
    ['a value', `Capacity,500\n${DEMAND}`, ['above table 1-1'], false],
    ['a value below a title', `Plan\nCapacity,500,\n,,\n${DEMAND}`, ['above title 1-1', 'above table 2-2'], false],
    ['numbers', `1,2\n3,4\n\n${DEMAND}`, ['above table 1-2'], false],
    [
      'a table in a sheet',
      [['region', 'q'], ['N', 10], ['S', 20], undefined, DEMAND_NAMES, ...DEMAND_ROWS],
      ['above table 1-3'],
      true,
    ],
    ['a year, which is a title', `Report,2025\n${DEMAND}`, ['above title 1-1'], false],
    ['dates, which are titles', `Printed,2025-01-01\nValid,2025-02-01\n${DEMAND}`, ['above title 1-2'], false],
  ])(
    'are reported as a table if they contain numbers other than years: %s',
    async (_, content, leftOut, isUncertain) => {
      const table = await tables.read(content);
      expect(table.names).toEqual(DEMAND_NAMES);
      expect(shortForm(table.leftOut)).toEqual(leftOut);
      expect(table.dialect?.uncertain.includes('header')).toBe(isUncertain);
    },
  );

  it.each<[string, Content, string[]]>([
    ['a date', 'Date,2025-01-02\n\nproduct,quantity\noak,10\npine,20\n', ['above title 1-1']],
    ['a site and a year', 'Site;Lyon\nYear;2025\n\nproduct;quantity\noak;10\npine;20\n', ['above title 1-2']],
    [
      'values separated by an empty row',
      'Site,Lyon\n\nPlan,B\n\nproduct,quantity\noak,10\npine,20\n',
      ['above title 1-3'],
    ],
    [
      'values in a sheet',
      [['Site', 'Lyon'], ['Cap', 500], undefined, ['product', 'quantity'], ['oak', 10], ['pine', 20]],
      ['above table 1-2'],
    ],
    [
      'more values than rows',
      'Plan,A\nCap,5\nSite,B\nDay,3\n\nproduct,quantity\noak,10\npine,20\n',
      ['above table 1-4'],
    ],
    ['a shorter table', 'p,n\na,1\n\nproduct,quantity\noak,10\npine,20\n', ['above table 1-2']],
  ])('may be as wide as the table if an empty row follows: %s', async (_, content, leftOut) => {
    const table = await tables.read(content);
    expect(table.types).toEqual(['product text', 'quantity integer']);
    expect(table.cells).toEqual([
      ['oak', 10],
      ['pine', 20],
    ]);
    expect(shortForm(table.leftOut).slice(0, 1)).toEqual([leftOut[0]!]);
    expect(table.dialect?.uncertain).toEqual(['header']);
  });

  it('are read as a table if the caller specifies their row numbers', async () => {
    const table = await tables.read(`region,q\nN,10\nS,20\n\n${DEMAND}`, { dialect: { header_row: 1, last_row: 3 } });
    expect(table.names).toEqual(['region', 'q']);
    expect(table.cells).toEqual([
      ['N', 10],
      ['S', 20],
    ]);
  });

  it('are truncated to 100 characters', async () => {
    const table = await tables.read(`${'long '.repeat(50)}\n\n${DEMAND}`);
    expect(table.leftOut[0]?.text).toHaveLength(100);
  });

  it.each<[string, (SheetCell[] | undefined)[], unknown[][]]>([
    [
      'numbers',
      [[5], [6], [7, 8], [9, 10]],
      [
        [5, null],
        [6, null],
        [7, 8],
        [9, 10],
      ],
    ],
    [
      'dates',
      [[styled(45_658, 1)], [styled(45_659, 1), 4], [styled(45_660, 1), 5]],
      [
        ['2025-01-01', null],
        ['2025-01-02', 4],
        ['2025-01-03', 5],
      ],
    ],
    [
      'booleans',
      [[true], [false, 4], [true, 5]],
      [
        [true, null],
        [false, 4],
        [true, 5],
      ],
    ],
    [
      'a text cell next to a number',
      [
        ['oak', 5],
        ['pine', 6, 7],
        ['elm', 8, 9],
      ],
      [
        ['oak', 5, null],
        ['pine', 6, 7],
        ['elm', 8, 9],
      ],
    ],
  ])('are not confused with short rows of %s', async (_, content, rows) => {
    const table = await tables.read(content);
    expect(table.cells).toEqual(rows);
    expect(table.leftOut).toEqual([]);
  });

  it.each<[string, Content, string[], unknown[][]]>([
    ['a name is missing', 'product,,price\noak,1,2\n', ['product', 'column_2', 'price'], [['oak', 1, 2]]],
    ['the first name is missing', ',week,price\noak,1,2\n', ['column_1', 'week', 'price'], [['oak', 1, 2]]],
    [
      'names begin with #',
      '#,name,price\n1,oak,2\n2,elm,3\n',
      ['#', 'name', 'price'],
      [
        [1, 'oak', 2],
        [2, 'elm', 3],
      ],
    ],
    [
      'the first name begins with #',
      '#id,name\n1,oak\n2,elm\n',
      ['#id', 'name'],
      [
        [1, 'oak'],
        [2, 'elm'],
      ],
    ],
  ])('are not confused with a header in which %s', async (_, content, names, rows) => {
    const table = await tables.read(content);
    expect(table.names).toEqual(names);
    expect(table.cells).toEqual(rows);
    expect(table.leftOut).toEqual([]);
  });

  it.each([
    ['sentences with commas', 'comment\nHello, world\nFine, thanks\n', ['Hello, world', 'Fine, thanks']],
    [
      'addresses with a comma',
      'address\nMain St 1, Berlin\nElm St 2, Paris\n',
      ['Main St 1, Berlin', 'Elm St 2, Paris'],
    ],
    ['decimal commas', 'value\n1,5\n2,5\n', [1.5, 2.5]],
  ])('are not confused with the name of a single column: %s', async (_, content, cells) => {
    const table = await tables.read(content);
    expect(table.cells).toEqual(cells.map((cell) => [cell]));
    expect(table.dialect?.uncertain).toContain('delimiter');
  });

  it('are not confused with a header that has fewer cells than its rows', async () => {
    const content = 'a,b\n1,2,3\n4,5,6\n7,8,9\n';
    expect(await problemOf(content)).toMatchObject({ code: 'ragged_row', place: { row: 2, column: 3 } });
    const table = await tables.read(content, { ignoreErrors: true });
    expect(table.cells).toHaveLength(3);
    expect(table.skipped).toBe(1);
  });
});

describe('a row with an extra cell', () => {
  it.each([
    ['in the middle', 'a,b\n1,2\n3,4,\n5,6\n', 3],
    ['below the header', 'a,b\n1,2,\n3,4\n5,6\n', 2],
    ['at the end', 'a;b;c\n1;2;3\n4;5;6;\n', 3],
    [
      'with all values one column too far right',
      'day,time,quantity,product,note\n2025-01-01,08:00,1,oak,x\n2025-01-02,,09:00,2,pine,\n2025-01-03,10:00,3,elm,z\n',
      3,
    ],
    ['without the delimiter that all others end with', 'a,b\n1,2,\n3,4,\n5,6\n7,8,\n', 4],
    ['with a value after the last delimiter', 'a,b\n1,2,\n3,4,9\n5,6,\n', 2],
  ])('is rejected: %s', async (_, content, row) => {
    expect(await problemOf(content)).toMatchObject({ code: 'ragged_row', place: { row } });
    const table = await tables.read(content, { ignoreErrors: true });
    expect(table.skipped).toBe(1);
  });

  it.each([
    ['all rows', 'a,b\n1,2,\n3,4,\n'],
    ['all rows and the header', 'a,b,\n1,2,\n3,4,\n'],
    ['the header', 'a,b,\n1,2\n3,4\n'],
  ])('is not detected if a delimiter follows the last cell of %s', async (_, content) => {
    const table = await tables.read(content);
    expect(table.names).toEqual(['a', 'b']);
    expect(table.cells).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });
});

describe('a line break in a header', () => {
  it.each<[string, Content, string]>([
    ['LF in a file with CRLF', '"unit\nprice";quantity\r\n"1,50";3\r\n"2,25";4\r\n', 'unit\nprice'],
    ['CRLF in a file with LF', '"unit\r\nprice";quantity\n"1,50";3\n"2,25";4\n', 'unit\r\nprice'],
    ['CR in a file with CRLF', '"unit\rprice";quantity\r\n"1,50";3\r\n"2,25";4\r\n', 'unit\rprice'],
    [
      'LF in a sheet',
      [
        ['unit\nprice', 'quantity'],
        [1.5, 3],
        [2.25, 4],
      ],
      'unit\nprice',
    ],
  ])('becomes part of the name: %s', async (_, content, name) => {
    const table = await tables.read(content);
    expect(table.names).toEqual([name, 'quantity']);
    expect(table.cells).toEqual([
      [1.5, 3],
      [2.25, 4],
    ]);
  });
});

describe('the table reader when it determines the end of a table', () => {
  it.each<[string, Content, string[]]>([
    ['a total', `${DEMAND}Total,,30\n`, ['below total 4-4']],
    ['an uppercase total with a colon', `${DEMAND}TOTAL:,,30\n`, ['below total 4-4']],
    ['a sum in French', `${DEMAND}Somme,,30\n`, ['below total 4-4']],
    ['a sum in Japanese', `${DEMAND}合計,,30\n`, ['below total 4-4']],
    ['a total below an empty line', `${DEMAND}\nGrand total,,31\n`, ['below total 5-5']],
    ['a total below a row of delimiters', `${DEMAND},,\nSumme,,31\n`, ['below total 5-5']],
    ['totals and an average', `${DEMAND}Total,,30\nAverage,,15\nGrand total,,30\n`, ['below total 4-6']],
    ['a short total below an empty line', `${DEMAND}\nTotal,30\n`, ['below total 5-5']],
    ['notes', `${DEMAND}\n* estimated\nSource: plant\n`, ['below note 5-6']],
    ['notes with delimiters', `${DEMAND},,\nSource: plant,,\n`, ['below note 5-5']],
    ['a total and a note', `${DEMAND}Total,,30\nSource: plant\n`, ['below total 4-4', 'below note 5-5']],
    ['a comment', `${DEMAND}# end of file\n`, ['below comment 4-4']],
    ['a total in a sheet', [DEMAND_NAMES, ...DEMAND_ROWS, ['Total', null, 30]], ['below total 4-4']],
    [
      'a total and a note in a sheet',
      [DEMAND_NAMES, ...DEMAND_ROWS, undefined, ['Total', null, 31], undefined, ['Source: plant']],
      ['below total 5-5', 'below note 7-7'],
    ],
  ])('leaves out %s', async (_, content, leftOut) => {
    const table = await tables.read(content);
    expect(table.names).toEqual(DEMAND_NAMES);
    expect(table.cells).toEqual(DEMAND_ROWS);
    expect(shortForm(table.leftOut)).toEqual(leftOut);
    expect(table.dialect).toMatchObject({ first_row: 2, last_row: 3, uncertain: [] });
  });

  it.each<[string, string, string[]]>([
    ['dates', 'day,n\n2025-01-01,10\n2025-01-02,20\nTotal,30\n', ['day date', 'n integer']],
    ['numbers', 'id,n\n1,10\n2,20\nSum,30\n', ['id integer', 'n integer']],
    ['decimals', 'p;n\na;1.234,50\nb;10,25\nGesamt;1.244,75\n', ['p text', 'n number']],
    ['rounded decimals', 'id,n\n1,1.111\n2,2.222\n3,3.333\nTotal,6.67\n', ['id integer', 'n number']],
    ['percentages', 'id,share\n1,12.5 %\n2,87.5 %\nTotal,100 %\n', ['id integer', 'share number']],
    ['rows below an empty line', 'id,n\n\n1,10\n2,20\nTotal,30\n', ['id integer', 'n integer']],
    ['many rows', `id,n\n${'1,2\n'.repeat(500)}Total,1000\n`, ['id integer', 'n integer']],
  ])('ignores the total when it detects column types: %s', async (_, content, types) => {
    const table = await tables.read(content);
    expect(table.types).toEqual(types);
    expect(shortForm(table.leftOut)).toEqual([expect.stringMatching(/^below total/)]);
  });

  it.each<[string, Content]>([
    ['a total that is not a sum', 'station,price,stock\nShell,7,1\nEsso,8,2\nTotal,9,4\n'],
    ['a German total that is not a sum', 'p;n\na;10\nb;20\nSumme;99\n'],
    [
      'a total that is not a sum in a sheet',
      [
        ['p', 'n'],
        ['a', 10],
        ['b', 20],
        ['Total', 99],
      ],
    ],
  ])('keeps and reports %s', async (_, content) => {
    const table = await tables.read(content);
    expect(table.rows).toBe(3);
    expect(table.leftOut).toEqual([]);
    expect(table.dialect).toMatchObject({ last_row: 4, uncertain: ['last_row'] });
  });

  it.each<[string, Content, number]>([
    ['a text file', 'product,quantity\noak,1\npine,2\n\nplant,capacity\nMetz,5\nLyon,6\n', 7],
    ['a text file with dates', 'p;d;n\nx;2025-01-31;1\ny;2025-01-31;2\n\na;b;c\ny;2025-02-28;2\n', 6],
    ['a sheet', [['p', 'n'], ['oak', 1], undefined, ['plant', 'n'], ['Metz', 5]], 5],
  ])('reports a possible second table of the same width below: %s', async (_, content, last) => {
    const table = await tables.read(content);
    expect(table.leftOut).toEqual([]);
    expect(table.dialect?.last_row).toBe(last);
    expect(table.dialect?.uncertain).toContain('last_row');
  });

  it.each<[string, Content]>([
    ['with a colon', 'p,n\na,1\nb,2\nSource: ERP,\n'],
    ['with several words', 'p,n\na,1\nb,2\nFigures are estimates,\n'],
    ['after an asterisk', 'p;n\na;1\nb;2\n* estimated;\n'],
    ['below three columns', 'p,n,m\na,1,2\nb,2,3\nERP,,\n'],
    ['in two rows', 'p,n,m\na,1,2\nb,2,3\nSource: ERP,,\nAs of May,,\n'],
    ['in another language', 'p,n\na,1\nb,2\n出典：ERP,\n'],
    ['in a sheet', [['p', 'n', 'm'], ['a', 1, 2], ['b', 2, 3], ['Source: ERP']]],
  ])('reports text directly below the table that may be a note: %s', async (_, content) => {
    const table = await tables.read(content);
    expect(table.leftOut).toEqual([]);
    expect(table.dialect?.uncertain).toContain('last_row');
    const last_row = 3;
    const rest = await tables.read(content, { dialect: { last_row } });
    expect(rest.rows).toBe(2);
    expect(rest.dialect?.uncertain).not.toContain('last_row');
  });

  it.each([
    ['a missing number', 'p,n\na,1\nb,\n'],
    ['missing numbers in several rows', 'p,n,m\na,1,2\nb,,\nc,2,3\nd,,\n'],
    ['sections', 'p,n,m\nNorth: wood,,\na,1,2\nSouth: steel,,\nb,2,3\n'],
  ])('does not report a possible note below a table with %s', async (_, content) => {
    expect((await tables.read(content)).dialect?.uncertain).not.toContain('last_row');
  });

  it.each<[string, Content, number]>([
    ['a value', 'p,n\noak,1\npine,2\n\nCapacity,500\n', 3],
    ['several values', 'p;n\noak;1\npine;2\n\nCapacity;500\nCost;3\nHours;40\n', 3],
    ['strings', 'p,q\noak,x\n\npine,y\nelm,z\n', 2],
    ['fewer rows than in the groups above', 'p,n\na,1\nb,2\n\nc,3\nd,4\n\nCapacity,500\n', 6],
    ['a value below a row of delimiters', 'p,n,m\na,1,2\n,,\nCapacity,500,1\n', 2],
    ['a value in a sheet', [['p', 'n'], ['oak', 1], ['pine', 2], undefined, ['Capacity', 500]], 3],
  ])('reports rows after the only empty row: %s', async (_, content, last) => {
    const table = await tables.read(content);
    expect(table.leftOut).toEqual([]);
    expect(table.dialect).toMatchObject({ other_last_row: last });
    expect(table.dialect?.uncertain).toContain('last_row');
  });

  it.each<[string, Content]>([
    ['groups of one row', 'p,n\noak,1\n\npine,2\n\nelm,3\n'],
    ['groups of two rows', 'p,n\na,1\nb,2\n\nc,3\nd,4\n\ne,5\nf,6\n'],
    ['an empty row below the header', 'p,n\n\na,1\nb,2\n'],
    ['an empty row above many rows', `p,n\na,1\n\n${'b,2\n'.repeat(30)}`],
    ['an empty row below the title of a sheet', [['Plan'], undefined, ['p', 'n'], ['oak', 1], ['pine', 2]]],
  ])('does not report a possible earlier end of a table with %s', async (_, content) => {
    const { dialect } = await tables.read(content);
    expect(dialect).toMatchObject({ other_last_row: null });
    expect(dialect?.uncertain).not.toContain('last_row');
  });

  it('reports the last row above a possible second table and above a total that is not a sum', async () => {
    const second = await tables.read('p,n\na,1\nb,2\n\nplant,capacity\nMetz,5\nLyon,6\n');
    expect(second.dialect).toMatchObject({ last_row: 7, other_last_row: 3 });
    const total = await tables.read('p,n\na,10\nb,20\nTotal,99\n');
    expect(total.dialect).toMatchObject({ last_row: 4, other_last_row: 3 });
  });

  it.each<[string, Content]>([
    ['a maximum', 'p,n\na,10\nb,30\nMaximum,30\n'],
    ['a minimum', 'p;n\na;10\nb;30\nMinimum:;10\n'],
    ['a count', 'p,n\na,10\nb,30\nCount,2\n'],
    ['a maximum in Spanish', 'p,n\na,10\nb,30\nMáximo,30\n'],
    ['several statistics', 'p,n\na,10\nb,30\nCount,2\nMin,10\nMaximum,30\nTotal,40\n'],
    ['statistics above a total', 'p,n\na,10\nb,30\nMaximum,30\nMinimum,10\nMedian,20\n'],
    [
      'a maximum in a sheet',
      [
        ['p', 'n'],
        ['a', 10],
        ['b', 30],
        ['Maximum', 30],
      ],
    ],
  ])('leaves out %s of the rows above', async (_, content) => {
    const table = await tables.read(content);
    expect(table.cells).toEqual([
      ['a', 10],
      ['b', 30],
    ]);
    expect(shortForm(table.leftOut)).toEqual([expect.stringMatching(/^below total 4-/)]);
    expect(table.dialect?.uncertain).toEqual([]);
  });

  it.each<[string, Content]>([
    ['a maximum of something else', 'p,n\na,10\nb,30\nMaximum,50\n'],
    ['a count of something else', 'p,n\na,10\nb,30\nCount,7\n'],
    ['a name that may also be a statistic', 'p,n\na,10\nb,30\nMax,30\n'],
    ['a median', 'p,n\na,10\nb,30\nMedian,20\n'],
    ['a total without a number', 'p,n\na,10\nb,30\nTotal,\n'],
    ['a total with a dash', 'p,n\na,10\nb,30\nTotal,-\n'],
    ['a number of rows', 'p,n\na,10\nb,30\n"(2 rows)",\n'],
    ['a total without a number in a sheet', [['p', 'n'], ['a', 10], ['b', 30], ['Total']]],
  ])('keeps and reports a possible statistic: %s', async (_, content) => {
    const table = await tables.read(content);
    expect(table.rows).toBe(3);
    expect(table.dialect).toMatchObject({ last_row: 4, other_last_row: 3 });
    expect(table.dialect?.uncertain).toContain('last_row');
  });

  it.each<[string, Content, string[]]>([
    ['a line of underscores', 'p,n\na,10\nb,30\n_____,\n', ['below note 4-4']],
    [
      'a line of hyphens above a total',
      'p,n\na,10\nb,30\n-----,---\nTotal,40\n',
      ['below note 4-4', 'below total 5-5'],
    ],
    ['a line of equals signs', 'p;n\na;10\nb;30\n====;====\n', ['below note 4-4']],
    ['a note with a comma', 'p,n\na,10\nb,30\nSource: ERP, as of today\n', ['below note 4-4']],
    ['a note with more commas', 'p,n\na,10\nb,30\n\nSource: ERP, as of today, by Ann\n', ['below note 5-5']],
    ['a note with a year', 'p,n\na,10\nb,30\nAs of 12 May, 2025, at noon\n', ['below note 4-4']],
    ['two notes', 'p,n\na,10\nb,30\n\nEstimates, all of them\nSource: ERP, x, y\n', ['below note 5-6']],
    ['a note without spaces after its commas', 'p,n\na,10\nb,30\n\nSource: ERP,as of May,by Ann\n', ['below note 5-5']],
    ['a note below a total', 'p,n\na,10\nb,30\nTotal,40\nSource: ERP, x, y\n', ['below total 4-4', 'below note 5-5']],
  ])('leaves out %s below the rows', async (_, content, leftOut) => {
    const table = await tables.read(content);
    expect(table.types).toEqual(['p text', 'n integer']);
    expect(table.rows).toBe(2);
    expect(shortForm(table.leftOut)).toEqual(leftOut);
    expect(table.dialect?.uncertain).toEqual([]);
  });

  it('leaves out a note with fewer commas than the data rows', async () => {
    const table = await tables.read('p,n,m\na,1,2\nb,2,3\n\nSource: ERP, as of today\n');
    expect(table.types).toEqual(['p text', 'n integer', 'm integer']);
    expect(shortForm(table.leftOut)).toEqual(['below note 5-5']);
  });

  it.each([
    ['all rows have spaces after delimiters', 'p, n\na, 10\nb, x\n', 2],
    ['a column contains text', 'p,comment\na,fine\nb, not so good\n', 2],
    ['a number is missing', 'p,n\na,1\nb,-\n', 2],
  ])('keeps the last row if %s', async (_, content, rows) => {
    const table = await tables.read(content);
    expect(table.rows).toBe(rows);
    expect(table.leftOut).toEqual([]);
  });

  it('rejects a sentence between rows', async () => {
    const content = 'p,n,m\na,1,2\nwell, no\nb,2,3\n';
    expect(await problemOf(content)).toMatchObject({ code: 'ragged_row', place: { row: 3 } });
  });

  it.each<[string, string, number]>([
    ['rows below empty lines', 'a,b\n1,x\n\n2,y\n\n3,\n', 3],
    ['a total among other rows', 'p,n\nx,10\nTotal,10\ny,20\nz,5\n', 4],
    ['empty rows with delimiters', 'a,b\n1,2\n,\n,\n', 3],
    ['keys that begin with #', 'id,name,n\n#1,oak,5\n#2,pine,\n#3,,\n', 3],
    ['many rows below a comment', `a,b\n# x,1\n${'y,2\n'.repeat(30)}`, 31],
  ])('keeps %s', async (_, content, rows) => {
    const table = await tables.read(content);
    expect(table.rows).toBe(rows);
    expect(table.leftOut).toEqual([]);
  });

  it('rejects a short row between other rows', async () => {
    expect(await problemOf('a,b,c\n1,2,3\n\n4,5\n6,7,8\n')).toMatchObject({ code: 'ragged_row', place: { row: 4 } });
    expect(await problemOf('a,b,c\n1,2,3\nSource: x\n')).toMatchObject({ code: 'ragged_row', place: { row: 3 } });
  });
});

describe('columns next to the table in a sheet', () => {
  const side = (rows: (SheetCell[] | undefined)[]) => tables.read(rows);

  it('are left out if they form another table, even if it is longer', async () => {
    const table = await side([
      ['p', 'n', null, 'q', 'm'],
      ['a', 1, null, 'u', 5],
      ['b', 2, null, 'v', 6],
      [null, null, null, 'w', 7],
    ]);
    expect(table.cells).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    expect(table.leftOut).toEqual([{ place: 'beside', kind: 'table', first: 4, last: 5, text: 'q m u 5 v 6 w 7' }]);
  });

  it('are left out if they contain a note next to a table with a title and a total', async () => {
    const table = await side([['Plan'], undefined, ['p', 'n'], ['a', 10, null, 'ask Ann'], ['b', 20], ['Total', 30]]);
    expect(table.cells).toEqual([
      ['a', 10],
      ['b', 20],
    ]);
    expect(shortForm(table.leftOut)).toEqual(['above title 1-1', 'below total 6-6', 'beside note 4-4']);
  });

  it('are left out with the cells above them', async () => {
    const above = [['Plan'], [null, null, 'draft'], [null, null, null, null, null, 'v2']];
    const data = ['a', 'b', 'c', 'd'].map((name, row) => [name, row, null, row === 1 ? 'ask Ann' : null]);
    const { leftOut } = await side([...above, ['p', 'n'], ...data]);
    expect(leftOut.at(-1)).toEqual({ place: 'beside', kind: 'table', first: 3, last: 6, text: 'draft v2 ask Ann' });
  });

  it('are kept if the column in between has a value further below', async () => {
    const rows = Array.from({ length: 300 }, (_, n): SheetCell[] => [`p${n}`, n, n === 299 ? 1 : null, 2]);
    const table = await side([['p', 'n', null, 'q'], ...rows]);
    expect(table.names).toEqual(['p', 'n', 'column_3', 'q']);
    expect(table.rows).toBe(300);
    expect(table.leftOut).toEqual([]);
  });

  it('are kept if the column in between has a name', async () => {
    const table = await side([
      ['p', 'n', 'spare', 'q'],
      ['a', 1, null, 2],
    ]);
    expect(table.names).toEqual(['p', 'n', 'spare', 'q']);
  });
});

describe('a Markdown table', () => {
  const MARKDOWN = '| product | quantity |\n|:---|---:|\n| oak | 10 |\n| pine | 20 |\n';

  it('is read without a row for the divider and without columns outside the bars', async () => {
    const table = await tables.read(MARKDOWN);
    expect(table.types).toEqual(['product text', 'quantity integer']);
    expect(table.cells).toEqual([
      [' oak ', 10],
      [' pine ', 20],
    ]);
    expect(shortForm(table.leftOut)).toEqual(['inside note 2-2']);
    expect(table.dialect?.uncertain).toEqual([]);
  });

  it('can have a title and no outer bars', async () => {
    const table = await tables.read('Demand\n\nproduct | quantity\n--- | :-:\noak | 10\npine | 20\n');
    expect(table.names).toEqual(['product', 'quantity']);
    expect(table.cells.map(([, quantity]) => quantity)).toEqual([10, 20]);
  });
});
