import { isName, listNames } from '../../modelling/index.js';
import { DIALECT_FIELDS, isDialect } from '../../data-engine/index.js';
import { gapsOfComputed, gapsOfCycle, gapsOfFile, gapsOfMembers } from '../data-gaps.js';
import { MAX_RANGE, rangeOf } from '../members.js';
import { gapsOfDerivedSet, subsetFormula } from '../derived-sets.js';
import { type CardKind, pairsOf } from './card-kind.js';
import {
  blocking,
  type CardField,
  type Content,
  flag,
  gap,
  info,
  isText,
  name,
  number,
  text,
  valueOf,
} from './fields.js';

/** Maximum number of values in all data cards. Formulas cannot use cards that exceed it. */
export const MAX_VALUES = 20_000;
/** Maximum number of sets in files. Each change to a canvas reads the cached metadata of all their files. */
export const MAX_FILE_SETS = 50;

const figures: Content = {
  expects: 'an object of numbers by name, or by name and member',
  accepts: memoized((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const entries = Object.entries(value);
    return entries.length > 0 && entries.every(([key, figure]) => isName(key) && isFigures(figure));
  }),
};
/** Whether a value is a number, or an object with numbers or strings by member. */
function isFigures(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return Number.isFinite(value);
  const cells: unknown[] = Object.values(value);
  const isText = typeof cells[0] === 'string';
  return cells.length > 0 && cells.every((cell) => (isText ? typeof cell === 'string' : Number.isFinite(cell)));
}
const members: Content = {
  expects: `a list of texts and numbers, or a range such as "1 to 52" of at most ${MAX_RANGE} numbers`,
  accepts: memoized((value) =>
    typeof value === 'string'
      ? rangeOf(value) !== undefined
      : Array.isArray(value) && value.length > 0 && value.every((member) => Number.isFinite(member) || isText(member)),
  ),
};

/** Maximum number of computed numbers on a card. */
const MAX_COMPUTED_OF_CARD = 50;
/** Maximum number and total length of the computed numbers of a canvas. Each change to a canvas reads all of them. */
export const MAX_COMPUTED = 500;
export const MAX_COMPUTED_CHARACTERS = 100_000;
const TOO_MANY_COMPUTED = `A canvas can have at most ${MAX_COMPUTED} computed numbers, and ${MAX_COMPUTED_CHARACTERS} characters in their formulas`;
const formulasByName: Content = {
  expects: `an object of at most ${MAX_COMPUTED_OF_CARD} formulas by name, such as {"margin": "price[p] - cost[p]"}; names consist of letters, digits and _`,
  accepts: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const entries = Object.entries(value);
    const isFormula = ([key, formula]: [string, unknown]): boolean =>
      isName(key) && (isText(formula) || Number.isFinite(formula));
    return entries.length > 0 && entries.length <= MAX_COMPUTED_OF_CARD && entries.every(isFormula);
  },
};

/** Maximum number of columns in a key. */
const MAX_KEY = 5;
const columnList: Content = {
  expects: `a list of at most ${MAX_KEY} different columns of the file`,
  accepts: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_KEY &&
    value.every(isText) &&
    new Set(value).size === value.length,
};
const columnsByName: Content = {
  expects: 'an object that maps names in formulas to columns of the file',
  accepts: memoized(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value).every(([key, column]) => isName(key) && isText(column)),
  ),
};

/** Maximum number of sets that a set combines. */
const MAX_COMBINED = 20;
const sources: Content = {
  expects: `the name of a set, such as products, or with names for the parts of its members, such as (o, d) in lanes, or a list of at most ${MAX_COMBINED} sets whose members it combines`,
  accepts: (value) =>
    isText(value) ||
    (Array.isArray(value) && value.length > 0 && value.length <= MAX_COMBINED && value.every(isSetName)),
};
const isSetName = (value: unknown): boolean => typeof value === 'string' && isName(value);

const dialect: Content = {
  expects: `an object that describes how to read the file, with any of the fields ${DIALECT_FIELDS.join(', ')}, as in POST /files/table`,
  accepts: isDialect,
};

/** Caches the result for each object and list. They can have thousands of items and never change. */
function memoized(accepts: (value: unknown) => boolean): Content['accepts'] {
  const results = new WeakMap<object, boolean>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return accepts(value);
    const isAccepted = results.get(value) ?? accepts(value);
    results.set(value, isAccepted);
    return isAccepted;
  };
}

const fields: readonly CardField[] = [
  {
    name: 'file_path',
    content: text,
    missing: blocking('Which file in the workspace contains the data, or what are the values?'),
    neededFor: ({ values, computed, in_formulas, members: setMembers, of }) =>
      [values, computed, setMembers, of].every((source) => source === undefined) && in_formulas !== true,
  },
  { name: 'set', content: name },
  { name: 'members', content: members },
  { name: 'of', content: sources },
  { name: 'where', content: text },
  { name: 'cyclic', content: flag },
  { name: 'sheet', content: text },
  { name: 'dialect', content: dialect },
  { name: 'key', content: columnList },
  { name: 'column', content: text },
  { name: 'columns_as', content: name },
  { name: 'columns', content: columnsByName },
  { name: 'default', content: number },
  { name: 'values', content: figures },
  { name: 'computed', content: formulasByName },
  { name: 'index', content: text },
  { name: 'in_formulas', content: flag },
  { name: 'description', content: text, missing: info('It has no description') },
];
/** Fields of a data card that a solve reads. */
export const SOLVER_FIELDS = ['set', 'members', 'of', 'where', 'cyclic', 'values', 'computed'];
/** Further fields that a solve reads if the card has a file. */
export const FILE_FIELDS = ['file_path', 'sheet', 'dialect', 'key', 'column', 'columns_as', 'columns', 'default'];

export const data: CardKind = {
  noun: 'data',
  title: 'Data',
  role: 'names',
  description:
    '`data`: `file_path`, `values` (numbers by name) or `in_formulas` (all numbers are in the formulas), `description`. For a set: `set` (its name), `members` (a list, or a range such as `1 to 52`), and `values` (numbers or texts by name and member). For a set in the file at `file_path`: `key` (the columns that identify a member) or `column` (its distinct values are the members). In a wide table with a column for each member of a second set, `columns_as` is the name of that set: each filled cell is a member, and formulas refer to the cell by the name in `set`. For members of other sets: `of` (a set) and `where` (a condition that selects its members, such as `lead[p] <= 3`; the keys in it name the parts of a member, or name them in `of`, as in `t in weeks`), or `of` with a list of sets whose members are combined. `cyclic` lets lags in a set continue at the other end: the day before the first day is the last day. Optional: `sheet`, `dialect` (how to read the file, as in `POST /files/table`), `columns` (other names for columns of the file) and `default` (for missing values). For numbers that follow from other data: `computed` (formulas by name, such as `{"margin": "price[p] - cost[p]"}`) and, for a number for each member, `index` (`p in products`).',
  toolDescription:
    'data: file_path, values (numbers by name) or in_formulas (true: all numbers are in the formulas), description; for a set: set (its name) with members (a list, or "1 to 52") and values (by name, an object of numbers or texts by member), or with file_path, sheet, dialect (how to read the file, as in describe_table), key (a list of the columns that identify a member; formulas use the other columns by name) or column (its distinct values are the members), columns_as (for a wide table: the name of the set whose members are the headers of all columns except key; each filled cell is a member of set, and formulas refer to it as set[row, column]), columns (other names for columns of the file), default (for missing values); for members of other sets: of (a set; name its members if the condition has no keys: t in weeks) with where (a condition: lead[p] <= 3, or p not in fast), or of (a list of sets to combine); cyclic (true: lags in the set continue at the other end, for plans that repeat); for numbers that follow from other data: computed (formulas of known values by name: {"margin": "price[p] - cost[p]"}), index (p in products: a number for each member, used as margin[p])',
  fields,
  summaryFields: [
    ['file_path', 'file '],
    ['set', 'set '],
    ['sheet', 'sheet '],
    ['key', 'key '],
    ['column', 'values of '],
    ['columns_as', 'columns form '],
    ['columns', 'columns '],
    ['default', 'else '],
    ['members', 'members '],
    ['of', 'members of ', (value) => [value].flat().join(', ')],
    ['where', 'where '],
    ['cyclic', 'cyclic'],
    ['values'],
    ['computed'],
    ['index', 'for '],
    ['description'],
  ],
  emptyListLabel: 'Figures in the formulas',
  formulas: (cardData) => {
    const computed = valueOf<Record<string, string | number>>(fields, cardData, 'computed');
    if (computed === undefined) {
      const [of, where] = [valueOf<string>(fields, cardData, 'of'), valueOf<string>(fields, cardData, 'where')];
      const subset = subsetFormula(of, where);
      return subset === undefined ? { formulas: [] } : { formulas: [subset.formula], index: subset.index };
    }
    const index = valueOf<string>(fields, cardData, 'index');
    return {
      formulas: Object.entries(computed).map(([called, formula]) => [
        'computed',
        { text: String(formula), name: called, index, use: 'computed' },
      ]),
      ...(index !== undefined && { index: { field: 'index', text: index } }),
    };
  },
  solverInput: (cardData) =>
    pairsOf(cardData, [
      ...SOLVER_FIELDS,
      ...(cardData['computed'] == null ? [] : ['index']),
      ...(cardData['set'] != null && cardData['file_path'] != null ? FILE_FIELDS : []),
    ]),
  gaps: (cardData, surroundings, unknownNames) => {
    const { content, state, isDuplicate, exceedsValueLimit, exceedsFileSetLimit, columnSet } = surroundings;
    const { values, set, file, computed } = content;
    const definedNames = {
      values: [...values.keys()],
      computed: [...computed.keys()],
      set: set === undefined ? [] : [set.name],
      columns_as: file?.columnsAs === undefined ? [] : [file.columnsAs],
    };
    return [
      ...(exceedsValueLimit
        ? [gap('values', `The data cards of a canvas can have at most ${MAX_VALUES} values in total`)]
        : []),
      ...Object.entries(definedNames).flatMap(([field, names]) => {
        const doubled = names.filter(isDuplicate);
        return doubled.length === 0 ? [] : [gap(field, `Something else is already called ${listNames(doubled)}`)];
      }),
      ...gapsOfMembers(content),
      ...gapsOfCycle(cardData, content),
      ...gapsOfDerivedSet(cardData, content, surroundings),
      ...(surroundings.exceedsComputedLimit ? [gap('computed', TOO_MANY_COMPUTED)] : []),
      ...gapsOfComputed(content, surroundings, unknownNames),
      ...(cardData['index'] != null && cardData['computed'] == null
        ? [gap('index', 'It has no effect without formulas in `computed`', 'warning')]
        : []),
      ...(exceedsFileSetLimit
        ? [gap('file_path', `A canvas can have at most ${MAX_FILE_SETS} sets from files`)]
        : gapsOfFile(content, state, columnSet)),
    ];
  },
};
