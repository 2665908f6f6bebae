import { memo, type UIEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { Cell, TableColumn } from './cells';
import classes from './tables.module.css';

/** Heights in pixels. They must match the style sheet. */
const ROW_HEIGHT = 28;
const HEADER_HEIGHT = 46;
/** Distance in pixels beyond the visible area up to which columns are rendered. */
const OVERSCAN_PX = 200;
/** Maximum number of rows in the grid, because browsers limit the height of elements. */
export const MAX_ROWS = 500_000;

export interface Sort {
  column: string;
  descending: boolean;
}

interface TableGridProps {
  label: string;
  columns: TableColumn[];
  total: number;
  /** Returns a row. Undefined while the row is loading. */
  row: (index: number) => readonly Cell[] | undefined;
  /** Called with the index range of the visible rows. Undefined if all rows are loaded. */
  onVisibleRange?: (first: number, last: number) => void;
  sort?: Sort | undefined;
  /** Called when the user sorts by a column. Undefined if rows cannot be sorted. */
  onSort?: (column: string) => void;
  /** Whether the displayed rows are about to be replaced. */
  isStale?: boolean;
}

/** Table that renders only its visible rows and columns. */
export function TableGrid({
  label,
  columns,
  total,
  row,
  onVisibleRange,
  sort,
  onSort,
  isStale = false,
}: TableGridProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [viewport, setViewport] = useState({ left: 0, width: 1200 });
  const rowCount = Math.min(total, MAX_ROWS);
  const rows = useMemo(() => ({ length: rowCount }), [rowCount]);
  const gutter = `${Math.max(3, String(rowCount).length + 1)}ch`;
  const edges = useMemo(() => edgesOf(columns), [columns]);
  const [first, end] = columnsInRange(edges, viewport.left - OVERSCAN_PX, viewport.left + viewport.width + OVERSCAN_PX);
  const totalWidth = edges.at(-1) ?? 0;
  const visibleColumns = useMemo(() => columns.slice(first, end), [columns, first, end]);
  const offset = edges[first] ?? 0;

  const reportVisibleRange = (): void => {
    const { current } = list;
    if (current === null) return;
    const at = current.scrollOffset;
    onVisibleRange?.(Math.floor(at / ROW_HEIGHT), Math.ceil((at + current.viewportSize) / ROW_HEIGHT));
  };
  const updateViewport = useCallback(({ scrollLeft, clientWidth }: HTMLElement): void => {
    // Rounding the position avoids a new render for every scroll event.
    const left = Math.floor(scrollLeft / OVERSCAN_PX) * OVERSCAN_PX;
    const width = Math.ceil(clientWidth / OVERSCAN_PX + 1) * OVERSCAN_PX;
    setViewport((old) => (old.left === left && old.width === width ? old : { left, width }));
  }, []);
  useEffect(() => {
    const { current } = scroll;
    if (current === null) return;
    const observer = new ResizeObserver(() => updateViewport(current));
    observer.observe(current);
    return () => observer.disconnect();
  }, [updateViewport]);

  return (
    <div
      ref={scroll}
      className={classes.grid}
      role="table"
      aria-label={label}
      aria-rowcount={total + 1}
      aria-colcount={columns.length}
      aria-busy={isStale}
      data-stale={isStale || undefined}
      tabIndex={0}
      style={{ '--gutter': gutter } as React.CSSProperties}
      onScroll={({ currentTarget }: UIEvent<HTMLDivElement>) => updateViewport(currentTarget)}
    >
      <div className={classes.wide} style={{ '--columns': `${totalWidth}px` } as React.CSSProperties}>
        <div className={classes.head} role="row" aria-rowindex={1}>
          <span className={classes.gutter} role="columnheader" aria-label="Row" />
          <span className={classes.before} style={{ width: offset }} role="presentation" />
          {visibleColumns.map((column, index) => (
            <Header
              key={first + index}
              column={column}
              columnIndex={first + index + 1}
              direction={sort?.column === column.name ? (sort.descending ? 'descending' : 'ascending') : undefined}
              onSort={onSort}
            />
          ))}
        </div>
        <Virtualizer
          ref={list}
          scrollRef={scroll}
          startMargin={HEADER_HEIGHT}
          data={rows}
          itemSize={ROW_HEIGHT}
          onScroll={reportVisibleRange}
          onResize={reportVisibleRange}
        >
          {(_, index) => (
            <Row key={index} index={index} cells={row(index)} columns={visibleColumns} first={first} offset={offset} />
          )}
        </Virtualizer>
      </div>
    </div>
  );
}

interface HeaderProps {
  column: TableColumn;
  columnIndex: number;
  direction: 'ascending' | 'descending' | undefined;
  onSort: ((column: string) => void) | undefined;
}

function Header({ column: { name, type, isNumeric, width }, columnIndex, direction, onSort }: HeaderProps) {
  const content = (
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
      aria-colindex={columnIndex}
      aria-sort={direction}
      data-numeric={isNumeric || undefined}
      style={{ width }}
    >
      {onSort === undefined ? (
        <span className={classes.headerInside}>{content}</span>
      ) : (
        <button type="button" className={classes.headerInside} onClick={() => onSort(name)}>
          {content}
        </button>
      )}
    </span>
  );
}

interface RowProps {
  index: number;
  cells: readonly Cell[] | undefined;
  columns: TableColumn[];
  /** Index of the first rendered column. */
  first: number;
  /** Total width in pixels of the columns before the first rendered column. */
  offset: number;
}

const NUMBERS = new Intl.NumberFormat(undefined, { useGrouping: 'min2' });

const Row = memo(function Row({ index, cells, columns, first, offset }: RowProps) {
  return (
    <div className={classes.row} role="row" aria-rowindex={index + 2} data-odd={index % 2 === 1 || undefined}>
      <span className={classes.gutter} role="rowheader">
        {NUMBERS.format(index + 1)}
      </span>
      <span className={classes.before} style={{ width: offset }} role="presentation" />
      {columns.map(({ format, isNumeric, width }, columnIndex) => {
        const text = cells === undefined ? '' : format(cells[first + columnIndex] ?? null);
        return (
          <span
            key={first + columnIndex}
            className={classes.cell}
            role="cell"
            aria-colindex={first + columnIndex + 1}
            data-numeric={isNumeric || undefined}
            style={{ width }}
            // If the text may be truncated, the tooltip contains all of it.
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
function edgesOf(columns: readonly TableColumn[]): number[] {
  const edges = [0];
  for (const { width } of columns) edges.push((edges.at(-1) ?? 0) + width);
  return edges;
}

/** Returns the columns in a pixel range: the index of the first column, and the index after the last column. */
function columnsInRange(edges: readonly number[], from: number, to: number): [first: number, end: number] {
  const first = Math.max(0, edges.findIndex((edge) => edge > from) - 1);
  const after = edges.findIndex((edge) => edge >= to);
  return [first, after === -1 ? edges.length - 1 : after];
}
