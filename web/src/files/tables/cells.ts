import type { Schemas } from '@project-workspace/client';

export type ColumnType = Schemas['QueryColumnResponse']['type'];
export type Cell = Schemas['QueryResponse']['rows'][number][number];

/** Display properties of a column. */
export interface TableColumn {
  name: string;
  type: ColumnType;
  isNumeric: boolean;
  /** Width in pixels. */
  width: number;
  format: (cell: Cell) => string;
}

/** Maximum number of decimals up to which numbers are padded with zeros to align their decimal separators. */
const MAX_ALIGNED_DECIMALS = 6;
const MAX_DIGITS = 12;
/** Number of rows from which the column width is determined. */
const SAMPLE_ROWS = 100;
/** Font size and horizontal padding of cells, in pixels. They must match the style sheet. */
const FONT_SIZE = '13px';
const PADDING = 20;
const MIN_WIDTH = 56;
const MAX_WIDTH = 320;
/** Maximum number of characters rendered in a cell. The width of the cell usually shows fewer. */
const MAX_LENGTH = 500;

/** Returns the display properties of columns, based on the first rows. */
export function tableColumns(
  columns: readonly { name: string; type: ColumnType }[],
  rows: readonly (readonly Cell[])[],
): TableColumn[] {
  const sample = rows.slice(0, SAMPLE_ROWS);
  return columns.map(({ name, type }, index) => {
    const cells = sample.map((row) => row[index] ?? null);
    const format = formatOf(type, cells);
    const longest = cells.map(format).reduce((one, other) => (other.length > one.length ? other : one), '');
    // The name of a sorted column is preceded by an arrow.
    const text = Math.max(widthOf(longest), widthOf(`↓ ${name}`, 'bold '), widthOf(type));
    const width = Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, text + PADDING)));
    return { name, type, isNumeric: type === 'integer' || type === 'number', width, format };
  });
}

const canvas = document.createElement('canvas').getContext('2d');

/** Returns the width in pixels of a string in the page's font. */
function widthOf(text: string, weight = ''): number {
  if (canvas === null) return text.length * 8;
  canvas.font = `${weight}${FONT_SIZE} ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(text.slice(0, MAX_LENGTH)).width;
}

function formatOf(type: ColumnType, cells: readonly Cell[]): (cell: Cell) => string {
  if (type === 'integer' || type === 'number') return numberFormat(type === 'integer' ? 0 : digitsOf(cells));
  if (type === 'timestamp') return (cell) => textOf(cell).replace('T', ' ');
  return textOf;
}

/** Returns the number of decimals with which the values of a column are aligned. */
function digitsOf(cells: readonly Cell[]): number {
  const digits = cells.map((cell) => {
    if (typeof cell !== 'number') return 0;
    const [, after = ''] = /\.(\d+)$/.exec(String(cell)) ?? [];
    return after.length;
  });
  return Math.min(MAX_ALIGNED_DECIMALS, Math.max(0, ...digits));
}

function numberFormat(minimumFractionDigits: number): (cell: Cell) => string {
  const format = new Intl.NumberFormat(undefined, {
    minimumFractionDigits,
    maximumFractionDigits: MAX_DIGITS,
    // With `min2`, years and other four-digit numbers have no thousands separator.
    useGrouping: 'min2',
  });
  return (cell) => {
    if (typeof cell === 'number') return format.format(cell);
    // Integers beyond the safe range arrive as strings.
    if (typeof cell === 'string' && /^-?\d+$/.test(cell)) return format.format(BigInt(cell));
    return textOf(cell);
  };
}

function textOf(cell: Cell): string {
  if (cell === null) return '';
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
