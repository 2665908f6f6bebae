import { memo, type UIEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { Cell, ShownColumn } from './cells';
import classes from './tables.module.css';

/** Heights in pixels. They must match the style sheet. */
const ROW = 28;
const HEAD = 46;
/** Distance in pixels beyond the visible area within which columns are rendered. */
const BESIDE = 200;
/** Maximum number of rows that can be scrolled to, because browsers limit the height of elements. */
export const MAX_ROWS = 500_000;

export interface Sort {
  column: string;
  descending: boolean;
}

interface TableGridProps {
  label: string;
  columns: ShownColumn[];
  total: number;
  /** Undefined while it is loading. */
  row: (index: number) => readonly Cell[] | undefined;
  /** Called with the range of visible rows. Undefined if all rows are loaded. */
  onSee?: (first: number, last: number) => void;
  sort?: Sort | undefined;
  /** Undefined if rows cannot be sorted. */
  onSort?: (column: string) => void;
  /** Whether the displayed rows are about to be replaced. */
  isOld?: boolean;
}

/** Table that renders only its visible rows and columns. */
export function TableGrid({ label, columns, total, row, onSee, sort, onSort, isOld = false }: TableGridProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [sight, setSight] = useState({ left: 0, width: 1200 });
  const shownRows = Math.min(total, MAX_ROWS);
  const rows = useMemo(() => ({ length: shownRows }), [shownRows]);
  const gutter = `${Math.max(3, String(shownRows).length + 1)}ch`;
  const edges = useMemo(() => edgesOf(columns), [columns]);
  const [first, end] = inSight(edges, sight.left - BESIDE, sight.left + sight.width + BESIDE);
  const whole = edges.at(-1) ?? 0;
  const drawn = useMemo(() => columns.slice(first, end), [columns, first, end]);
  const before = edges[first] ?? 0;

  const look = (): void => {
    const { current } = list;
    if (current === null) return;
    const at = current.scrollOffset;
    onSee?.(Math.floor(at / ROW), Math.ceil((at + current.viewportSize) / ROW));
  };
  const lookAt = useCallback(({ scrollLeft, clientWidth }: HTMLElement): void => {
    // Rounding to steps avoids a new render for every scroll event.
    const left = Math.floor(scrollLeft / BESIDE) * BESIDE;
    const width = Math.ceil(clientWidth / BESIDE + 1) * BESIDE;
    setSight((old) => (old.left === left && old.width === width ? old : { left, width }));
  }, []);
  useEffect(() => {
    const { current } = scroll;
    if (current === null) return;
    const observer = new ResizeObserver(() => lookAt(current));
    observer.observe(current);
    return () => observer.disconnect();
  }, [lookAt]);

  return (
    <div
      ref={scroll}
      className={classes.grid}
      role="table"
      aria-label={label}
      aria-rowcount={total + 1}
      aria-colcount={columns.length}
      aria-busy={isOld}
      data-old={isOld || undefined}
      tabIndex={0}
      style={{ '--gutter': gutter } as React.CSSProperties}
      onScroll={({ currentTarget }: UIEvent<HTMLDivElement>) => lookAt(currentTarget)}
    >
      <div className={classes.wide} style={{ '--columns': `${whole}px` } as React.CSSProperties}>
        <div className={classes.head} role="row" aria-rowindex={1}>
          <span className={classes.gutter} role="columnheader" aria-label="Row" />
          <span className={classes.before} style={{ width: before }} role="presentation" />
          {drawn.map((column, index) => (
            <Header
              key={first + index}
              column={column}
              place={first + index + 1}
              direction={sort?.column === column.name ? (sort.descending ? 'descending' : 'ascending') : undefined}
              onSort={onSort}
            />
          ))}
        </div>
        <Virtualizer
          ref={list}
          scrollRef={scroll}
          startMargin={HEAD}
          data={rows}
          itemSize={ROW}
          onScroll={look}
          onResize={look}
        >
          {(_, index) => (
            <Row key={index} index={index} cells={row(index)} columns={drawn} first={first} before={before} />
          )}
        </Virtualizer>
      </div>
    </div>
  );
}

interface HeaderProps {
  column: ShownColumn;
  place: number;
  direction: 'ascending' | 'descending' | undefined;
  onSort: ((column: string) => void) | undefined;
}

function Header({ column: { name, type, isNumeric, width }, place, direction, onSort }: HeaderProps) {
  const inside = (
    <>
      <span className={classes.columnName} title={name}>
        {direction !== undefined && <span aria-hidden="true">{direction === 'ascending' ? '↑ ' : '↓ '}</span>}
        {name}
      </span>
      <span className={classes.columnType}>{type}</span>
    </>
  );
  return (
    <span
      className={classes.header}
      role="columnheader"
      aria-colindex={place}
      aria-sort={direction}
      data-numeric={isNumeric || undefined}
      style={{ width }}
    >
      {onSort === undefined ? (
        <span className={classes.headerInside}>{inside}</span>
      ) : (
        <button type="button" className={classes.headerInside} onClick={() => onSort(name)}>
          {inside}
        </button>
      )}
    </span>
  );
}

interface RowProps {
  index: number;
  cells: readonly Cell[] | undefined;
  columns: ShownColumn[];
  /** Index of the first rendered column. */
  first: number;
  /** Total width of the columns before it in pixels. */
  before: number;
}

const NUMBERS = new Intl.NumberFormat(undefined, { useGrouping: 'min2' });

const Row = memo(function Row({ index, cells, columns, first, before }: RowProps) {
  return (
    <div className={classes.row} role="row" aria-rowindex={index + 2} data-odd={index % 2 === 1 || undefined}>
      <span className={classes.gutter} role="rowheader">
        {NUMBERS.format(index + 1)}
      </span>
      <span className={classes.before} style={{ width: before }} role="presentation" />
      {columns.map(({ format, isNumeric, width }, place) => {
        const text = cells === undefined ? '' : format(cells[first + place] ?? null);
        return (
          <span
            key={first + place}
            className={classes.cell}
            role="cell"
            aria-colindex={first + place + 1}
            data-numeric={isNumeric || undefined}
            style={{ width }}
            // The tooltip contains the whole text if it may be truncated.
            title={text.length * 7 > width ? text : undefined}
          >
            {text}
          </span>
        );
      })}
    </div>
  );
});

/** Returns the left edge of each column and the right edge of the last column, in pixels. */
function edgesOf(columns: readonly ShownColumn[]): number[] {
  const edges = [0];
  for (const { width } of columns) edges.push((edges.at(-1) ?? 0) + width);
  return edges;
}

/** Returns the columns within a pixel range: the index of the first column, and the index after the last column. */
function inSight(edges: readonly number[], from: number, to: number): [first: number, end: number] {
  const first = Math.max(0, edges.findIndex((edge) => edge > from) - 1);
  const after = edges.findIndex((edge) => edge >= to);
  return [first, after === -1 ? edges.length - 1 : after];
}
