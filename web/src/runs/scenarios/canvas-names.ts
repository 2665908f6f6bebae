import type { Schemas } from '@project-workspace/client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { kindOf } from '../../canvas/kinds';
import { useCards } from '../../project/cards';
import { keyOf } from '../../project/project-data';
import {
  TABLE,
  tableRequest,
  type TableShape,
  tableShapeQuery,
  type WorkspaceTable,
} from '../../project/workspace-files';
import { useService } from '../../service/service';
import { formatFigure } from '../figures';
import { useInputFiles } from '../runs-data';

type Card = Schemas['CardResponse'];

/** Possible target of a change, with its current value. */
export interface ChangeTarget {
  /** Identifier used in the change. */
  value: string;
  description: string;
  /** Display name, if it differs from `value`. */
  label?: string;
}

/** Numeric column over a set. */
export interface ColumnTarget extends ChangeTarget {
  set: SetInfo;
}

/** Set, and the source of its members. */
interface SetInfo {
  name: string;
  /** Names of the key parts. */
  key: string[];
  /** Additional columns that a condition can use. */
  columns: string[];
  /** Members, if they are listed on cards. */
  members?: string[];
  file?: WorkspaceTable;
  /** Last key part of the members, for a table with a column for each of them. */
  headers?: string[];
}

/** Names on a canvas to which changes can refer. */
export interface CanvasNames {
  cards: Card[];
  values: ChangeTarget[];
  bounds: ChangeTarget[];
  /** Constraints. */
  limits: ChangeTarget[];
  columns: ColumnTarget[];
  off: ChangeTarget[];
  files: ChangeTarget[];
  /** Paths of workspace tables. */
  paths: string[];
}

/** Types of cards that a scenario can turn off. */
const KINDS_OFF = ['constraint', 'objective', 'kpi', 'production_requirement'];

/** Reads the names to which changes can refer. The columns of a file are added once the file has loaded. */
export function useCanvasNames(projectId: string): CanvasNames {
  const { client } = useService();
  const { data: cards = [] } = useCards(projectId);
  const paths = useInputFiles(projectId, TABLE);
  const fileSets = cards.flatMap((card) => fileSetOf(card) ?? []);
  const columns = useQueries({
    queries: fileSets.map((fileSet) => ({
      ...tableShapeQuery(client, projectId, fileSet.file),
      select: (shape: TableShape) => fileColumnTargets(fileSet, shape.columns),
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  return {
    cards,
    values: cards.flatMap(valueTargets),
    bounds: cards.flatMap(boundTargets),
    limits: cardTargets(cards.filter(({ card_type }) => card_type === 'constraint')),
    columns: [...cards.flatMap(columnTargets), ...columns],
    off: cardTargets(cards),
    files: fileSets.map(({ set, file: { path } }) => ({ value: set, description: `from ${path}` })),
    paths,
  };
}

/** Maximum number of members offered per key part. */
const MAX_MEMBERS = 5000;

/** Returns the members of a set by key part, for selecting a single number. */
export function useMembers(projectId: string, set: SetInfo | undefined): string[][] {
  const { client } = useService();
  const file = set?.file;
  const columns = set?.headers === undefined ? set?.key : set.key.slice(0, -1);
  const { data = [] } = useQuery({
    queryKey: keyOf(projectId, 'files', 'members', file, columns),
    enabled: file !== undefined && (columns?.length ?? 0) > 0,
    queryFn: async ({ signal }) => {
      const table = tableRequest(projectId, file ?? { path: '', sheet: undefined });
      const body = { ...table, columns: columns ?? [], limit: MAX_MEMBERS, offset: 0 };
      return (await client.POST('/api/v1/files/table', { body, signal })).data.rows;
    },
  });
  if (set === undefined) return [];
  if (set.members !== undefined) return [set.members];
  const parts = (columns ?? []).map((_, at) =>
    [...new Set(data.map((row) => textOf(row[at]).trim()))].filter((part) => part !== ''),
  );
  return set.headers === undefined ? parts : [...parts, set.headers];
}

const textOf = (cell: unknown): string =>
  typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean' ? String(cell) : '';

/* These functions accept values of any type, because other programs also write cards. */

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string' || typeof one === 'number').map(String) : [];

const entriesOf = ({ card_type, data }: Card): [string, unknown][] =>
  card_type === 'data' && isRecord(data['values']) ? Object.entries(data['values']) : [];

const valueTargets = (card: Card): ChangeTarget[] =>
  entriesOf(card).flatMap(([name, value]) =>
    typeof value === 'number' ? [{ value: name, description: `currently ${formatFigure(value)}, ${card.label}` }] : [],
  );

function boundTargets({ card_type, data: { name, lower, upper, free } }: Card): ChangeTarget[] {
  if (card_type !== 'variable' || typeof name !== 'string') return [];
  const describeBound = (bound: unknown, fallback: string): string =>
    typeof bound === 'number'
      ? `currently ${formatFigure(bound)}`
      : typeof bound === 'string'
        ? `currently ${bound}`
        : fallback;
  return [
    { value: `${name}.lower`, description: describeBound(lower, free === true ? 'currently none' : 'currently 0') },
    { value: `${name}.upper`, description: describeBound(upper, 'currently none') },
  ];
}

/** Returns the columns that are defined on a card. */
function columnTargets(card: Card): ColumnTarget[] {
  const { set: name, members } = card.data;
  if (typeof name !== 'string') return [];
  const columns = entriesOf(card).filter((entry): entry is [string, Record<string, unknown>] => isRecord(entry[1]));
  const memberNames = [...new Set([...textsIn(members), ...columns.flatMap(([, cells]) => Object.keys(cells))])];
  const set = { name, key: [name], columns: columns.map(([column]) => column), members: memberNames };
  return columns
    .filter(([, cells]) => Object.values(cells).every((cell) => typeof cell === 'number'))
    .map(([column]) => ({ value: column, description: `over ${name}`, set }));
}

interface FileSet {
  set: string;
  file: WorkspaceTable;
  key: string[];
  /** File columns by the formula names that the card assigns to them. */
  names: Record<string, unknown>;
  /** Set that the other columns form, if there is a column for each of its members. */
  columnsAs: string | undefined;
}

/**
 * Returns a card's set if the set's rows are in a file. If the set consists of a column's distinct values, it has no other
 * columns.
 */
function fileSetOf({ card_type, data }: Card): FileSet | undefined {
  const { set, file_path: path, sheet, members, key, columns, columns_as, dialect } = data;
  if (card_type !== 'data' || typeof set !== 'string' || typeof path !== 'string' || members != null) return undefined;
  const columnsAs = typeof columns_as === 'string' ? columns_as : undefined;
  const choices = isRecord(dialect) ? dialect : {};
  const choosesHeader = (choices['header'] ?? choices['header_row'] ?? choices['first_row']) != null;
  return {
    set,
    file: {
      path,
      sheet: typeof sheet === 'string' ? sheet : undefined,
      // The headers of a wide table are members, even if they are numbers.
      hasHeader: columnsAs !== undefined && !choosesHeader,
    },
    key: data['column'] == null ? textsIn(key) : [],
    names: isRecord(columns) ? columns : {},
    columnsAs,
  };
}

function fileColumnTargets(
  { set: name, file, key, names, columnsAs }: FileSet,
  fileColumns: readonly Schemas['TableColumnResponse'][],
): ColumnTarget[] {
  if (key.length === 0) return [];
  const description = `over ${name}, in ${file.path}`;
  if (columnsAs !== undefined) {
    const headers = fileColumns.flatMap(({ name: column, header = column }) =>
      key.includes(column) || header === '' ? [] : [header],
    );
    const set = { name, key: [...key, columnsAs], columns: [name], file, headers: [...new Set(headers)] };
    return [{ value: name, description, set }];
  }
  const nameByColumn = new Map(Object.entries(names).map(([formulaName, column]) => [column, formulaName]));
  const namedColumns = fileColumns.flatMap(({ name: column, type }) => {
    const formulaName = nameByColumn.get(column) ?? (key.includes(column) ? undefined : nameInFormulas(column));
    return formulaName === undefined || formulaName === '' ? [] : [{ formulaName, type }];
  });
  const set = { name, key, columns: namedColumns.map(({ formulaName }) => formulaName), file };
  return namedColumns
    .filter(({ type }) => type === 'integer' || type === 'number')
    .map(({ formulaName }) => ({ value: formulaName, description, set }));
}

/** Superscript digits and letters, which are exponents in formulas. */
const POWER = /[²³¹ʰ-ʸˠ-ˤᴬ-ᵡᵸᶛ-ᶿ⁰-ⁿ]/gu;

/** Returns the name of a column in formulas. Invalid characters become `_`, and `m²` becomes `m2`. */
const nameInFormulas = (column: string): string =>
  column
    .normalize('NFC')
    .replace(POWER, (sign) => sign.normalize('NFKC'))
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '_')
    .replace(/^_(?=.)|_$/g, '');

/** Returns the cards that a scenario can turn off. Cards with a duplicate label are identified by id. */
function cardTargets(cards: readonly Card[]): ChangeTarget[] {
  const removable = cards.filter(({ card_type }) => KINDS_OFF.includes(card_type));
  const normalize = (label: string): string => label.trim().toLowerCase();
  return removable.map(({ id, card_type, label }) => {
    const isUnique = cards.filter((one) => normalize(one.label) === normalize(label)).length === 1;
    return { value: isUnique ? label : id, label, description: kindOf(card_type)?.noun ?? '' };
  });
}
