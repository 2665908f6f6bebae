import {
  type ComparisonBudget,
  listFirst,
  listNames,
  quotedList,
  type SetShape,
  shortened,
  textsMissingIn,
} from '../modelling/index.js';
import type { Gap } from './card.js';
import type { DataContent } from './data-content.js';
import type { DataFile, FileFacts, FileState } from './data-file.js';
import type { Surroundings } from './kinds/card-kind.js';
import { gap } from './kinds/fields.js';
import { type Members, membersOf, toMember, valuesOf } from './members.js';

/** Returns gaps for duplicate members, for cells of unknown members, and for members without a cell. */
export function gapsOfMembers({ set, columns, file }: DataContent): Gap[] {
  if (set === undefined) {
    const names = listNames([...columns.keys()]);
    return columns.size === 0
      ? []
      : [gap('values', `The values of ${names} are given by member: name their set in \`set\``)];
  }
  const members = membersOf(set);
  if (members === undefined) return [];
  if (file !== undefined && file.key.length > 0)
    return [gap('members', 'The members come from the file: remove either `members` or `key`')];
  const doubled = firstDuplicate(set.members);
  const gaps = doubled === undefined ? [] : [gap('members', `The member ${shortened(doubled)} appears twice`)];
  for (const [name, { cells }] of columns) {
    const extraMembers = [...cells.keys()].filter((member) => !members.has(member));
    if (extraMembers.length > 0)
      gaps.push(
        gap('values', `${name} has values for ${listNames(extraMembers)}, which the set ${set.name} does not contain`),
      );
    const missing = members.size - (cells.size - extraMembers.length);
    if (missing > 0) {
      const others = missing > 1 ? ` and ${missing - 1} more` : '';
      gaps.push(gap('values', `${name} has no value for ${firstMissingMember(members, cells)}${others}`));
    }
  }
  return gaps;
}

/** Returns gaps for a cyclic set whose members have several parts, and for a card without a set. */
export function gapsOfCycle({ cyclic }: Readonly<Record<string, unknown>>, { set }: DataContent): Gap[] {
  if (cyclic !== true) return [];
  if (set === undefined) return [gap('cyclic', 'It has no effect without a set', 'warning')];
  return set.arity === 1
    ? []
    : [
        gap(
          'cyclic',
          `The members of ${shortened(set.name)} have ${set.arity} parts, so they have no cycle: set \`cyclic\` for the set of a single part, such as the days`,
        ),
      ];
}

/** Returns gaps for computed numbers that cannot be computed. */
export function gapsOfComputed(
  { computed }: DataContent,
  { isCyclic, isColumn }: Pick<Surroundings, 'isCyclic' | 'isColumn'>,
  unknownNames: readonly Gap[],
): Gap[] {
  const names = [...computed.keys()];
  const [cyclic, columns] = [names.filter(isCyclic), names.filter(isColumn)];
  const problems = [
    ...cyclic.map((name) => `${shortened(name)} depends on itself`),
    ...columns.map((name) => `${shortened(name)} is already a column: give the computed number another name`),
  ];
  return [
    ...problems.map((problem) => gap('computed', problem)),
    ...unknownNames.map((unknown): Gap => ({ ...unknown, severity: 'blocking' })),
  ];
}

/** Returns the first duplicate member of a list. */
function firstDuplicate(members: readonly (string | number)[] | string | undefined): string | undefined {
  const earlierMembers = new Set<string>();
  if (typeof members === 'object')
    for (const member of members.map(toMember)) {
      if (earlierMembers.has(member)) return member;
      earlierMembers.add(member);
    }
  return undefined;
}

/** Returns the first member that has no cell. */
function firstMissingMember(members: Members, cells: ReadonlyMap<string, unknown>): string {
  for (const member of members) if (!cells.has(member)) return shortened(member);
  return '';
}

/** Set on the canvas whose members the columns of a wide table should match. */
export interface ColumnSet {
  shape: SetShape;
  budget: ComparisonBudget;
}

/**
 * Returns gaps for contradictions between a card and its file.
 * @param state cached metadata, or undefined if the file has not been inspected
 */
export function gapsOfFile({ set, file }: DataContent, state: FileState | undefined, columnSet?: ColumnSet): Gap[] {
  if (file === undefined || set?.derivation !== undefined) return [];
  const { path, key } = file;
  const place = shortened(path);
  const contradiction = problemOfMembers({ set, file });
  if (contradiction !== undefined) return [gap(contradiction.field, contradiction.problem)];
  if (state === 'missing') return [gap('file_path', `The workspace has no file ${place}`)];
  if (set === undefined)
    return key.length === 0 ? [] : [gap('set', `What should the set of members in ${place} be called?`)];
  if (set.members !== undefined) return [];
  if (state === undefined || state === 'unread') return [gap('file_path', `${place} has not been read yet`)];
  if (state.problem !== undefined) return [gap('file_path', `${place}: ${state.problem}`)];
  const notes = notesOfFile({ set, file }, state).map((note) => gap('dialect', note, 'info'));
  const gaps = gapsOfKey(file, state, set.name);
  return [...gaps, ...(gaps.length > 0 ? [] : gapsOfColumns(file, state, set.name, columnSet)), ...notes];
}

/** Returns notes on how the file of a set was read, so that a planner can check it. */
export function notesOfFile({ set, file }: Pick<DataContent, 'set' | 'file'>, state: FileState | undefined): string[] {
  if (set === undefined || set.members !== undefined || file === undefined || typeof state !== 'object') return [];
  return (state.notes ?? []).map((note) => `${shortened(file.path)}: ${note}`);
}

/** Explains why the members of a set in a file are ambiguous. Returns undefined if they are unambiguous. */
export function problemOfMembers({
  set,
  file,
}: Pick<DataContent, 'set' | 'file'>): { field: string; problem: string } | undefined {
  if (file === undefined) return undefined;
  const { key, otherKey, columnsAs, isDistinct, names, dialect } = file;
  if (otherKey !== undefined) {
    const [columns, column] = [listNames(otherKey), listNames(key)];
    const problem = `It has both \`key\` and \`column\`: keep \`key\` if ${columns} identifies each row, or \`column\` if the members are the distinct values of ${column}`;
    return { field: 'column', problem };
  }
  if (columnsAs === undefined) return undefined;
  const members = shortened(columnsAs);
  if (isDistinct)
    return { field: 'column', problem: `With \`columns_as\`, name the columns that identify a row in \`key\`` };
  if (columnsAs === set?.name)
    return { field: 'columns_as', problem: `The set of the columns needs a different name than ${members}` };
  if (Object.keys(names).length > 0)
    return {
      field: 'columns',
      problem: `The other columns are the members of ${members}, so they cannot be renamed: remove \`columns\``,
    };
  return dialect?.header === false
    ? { field: 'dialect', problem: `The header row contains the members of ${members}: remove \`header\`` }
    : undefined;
}

/** Returns gaps for the columns of a wide table. */
function gapsOfColumns(
  { path, columnsAs = '' }: DataFile,
  { headers, doubledHeader, rows }: FileFacts,
  set: string,
  columnSet: ColumnSet | undefined,
): Gap[] {
  if (headers === undefined) return [];
  const place = shortened(path);
  if (headers.length === 0)
    return [gap('columns_as', `${place} has only key columns, so ${shortened(columnsAs)} has no members`)];
  if (doubledHeader !== undefined) return [gap('columns_as', whyDoubled(place, doubledHeader))];
  if (rows === 0) return [gap('file_path', `${place} has no filled cells, so ${shortened(set)} has no members`)];
  const { arity, parts: [members] = [] } = columnSet?.shape ?? { arity: 1 };
  if (arity !== 1)
    return [
      gap('columns_as', `Each member of ${shortened(columnsAs)} has ${arity} parts, but a column has one header`),
    ];
  const own = valuesOf(headers);
  if (columnSet === undefined || members === undefined || own === undefined) return [];
  const unknown = textsMissingIn(own, members, columnSet.budget);
  const missing = textsMissingIn(members, own, columnSet.budget);
  if (unknown === undefined || missing === undefined) return [];
  const [match, have] = [unknown.count === 1 ? 'matches' : 'match', missing.count === 1 ? 'has' : 'have'];
  return [
    ...(unknown.count === 0
      ? []
      : [
          `${quotedList(unknown, missing.texts)} in the header of ${place} ${match} no member of ${shortened(columnsAs)}`,
        ]),
    ...(missing.count === 0
      ? []
      : [`${quotedList(missing, unknown.texts)} of ${shortened(columnsAs)} ${have} no column in ${place}`]),
  ].map((message) => gap('columns_as', message, 'warning'));
}

/** Explains that two columns have the same header. */
export const whyDoubled = (place: string, { header, columns }: NonNullable<FileFacts['doubledHeader']>): string =>
  `${place}, columns ${columns.join(' and ')}: the member ${shortened(header)} appears twice`;

function gapsOfKey({ path, key, isDistinct, names }: DataFile, facts: FileFacts, set: string): Gap[] {
  const place = shortened(path);
  const columns = facts.columns.map(({ name }) => name);
  const columnNames = new Set(columns);
  const field = isDistinct ? 'column' : 'key';
  if (key.length === 0)
    return [gap('key', `Which column of ${place} identifies the members of ${set}? ${listColumns(columns)}`)];
  const unknownKey = key.find((column) => !columnNames.has(column));
  if (unknownKey !== undefined)
    return [gap(field, `${place} has no column ${shortened(unknownKey)}. ${listColumns(columns)}`)];
  const unknownColumn = Object.values(names).find((column) => !columnNames.has(column));
  if (unknownColumn !== undefined)
    return [gap('columns', `${place} has no column ${shortened(unknownColumn)}. ${listColumns(columns)}`)];
  const { doubled, empty } = facts;
  if (empty !== undefined) return [gap(field, whyEmpty(place, empty, isDistinct), isDistinct ? 'warning' : 'blocking')];
  if (doubled === undefined) return [];
  const member = doubled.key.map((part) => shortened(part)).join(', ');
  const [first, second] = doubled.rows;
  return [gap(field, `${place}, rows ${first} and ${second}: the member ${member} appears twice`)];
}

/**
 * Explains that rows have no key. The hint mentions merged cells, because a file stores the value of a merged cell only in its
 * first cell.
 */
function whyEmpty(
  place: string,
  { rows, count, column }: NonNullable<FileFacts['empty']>,
  isDistinct: boolean,
): string {
  const more = count > rows.length ? ` and ${count - rows.length} more` : '';
  const where = count === 1 ? `row ${rows.join('')}` : `rows ${rows.join(', ')}${more}`;
  const effect = isDistinct ? `, so ${count === 1 ? 'it belongs' : 'they belong'} to no member` : '';
  const hint = count === 1 ? '' : '. Write it into each row, also below merged cells';
  return `${place}, ${where}: ${shortened(column)} is empty${effect}${hint}`;
}

const MAX_LISTED_COLUMNS = 12;
const listColumns = (columns: readonly string[]): string =>
  `Its columns are ${listFirst(columns, MAX_LISTED_COLUMNS, (name) => shortened(name))}`;
