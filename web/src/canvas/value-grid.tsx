import { Button, CloseButton, Group, Radio, Text } from '@mantine/core';
import { type ClipboardEvent, type KeyboardEvent, useRef } from 'react';
import { VList } from 'virtua';
import classes from './canvas.module.css';
import { type Decimal, isNumber, readNumber } from './entered-numbers';
import { type ColumnReading, readColumns, type ValueTable, withDecimal } from './value-tables';

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

/**
 * Editable table of values with an empty last row. Accepts pasted spreadsheet cells, and numbers as people write them. Asks about
 * numbers such as `1.200`.
 */
export function ValueGrid({ label, table, hasColumns, members = [], onChange }: ValueGridProps) {
  const grid = useRef<HTMLDivElement>(null);
  const { first, columns, rows } = table;
  const width = columns.length + 1;
  const readings = readColumns(table);
  const style = { gridTemplateColumns: `minmax(7rem, 1.5fr) repeat(${columns.length}, minmax(7.5rem, 1fr))` };

  const write = (row: number, column: number, lines: readonly (readonly string[])[]): void =>
    onChange(writeCells(table, row, column, lines, hasColumns));
  const rename = (at: number, name: string): void =>
    onChange({ ...table, columns: columns.map((one, index) => (index === at ? name : one)) });
  const removeColumn = (at: number): void =>
    onChange({
      ...table,
      columns: columns.filter((_, index) => index !== at),
      facts: columns.map((_, index) => table.facts?.[index] ?? null).filter((_, index) => index !== at),
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
  const paste = (event: ClipboardEvent, row: number, column: number): void => {
    const text = event.clipboardData.getData('text/plain');
    if (!/[\t\n]/.test(text)) return;
    event.preventDefault();
    const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
    write(
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
                    data-number={readings[column - 1]?.isNumeric === true || undefined}
                    aria-invalid={(table.isNumeric === true && isWrong(row[column], readings[column - 1])) || undefined}
                    spellCheck={false}
                    autoComplete="off"
                    value={row[column] ?? ''}
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
      {readings.map(({ unclear, decimal }, at) =>
        unclear === undefined ? null : (
          <Choice
            key={at}
            entered={unclear}
            value={decimal}
            onChange={(chosen) => onChange(withDecimal(table, at, chosen))}
          />
        ),
      )}
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
    </div>
  );
}

interface ChoiceProps {
  entered: string;
  value: Decimal | undefined;
  onChange: (decimal: Decimal) => void;
}

/** Asks for the meaning of a number, and thus for the decimal separator of all unclear numbers in its column. */
function Choice({ entered, value, onChange }: ChoiceProps) {
  const readings = readNumber(entered);
  return (
    <Radio.Group
      className={classes.gridFoot}
      size="xs"
      label={`${entered} means`}
      value={value ?? null}
      onChange={(decimal) => onChange(decimal === ',' ? ',' : '.')}
    >
      <Group gap="sm">
        <Radio size="xs" value="." label={String(readings['.'])} />
        <Radio size="xs" value="," label={String(readings[','])} />
      </Group>
    </Radio.Group>
  );
}

const isWrong = (cell = '', column?: ColumnReading): boolean =>
  column !== undefined && cell.trim() !== '' && !isNumber(column.readingsOf(cell));

/** Returns the table with a block of cells written at a position. Adds rows and columns as needed. */
function writeCells(
  table: ValueTable,
  row: number,
  column: number,
  lines: readonly (readonly string[])[],
  mayGrow: boolean,
): ValueTable {
  const { columns, rows } = table;
  const columnCount = mayGrow
    ? Math.max(columns.length, ...lines.map((line) => column + line.length - 1))
    : columns.length;
  const all = [...columns];
  while (all.length < columnCount) all.push(newColumnName(all));
  const length = Math.max(rows.length, row + lines.length);
  return {
    ...table,
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
