import type { Card, Gap } from './card.entity.js';
import { isName } from '../../../packages/modelling/index.js';
import { DIALECT_FIELDS, isDialect } from '../../tables/dialect-options.js';
import { relationIn } from './expressions.js';
import { MAX_RANGE, rangeOf } from './members.js';

type CardType = Card['card_type'];

/** What a field of a card's `data` may hold; `expects` completes "must be ...". */
interface Content {
  expects: string;
  accepts: (value: unknown, data: Card['data']) => boolean;
}

/** One field that is known of a card type. Other keys of `data` are kept and never looked at. */
interface CardField {
  name: string;
  content: Content;
  /** The gap that its absence makes; absent: it may be missing. */
  missing?: Pick<Gap, 'severity' | 'message'>;
  /** Whether its absence makes that gap for these data; default always. */
  neededFor?: (data: Card['data']) => boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const text: Content = { expects: 'a text', accepts: isText };
const number: Content = { expects: 'a number', accepts: (value) => Number.isFinite(value) };
const positive: Content = {
  expects: 'a number above 0',
  accepts: (value) => Number.isFinite(value) && (value as number) > 0,
};
const flag: Content = { expects: 'true or false', accepts: (value) => typeof value === 'boolean' };
const name: Content = {
  expects: 'letters, digits and _ and begin with a letter',
  accepts: (value) => typeof value === 'string' && isName(value),
};
const figures: Content = {
  expects: 'an object of numbers by name, or by name and member',
  accepts: once((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const entries = Object.entries(value);
    return entries.length > 0 && entries.every(([key, figure]) => isName(key) && isFigures(figure));
  }),
};
/** A figure, or figures or texts by member. */
function isFigures(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return Number.isFinite(value);
  const cells: unknown[] = Object.values(value);
  const isText = typeof cells[0] === 'string';
  return cells.length > 0 && cells.every((cell) => (isText ? typeof cell === 'string' : Number.isFinite(cell)));
}
const bound: Content = {
  expects: 'a number, or with an index a formula',
  accepts: (value, data) => Number.isFinite(value) || (isText(value) && isText(data['index'])),
};
const members: Content = {
  expects: `a list of texts and numbers, or a range such as "1 to 52" of at most ${MAX_RANGE} numbers`,
  accepts: once((value) =>
    typeof value === 'string'
      ? rangeOf(value) !== undefined
      : Array.isArray(value) && value.length > 0 && value.every((member) => Number.isFinite(member) || isText(member)),
  ),
};

/** Most columns of a key. */
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
  expects: 'an object of columns of the file by the names that formulas have for them',
  accepts: once(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value).every(([key, column]) => isName(key) && isText(column)),
  ),
};

const dialect: Content = {
  expects: `an object that says how the file is to be read, with fields of ${DIALECT_FIELDS.join(', ')} as for POST /files/table`,
  accepts: isDialect,
};

/** Remembers what was found out of objects and lists: there can be thousands of items in one, and nothing changes them. */
function once(accepts: (value: unknown) => boolean): Content['accepts'] {
  const known = new WeakMap<object, boolean>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return accepts(value);
    const found = known.get(value) ?? accepts(value);
    known.set(value, found);
    return found;
  };
}

const oneOf = (...values: string[]): Content => ({
  expects: values.map((value) => `"${value}"`).join(' or '),
  accepts: (value) => typeof value === 'string' && values.includes(value),
});

const blocking = (message: string): CardField['missing'] => ({ severity: 'blocking', message });
const warning = (message: string): CardField['missing'] => ({ severity: 'warning', message });
const info = (message: string): CardField['missing'] => ({ severity: 'info', message });

/**
 * What `data` of each card type holds.
 *
 * - `objective`: `sense` (`maximize`, `minimize`), `expression` (`3x + 2y`), `weight` (above 0, with several objectives),
 *   `confirmed` (the user agreed), `description`
 * - `variable`: `name` (as in expressions), `index` (`p in products`: one for each member), `domain` (`continuous`, `integer`,
 *   `binary`; `continuous` when absent), `lower` (0 when absent) and `upper` (numbers, or formulas of what is known), `free` (no lower bound when `lower`
 *   is absent), `confirmed` (it may loosen limits at no cost), `unit`, `description`
 * - `constraint`: `expression` (`x + y <= 4`), `index` (one for each member), `classification` (`hard`, `soft`), `penalty`
 *   (per unit, of a soft one), `description`
 * - `kpi`: `description`, `expression`, `unit`, `target`
 * - `data`: `file_path` (in the workspace), `values` (numbers by the names that expressions use; or, over the set of the card,
 *   numbers or texts by member) or `in_formulas` (every figure stands in the formulas), `set` (its name) and `members` (a list,
 *   or `1 to 52`), or of the file `sheet`, `dialect` (how it is to be read where the service recognises it wrongly), `key` (the columns that tell members apart) or `column` (the one whose different cells
 *   are the members), `columns` (those of the file by the names that formulas have for them), `default` (of figures that are
 *   missing), `description`
 * - `production_requirement`: `description`, `expression` (what every plan must meet: `chairs >= 10`) with its `index`, or
 *   `quantity` and `product` (a variable, of which a plan has at least so much), `unit`; a `quantity` of 0 without `product` says
 *   that there are none
 */
const SHAPES: Record<CardType, readonly CardField[]> = {
  objective: [
    {
      name: 'sense',
      content: oneOf('maximize', 'minimize'),
      missing: blocking('Is it to be maximized or minimized?'),
    },
    { name: 'expression', content: text, missing: blocking('Which figure is it, as a formula?') },
    { name: 'weight', content: positive },
    { name: 'confirmed', content: flag, missing: info('Nobody has confirmed the objective yet') },
    { name: 'description', content: text },
  ],
  variable: [
    { name: 'name', content: name, missing: blocking('What is it called in formulas?') },
    {
      name: 'domain',
      content: oneOf('continuous', 'integer', 'binary'),
      missing: info('No domain is given, so it is continuous: fractions count too'),
    },
    { name: 'index', content: text },
    { name: 'lower', content: bound },
    { name: 'upper', content: bound },
    { name: 'free', content: flag },
    { name: 'confirmed', content: flag },
    {
      name: 'unit',
      content: text,
      missing: info('Its unit is not known'),
      neededFor: ({ domain }) => domain !== 'binary',
    },
    { name: 'description', content: text },
  ],
  constraint: [
    { name: 'expression', content: text, missing: blocking('What must hold, as a formula?') },
    { name: 'index', content: text },
    {
      name: 'classification',
      content: oneOf('hard', 'soft'),
      missing: blocking('Must it hold (hard), or may it be broken at a price (soft)?'),
    },
    {
      name: 'penalty',
      content: positive,
      missing: blocking('What does breaking it cost, per unit?'),
      neededFor: ({ classification }) => classification === 'soft',
    },
    { name: 'description', content: text },
  ],
  kpi: [
    { name: 'description', content: text, missing: blocking('What does it measure?') },
    { name: 'expression', content: text, missing: info('It has no formula yet') },
    { name: 'unit', content: text },
    { name: 'target', content: number },
  ],
  data: [
    {
      name: 'file_path',
      content: text,
      missing: blocking('Which file of the workspace holds it, or what are the values?'),
      neededFor: ({ values, in_formulas, members: given }) =>
        values === undefined && given === undefined && in_formulas !== true,
    },
    { name: 'set', content: name },
    { name: 'members', content: members },
    { name: 'sheet', content: text },
    { name: 'dialect', content: dialect },
    { name: 'key', content: columnList },
    { name: 'column', content: text },
    { name: 'columns', content: columnsByName },
    { name: 'default', content: number },
    { name: 'values', content: figures },
    { name: 'in_formulas', content: flag },
    { name: 'description', content: text, missing: info('What it means is not written down') },
  ],
  production_requirement: [
    {
      name: 'description',
      content: text,
      missing: blocking('What has to be produced?'),
      neededFor: ({ expression, product }) => expression === undefined && product === undefined,
    },
    { name: 'expression', content: text },
    { name: 'index', content: text },
    {
      name: 'quantity',
      content: number,
      missing: warning('The quantity is not known'),
      neededFor: ({ expression, description }) => expression === undefined && !isRelation(description),
    },
    { name: 'unit', content: text },
    { name: 'product', content: text },
  ],
};

/** What the data of one card lack by themselves, in the order of the type's fields. */
export function gapsOfShape({ card_type, data }: Pick<Card, 'card_type' | 'data'>): Gap[] {
  return SHAPES[card_type].flatMap(({ name: field, content, missing, neededFor = () => true }): Gap[] => {
    const value = data[field];
    if (value === undefined) return missing !== undefined && neededFor(data) ? [{ field, ...missing }] : [];
    return content.accepts(value, data)
      ? []
      : [{ field, message: `${field} must be ${content.expects}`, severity: 'blocking' }];
  });
}

/** The value of a known field when it is of the right form. */
export function fieldOf<Value>(
  { card_type, data }: Pick<Card, 'card_type' | 'data'>,
  field: string,
): Value | undefined {
  const known = SHAPES[card_type].find(({ name: candidate }) => candidate === field);
  return known?.content.accepts(data[field], data) === true ? (data[field] as Value) : undefined;
}

const isRelation = (value: unknown): boolean => typeof value === 'string' && relationIn(value) !== undefined;

/** Whether any known field holds anything. */
export const isBegun = ({ card_type, data }: Pick<Card, 'card_type' | 'data'>): boolean =>
  SHAPES[card_type].some(({ name: field }) => data[field] !== undefined);
