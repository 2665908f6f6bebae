import { Button } from '@mantine/core';
import { useState } from 'react';
import { VList } from 'virtua';
import classes from './canvas.module.css';
import { NUMBER } from './numbers';
import { toNumber } from './entered-numbers';
import type { ValueTable } from './value-tables';

/** Number of rows shown before the user expands a table. */
const PREVIEW_ROWS = 6;
/** Maximum number of rows that are rendered without virtualization. */
const MAX_PLAIN_ROWS = 30;
/** Height of a virtualized table. */
const TABLE_HEIGHT = '18rem';
/** Maximum number of columns that fit next to the first column. */
const MAX_FITTING_COLUMNS = 3;

/** Read-only table of values. Long tables show only their first rows until the user expands them. */
export function ValueTableView({ table: { first, columns, rows }, subject }: { table: ValueTable; subject: string }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = rows.length > PREVIEW_ROWS + 1;
  const visibleRows = isLong && !isOpen ? rows.slice(0, PREVIEW_ROWS) : rows;
  const isNumberColumn = columns.map((_, at) => rows.every((row) => isNumberOrEmpty(row[at + 1] ?? '')));
  const style = { gridTemplateColumns: `minmax(6rem, 1.5fr) repeat(${columns.length}, minmax(5rem, 1fr))` };
  const lines = visibleRows.map(([member, ...cells], index) => (
    <div key={index} role="row" className={classes.valueRow} style={style}>
      <div role="rowheader">{member}</div>
      {cells.map((cell, at) => (
        <div key={at} role="cell" data-number={isNumberColumn[at] || undefined}>
          {cell === '' ? '–' : isNumberColumn[at] === true ? NUMBER.format(Number(cell)) : cell}
        </div>
      ))}
    </div>
  ));
  return (
    <div className={classes.values}>
      <div
        role="table"
        aria-label={`Values of ${subject}`}
        aria-rowcount={rows.length + 1}
        className={classes.valueTable}
        {...(columns.length > MAX_FITTING_COLUMNS && { tabIndex: 0 })}
      >
        <div style={{ minWidth: `${6 + 5 * columns.length}rem` }}>
          <div role="rowgroup">
            <div role="row" className={classes.valueRow} style={style} data-head>
              <div role="columnheader">{first}</div>
              {columns.map((name, at) => (
                <div key={at} role="columnheader" data-number={isNumberColumn[at] || undefined}>
                  {name}
                </div>
              ))}
            </div>
          </div>
          {visibleRows.length > MAX_PLAIN_ROWS ? (
            <VList
              role="rowgroup"
              aria-label={`All values of ${subject}`}
              style={{ height: TABLE_HEIGHT }}
              tabIndex={0}
            >
              {lines}
            </VList>
          ) : (
            <div role="rowgroup">{lines}</div>
          )}
        </div>
      </div>
      {isLong && (
        <Button variant="subtle" size="compact-xs" className={classes.quiet} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all ${NUMBER.format(rows.length)}`}
        </Button>
      )}
    </div>
  );
}

const isNumberOrEmpty = (text: string): boolean => text === '' || toNumber(text) !== undefined;
