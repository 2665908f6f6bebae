import type { Schemas } from '@project-workspace/client';

export type ColumnType = Schemas['QueryColumnResponse']['type'];
export type Cell = Schemas['QueryResponse']['rows'][number][number];

/** A column as it is shown. */
export interface ShownColumn {
  name: string;
  type: ColumnType;
  isNumeric: boolean;
  /** Pixels. */
  width: number;
  format: (cell: Cell) => string;
}

/** Digits after the decimal sign that are filled up with zeros, so that signs stand under each other. */
const ALIGNED = 6;
const MAX_DIGITS = 12;
/** Rows that the width of a column is measured by. */
const MEASURED = 100;
/** As in the style sheet: the text of cells, and the pixels around it. */
const SIZE = '13px';
const PADDING = 20;
const NARROWEST = 56;
const WIDEST = 320;
/** Longest text that is shown of a cell; its width shows less. */
const MAX_LENGTH = 500;

/** How columns are shown, by what is in the first rows. */
export function shownColumns(
  columns: readonly { name: string; type: ColumnType }[],
  rows: readonly (readonly Cell[])[],
): ShownColumn[] {
  const measured = rows.slice(0, MEASURED);
  return columns.map(({ name, type }, index) => {
    const cells = measured.map((row) => row[index] ?? null);
    const format = formatOf(type, cells);
    const longest = cells.map(format).reduce((one, other) => (other.length > one.length ? other : one), '');
    // A column that is sorted has an arrow before its name.
    const text = Math.max(widthOf(longest), widthOf(`↓ ${name}`, 'bold '), widthOf(type));
    const width = Math.round(Math.min(WIDEST, Math.max(NARROWEST, text + PADDING)));
    return { name, type, isNumeric: type === 'integer' || type === 'number', width, format };
  });
}

const canvas = document.createElement('canvas').getContext('2d');

/** Pixels of a text, as the page writes it. */
function widthOf(text: string, weight = ''): number {
  if (canvas === null) return text.length * 8;
  canvas.font = `${weight}${SIZE} ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(text.slice(0, MAX_LENGTH)).width;
}

function formatOf(type: ColumnType, cells: readonly Cell[]): (cell: Cell) => string {
  if (type === 'integer' || type === 'number') return numberFormat(type === 'integer' ? 0 : digitsOf(cells));
  if (type === 'timestamp') return (cell) => textOf(cell).replace('T', ' ');
  return textOf;
}

/** Digits after the decimal sign that values have, as far as they are aligned. */
function digitsOf(cells: readonly Cell[]): number {
  const digits = cells.map((cell) => {
    if (typeof cell !== 'number') return 0;
    const [, after = ''] = /\.(\d+)$/.exec(String(cell)) ?? [];
    return after.length;
  });
  return Math.min(ALIGNED, Math.max(0, ...digits));
}

function numberFormat(minimumFractionDigits: number): (cell: Cell) => string {
  const format = new Intl.NumberFormat(undefined, {
    minimumFractionDigits,
    maximumFractionDigits: MAX_DIGITS,
    // Years and short numbers of orders stay as they are known.
    useGrouping: 'min2',
  });
  return (cell) => {
    if (typeof cell === 'number') return format.format(cell);
    // Integers that are too large for a number are texts.
    if (typeof cell === 'string' && /^-?\d+$/.test(cell)) return format.format(BigInt(cell));
    return textOf(cell);
  };
}

function textOf(cell: Cell): string {
  if (cell === null) return '';
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
