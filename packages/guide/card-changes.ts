import { fieldOf, MAX_LABEL_LENGTH, type ZeroOrBetween } from '../canvas/index.js';
import { isName, listFirst, nearestNames } from '../modelling/index.js';
import { undefine } from './computed-numbers.js';
import { columnsIn } from './file-set-grammar.js';
import { quote } from './quote.js';
import type { Sketch, SketchCard } from './sketch.js';
import type { Classification, StatementOf } from './statement.js';
import { readRange } from './variable-facts.js';
import { figureOf, NUMBER } from './words.js';

/*
 * Applies statements to existing cards. Like `apply`, each function returns the reason why a statement cannot be applied, or
 * undefined if it was applied.
 */

/** Maximum number of constraints in a statement, and maximum number of labels in an error message. */
const MAX_LABELS = 100;
const MAX_SHOWN = 10;
/** Separator between the names in a list. */
const SEPARATOR = / ?, ?(?:and )?| and | & /;
/** Label of the data card for values typed into the chat. */
export const VALUES = 'Values';
const FIGURE_GIVEN = new RegExp(`^[^:]+: ?${NUMBER}$`, 'i');
const FIGURES = new Set([
  'weight',
  'priority',
  'tolerance',
  'tolerance_percent',
  'lower',
  'upper',
  'penalty',
  'target',
  'quantity',
  'default',
]);
/** Fields that exclude each other. */
const ALTERNATIVES: Record<string, string> = { tolerance: 'tolerance_percent', tolerance_percent: 'tolerance' };

/** Returns changed card data. Fields that exclude each other replace each other. */
export function replacingAlternatives(data: Record<string, unknown>): Record<string, unknown> {
  const changed = { ...data };
  for (const [field, other] of Object.entries(ALTERNATIVES)) if (data[other] != null) changed[field] = null;
  return changed;
}

/** Returns the card data for the class of a constraint. */
export const countsData = (counts: Classification | undefined): Record<string, unknown> =>
  counts === undefined
    ? {}
    : counts.classification === 'hard'
      ? { classification: 'hard', penalty: null }
      : { classification: 'soft', ...(counts.penalty !== undefined && { penalty: counts.penalty }) };

/** Sets the class of all constraints, of all unclassified constraints, or of the constraints with the listed labels. */
export function classify({ whom, counts }: StatementOf<'classify'>, sketch: Sketch, cause: string): string | undefined {
  const all = sketch.of('constraint');
  const isOpen = (card: SketchCard): boolean => fieldOf(card, 'classification') === undefined;
  const cards = whom === 'all' ? all : whom === 'unclassified' ? all.filter(isOpen) : listed(whom, sketch);
  if (typeof cards === 'string') return cards;
  if (cards.length === 0) return 'there is no such constraint yet';
  for (const card of cards) sketch.change(card, countsData(counts), cause);
  return undefined;
}

/** Returns the constraints with the listed labels, or an error message about missing labels. */
function listed(whom: string, sketch: Sketch): SketchCard[] | string {
  const whole = sketch.resolve(whom, ['constraint']);
  if (whole !== undefined) return [whole];
  // Reads `make labour soft` as a class for `labour`, unless a constraint is named `make labour`.
  const made = /^make (?<rest>.+)$/i.exec(whom)?.groups?.['rest'];
  if (made !== undefined) return listed(made, sketch);
  const labels = whom.split(SEPARATOR);
  if (labels.length > MAX_LABELS) return `a statement can name at most ${MAX_LABELS} constraints`;
  const cards = labels.map((label) => sketch.resolve(label, ['constraint']));
  const missing = labels.filter((_, index) => cards[index] === undefined);
  return missing.length > 0
    ? `no constraint is called ${listFirst(
        missing.map((label) => quote(label, 40)),
        MAX_SHOWN,
      )}`
    : cards.filter((card) => card !== undefined);
}

/** Confirms a single objective, or all objectives. */
export function confirm({ whom }: StatementOf<'confirm'>, sketch: Sketch, cause: string): string | undefined {
  const named = whom === undefined ? undefined : sketch.resolve(whom, ['objective']);
  if (whom !== undefined && named === undefined) return `no objective is called ${quote(whom, 40)}`;
  const cards = named === undefined ? sketch.of('objective') : [named];
  if (cards.length === 0) return 'there is no objective yet';
  for (const card of cards) sketch.change(card, { confirmed: true }, cause);
  return undefined;
}

/** Removes a card, a value on a data card, or every item of a list. */
export function remove(said: string, sketch: Sketch, cause: string): string | undefined {
  const whom = isOfValues(said) ? VALUES : said;
  const isKnown = (one: string): boolean =>
    sketch.resolve(one) !== undefined ||
    sketch.holderOf(withoutValue(one)) !== undefined ||
    sketch.computing(withoutValue(one)) !== undefined;
  const names = isKnown(whom) ? [whom] : whom.split(SEPARATOR);
  const missing = names.filter((one) => !isKnown(one));
  if (missing.length > 0) return whyNotRemoved(missing.length === names.length ? [whom] : missing, sketch);
  for (const one of names) removeOne(one, sketch, cause);
  return undefined;
}

const withoutValue = (whom: string): string => whom.replace(/^(?:the )?value /i, '');
/** Whether a name means all values on the canvas, which may be on several cards: `values`, `all values`. */
export const isOfValues = (whom: string): boolean => /^(?:(?:all|the) )*values$/i.test(whom.trim());

/** Explains that nothing on the canvas has the given name. Suggests removing values and cards with a similar name. */
function whyNotRemoved(names: readonly string[], sketch: Sketch): string {
  const nothing = `nothing on the canvas is called ${listFirst(
    names.map((one) => quote(one, 40)),
    MAX_SHOWN,
  )}`;
  const labels = sketch.cards.map(({ label }) => label);
  const known = [...labels, ...sketch.values.keys()];
  // The text of a statement that could not be parsed, such as `price: 3`, is probably meant as a value.
  const figures = [...sketch.values.keys(), ...labels.filter((label) => FIGURE_GIVEN.test(label))];
  const near = names.flatMap((one) => (isOfValues(one) ? figures : nearestNames(one, known)));
  const removals = [...new Set(near)].map((one) => quote(`remove ${one}`));
  return removals.length === 0 ? nothing : `${nothing}: write ${listFirst(removals, MAX_SHOWN)}`;
}

/** Removes the card or value with the given name. An exact match takes precedence over a match in a different case. */
function removeOne(whom: string, sketch: Sketch, cause: string): void {
  const name = withoutValue(whom);
  const holder = sketch.holderOf(name);
  const card = sketch.resolveExactly(whom) ?? (holder === undefined ? sketch.resolve(whom) : undefined);
  const computing = sketch.computing(name);
  // The card may have the label of a single name of several that it computes.
  if (computing !== undefined && (card === undefined || card === computing)) undefine(name, sketch, cause);
  else if (card !== undefined) sketch.remove(card);
  else if (holder !== undefined) removeValue(name, holder, sketch, cause);
}

function removeValue(name: string, holder: SketchCard, sketch: Sketch, cause: string): void {
  const values = Object.entries(fieldOf<Record<string, number>>(holder, 'values') ?? {}).filter(
    ([key]) => key !== name,
  );
  if (values.length === 0) sketch.remove(holder);
  else sketch.change(holder, { values: Object.fromEntries(values) }, cause);
}

/** Applies `set <card> <field>: <value>`, which can resolve any gap on a card. */
export function set({ whom, field, value }: StatementOf<'set'>, sketch: Sketch, cause: string): string | undefined {
  const card = sketch.resolve(whom);
  if (card === undefined) return `nothing on the canvas is called ${quote(whom, 40)}`;
  const key = field === 'formula' ? 'expression' : field;
  const text = key === 'expression' ? withoutName(value, card) : value.trim();
  if (key === 'label') {
    if (text.length > MAX_LABEL_LENGTH) return `a name can have at most ${MAX_LABEL_LENGTH} characters`;
    card.label = text;
    return undefined;
  }
  // An invalid value is kept as the user wrote it. The gap that it causes prevents a solve.
  const read = contentOf(key, text);
  const content = read === undefined ? text : read;
  if (key === 'name' && !isName(text)) return `${quote(text, 40)} is not a valid name`;
  const isNewObjective = card.card_type === 'objective' && (key === 'expression' || key === 'sense');
  sketch.change(
    card,
    { ...replacingAlternatives({ [key]: content }), ...(isNewObjective && { confirmed: null }) },
    cause,
  );
  return undefined;
}

/** Reads the content of a field. Returns null for `none`, which clears a number or a range. */
function contentOf(field: string, text: string): unknown {
  if (/^none$/i.test(text) && (FIGURES.has(field) || field === 'zero_or_between')) return null;
  if (FIGURES.has(field)) return figureOf(text);
  if (field === 'confirmed' || field === 'free' || field === 'cyclic') return /^(?:yes|true|confirmed)$/i.test(text);
  if (field === 'key') return columnsIn(text);
  if (field === 'zero_or_between') return rangeIn(text);
  if (field === 'sense') return /^max/i.test(text) ? 'maximize' : /^min/i.test(text) ? 'minimize' : undefined;
  if (field === 'domain' || field === 'classification') return text.toLowerCase();
  return text;
}

/** Reads `20 to 200` or `0 or 20 to 200`. */
function rangeIn(text: string): ZeroOrBetween | undefined {
  const read = readRange(text.replace(/^(?:0|zero) or /i, ''));
  return read?.rest === '' ? read.range : undefined;
}

/** Removes the card's own name from the beginning of a formula, as in `profit = 3x + 2y` for the objective `profit`. */
function withoutName(text: string, { label }: Pick<SketchCard, 'label'>): string {
  const trimmed = text.trim();
  const begins = trimmed.slice(0, label.length).toLowerCase() === label.toLowerCase();
  const rest = /^ ?[:=] ?(.+)$/.exec(begins ? trimmed.slice(label.length) : '')?.[1];
  return rest ?? trimmed;
}
