/** CSV format of a file. */
export interface Dialect {
  delimiter?: string;
  decimal?: '.' | ',';
  encoding?: 'utf-8' | 'windows-1252';
}

/** Row of a CSV file: cells by column title, without surrounding spaces. */
export class CsvRow {
  constructor(
    private readonly cells: ReadonlyMap<string, string>,
    private readonly decimal: string,
  ) {}

  text(column: string): string {
    const cell = this.cells.get(column);
    if (cell === undefined) throw new Error(`There is no column ${column} beside ${[...this.cells.keys()].join(', ')}`);
    return cell;
  }

  figure(column: string): number {
    const cell = this.text(column);
    const figure = cell === '' ? NaN : Number(cell.replace(this.decimal, '.'));
    if (Number.isNaN(figure)) throw new Error(`${cell} in the column ${column} is no number`);
    return figure;
  }
}

/**
 * Returns the rows of a file without its header. This reader is independent of the service, so that both cannot share a
 * bug.
 */
export function readCsv(
  file: Uint8Array,
  { delimiter = ',', decimal = '.', encoding = 'utf-8' }: Dialect = {},
): CsvRow[] {
  // The decoder removes the byte order mark.
  const [titles = [], ...rows] = cellsOf(new TextDecoder(encoding).decode(file), delimiter);
  return rows.map((row) => new CsvRow(new Map(titles.map((title, at) => [title, row[at] ?? ''])), decimal));
}

function cellsOf(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endCell = () => {
    row.push(cell.trim());
    cell = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === '"') {
      const isDoubled = isQuoted && text.charAt(at + 1) === '"';
      if (isDoubled) {
        cell += letter;
        at += 1;
      } else isQuoted = !isQuoted;
    } else if (isQuoted || (letter !== delimiter && letter !== '\n')) cell += letter;
    else {
      endCell();
      if (letter === delimiter) continue;
      rows.push(row);
      row = [];
    }
  }
  if (cell !== '' || row.length > 0) {
    endCell();
    rows.push(row);
  }
  return rows;
}
