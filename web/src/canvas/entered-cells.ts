/** Rows of cells. */
export type Cells = readonly (readonly string[])[];

/** Number notations of spreadsheets, with blanks as spaces. */
const NOTATIONS = ['.', ','].flatMap((decimal) =>
  ['.', ',', ' ', "'"]
    .filter((thousands) => thousands !== decimal)
    .map((thousands) => ({ decimal, thousands, pattern: patternOf(decimal, thousands) })),
);

/** A way to read the numbers of entered cells. */
export interface Reading {
  /** The cells, with numbers as in `1234.5`. */
  cells: Cells;
  /** The first number that the other reading understands differently, as entered and as read. */
  example?: { entered: string; read: string };
}

/**
 * Returns the ways to read the numbers of cells that were typed or copied from a spreadsheet. All numbers have the same notation.
 * Two readings are returned if it is unclear, as in `1.200`, which can be 1.2 or 1200.
 *
 * The first column of the table contains names. Columns with other text are not read as numbers, unless `isNumeric`.
 */
export function readingsOf(cells: Cells, firstColumn: number, isNumeric: boolean): [Reading, Reading?] {
  const isRead = cells.reduce<boolean[]>((columns, line) => {
    for (const [at, cell] of line.entries()) {
      const canBeNumeric = isNumeric || cell.trim() === '' || isNumber(cell);
      columns[at] = firstColumn + at > 0 && canBeNumeric && columns[at] !== false;
    }
    return columns;
  }, []);
  const numbers = cells.flatMap((line) => line.filter((cell, at) => isRead[at] === true && isNumber(cell)));
  const notations = NOTATIONS.filter(({ pattern }) => numbers.every((cell) => pattern.test(normalized(cell))));
  const read = (notation: (typeof NOTATIONS)[number]): Reading => ({
    cells: cells.map((line) =>
      line.map((cell, at) =>
        isRead[at] === true && notation.pattern.test(normalized(cell)) ? plain(cell, notation) : cell,
      ),
    ),
  });
  const [first = { cells }, ...others] = notations.map(read);
  const other = others.find((reading) => JSON.stringify(reading.cells) !== JSON.stringify(first.cells));
  if (other === undefined) return [first];
  const [row, column] = firstDifference(first.cells, other.cells);
  const withExample = (reading: Reading): Reading => ({
    ...reading,
    example: { entered: cells[row]?.[column]?.trim() ?? '', read: String(Number(reading.cells[row]?.[column])) },
  });
  return [withExample(first), withExample(other)];
}

/** Matches the numbers of a notation, also as percentages. As in files, strings with a leading zero such as 007 are not numbers. */
function patternOf(decimal: string, thousands: string): RegExp {
  return new RegExp(`^[-+]?(0|[1-9]\\d*|[1-9]\\d{0,2}([${thousands}]\\d{3})+)([${decimal}]\\d+)? ?%?$`);
}

const isNumber = (cell: string): boolean => NOTATIONS.some(({ pattern }) => pattern.test(normalized(cell)));

/** Replaces the variants of blanks, apostrophes and minus signs. */
const normalized = (cell: string): string =>
  cell
    .trim()
    .replace(/[\u00a0\u2009\u202f]/g, ' ')
    .replaceAll('’', "'")
    .replaceAll('−', '-');

function plain(cell: string, { decimal, thousands }: (typeof NOTATIONS)[number]): string {
  const text = normalized(cell);
  const digits = text.replaceAll(thousands, '').replace(decimal, '.').replace(/^\+/, '');
  // Dividing adds digits, as in 0.07 / 100.
  return digits.endsWith('%') ? String(Number((parseFloat(digits) / 100).toPrecision(15))) : digits;
}

function firstDifference(one: Cells, other: Cells): [number, number] {
  for (const [row, line] of one.entries()) {
    const column = line.findIndex((cell, at) => cell !== other[row]?.[at]);
    if (column >= 0) return [row, column];
  }
  return [0, 0];
}
