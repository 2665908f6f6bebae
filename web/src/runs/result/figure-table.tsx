import { Text, TextInput, UnstyledButton } from '@mantine/core';
import { type CSSProperties, type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { countLabel, formatCount, formatFigure, roundFigure } from '../figures';
import classes from '../runs.module.css';

/** Column of text or numbers. Bars show each number relative to the other numbers in its column. */
export interface Column<Row> {
  title: string;
  getValue: (row: Row) => string | number | null;
  type: 'text' | 'figure' | 'bar';
}

interface Order {
  column: number;
  descending: boolean;
}

interface FigureTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Noun for a row, such as `member`. */
  noun: string;
  /** Initial sort order. Default: the order of `rows`. */
  order?: Order;
  /** Additional filters next to the search field. */
  filters?: ReactNode;
  /** Message for a table that is empty without a search. */
  emptyText: string;
}

const ROW_PX = 28;
/** Number of visible rows. Tables with fewer rows have no search field. */
const VISIBLE_ROWS = 14;

/** Table of text and numbers. Users can sort it by column and search its text. */
export function FigureTable<Row>({
  label,
  columns,
  rows,
  noun,
  order: initialOrder,
  filters,
  emptyText,
}: FigureTableProps<Row>) {
  const [order, setOrder] = useState(initialOrder);
  const [search, setSearch] = useState('');
  const query = useDeferredValue(search.trim().toLowerCase());
  const visibleRows = useMemo(
    () => sortRows(filterRows(rows, columns, query), columns, order),
    [rows, columns, query, order],
  );
  const largest = useMemo(() => largestIn(rows, columns), [rows, columns]);
  const list = useRef<VListHandle>(null);
  // After a change in the order or the search, the table starts at the top.
  useEffect(() => {
    list.current?.scrollTo(0);
  }, [query, order]);
  const style = { '--columns': columns.map(({ type }) => WIDTHS[type]).join(' ') } as CSSProperties;
  return (
    <>
      <div className={classes.filters}>
        {(rows.length > VISIBLE_ROWS || search !== '') && (
          <TextInput
            size="xs"
            type="search"
            aria-label={`Search ${label}`}
            placeholder="Search"
            value={search}
            onChange={({ currentTarget }) => setSearch(currentTarget.value)}
            className={classes.search}
          />
        )}
        {filters}
        <Text size="xs" c="dimmed" role="status" ml="auto">
          {visibleRows.length === rows.length
            ? countLabel(rows.length, noun)
            : `${formatCount(visibleRows.length)} of ${countLabel(rows.length, noun)}`}
        </Text>
      </div>
      {visibleRows.length === 0 ? (
        <Text size="sm" c="dimmed" py="xs">
          {query === '' ? emptyText : `No matching ${noun}s.`}
        </Text>
      ) : (
        <div className={classes.wide}>
          <div
            className={classes.grid}
            style={style}
            role="table"
            aria-label={label}
            aria-rowcount={visibleRows.length + 1}
          >
            <div role="row" aria-rowindex={1} className={[classes.cells, classes.titles].join(' ')}>
              {columns.map(({ title, type }, index) => (
                <div
                  key={index}
                  role="columnheader"
                  className={type === 'text' ? undefined : classes.number}
                  aria-sort={order?.column === index ? (order.descending ? 'descending' : 'ascending') : undefined}
                >
                  <UnstyledButton
                    fz="xs"
                    className={classes.sort}
                    onClick={() => setOrder(nextOrder(order, index, type === 'text'))}
                  >
                    {title}
                    <span aria-hidden="true">{order?.column === index ? (order.descending ? ' ↓' : ' ↑') : ''}</span>
                  </UnstyledButton>
                </div>
              ))}
            </div>
            <VList
              ref={list}
              data={visibleRows}
              itemSize={ROW_PX}
              style={{ height: Math.min(visibleRows.length, VISIBLE_ROWS) * ROW_PX }}
              tabIndex={0}
              role="rowgroup"
              aria-label={`Rows of ${label}`}
              className={classes.rows}
            >
              {(row, index) => (
                <div key={index} role="row" aria-rowindex={index + 2} className={classes.cells}>
                  {columns.map((column, at) => (
                    <Cell key={at} column={column} row={row} largest={largest[at] ?? 0} />
                  ))}
                </div>
              )}
            </VList>
          </div>
        </div>
      )}
    </>
  );
}

/** Minimum width of a column, and its share of the remaining width. The style sheet sets the minimum by screen size. */
const WIDTHS = {
  text: 'minmax(var(--text), 2fr)',
  figure: 'minmax(var(--figure), 1fr)',
  bar: 'minmax(var(--bar), 2fr)',
} as const;

function Cell<Row>({ column: { getValue, type }, row, largest }: { column: Column<Row>; row: Row; largest: number }) {
  const value = getValue(row);
  if (typeof value !== 'number')
    return (
      <div role="cell" className={type === 'text' ? classes.text : classes.number} title={value ?? undefined}>
        {value ?? '–'}
      </div>
    );
  if (type !== 'bar')
    return (
      <div role="cell" className={classes.number} title={String(roundFigure(value))}>
        {formatFigure(value)}
      </div>
    );
  return (
    <div role="cell" className={classes.barred} title={String(roundFigure(value))}>
      <span className={classes.track} aria-hidden="true">
        <span
          className={classes.amount}
          data-negative={value < 0 || undefined}
          style={{ width: `${largest === 0 ? 0 : (100 * Math.abs(value)) / largest}%` }}
        />
      </span>
      <span className={classes.number}>{formatFigure(value)}</span>
    </div>
  );
}

function filterRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], query: string): readonly Row[] {
  if (query === '') return rows;
  const texts = columns.filter(({ type }) => type === 'text');
  return rows.filter((row) => texts.some(({ getValue }) => String(getValue(row)).toLowerCase().includes(query)));
}

const collator = new Intl.Collator(undefined, { numeric: true });

function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order?: Order): readonly Row[] {
  const column = order && columns[order.column];
  if (order === undefined || column === undefined) return rows;
  const sign = order.descending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [column.getValue(one), column.getValue(other)];
    // Missing values come last in both orders.
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b)));
  });
}

/**
 * Returns the sort order after a click on a column. Numbers start in descending order, and text starts in ascending order. The
 * third click restores the original order.
 */
function nextOrder(order: Order | undefined, column: number, isText: boolean): Order | undefined {
  if (order?.column !== column) return { column, descending: !isText };
  return order.descending === isText ? undefined : { column, descending: isText };
}

/** Returns the largest absolute number in each column. */
const largestIn = <Row,>(rows: readonly Row[], columns: readonly Column<Row>[]): number[] =>
  columns.map(({ getValue, type }) =>
    type === 'bar' ? rows.reduce((most, row) => Math.max(most, Math.abs(Number(getValue(row)))), 0) : 0,
  );
