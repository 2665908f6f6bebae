import { type Computed, isProblem, Lexer, namesOfIndex, nearestNames, type Token } from '../modelling/index.js';
import { readIndex } from '../canvas/index.js';
import { sayEquation } from './computed-numbers.js';
import { columnsOf, type SetColumn } from './canvas-columns.js';
import type { Choice } from './column-choices.js';
import { referTo } from './question-parts.js';
import type { Sketch } from './sketch.js';
import { type UnknownName, type Written, writtenFormulas } from './unknown-names.js';

/* Suggests columns and names on the canvas whose spelling is similar to an unknown name. */

/** Maximum number of names in a question. */
const MAX_CHOICES = 3;

/**
 * Returns options that map an unknown name to a name on the canvas. Columns come first. A name used as a number is never mapped
 * to a decision.
 */
export function nearChoices(unknown: UnknownName, sketch: Sketch): Choice[] {
  const choices = [...nearColumns(unknown, sketch), ...nearNames(unknown, sketch)];
  return choices.filter(([, statements]) => statements !== '').slice(0, MAX_CHOICES);
}

function nearColumns(unknown: UnknownName, sketch: Sketch): Choice[] {
  const columns = columnsOf(sketch).filter(({ type, set }) => type === 'number' && fits(unknown, set, sketch));
  const spellings = new Map<string, SetColumn>();
  // A column of the set that indexes the name is the most likely match.
  const ofSet = unknown.over?.[0]?.set;
  for (const column of columns.toSorted((one, other) => Number(other.set === ofSet) - Number(one.set === ofSet)))
    for (const spelling of [column.name, column.column]) if (!spellings.has(spelling)) spellings.set(spelling, column);
  const found = new Set(
    nearestNames(unknown.name, spellings.keys(), 2 * MAX_CHOICES).map((one) => spellings.get(one)!),
  );
  return Array.from(found, (column): Choice => [
    `${unknown.name} is the column ${column.column} of ${column.place}`,
    naming(unknown, column, sketch),
  ]);
}

/** Whether a set has as many key parts as the name has keys. A name without keys fits every set. */
const fits = ({ keys }: UnknownName, set: string, sketch: Sketch): boolean =>
  keys === undefined || sketch.vocabulary.sets.get(set)?.arity === keys;

/** Returns the statements that make a name refer to a column. */
function naming({ name, keys }: UnknownName, column: SetColumn, sketch: Sketch): string {
  const isUsed = writtenFormulas(sketch).some((written) => renamed(written, column.name, '') !== undefined);
  if (column.canBeNamed && keys !== undefined && !isUsed && !column.column.includes('"'))
    return `${name} of ${column.set}: column "${column.column}"`;
  return renaming(name, sketch, (written) => (keys === undefined ? memberOf(written, column) : column.name));
}

/** Returns the member expression of a column for a formula, based on the index of its card. */
function memberOf({ index: text }: Written, { name, set }: SetColumn): string | undefined {
  const index = text === undefined ? undefined : readIndex(text);
  const over = index === undefined || isProblem(index) ? undefined : index.over.find((one) => one.set === set);
  return over && `${name}[${over.names.join(', ')}]`;
}

function nearNames(unknown: UnknownName, sketch: Sketch): Choice[] {
  const { variables, families, values, computed = new Map<string, Computed>() } = sketch.vocabulary;
  const { name, keys, isFigure } = unknown;
  const known = new Map<string, string>();
  if (keys === undefined) for (const value of values.keys()) known.set(value, 'value');
  for (const [one, { index }] of computed)
    if ((index && namesOfIndex(index).length) === keys) known.set(one, 'computed number');
  // A number must not be mapped to a variable, because the plan would then choose its value.
  if (!isFigure && keys === undefined) for (const variable of variables) known.set(variable, 'variable');
  if (!isFigure && keys !== undefined)
    for (const [family, { index }] of families)
      if (index.over.flatMap(({ names }) => names).length === keys) known.set(family, 'variable');
  return nearestNames(name, known.keys(), MAX_CHOICES).map((near): Choice => [
    `${name} is the ${known.get(near)} ${near}`,
    renaming(name, sketch, () => near),
  ]);
}

/**
 * Returns the statements that replace a name in all formulas. Returns an empty string if it cannot be replaced in every
 * formula.
 */
function renaming(name: string, sketch: Sketch, toName: (written: Written) => string | undefined): string {
  const statements: string[] = [];
  for (const written of writtenFormulas(sketch)) {
    if (renamed(written, name, '') === undefined) continue;
    // A statement sets both ends of a range, but the formula is only one of them.
    if (written.field === 'zero_or_between') return '';
    const text = renamed(written, name, toName(written));
    if (text === undefined) return '';
    const { name: computed, index, card, field } = written;
    statements.push(
      computed === undefined
        ? `set ${referTo(card, sketch)} ${field}: ${text}`
        : `compute ${sayEquation({ name: computed, expression: text, ...(index !== undefined && { index }) })}`,
    );
  }
  return statements.join('; ');
}

/** Returns the formula with a name replaced, or undefined if the name does not occur. */
function renamed({ text }: Written, name: string, other: string | undefined): string | undefined {
  if (other === undefined) return undefined;
  const lexer = new Lexer(text);
  const places: Token[] = [];
  for (let token = lexer.next(); token.kind !== 'end'; token = lexer.next(token))
    if (token.kind === 'name' && token.text === name) places.push(token);
  if (places.length === 0) return undefined;
  let result = text;
  for (const { position, written } of places.toReversed())
    result = result.slice(0, position) + other + result.slice(position + written.length);
  return result;
}
