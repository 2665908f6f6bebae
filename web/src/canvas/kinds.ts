import type { Kind } from './cards';

/** Values of a form as text, by field name. Returned by {@link textsOf}. */
export type Texts = Readonly<Record<string, string>>;

/** Card field as users see and edit it. */
export interface Field {
  name: string;
  label: string;
  /** Name of the field in the read-only view of a card. Default: the label. */
  short?: string;
  /**
   * Type of the input. Default: a single line of text. `amount` accepts a number or a formula, and `range` two of them.
   * `columns` contains names of file columns, and `sets` a set or a list of sets. `pairs` contains a name and its file column or
   * formula per line. Tables of values or members use `table` instead.
   */
  type?:
    | 'number'
    | 'amount'
    | 'range'
    | 'formula'
    | 'long'
    | 'flag'
    | 'choice'
    | 'file'
    | 'sheet'
    | 'columns'
    | 'column'
    | 'sets'
    | 'pairs';
  table?: 'figures' | 'members';
  /** Keys of `data` that the field edits. Default: the field's name. */
  keys?: readonly string[];
  /** Choices. Their labels are clear without the field's name. The read-only view shows the short labels. */
  choices?: readonly { value: string; label: string; short?: string }[];
  example?: string;
  /** Value that is used if the field is empty. */
  defaultText?: string;
  /** Returns whether the field is relevant for the current content of the form. Fields with a value are always shown. */
  isRelevant?: (texts: Texts, context: CanvasContext) => boolean;
}

/** State of the rest of the canvas, as far as it affects which fields are relevant. */
export interface CanvasContext {
  objectives: number;
}

/** Variant of a card: its fields, and the values to set when the user chooses it. */
export interface Variant {
  name: string;
  label: string;
  fields: readonly string[];
  presets?: Texts;
}

export interface CardKind {
  kind: Kind;
  /** Singular name: `objective`. */
  noun: string;
  /** Plural title. */
  title: string;
  /** Purpose of these cards. */
  purpose: string;
  fields: readonly Field[];
  variants?: { label: string; options: readonly Variant[]; select: (texts: Texts) => string };
}

const DESCRIPTION: Field = { name: 'description', label: 'Description', type: 'long' };
const INDEX: Field = { name: 'index', label: 'For each', type: 'formula', example: 'p in products, t in weeks' };
const UNIT: Field = { name: 'unit', label: 'Unit', example: 'pieces' };
const isNotBinary = ({ domain }: Texts): boolean => domain !== 'binary';

/** Card types, in the order in which a model is built. */
export const KINDS: readonly CardKind[] = [
  {
    kind: 'objective',
    noun: 'objective',
    title: 'Objectives',
    purpose: 'What the plan maximizes or minimizes',
    fields: [
      {
        name: 'sense',
        label: 'Sense',
        type: 'choice',
        choices: [
          { value: 'maximize', label: 'Maximize' },
          { value: 'minimize', label: 'Minimize' },
        ],
      },
      {
        name: 'weight',
        label: 'Weight relative to other objectives',
        short: 'Weight',
        type: 'number',
        example: '1',
        isRelevant: (_, { objectives }) => objectives > 1,
      },
      {
        name: 'priority',
        label: 'Priority, 1 is the most important',
        short: 'Priority',
        type: 'number',
        example: '1',
        isRelevant: (_, { objectives }) => objectives > 1,
      },
      {
        name: 'tolerance',
        label: 'May lose to less important objectives',
        short: 'May lose',
        type: 'number',
        example: '5',
        isRelevant: ({ priority = '', tolerance_percent = '' }) => priority !== '' && tolerance_percent === '',
      },
      {
        name: 'tolerance_percent',
        label: 'May lose in percent',
        short: 'May lose %',
        type: 'number',
        example: '2',
        isRelevant: ({ priority = '', tolerance = '' }) => priority !== '' && tolerance === '',
      },
      { name: 'expression', label: 'Formula', type: 'formula', example: '30 chairs + 50 tables' },
      { name: 'confirmed', label: 'Confirmed as the goal of the plan', short: 'Confirmed', type: 'flag' },
      DESCRIPTION,
    ],
  },
  {
    kind: 'variable',
    noun: 'variable',
    title: 'Variables',
    purpose: 'What the plan decides',
    fields: [
      { name: 'name', label: 'Name in formulas', example: 'chairs' },
      {
        name: 'domain',
        label: 'Values',
        type: 'choice',
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
        type: 'amount',
        defaultText: '0',
        isRelevant: (texts) => isNotBinary(texts) && texts['free'] !== 'true',
      },
      { name: 'upper', label: 'At most', type: 'amount', defaultText: 'no limit', isRelevant: isNotBinary },
      {
        name: 'free',
        label: 'No lower limit, can be negative',
        type: 'flag',
        isRelevant: (texts) => isNotBinary(texts) && texts['lower'] === '',
      },
      {
        name: 'zero_or_between',
        label: 'Zero, or an amount in this range',
        short: 'Zero or',
        type: 'range',
        example: '20 to 200',
        isRelevant: isNotBinary,
      },
      { ...UNIT, isRelevant: isNotBinary },
      DESCRIPTION,
    ],
  },
  {
    kind: 'constraint',
    noun: 'constraint',
    title: 'Constraints',
    purpose: 'What limits the plan',
    fields: [
      { name: 'expression', label: 'Constraint', type: 'formula', example: '2 chairs + 4 tables <= 40' },
      INDEX,
      {
        name: 'classification',
        label: 'Hard or soft',
        short: 'Class',
        type: 'choice',
        choices: [
          { value: 'hard', label: 'Hard: must be met', short: 'Hard' },
          { value: 'soft', label: 'Soft: can be violated at a penalty', short: 'Soft' },
        ],
      },
      {
        name: 'penalty',
        label: 'Penalty per unit',
        type: 'amount',
        example: '100',
        isRelevant: ({ classification }) => classification === 'soft',
      },
      DESCRIPTION,
    ],
  },
  {
    kind: 'production_requirement',
    noun: 'requirement',
    title: 'Requirements',
    purpose: 'What every plan must produce',
    fields: [
      { name: 'expression', label: 'Constraint', type: 'formula', example: 'chairs >= 10' },
      INDEX,
      { name: 'quantity', label: 'At least', type: 'number', example: '10' },
      { name: 'product', label: 'Variable', example: 'chairs' },
      UNIT,
      DESCRIPTION,
    ],
    variants: {
      label: 'Type',
      options: [
        { name: 'relation', label: 'Constraint', fields: ['expression', 'index'] },
        { name: 'amount', label: 'Amount', fields: ['quantity', 'product', 'unit'] },
        { name: 'nothing', label: 'None', fields: [], presets: { quantity: '0' } },
      ],
      select: ({ expression, quantity, product }) => {
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
    purpose: 'Numbers, sets and files that formulas use',
    fields: [
      { name: 'file_path', label: 'Workspace file', short: 'File', type: 'file', example: 'data/products.csv' },
      {
        name: 'sheet',
        label: 'Sheet',
        type: 'sheet',
        defaultText: 'first sheet',
        isRelevant: ({ file_path = '' }) => /\.xlsx$/i.test(file_path),
      },
      { name: 'set', label: 'Set name', short: 'Set', example: 'products' },
      { name: 'key', label: 'Key columns', short: 'Key', type: 'columns', example: 'product' },
      {
        name: 'column',
        label: 'Or the values of a single column',
        short: 'Values of',
        type: 'column',
        example: 'region',
      },
      {
        name: 'columns_as',
        label: 'Set that the other columns form',
        short: 'Columns form',
        example: 'customers',
      },
      {
        name: 'columns',
        label: 'Column names in formulas',
        short: 'Renamed',
        type: 'pairs',
        example: 'cost = Unit cost',
      },
      { name: 'default', label: 'Value for missing figures', short: 'Default', type: 'number', example: '0' },
      {
        name: 'range',
        label: 'Range of members',
        short: 'Members',
        example: '1 to 52',
        keys: ['members'],
      },
      { name: 'members', label: 'Members', table: 'members', keys: ['members', 'values'] },
      {
        name: 'of',
        label: 'Set with the members, or sets to combine',
        short: 'Members of',
        type: 'sets',
        example: 'products',
      },
      {
        name: 'where',
        label: 'Condition that selects members',
        short: 'Where',
        type: 'formula',
        example: 'lead[p] <= 3',
      },
      {
        name: 'cyclic',
        label: 'Lags continue at the other end',
        short: 'Cyclic',
        type: 'flag',
        isRelevant: ({ set = '' }) => set !== '',
      },
      { name: 'figures', label: 'Named numbers', table: 'figures', keys: ['values'] },
      {
        name: 'computed',
        label: 'Names and their formulas',
        short: 'Computed',
        type: 'pairs',
        example: 'margin = price[p] - cost[p]',
      },
      { ...INDEX, isRelevant: ({ computed = '' }) => computed !== '' },
      { name: 'in_formulas', label: 'All numbers are in the formulas', type: 'flag' },
      DESCRIPTION,
    ],
    variants: {
      label: 'Source',
      options: [
        { name: 'numbers', label: 'Numbers', fields: ['figures'] },
        { name: 'set', label: 'Set', fields: ['set', 'range', 'members', 'cyclic'] },
        {
          name: 'file',
          label: 'File',
          fields: ['file_path', 'sheet', 'set', 'key', 'column', 'columns_as', 'columns', 'default'],
        },
        { name: 'subset', label: 'From other sets', fields: ['set', 'of', 'where'] },
        { name: 'computed', label: 'Computed', fields: ['computed', 'index'] },
        { name: 'formulas', label: 'In formulas', fields: [], presets: { in_formulas: 'true' } },
      ],
      select: ({ in_formulas, file_path, set, range, members, of, computed }) => {
        if (in_formulas !== '') return 'formulas';
        if (file_path !== '') return 'file';
        if (of !== '') return 'subset';
        if (set !== '' || range !== '' || members !== '') return 'set';
        return computed === '' ? 'numbers' : 'computed';
      },
    },
  },
  {
    kind: 'kpi',
    noun: 'KPI',
    title: 'KPIs',
    purpose: 'Figures that measure a plan',
    fields: [
      { name: 'expression', label: 'Formula', type: 'formula', example: '2 chairs + 4 tables' },
      UNIT,
      { name: 'target', label: 'Target', type: 'number', example: '95' },
      { ...DESCRIPTION, label: 'What it measures' },
    ],
  },
];

/** Whether a field edits a key of `data`. */
export const editsKey = ({ name, keys = [name] }: Field, key: unknown): boolean =>
  typeof key === 'string' && keys.includes(key);

/** Returns a card type, or undefined if this page does not support it yet. */
export const kindOf = (card_type: string): CardKind | undefined => KINDS.find(({ kind }) => kind === card_type);

/** Returns the fields that are relevant for the content of a form, in display order. */
export function fieldsFor(
  { fields, variants }: CardKind,
  texts: Texts,
  variant: string | undefined,
  context: CanvasContext,
): Field[] {
  const variantNames = new Set(variants?.options.flatMap((one) => [...one.fields, ...Object.keys(one.presets ?? {})]));
  const { fields: variantFields = [], presets = {} } = variants?.options.find(({ name }) => name === variant) ?? {};
  return fields.filter(({ name, isRelevant = () => true }) => {
    const text = texts[name] ?? '';
    if (presets[name] === text) return false;
    return text !== '' || ((!variantNames.has(name) || variantFields.includes(name)) && isRelevant(texts, context));
  });
}
