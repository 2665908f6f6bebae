import type { Schemas } from '@project-workspace/client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useCards } from '../../project/cards';
import { keyOf } from '../../project/project-data';
import { TABLE, type TableShape, tableShapeQuery } from '../../project/workspace-files';
import { useService } from '../../service/service';
import { figure } from '../figures';
import { useInputFiles } from '../runs-data';

type Card = Schemas['CardResponse'];

/** Possible target of a change, with its current value. */
export interface Named {
  /** Identifier used in the change. */
  value: string;
  about: string;
  /** Display name, if it differs from `value`. */
  label?: string;
}

/** Column of numbers over a set. */
export interface NamedColumn extends Named {
  set: NamedSet;
}

/** Set and the source of its members. */
interface NamedSet {
  name: string;
  /** Names of the key parts. */
  key: string[];
  /** Additional columns that a condition can use. */
  columns: string[];
  /** Members that are listed in cards. */
  members?: string[];
  file?: { path: string; sheet: string | undefined };
}

/** Names on a canvas that changes can refer to. */
export interface CanvasNames {
  cards: Card[];
  values: Named[];
  bounds: Named[];
  /** Constraints. */
  limits: Named[];
  columns: NamedColumn[];
  off: Named[];
  files: Named[];
  /** Paths of workspace tables. */
  paths: string[];
}

const KINDS_OFF: Record<string, string> = {
  constraint: 'constraint',
  objective: 'objective',
  kpi: 'KPI',
  production_requirement: 'requirement',
};

/** Reads the names that changes can refer to. Columns of files are added as they load. */
export function useCanvasNames(projectId: string): CanvasNames {
  const { client } = useService();
  const { data: cards = [] } = useCards(projectId);
  const paths = useInputFiles(projectId, TABLE);
  const inFiles = cards.flatMap((card) => setOfFile(card) ?? []);
  const columns = useQueries({
    queries: inFiles.map(({ path, sheet, ...file }) => ({
      ...tableShapeQuery(client, projectId, path, sheet),
      select: (found: TableShape) => columnsOfFile({ path, sheet, ...file }, found.columns),
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  return {
    cards,
    values: cards.flatMap(valuesOf),
    bounds: cards.flatMap(boundsOf),
    limits: offOf(cards.filter(({ card_type }) => card_type === 'constraint')),
    columns: [...cards.flatMap(columnsOf), ...columns],
    off: offOf(cards),
    files: inFiles.map(({ set, path }) => ({ value: set, about: `from ${path}` })),
    paths,
  };
}

/** Maximum number of members offered per key part. */
const OFFERED = 5000;

/** Returns the members of a set by key part, for changing a single number. */
export function useMembers(projectId: string, set: NamedSet | undefined): string[][] {
  const { client } = useService();
  const file = set?.file;
  const { data = [] } = useQuery({
    queryKey: keyOf(projectId, 'files', 'members', file?.path, file?.sheet, set?.key),
    enabled: file !== undefined && (set?.key.length ?? 0) > 0,
    queryFn: async ({ signal }) => {
      const body = {
        ...({ source: 'workspace', project_id: projectId, path: file?.path ?? '' } as const),
        ...(file?.sheet !== undefined && { sheet: file.sheet }),
        columns: set?.key ?? [],
        ignore_errors: true,
        limit: OFFERED,
        offset: 0,
      };
      return (await client.POST('/api/v1/files/table', { body, signal })).data.rows;
    },
  });
  if (set === undefined) return [];
  if (set.members !== undefined) return [set.members];
  return set.key.map((_, at) => [...new Set(data.map((row) => textOf(row[at]).trim()))].filter((part) => part !== ''));
}

const textOf = (cell: unknown): string =>
  typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean' ? String(cell) : '';

/* Other programs may have written any type of value into cards. */

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const wordsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string' || typeof one === 'number').map(String) : [];

const entriesOf = ({ card_type, data }: Card): [string, unknown][] =>
  card_type === 'data' && isRecord(data['values']) ? Object.entries(data['values']) : [];

const valuesOf = (card: Card): Named[] =>
  entriesOf(card).flatMap(([name, value]) =>
    typeof value === 'number' ? [{ value: name, about: `currently ${figure(value)}, ${card.label}` }] : [],
  );

function boundsOf({ card_type, data: { name, lower, upper, free } }: Card): Named[] {
  if (card_type !== 'variable' || typeof name !== 'string') return [];
  const now = (bound: unknown, otherwise: string): string =>
    typeof bound === 'number'
      ? `currently ${figure(bound)}`
      : typeof bound === 'string'
        ? `currently ${bound}`
        : otherwise;
  return [
    { value: `${name}.lower`, about: now(lower, free === true ? 'currently none' : 'currently 0') },
    { value: `${name}.upper`, about: now(upper, 'currently none') },
  ];
}

/** Returns the columns that are defined in a card. */
function columnsOf(card: Card): NamedColumn[] {
  const { set: name, members } = card.data;
  if (typeof name !== 'string') return [];
  const columns = entriesOf(card).filter((entry): entry is [string, Record<string, unknown>] => isRecord(entry[1]));
  const known = [...new Set([...wordsIn(members), ...columns.flatMap(([, cells]) => Object.keys(cells))])];
  const set = { name, key: [name], columns: columns.map(([column]) => column), members: known };
  return columns
    .filter(([, cells]) => Object.values(cells).every((cell) => typeof cell === 'number'))
    .map(([column]) => ({ value: column, about: `over ${name}`, set }));
}

interface SetOfFile {
  set: string;
  path: string;
  sheet: string | undefined;
  key: string[];
  /** File columns by their names in the card. */
  names: Record<string, unknown>;
}

/** Returns the set of a card whose rows are in a file. A set of a column's distinct members has no other columns. */
function setOfFile({ card_type, data }: Card): SetOfFile | undefined {
  const { set, file_path: path, sheet, members, key, columns } = data;
  if (card_type !== 'data' || typeof set !== 'string' || typeof path !== 'string' || members != null) return undefined;
  return {
    set,
    path,
    sheet: typeof sheet === 'string' ? sheet : undefined,
    key: data['column'] == null ? wordsIn(key) : [],
    names: isRecord(columns) ? columns : {},
  };
}

function columnsOfFile(
  { set: name, path, sheet, key, names }: SetOfFile,
  found: readonly Schemas['TableColumnResponse'][],
): NamedColumn[] {
  if (key.length === 0) return [];
  const given = new Map(Object.entries(names).map(([called, column]) => [column, called]));
  const named = found.flatMap(({ name: column, type }) => {
    const called = given.get(column) ?? (key.includes(column) ? undefined : nameInFormulas(column));
    return called === undefined || called === '' ? [] : [{ called, type }];
  });
  const set = { name, key, columns: named.map(({ called }) => called), file: { path, sheet } };
  return named
    .filter(({ type }) => type === 'integer' || type === 'number')
    .map(({ called }) => ({ value: called, about: `over ${name}, in ${path}`, set }));
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

/** Returns the cards that can be turned off. Cards with a duplicate label are identified by id. */
function offOf(cards: readonly Card[]): Named[] {
  const kept = cards.filter(({ card_type }) => card_type in KINDS_OFF);
  const plain = (label: string): string => label.trim().toLowerCase();
  return kept.map(({ id, card_type, label }) => {
    const isAlone = cards.filter((one) => plain(one.label) === plain(label)).length === 1;
    return { value: isAlone ? label : id, label, about: KINDS_OFF[card_type] ?? '' };
  });
}
