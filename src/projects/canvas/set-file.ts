import type { Dialect, TableDescription } from '../../../packages/data-engine/index.js';
import type { DateReading } from '../../../packages/modelling/index.js';
import { type DataFile, type FileFacts, tableOf } from '../../../packages/canvas/index.js';
import type { ContainerRef } from '../../files/tree/container-ref.js';
import type { TableName, TableOptions, TableReaderService } from '../../tables/table-reader.service.js';

/** Table of a set in a file. */
export interface SetFile {
  /** File, and how it was read. */
  name: TableName;
  blob_id: string;
  description: TableDescription;
}

/**
 * Describes the table of a set. The key columns of a set have names, so the file has a header. If its first row was taken for
 * data, because it contains numbers, the file is read again with a header.
 *
 * @throws the errors of {@link TableReaderService.describe}
 */
export async function describeSetFile(
  tables: TableReaderService,
  container: ContainerRef,
  file: DataFile,
  options: TableOptions,
): Promise<SetFile> {
  const name = tableOf(file);
  const detected = await tables.describe(container, name, options);
  const isWide = file.columnsAs !== undefined;
  const hasKey = ({ description: { columns } }: Pick<SetFile, 'description'>): boolean =>
    file.key.every((key) => columns.some((column) => column.name === key));
  const { header, header_row, first_row } = file.dialect ?? {};
  const isChosen = (header ?? header_row ?? first_row) !== undefined;
  if (detected.description.dialect?.header !== false || isChosen || (hasKey(detected) && !isWide))
    return { name, ...detected };
  const withHeader = { ...name, dialect: { ...file.dialect, header: true } };
  const read = await tables.describe(container, withHeader, options);
  return isWide || hasKey(read) ? { name: withHeader, ...read } : { name, ...detected };
}

/** Returns the columns of a table with their types in formulas. */
export const factsOf = ({ columns, dialect }: TableDescription): FileFacts['columns'] =>
  columns.map(({ name, type }) => {
    const isFigure = type === 'integer' || type === 'number';
    const hasDates = type === 'date' || type === 'time' || type === 'timestamp';
    const reading = hasDates && { reading: { type, ...orderOf(dialect) } };
    return { name, type: isFigure ? ('number' as const) : ('text' as const), ...reading };
  });

/** Returns the order of day and month in a table's dates. Omits the order if the file does not determine it. */
function orderOf(dialect: Dialect | null): Pick<DateReading, 'order'> {
  if (dialect === null) return {};
  const { date_order, uncertain } = dialect;
  if (date_order !== null) return { order: date_order };
  return uncertain.includes('date_order') ? { order: 'mixed' } : {};
}
