import type { Kind } from './cards';

/** Texts of a form by field name, as returned by {@link textsOf}. */
export type Texts = Readonly<Record<string, string>>;

/** Field of a card as users read and write it. */
export interface Field {
  name: string;
  label: string;
  /** Name of the field in a card that is not being edited. Default: the label. */
  short?: string;
  /**
   * Type of the input. Default: a line of text. `amount` accepts a number or a formula. `columns` holds names of file columns.
   * `renamed` holds file columns with different names in formulas. Tables of figures or members use `table` instead.
   */
  is?:
    'number' | 'amount' | 'formula' | 'long' | 'flag' | 'choice' | 'file' | 'sheet' | 'columns' | 'column' | 'renamed';
  table?: 'figures' | 'members';
  /** Keys of `data` that the field edits. Default: the field's name. */
  keys?: readonly string[];
  /** Choices, whose labels are clear without the field's name. A saved card shows the short form. */
  choices?: readonly { value: string; label: string; short?: string }[];
  example?: string;
  /** Value that applies if the field is empty. */
  otherwise?: string;
  /** Whether the field is relevant for the current content of the form. Fields with a value are always shown. */
  matters?: (texts: Texts, beside: Beside) => boolean;
}

/** State of the rest of the canvas that affects which fields are relevant. */
export interface Beside {
  objectives: number;
}

/** Way of filling in a card: its fields, and the values that choosing it sets. */
export interface Way {
  name: string;
  label: string;
  fields: readonly string[];
  says?: Texts;
}

export interface KindOfCard {
  kind: Kind;
  /** Singular name: `objective`. */
  noun: string;
  /** Plural title. */
  title: string;
  /** Purpose of these cards. */
  about: string;
  fields: readonly Field[];
  ways?: { label: string; all: readonly Way[]; of: (texts: Texts) => string };
}

const DESCRIPTION: Field = { name: 'description', label: 'Description', is: 'long' };
const INDEX: Field = { name: 'index', label: 'For each', is: 'formula', example: 'p in products, t in weeks' };
const UNIT: Field = { name: 'unit', label: 'Unit', example: 'pieces' };
const isNotBinary = ({ domain }: Texts): boolean => domain !== 'binary';

/** Kinds of cards, in the order of a model. */
export const KINDS: readonly KindOfCard[] = [
  {
    kind: 'objective',
    noun: 'objective',
    title: 'Objectives',
    about: 'What the plan maximizes or minimizes',
    fields: [
      {
        name: 'sense',
        label: 'Sense',
        is: 'choice',
        choices: [
          { value: 'maximize', label: 'Maximize' },
          { value: 'minimize', label: 'Minimize' },
        ],
      },
      {
        name: 'weight',
        label: 'Weight relative to other objectives',
        short: 'Weight',
        is: 'number',
        example: '1',
        matters: (_, { objectives }) => objectives > 1,
      },
      { name: 'expression', label: 'Formula', is: 'formula', example: '30 chairs + 50 tables' },
      { name: 'confirmed', label: 'Confirmed as the goal of the plan', short: 'Confirmed', is: 'flag' },
      DESCRIPTION,
    ],
  },
  {
    kind: 'variable',
    noun: 'variable',
    title: 'Variables',
    about: 'What the plan decides',
    fields: [
      { name: 'name', label: 'Name in formulas', example: 'chairs' },
      {
        name: 'domain',
        label: 'Values',
        is: 'choice',
        choices: [
          { value: 'continuous', label: 'Amounts, including fractions' },
          { value: 'integer', label: 'Whole numbers' },
          { value: 'binary', label: 'Yes or no' },
        ],
      },
      INDEX,
      {
        name: 'lower',
        label: 'At least',
        is: 'amount',
        otherwise: '0',
        matters: (texts) => isNotBinary(texts) && texts['free'] !== 'true',
      },
      { name: 'upper', label: 'At most', is: 'amount', otherwise: 'no limit', matters: isNotBinary },
      {
        name: 'free',
        label: 'No lower limit, can be negative',
        is: 'flag',
        matters: (texts) => isNotBinary(texts) && texts['lower'] === '',
      },
      { ...UNIT, matters: isNotBinary },
      DESCRIPTION,
    ],
  },
  {
    kind: 'constraint',
    noun: 'constraint',
    title: 'Constraints',
    about: 'What limits the plan',
    fields: [
      { name: 'expression', label: 'Constraint', is: 'formula', example: '2 chairs + 4 tables <= 40' },
      INDEX,
      {
        name: 'classification',
        label: 'Hard or soft',
        short: 'Class',
        is: 'choice',
        choices: [
          { value: 'hard', label: 'Hard: must be met', short: 'Hard' },
          { value: 'soft', label: 'Soft: can be violated at a penalty', short: 'Soft' },
        ],
      },
      {
        name: 'penalty',
        label: 'Penalty per unit',
        is: 'number',
        example: '100',
        matters: ({ classification }) => classification === 'soft',
      },
      DESCRIPTION,
    ],
  },
  {
    kind: 'production_requirement',
    noun: 'requirement',
    title: 'Requirements',
    about: 'What every plan must produce',
    fields: [
      { name: 'expression', label: 'Constraint', is: 'formula', example: 'chairs >= 10' },
      INDEX,
      { name: 'quantity', label: 'At least', is: 'number', example: '10' },
      { name: 'product', label: 'Variable', example: 'chairs' },
      UNIT,
      DESCRIPTION,
    ],
    ways: {
      label: 'Type',
      all: [
        { name: 'relation', label: 'Constraint', fields: ['expression', 'index'] },
        { name: 'amount', label: 'Amount', fields: ['quantity', 'product', 'unit'] },
        { name: 'nothing', label: 'None', fields: [], says: { quantity: '0' } },
      ],
      of: ({ expression, quantity, product }) => {
        if (expression !== '') return 'relation';
        if (quantity === '0' && product === '') return 'nothing';
        return quantity !== '' || product !== '' ? 'amount' : 'relation';
      },
    },
  },
  {
    kind: 'data',
    noun: 'data',
    title: 'Data',
    about: 'Numbers, sets and files that formulas use',
    fields: [
      { name: 'file_path', label: 'Workspace file', short: 'File', is: 'file', example: 'data/products.csv' },
      {
        name: 'sheet',
        label: 'Sheet',
        is: 'sheet',
        otherwise: 'first sheet',
        matters: ({ file_path = '' }) => /\.xlsx$/i.test(file_path),
      },
      { name: 'set', label: 'Set name', short: 'Set', example: 'products' },
      { name: 'key', label: 'Key columns', short: 'Key', is: 'columns', example: 'product' },
      {
        name: 'column',
        label: 'Or the values of a single column',
        short: 'Values of',
        is: 'column',
        example: 'region',
      },
      {
        name: 'columns',
        label: 'Column names in formulas',
        short: 'Renamed',
        is: 'renamed',
        example: 'cost = Unit cost',
      },
      { name: 'default', label: 'Value for missing figures', short: 'Default', is: 'number', example: '0' },
      {
        name: 'range',
        label: 'Range of members',
        short: 'Members',
        example: '1 to 52',
        keys: ['members'],
      },
      { name: 'members', label: 'Members', table: 'members', keys: ['members', 'values'] },
      { name: 'figures', label: 'Named numbers', table: 'figures', keys: ['values'] },
      { name: 'in_formulas', label: 'All numbers are in the formulas', is: 'flag' },
      DESCRIPTION,
    ],
    ways: {
      label: 'Source',
      all: [
        { name: 'numbers', label: 'Numbers', fields: ['figures'] },
        { name: 'set', label: 'Set', fields: ['set', 'range', 'members'] },
        {
          name: 'file',
          label: 'File',
          fields: ['file_path', 'sheet', 'set', 'key', 'column', 'columns', 'default'],
        },
        { name: 'formulas', label: 'Formulas', fields: [], says: { in_formulas: 'true' } },
      ],
      of: ({ in_formulas, file_path, set, range, members }) => {
        if (in_formulas !== '') return 'formulas';
        if (file_path !== '') return 'file';
        return set !== '' || range !== '' || members !== '' ? 'set' : 'numbers';
      },
    },
  },
  {
    kind: 'kpi',
    noun: 'KPI',
    title: 'KPIs',
    about: 'Figures that measure a plan',
    fields: [
      { name: 'expression', label: 'Formula', is: 'formula', example: '2 chairs + 4 tables' },
      UNIT,
      { name: 'target', label: 'Target', is: 'number', example: '95' },
      { ...DESCRIPTION, label: 'What it measures' },
    ],
  },
];

/** Whether a field edits a key of `data`. */
export const standsFor = ({ name, keys = [name] }: Field, key: unknown): boolean =>
  typeof key === 'string' && keys.includes(key);

/** Returns a kind, or undefined if this page does not support it yet. */
export const kindOf = (card_type: string): KindOfCard | undefined => KINDS.find(({ kind }) => kind === card_type);

/** Returns the fields that are relevant for the content of a form, in display order. */
export function fieldsFor(
  { fields, ways }: KindOfCard,
  texts: Texts,
  way: string | undefined,
  beside: Beside,
): Field[] {
  const inWays = new Set(ways?.all.flatMap((one) => [...one.fields, ...Object.keys(one.says ?? {})]));
  const { fields: taken = [], says = {} } = ways?.all.find(({ name }) => name === way) ?? {};
  return fields.filter(({ name, matters = () => true }) => {
    const text = texts[name] ?? '';
    if (says[name] === text) return false;
    return text !== '' || ((!inWays.has(name) || taken.includes(name)) && matters(texts, beside));
  });
}
