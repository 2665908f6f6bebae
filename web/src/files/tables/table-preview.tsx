import { Alert, Button, Group, Loader, NativeSelect, Text } from '@mantine/core';
import { NotFoundError, type Schemas, ValidationError } from '@project-workspace/client';
import { useMemo, useState } from 'react';
import { keyOf } from '../../project/project-data';
import { Failure } from '../../service/failure';
import { Loading } from '../../service/loading';
import { problemMessage } from '../../service/problems';
import { useService } from '../../service/service';
import type { Container } from '../containers';
import { usePages } from '../paging';
import { MissingFile } from '../previews/notice';
import { tableColumns } from './cells';
import { type Filter, Filters } from './filters';
import { MAX_ROWS, type Sort, TableGrid } from './table-grid';
import classes from './tables.module.css';

type Table = Schemas['TableResponse'];

/** Number of rows per page. */
const PAGE_SIZE = 200;
const NUMBERS = new Intl.NumberFormat();

interface TablePreviewProps {
  projectId: string;
  container: Container;
  path: string;
  /** Content before the filters. */
  lead: React.ReactNode;
  sheet: string | undefined;
  onSheet: (sheet: string) => void;
  /** Switches to the text view. Undefined if the file has no text view. */
  onText: (() => void) | undefined;
}

/** Shows the rows of a table file. The service sorts and filters them. */
export function TablePreview({ projectId, container, path, lead, sheet, onSheet, onText }: TablePreviewProps) {
  const { client } = useService();
  const [sort, setSort] = useState<Sort>();
  const [filters, setFilters] = useState<Filter[]>([]);
  const [ignoresErrors, setIgnoresErrors] = useState(false);
  const request = {
    ...(sheet !== undefined && { sheet }),
    ...(sort !== undefined && { order_by: [sort] }),
    ...(filters.length > 0 && { where: filters }),
    ignore_errors: ignoresErrors,
  };
  const { anyPage, page, isStale, error, retry, setVisibleRange } = usePages({
    queryKey: keyOf(projectId, 'files', 'table', container.key, path, request),
    size: PAGE_SIZE,
    read: async (offset, signal): Promise<Table> => {
      const body = { ...container.ref, path, ...request, limit: PAGE_SIZE, offset };
      return (await client.POST('/api/v1/files/table', { body, signal })).data;
    },
  });
  const first = page(0);
  const columns = useMemo(
    () => tableColumns(anyPage?.columns ?? [], (first ?? anyPage)?.rows ?? []),
    // The widths depend only on the first rows, so they do not change while the user scrolls.
    [anyPage?.columns, first],
  );

  if (error instanceof NotFoundError) return <MissingFile />;
  if (anyPage === undefined)
    return (
      <>
        <div className={classes.bar}>{lead}</div>
        {error === null ? (
          <Loading name="the table" />
        ) : (
          <TableError
            error={error}
            onRetry={retry}
            onText={onText}
            onIgnore={ignoresErrors ? undefined : () => setIgnoresErrors(true)}
          />
        )}
      </>
    );
  const { total, skipped, sheets, dialect } = anyPage;
  const toggle = (column: string): void =>
    setSort(
      sort?.column !== column
        ? { column, descending: false }
        : sort.descending
          ? undefined
          : { column, descending: true },
    );
  return (
    <div className={classes.part}>
      <Group gap="xs" className={classes.bar}>
        {lead}
        {sheets != null && sheets.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label="Sheet"
            data={sheets}
            value={sheet ?? sheets[0]}
            onChange={({ currentTarget }) => onSheet(currentTarget.value)}
          />
        )}
        <Filters columns={anyPage.columns} filters={filters} onChange={setFilters} />
        {isStale && error === null && <Loader size="xs" aria-label="Loading" />}
      </Group>
      {error instanceof ValidationError ? (
        <Text size="sm" c="red" role="alert" className={classes.bar}>
          {error.entries.map(problemMessage).join(' ')}
        </Text>
      ) : (
        error !== null && <Failure title="Could not load some rows" error={error} onRetry={retry} />
      )}
      <TableGrid
        label={`Table ${path}`}
        columns={columns}
        total={total}
        row={(index) => page(Math.floor(index / PAGE_SIZE))?.rows[index % PAGE_SIZE]}
        onVisibleRange={setVisibleRange}
        sort={sort}
        onSort={toggle}
        isStale={isStale}
      />
      {total === 0 && (
        <Text size="sm" c="dimmed" className={classes.about} role="status">
          {filters.length > 0 ? 'No matching rows. Remove a filter to see more.' : 'The table has no rows.'}
        </Text>
      )}
      <Text size="xs" c="dimmed" className={classes.about}>
        {[
          `${NUMBERS.format(total)}${filters.length > 0 ? ' matching' : ''} ${total === 1 ? 'row' : 'rows'}`,
          `${anyPage.columns.length} ${anyPage.columns.length === 1 ? 'column' : 'columns'}`,
          total > MAX_ROWS ? `only the first ${NUMBERS.format(MAX_ROWS)} are shown` : undefined,
          skipped > 0 ? `${NUMBERS.format(skipped)} skipped` : undefined,
          ...anyPage.left_out.map(describeLeftOut),
          dialect == null ? undefined : describeDialect(dialect),
        ]
          .filter((part) => part !== undefined)
          .join(' · ')}
      </Text>
    </div>
  );
}

const SEPARATORS: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' };

const UNCERTAIN: Record<Schemas['TableDialect']['uncertain'][number], string> = {
  delimiter: 'delimiter',
  encoding: 'encoding',
  header: 'header',
  decimal: 'decimal separator',
  date_order: 'order of day and month',
  last_row: 'last row',
  subtotals: 'subtotal rows',
};

/** Describes how a text file or a sheet was parsed. */
function describeDialect({
  delimiter,
  encoding,
  decimal,
  thousands,
  header_row,
  uncertain,
}: Schemas['TableDialect']): string {
  const parts = [
    delimiter === null ? undefined : (SEPARATORS[delimiter] ?? `“${delimiter}”`),
    encoding?.toUpperCase(),
    `decimal ${decimal === ',' ? 'comma' : 'point'}`,
    thousands === '' ? undefined : `thousands separator “${thousands}”`,
    header_row === null ? 'no header row' : header_row > 1 ? `header in row ${header_row}` : undefined,
    uncertain.length === 0 ? undefined : `uncertain: ${uncertain.map((field) => UNCERTAIN[field]).join(', ')}`,
  ];
  return `read with ${parts.filter((part) => part !== undefined).join(', ')}`;
}

/** Describes a row or column that is not part of the table. */
function describeLeftOut({ place, kind, first, last }: Schemas['TableLeftOut']): string {
  const unit = place === 'beside' ? 'column' : 'row';
  return `${first === last ? `${unit} ${first}` : `${unit}s ${first} to ${last}`} left out (${kind})`;
}

interface TableErrorProps {
  error: Error;
  onRetry: () => void;
  onText: (() => void) | undefined;
  onIgnore: (() => void) | undefined;
}

/** Shows why a file cannot be read as a table, and what the user can do about it. */
function TableError({ error, onRetry, onText, onIgnore }: TableErrorProps) {
  if (!(error instanceof ValidationError))
    return <Failure title="Could not load the table" error={error} onRetry={onRetry} />;
  const isRagged = error.entries.some(({ ctx }) => ctx !== undefined && 'row' in ctx);
  return (
    <Alert color="gray" variant="light" role="alert" title="This file cannot be read as a table">
      {error.entries.map((entry, index) => (
        <Text key={index} size="sm">
          {problemMessage(entry)}
        </Text>
      ))}
      <Group mt="xs" gap="xs">
        {isRagged && onIgnore !== undefined && (
          <Button size="compact-sm" variant="default" onClick={onIgnore}>
            Skip these rows
          </Button>
        )}
        {onText !== undefined && (
          <Button size="compact-sm" variant="default" onClick={onText}>
            Show as text
          </Button>
        )}
      </Group>
    </Alert>
  );
}
