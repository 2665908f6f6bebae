import { LRUCache } from 'lru-cache';
import type { DialectOptions } from '../data-engine/index.js';
import { normalizePath, pathProblem } from '../paths/index.js';
import {
  type Cells,
  type Computed,
  type DateReading,
  type DerivedSet,
  type DerivedSetProblem,
  readComputed,
  readDerivedSet,
  type SetShape,
  shortened,
  type Values,
} from '../modelling/index.js';
import type { CardContent } from './card.js';
import { fieldOf } from './card-shapes.js';
import { cellsOf, columnNames, type DataFile, type FactsOfColumn, type FileFacts } from './data-file.js';
import { MAX_FILE_SETS } from './kinds/data.js';
import { CELLS, HEADERS, keyColumns } from './wide-table.js';
import { toMember, valuesOf } from './members.js';

/** Parsed content of a data card. */
export interface DataContent {
  /** Constants by name. */
  values: ReadonlyMap<string, number>;
  set?: {
    name: string;
    /** Number of key parts. */
    arity: number;
    /** Members listed on the card, or a range such as `1 to 52`. Absent if the members are in a file or missing. */
    members?: readonly (string | number)[] | string;
    /** Whether lags continue at the other end of the set. */
    isCyclic?: true;
    /** Definition of a set whose members come from other sets, or the problem with it. */
    derivation?: DerivedSet | DerivedSetProblem;
  };
  /** Columns of the set whose values are on the card itself, by name. */
  columns: ReadonlyMap<string, InlineColumn>;
  /** Numbers and columns that the card's formulas define, by name. */
  computed: ReadonlyMap<string, ComputedFormula>;
  /** The card's file. The file's content is only read if the card defines a set. */
  file?: DataFile;
}

/** Formula of a computed number. `definition` is absent if the index of the card could not be parsed. */
export interface ComputedFormula {
  text: string;
  definition?: Computed;
}

/** Column on a card, with cells by member. All cells have the same type. */
export interface InlineColumn {
  type: 'number' | 'text';
  cells: ReadonlyMap<string, number | string>;
  /** Distinct strings. */
  values?: Values;
  /** Minimum and maximum. */
  range?: readonly [number, number];
}

/** Column in a card's file. */
export interface FileColumn {
  type: 'number' | 'text';
  /** Name of the column in the file. */
  column: string;
  /** Format of the dates or times in the column. */
  reading?: DateReading;
  /** Sentence about the first non-numeric cell, for a text column that is probably meant to be numeric. */
  misfit?: string;
  /** Distinct strings, if known. */
  values?: Values;
  /** Minimum and maximum, if known. */
  range?: readonly [number, number];
  /** Cells by row, if known. */
  cells?: Cells;
  /** Key of the first row without a value. */
  empty?: readonly string[];
  /** Name and file of the column, such as `column "Unit cost" of products.csv`, if formulas use a different name. */
  origin?: string;
}

type DataCard = Pick<CardContent, 'card_type' | 'data'>;

/** Parses a data card, without considering other cards or the content of its file. */
export function readData(card: DataCard): DataContent {
  if (card.card_type !== 'data') return NO_DATA;
  const values = new Map<string, number>();
  const columns = new Map<string, InlineColumn>();
  for (const [name, value] of Object.entries(fieldOf<Record<string, number | object>>(card, 'values') ?? {})) {
    if (typeof value === 'number') values.set(name, value);
    else columns.set(name, columnOf(value));
  }
  const file = readFile(card);
  const content = { values, columns, computed: readComputedFormulas(card), ...(file !== undefined && { file }) };
  const name = fieldOf<string>(card, 'set');
  if (name === undefined) return content;
  const cyclic = fieldOf<boolean>(card, 'cyclic') === true && { isCyclic: true as const };
  const derivation = readDerivation(card);
  if (derivation !== undefined) {
    const arity = 'problem' in derivation ? 1 : (derivation.index?.over[0].names.length ?? 1);
    return { ...content, set: { name, arity, derivation, ...cyclic } };
  }
  const members = fieldOf<(string | number)[] | string>(card, 'members');
  const isWide = file?.columnsAs !== undefined;
  const arity = members === undefined ? Math.max(1, file?.key.length ?? 1) + (isWide ? 1 : 0) : 1;
  return { ...content, set: { name, arity, ...(members !== undefined && { members }), ...cyclic } };
}

export const NO_DATA: DataContent = { values: new Map(), columns: new Map(), computed: new Map() };

/**
 * Maximum total length of the cached definitions in characters. Definitions are cached because each change to a canvas reads all
 * of them, and because the results of checks depend on their identity.
 */
const MAX_DEFINITION_CHARACTERS = 300_000;
const definitions = new LRUCache<string, { definition: Computed | undefined }>({
  maxSize: MAX_DEFINITION_CHARACTERS,
  sizeCalculation: (_, key) => key.length,
});
const derivations = new LRUCache<string, DerivedSet | DerivedSetProblem>({
  maxSize: MAX_DEFINITION_CHARACTERS,
  sizeCalculation: (_, key) => key.length,
});

/** Parses the definition of a set whose members come from other sets. */
function readDerivation(card: DataCard): DerivedSet | DerivedSetProblem | undefined {
  const of = fieldOf<string | string[]>(card, 'of');
  if (of === undefined) return undefined;
  const where = fieldOf<string>(card, 'where');
  const key = JSON.stringify([of, where]);
  const derivation = derivations.get(key) ?? readDerivedSet(of, where);
  derivations.set(key, derivation);
  return derivation;
}

function readComputedFormulas(card: DataCard): ReadonlyMap<string, ComputedFormula> {
  const index = fieldOf<string>(card, 'index');
  const formulas = Object.entries(fieldOf<Record<string, string | number>>(card, 'computed') ?? {});
  return new Map(
    formulas.map(([name, formula]) => {
      const text = String(formula);
      const key = JSON.stringify([text, index]);
      const { definition } = definitions.get(key) ?? { definition: readComputed(text, index) };
      definitions.set(key, { definition });
      return [name, { text, ...(definition !== undefined && { definition }) }];
    }),
  );
}

/** Returns the file path of a card. */
function pathOf(card: DataCard): string | undefined {
  const path = fieldOf<string>(card, 'file_path');
  // An invalid path is kept, because it cannot match an existing file.
  return path === undefined || pathProblem(path) !== undefined ? path : normalizePath(path);
}

/** Returns the file path of a card that defines a set. Reads only these two fields, because the card may be large. */
export const pathOfSet = (card: DataCard): string | undefined =>
  card.card_type === 'data' && fieldOf(card, 'set') !== undefined ? pathOf(card) : undefined;

function readFile(card: DataCard): DataFile | undefined {
  const path = pathOf(card);
  if (path === undefined) return undefined;
  const sheet = fieldOf<string>(card, 'sheet');
  const dialect = fieldOf<DialectOptions>(card, 'dialect');
  const column = fieldOf<string>(card, 'column');
  const key = fieldOf<string[]>(card, 'key');
  const fallback = fieldOf<number>(card, 'default');
  const columnsAs = fieldOf<string>(card, 'columns_as');
  return {
    path,
    ...(sheet !== undefined && { sheet }),
    ...(dialect !== undefined && { dialect }),
    key: column === undefined ? (key ?? []) : [column],
    isDistinct: column !== undefined,
    ...(column !== undefined && key !== undefined && { otherKey: key }),
    names: fieldOf<Record<string, string>>(card, 'columns') ?? {},
    ...(columnsAs !== undefined && { columnsAs }),
    ...(fallback !== undefined && { fallback }),
  };
}

/** Whether the members of a card's set are in a file. */
export const isSetOfFile = (card: DataCard): boolean =>
  card.card_type === 'data' &&
  fieldOf(card, 'file_path') !== undefined &&
  fieldOf(card, 'set') !== undefined &&
  fieldOf(card, 'members') === undefined &&
  fieldOf(card, 'of') === undefined;

/** Returns all cards except for sets in files beyond the maximum number of such sets. */
export function withinFileSetLimit<Card extends DataCard>(cards: readonly Card[]): Card[] {
  let sets = 0;
  return cards.filter((card) => !isSetOfFile(card) || (sets += 1) <= MAX_FILE_SETS);
}

/**
 * Returns the columns of a set's file, with their names in formulas. Several columns may share a name. The cells of a wide table
 * are a column with the name of the set.
 *
 * @param facts undefined if the file has not been read
 */
export function fileColumns(
  { set, file }: DataContent,
  facts: FileFacts | undefined,
): [name: string, column: FileColumn][] {
  if (set === undefined || set.members !== undefined || file === undefined || file.isDistinct) return [];
  const factsByName = new Map(facts?.columns.map((column) => [column.name, column]));
  if (file.columnsAs !== undefined) {
    const cells = factsByName.get(CELLS) ?? { name: CELLS, type: 'number' };
    return [[set.name, { ...toFileColumn(cells, file), column: set.name }]];
  }
  return columnNames(file, [...factsByName.keys()]).flatMap(([name, column]): [string, FileColumn][] => {
    const columnFacts = factsByName.get(column);
    if (columnFacts === undefined) return [];
    const origin = name !== column && { origin: `column "${shortened(column)}" of ${shortened(file.path)}` };
    return [[name, { ...toFileColumn(columnFacts, file), ...origin }]];
  });
}

/** Returns a message that explains that a cell is not a number. */
export const noNumber = (path: string, { row, column, text }: { row: number; column: string; text: string }): string =>
  `${shortened(path)}, row ${row}, column ${shortened(column)}: "${shortened(text)}" is not a number`;

function toFileColumn(facts: FactsOfColumn, { path }: DataFile): FileColumn {
  const { name, type, reading, misfit, values, range, empty } = facts;
  const cells = cellsOf(facts);
  const sentence = misfit && noNumber(path, misfit);
  return {
    type,
    column: name,
    ...(sentence !== undefined && { misfit: sentence }),
    ...(reading !== undefined && { reading }),
    ...(values !== undefined && { values: valuesOf(values, reading) }),
    ...(range !== undefined && { range }),
    ...(empty !== undefined && { empty }),
    ...(cells !== undefined && { cells }),
  };
}

/** Returns the name and shape of the set that the columns of a wide table form. Returns undefined for other cards. */
export function columnSetOf(
  { set, file }: DataContent,
  facts: FileFacts | undefined,
): [name: string, shape: SetShape] | undefined {
  if (set === undefined || set.members !== undefined || file?.columnsAs === undefined) return undefined;
  const { headers, columns = [] } = facts ?? {};
  const reading = columns.find(({ name }) => name === HEADERS)?.reading;
  return [
    file.columnsAs,
    { arity: 1, parts: [headers && valuesOf(headers, reading)], ...(reading !== undefined && { readings: [reading] }) },
  ];
}

/** Returns the names of the sets that only the columns of wide tables define. */
export function columnSets(contents: readonly Pick<DataContent, 'set' | 'file'>[]): Set<string> {
  const names = contents.flatMap(({ set, file }) => (set?.members === undefined && set ? (file?.columnsAs ?? []) : []));
  const defined = new Set(contents.map(({ set }) => set?.name));
  return new Set(names.filter((name) => !defined.has(name)));
}

/** Returns the distinct strings in each key part of a set, if known. */
export function partsOf({ set, file }: DataContent, facts: FileFacts | undefined): (Values | undefined)[] {
  if (set === undefined) return [];
  if (set.members !== undefined) return [valuesOf(set.members)];
  return (file === undefined ? [] : keyColumns(file)).map((name) => {
    const { values, reading } = factsOf(name, facts);
    const known = values ?? (name === HEADERS ? facts?.headers : undefined);
    return known && valuesOf(known, reading);
  });
}

/** Returns the date or time format of each key part of a set. */
export const readingsOf = ({ set, file }: DataContent, facts: FileFacts | undefined): (DateReading | undefined)[] =>
  set === undefined || set.members !== undefined || file === undefined
    ? []
    : keyColumns(file).map((name) => factsOf(name, facts).reading);

const factsOf = (name: string, facts: FileFacts | undefined): Partial<FileFacts['columns'][number]> =>
  facts?.columns.find((column) => column.name === name) ?? {};

/** Returns the key columns of a set with several key columns, if known. */
export function keysOf({ set, file }: DataContent, facts: FileFacts | undefined): Cells[] | undefined {
  if (set === undefined || set.arity === 1) return undefined;
  const names = file === undefined ? [] : keyColumns(file);
  const columns = names.map((name) => facts?.columns.find((column) => column.name === name));
  const keys = columns.flatMap((column) => [(column && cellsOf(column)) ?? []]);
  return keys.every((cells) => cells.length > 0 && !cells.includes(null)) ? keys : undefined;
}

/** Counts the values, strings and members on a card, including invalid content. */
export function sizeOf({ card_type, data: { values, members } }: DataCard): number {
  if (card_type !== 'data') return 0;
  let size = Array.isArray(members) ? members.length : 0;
  for (const value of Object.values(isObject(values) ? values : {}))
    size += isObject(value) ? Object.keys(value).length : 1;
  return size;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Maximum total length of the cached card columns in characters. */
const MAX_CHARACTERS = 2_000_000;
const columnsByText = new LRUCache<string, InlineColumn>({
  maxSize: MAX_CHARACTERS,
  sizeCalculation: (_, text) => text.length + 1,
});

/** Parses a column that is on a card. Returns the same object for equal columns, so that results can be cached. */
function columnOf(cells: object): InlineColumn {
  const text = JSON.stringify(cells);
  const column = columnsByText.get(text) ?? toColumn(cells);
  columnsByText.set(text, column);
  return column;
}

function toColumn(cells: object): InlineColumn {
  const entries = Object.entries(cells).map(([member, cell]): [string, number | string] => [
    toMember(member),
    cell as number | string,
  ]);
  const figures = entries.flatMap(([, cell]) => (typeof cell === 'number' ? [cell] : []));
  const texts = entries.flatMap(([, cell]) => (typeof cell === 'string' ? [cell.trim()] : []));
  const cellsByMember = new Map(entries);
  return figures.length > 0
    ? { type: 'number', cells: cellsByMember, range: extremesOf(figures) }
    : { type: 'text', cells: cellsByMember, values: valuesOf(texts) };
}

function extremesOf(figures: readonly number[]): readonly [number, number] {
  return figures.reduce(([least, most], figure) => [Math.min(least, figure), Math.max(most, figure)], [
    Infinity,
    -Infinity,
  ] as readonly [number, number]);
}
