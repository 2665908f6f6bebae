import { changedLimit } from '../canvas/index.js';
import { isProblem, parseFormula } from '../modelling/index.js';
import { expressionOf, namesBySide, variableNames } from './constraint-sides.js';
import { type Thing, thingNamed } from './named-things.js';
import type { Sketch, SketchCard } from './sketch.js';
import type { WantedChange } from './statement.js';
import { splitAtMember, thingOf } from './what-if-changes.js';
import { isUnit } from './word-coverage.js';

/*
 * Reads amounts of a resource, as in `what if we had 200 hours`. If `hours` is a column, 200 is probably not meant for each
 * product. It is probably the limit in `sum p in products: hours[p] * make[p] <= 40`.
 */

/** Limits on the use of a column, as labels of constraints or names of values. */
export interface LimitedUse {
  column: string;
  limits: string[];
}

/**
 * Returns the limits to which an amount for a column may refer. Returns undefined if no constraint limits the use of the
 * column.
 */
export function limitsOnUse(wanted: WantedChange, things: readonly Thing[], sketch: Sketch): LimitedUse | undefined {
  const { isAmount, subject, times } = wanted;
  if (isAmount !== true || times !== undefined) return undefined;
  const { thing, bound, rest } = thingOf(subject, things);
  if (thing?.kind !== 'column' || bound !== undefined || !isOnly(rest, thing)) return undefined;
  const { name: column } = thing;
  const isVariable = variableNames(sketch);
  const limits = sketch.of('constraint').flatMap((card) => {
    const names = namesOf(card);
    const use = names.find((side) => side.includes(column) && side.some(isVariable));
    const limit = names.find((side) => !side.some(isVariable)) ?? [];
    const isLimited = use !== undefined && !limit.includes(column);
    if (!isLimited || typeof changedLimit(expressionOf(card), wanted, isVariable) !== 'string') return [];
    const [only, ...others] = limit;
    return only !== undefined && others.length === 0 && sketch.values.has(only) ? only : card.label;
  });
  return limits.length === 0 ? undefined : { column, limits: [...new Set(limits)] };
}

/**
 * Removes the unit of an amount: `200 hours of labour` is an amount of `labour`. A word is a unit if it is unknown, or if it
 * occurs in the formula of the limit.
 */
export function withoutUnit(wanted: WantedChange, things: readonly Thing[]): WantedChange {
  const [unit = '', limit = ''] = wanted.isAmount === true ? splitAtMember(wanted.subject) : [];
  const limits = things.filter(({ kind }) => kind === 'constraint' || kind === 'value');
  const thing = thingNamed(limit, limits, true);
  if (unit === '' || thing === undefined) return wanted;
  const named = thingNamed(unit, things);
  const isInLimit = (name: string): boolean => thing.card !== undefined && namesOf(thing.card).flat().includes(name);
  const isOfLimit = named === undefined ? unit.split(' ').every(isUnit) : isInLimit(named.name) && isOnly(unit, named);
  return isOfLimit ? { ...wanted, subject: thing.name } : wanted;
}

const isOnly = (text: string, thing: Thing): boolean => thingNamed(text, [thing], true) !== undefined;

/** Returns the names on each side of the relation on a card. */
function namesOf(card: SketchCard): string[][] {
  const formula = parseFormula(expressionOf(card));
  return isProblem(formula) ? [] : namesBySide(formula);
}
