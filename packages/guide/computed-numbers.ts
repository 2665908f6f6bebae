import { fieldOf, readData, readIndex } from '../canvas/index.js';
import { inputsOf, isProblem, namesOfIndex } from '../modelling/index.js';
import { readDefinition } from './definition-grammar.js';
import { quote } from './quote.js';
import type { Sketch, SketchCard } from './sketch.js';
import type { StatementOf } from './statement.js';

/* Reads and changes the data cards whose numbers are computed from other numbers. */

/** Name that a formula on a data card defines. */
export interface ComputedName {
  name: string;
  expression: string;
  /** Index of a column. Absent for a single number. */
  index?: string;
  /** Names in the formula and its index, except index names. */
  inputs: readonly string[];
}

type Definition = StatementOf<'definition'>;
type Said = Pick<ComputedName, 'name' | 'expression' | 'index'>;
type Content = Pick<SketchCard, 'card_type' | 'data'>;

type Formulas = Record<string, string | number>;

const formulasOn = (card: Content): Formulas => fieldOf<Formulas>(card, 'computed') ?? {};

/** Returns the computed names on a card, in order. */
export function computedOn(card: Content): ComputedName[] {
  const index = fieldOf<string>(card, 'index');
  return Array.from(readData(card).computed, ([name, { text, definition = {} }]) => ({
    name,
    expression: text,
    inputs: inputsOf(definition),
    ...(index !== undefined && { index }),
  }));
}

/** Returns all computed names on the canvas. */
export const computedNames = (sketch: Sketch): ComputedName[] => sketch.of('data').flatMap(computedOn);

/** Formats a definition, such as `margin = price[p] - cost[p] for p in products`. */
export const sayDefinition = ({ name, expression, index }: Said): string =>
  `${name} = ${expression}${index === undefined ? '' : ` for ${index}`}`;

/** Formats a definition as a statement, such as `margin[p] = price[p] - cost[p] for p in products`. */
export function sayEquation({ name, expression, index }: Said): string {
  const over = index === undefined ? undefined : readIndex(index);
  const keys = over === undefined || isProblem(over) ? '' : `[${namesOfIndex(over).join(', ')}]`;
  return sayDefinition({ name: `${name}${keys}`, expression, ...(index !== undefined && { index }) });
}

/** Explains that a name is computed, so that another statement cannot define it. Returns undefined for other names. */
export function whyComputed(name: string, sketch: Sketch): string | undefined {
  const card = sketch.computing(name);
  const definition = card && computedOn(card).find((one) => one.name === name);
  return (
    definition &&
    `${quote(name, 60)} is computed, as ${quote(sayDefinition(definition), 120)}: write ${quote(`remove ${name}`)} first, or use a new name`
  );
}

/** Explains why a definition cannot be used on this canvas. Returns undefined if it can be used. */
export const whyNotDefined = (definition: Definition, sketch: Sketch): string | undefined =>
  whyTaken(definition.name, sketch) ?? whyNotKnown(definition, sketch);

/** Adds or replaces the definition of a computed name. Returns the reason if the definition cannot be used. */
export function define(definition: Definition, sketch: Sketch, cause: string): string | undefined {
  const { name, expression, index } = definition;
  const reason = whyNotDefined(definition, sketch);
  if (reason !== undefined) return reason;
  removeRefused(name, sketch);
  const holder = sketch.computing(name);
  const others = holder && withoutDefinition(holder, name);
  const isAlone = others === undefined || Object.keys(others).length === 0;
  if (holder !== undefined && (isAlone || fieldOf(holder, 'index') === index)) {
    sketch.change(holder, { computed: { ...formulasOn(holder), [name]: expression }, index: index ?? null }, cause);
    return undefined;
  }
  if (holder !== undefined) sketch.change(holder, { computed: others }, cause);
  const label = sketch.find('data', name) === undefined ? name : sketch.freeLabel('data', name);
  sketch.put('data', label, { computed: { [name]: expression }, ...(index !== undefined && { index }) }, cause);
  return undefined;
}

/** Removes the cards that keep the text of earlier definitions of a name that could not be used. */
function removeRefused(name: string, sketch: Sketch): void {
  for (const card of sketch.of('constraint')) {
    const { statement } = readDefinition(fieldOf<string>(card, 'expression') ?? '') ?? {};
    if (statement?.kind === 'definition' && statement.name === name) sketch.remove(card);
  }
}

/** Removes a computed name, and its card if the card defines nothing else. */
export function undefine(name: string, sketch: Sketch, cause: string): void {
  const holder = sketch.computing(name);
  if (holder === undefined) return;
  const others = withoutDefinition(holder, name);
  if (Object.keys(others).length === 0) sketch.remove(holder);
  else sketch.change(holder, { computed: others }, cause);
}

const withoutDefinition = (card: SketchCard, name: string): Formulas =>
  Object.fromEntries(Object.entries(formulasOn(card)).filter(([other]) => other !== name));

/** Explains that a name already has another meaning. */
function whyTaken(name: string, sketch: Sketch): string | undefined {
  const called = quote(name, 60);
  if (sketch.variable(name) !== undefined) return `${called} is a variable: use a new name for the computed number`;
  if (sketch.values.has(name)) return `${called} is a value: write ${quote(`remove ${name}`)} first, or use a new name`;
  const { columns, sets } = sketch.vocabulary;
  const [column] = sketch.computing(name) === undefined ? (columns.get(name) ?? []) : [];
  if (column !== undefined) return `${called} is a column of ${column.set}: use a new name for the computed number`;
  return sets.has(name) ? `${called} is a set: use a new name for the computed number` : undefined;
}

/** Explains that the formula of a computed name contains a variable, or the name itself. */
function whyNotKnown({ name, names }: Definition, sketch: Sketch): string | undefined {
  if (names.includes(name)) return `the formula of ${quote(name, 60)} contains ${quote(name, 60)} itself`;
  const variable = names.find((one) => sketch.variable(one) !== undefined);
  return variable === undefined
    ? undefined
    : `${quote(variable, 60)} is a variable, and a number can only be computed from known numbers: write the equation without \`compute\` to add a constraint`;
}
