import { Button, CloseButton, Group, Text } from '@mantine/core';
import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from 'react';
import { VList } from 'virtua';
import classes from './canvas.module.css';
import { type Cells, type Reading, readingsOf } from './entered-cells';
import { HAS_DECIMAL_COMMA } from './numbers';
import { Dialog } from '../frame/dialog';
import { toNumber, type ValueTable } from './value-tables';

/** Row height in pixels, and number of visible rows. */
const ROW_HEIGHT = 32;
const VISIBLE_ROWS = 10;

interface ValueGridProps {
  label: string;
  table: ValueTable;
  /** Whether the user can add, rename and remove columns. Otherwise, the only column contains numbers. */
  hasColumns: boolean;
  /** Initial members of the first column if the table is empty. */
  members?: readonly string[];
  onChange: (table: ValueTable) => void;
}

/** Entered cells whose numbers can be read in two ways. */
interface Question {
  row: number;
  column: number;
  readings: readonly Reading[];
}

/**
 * Editable table of values with an empty last row. Accepts cells pasted from a spreadsheet. Numbers in another notation, such as
 * `0,12`, are rewritten, and the user decides about numbers such as `1.200`.
 */
export function ValueGrid({ label, table, hasColumns, members = [], onChange }: ValueGridProps) {
  const grid = useRef<HTMLDivElement>(null);
  const [question, setQuestion] = useState<Question>();
  /** Value of the focused cell that needs no reading: its initial value, or the result of a reading. */
  const startOfEdit = useRef('');
  const { first, columns, rows } = table;
  const width = columns.length + 1;
  const isTextColumn = columns.map((_, at) => rows.some((row) => isText(row[at + 1] ?? '')));
  const style = { gridTemplateColumns: `minmax(7rem, 1.5fr) repeat(${columns.length}, minmax(7.5rem, 1fr))` };

  const write = (row: number, column: number, lines: Cells): void =>
    onChange(writeCells(table, row, column, lines, hasColumns));
  const writeReading = (row: number, column: number, { cells }: Reading): void => {
    startOfEdit.current = cells[0]?.[0] ?? '';
    write(row, column, cells);
  };
  const enter = (row: number, column: number, lines: Cells): void => {
    const [reading, other] = readingsOf(lines, column, !hasColumns);
    if (other === undefined) writeReading(row, column, reading);
    else setQuestion({ row, column, readings: [reading, other] });
  };
  const leave = (row: number, column: number, cell: string): void => {
    const isPlain = toNumber(cell) !== undefined && !HAS_DECIMAL_COMMA;
    if (column > 0 && cell.trim() !== '' && !isPlain && cell !== startOfEdit.current) enter(row, column, [[cell]]);
  };
  const rename = (at: number, name: string): void =>
    onChange({ ...table, columns: columns.map((one, index) => (index === at ? name : one)) });
  const removeColumn = (at: number): void =>
    onChange({
      ...table,
      columns: columns.filter((_, index) => index !== at),
      rows: rows.map((row) => row.filter((_, index) => index !== at + 1)),
    });
  const addColumn = (): void => {
    const initialRows = rows.length > 0 ? rows : members.map((member) => [member]);
    onChange({ ...table, columns: [...columns, newColumnName(columns)], rows: initialRows.map((row) => [...row, '']) });
  };
  const move = (event: KeyboardEvent<HTMLInputElement>, row: number, column: number): void => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' || event.key === 'Enter' ? 1 : 0;
    if (step === 0 || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
    // Enter moves the focus to another row. In other fields, it would save the card.
    event.preventDefault();
    grid.current?.querySelector<HTMLElement>(`[data-cell="${row + step}-${column}"]`)?.focus();
  };
  const paste = (event: ClipboardEvent<HTMLInputElement>, row: number, column: number): void => {
    const text = event.clipboardData.getData('text/plain');
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    const replacesCell = selectionStart === 0 && selectionEnd === value.length;
    if (!replacesCell && !/[\t\n]/.test(text)) return;
    event.preventDefault();
    const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
    enter(
      row,
      column,
      lines.map((line) => line.split('\t')),
    );
  };

  return (
    <div className={classes.grid}>
      <div className={classes.gridScroll} ref={grid} role="group" aria-label={label}>
        <div style={{ minWidth: `${7 + 7.5 * columns.length}rem` }}>
          <div className={classes.gridRow} style={style} data-head>
            <div className={classes.gridName}>{first}</div>
            {columns.map((name, at) =>
              hasColumns ? (
                <div key={at} className={classes.gridColumn}>
                  <input
                    aria-label={`Name of column ${at + 1}`}
                    className={classes.gridCell}
                    spellCheck={false}
                    value={name}
                    onChange={({ currentTarget }) => rename(at, currentTarget.value)}
                  />
                  <CloseButton size="xs" aria-label={`Remove column ${name}`} onClick={() => removeColumn(at)} />
                </div>
              ) : (
                <div key={at} className={classes.gridName}>
                  {name}
                </div>
              ),
            )}
          </div>
          <VList style={{ height: Math.min(rows.length + 1, VISIBLE_ROWS) * ROW_HEIGHT }} itemSize={ROW_HEIGHT}>
            {[...rows, []].map((row, at) => (
              <div key={at} className={classes.gridRow} style={style}>
                {Array.from({ length: width }, (_, column) => (
                  <input
                    key={column}
                    data-cell={`${at}-${column}`}
                    aria-label={`${column === 0 ? first : columns[column - 1]}, row ${at + 1}`}
                    className={classes.gridCell}
                    data-number={(column > 0 && isTextColumn[column - 1] !== true) || undefined}
                    spellCheck={false}
                    autoComplete="off"
                    aria-invalid={(!hasColumns && column > 0 && isText(row[column] ?? '')) || undefined}
                    value={row[column] ?? ''}
                    onFocus={({ currentTarget }) => (startOfEdit.current = currentTarget.value)}
                    onBlur={({ currentTarget }) => leave(at, column, currentTarget.value)}
                    onChange={({ currentTarget }) => write(at, column, [[currentTarget.value]])}
                    onKeyDown={(event) => move(event, at, column)}
                    onPaste={(event) => paste(event, at, column)}
                  />
                ))}
              </div>
            ))}
          </VList>
        </div>
      </div>
      <div className={classes.gridFoot}>
        {hasColumns && (
          <Button variant="subtle" size="compact-xs" className={classes.quiet} onClick={addColumn}>
            Add column
          </Button>
        )}
        <Text size="xs" c="dimmed">
          You can paste cells from a spreadsheet. Empty rows are ignored.
        </Text>
      </div>
      {question !== undefined && (
        <ReadingDialog
          readings={question.readings}
          onChoose={(reading) => {
            writeReading(question.row, question.column, reading);
            setQuestion(undefined);
          }}
          onClose={() => setQuestion(undefined)}
        />
      )}
    </div>
  );
}

interface ReadingDialogProps {
  readings: readonly Reading[];
  onChoose: (reading: Reading) => void;
  onClose: () => void;
}

/** Asks how to read numbers whose notation is unclear. */
function ReadingDialog({ readings, onChoose, onClose }: ReadingDialogProps) {
  const entered = readings[0]?.example?.entered;
  return (
    <Dialog title={`What does ${entered} mean?`} onClose={onClose}>
      <Text size="sm">All numbers that you entered are read in the same way.</Text>
      <Group justify="flex-end" mt="md">
        {readings.map((reading, at) => (
          <Button key={at} variant="default" data-autofocus={at === 0 || undefined} onClick={() => onChoose(reading)}>
            {reading.example?.read}
          </Button>
        ))}
      </Group>
    </Dialog>
  );
}

const isText = (cell: string): boolean => cell.trim() !== '' && toNumber(cell) === undefined;

/** Returns the table with a block of cells written at a position. Adds rows and columns as needed. */
function writeCells(
  { first, columns, rows }: ValueTable,
  row: number,
  column: number,
  lines: Cells,
  mayGrow: boolean,
): ValueTable {
  const columnCount = mayGrow
    ? Math.max(columns.length, ...lines.map((line) => column + line.length - 1))
    : columns.length;
  const all = [...columns];
  while (all.length < columnCount) all.push(newColumnName(all));
  const length = Math.max(rows.length, row + lines.length);
  return {
    first,
    columns: all,
    rows: Array.from({ length }, (_, at) => {
      const line = lines[at - row] ?? [];
      return Array.from({ length: all.length + 1 }, (_, index) => line[index - column] ?? rows[at]?.[index] ?? '');
    }),
  };
}

/** Returns an unused column name. */
function newColumnName(columns: readonly string[]): string {
  for (let number = columns.length + 1; ; number += 1)
    if (!columns.includes(`value_${number}`)) return `value_${number}`;
}
