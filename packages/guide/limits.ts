import { isDeepStrictEqual } from 'node:util';
import { isProblem, namesOfIndex, shortened } from '../modelling/index.js';
import { readIndex } from '../canvas/index.js';
import type { Sketch, SketchCard } from './sketch.js';
import type { VariableFacts } from './statement.js';
import { ONE_RANGE } from './variable-facts.js';
import { WORD } from './words.js';

/** Variable on the canvas, and the members to which a statement refers. */
export interface Subject {
  card: SketchCard;
  name: string;
  /** Absent for a variable without an index. */
  index?: string;
}

const SIDES = ['lower', 'upper'] as const;
type Side = (typeof SIDES)[number];

/**
 * Adds facts to a variable. A limit never replaces another bound. It becomes a constraint if the card already has a different
 * bound on that side, or if it is strict, because bounds cannot be strict.
 *
 * @param isOfAll whether the statement refers to all members of the variable. Limits on some members become constraints
 */
export function addFacts(subject: Subject, facts: VariableFacts, sketch: Sketch, cause: string, isOfAll = true): void {
  const { card } = subject;
  const { strict = [], lower, upper, free, ...others } = facts;
  const said = { lower, upper };
  const isTaken = (side: Side): boolean =>
    said[side] != null && (!isOfAll || (card.data[side] !== undefined && card.data[side] !== said[side]));
  const taken = SIDES.filter(isTaken);
  const bounds = SIDES.filter((side) => said[side] !== undefined && !taken.includes(side));
  const limits = SIDES.filter((side) => taken.includes(side) || (said[side] != null && strict.includes(side)));
  addLimits(subject, facts, limits, description(subject, facts, isOfAll ? taken : []), sketch, cause);
  const data = Object.fromEntries(bounds.map((side) => [side, said[side]]));
  const isFreed = free === true || (free === null && bounds.includes('lower'));
  sketch.change(card, { ...others, ...data, ...(isFreed && { free }) }, cause);
}

/** Returns a problem if a variable cannot have the stated range. */
export function problemOfRange(
  { card }: Subject,
  { zero_or_between: range }: VariableFacts,
  isOfAll = true,
): string | undefined {
  const { zero_or_between: other } = card.data;
  return range === undefined || (isOfAll && (other === undefined || isDeepStrictEqual(other, range)))
    ? undefined
    : ONE_RANGE;
}

/** Adds limits as a single constraint, unless the constraint already exists. */
function addLimits(
  { name, index }: Subject,
  { lower, upper, strict = [] }: VariableFacts,
  sides: readonly Side[],
  description: string | undefined,
  sketch: Sketch,
  cause: string,
): void {
  if (sides.length === 0) return;
  const member = memberOf(name, index);
  const sign = (side: Side): string => (strict.includes(side) ? '<' : '<=');
  const isLow = sides.includes('lower');
  const isHigh = sides.includes('upper');
  const turned = sign('lower').replace('<', '>');
  const expression =
    lower === upper && strict.length === 0
      ? `${member} = ${lower}`
      : isLow && isHigh
        ? `${lower} ${sign('lower')} ${member} ${sign('upper')} ${upper}`
        : isLow
          ? `${member} ${turned} ${lower}`
          : `${member} ${sign('upper')} ${upper}`;
  const isThere = sketch
    .of('constraint')
    .some(({ data }) => data['expression'] === expression && data['index'] === index);
  if (isThere) return;
  const data = { expression, index, classification: 'hard', description };
  sketch.put('constraint', sketch.freeLabel('constraint', 'Constraint'), data, cause);
}

/** Explains which bounds on the card apply in addition to the new limit, and how to replace them. */
function description({ card, name }: Subject, facts: VariableFacts, taken: readonly Side[]): string | undefined {
  if (taken.length === 0) return undefined;
  const bounds = taken.map((side) => `the ${side} bound ${shortened(String(card.data[side]))}`).join(' and ');
  const [first] = taken;
  return `Adds to ${bounds}. To replace a bound, write: set ${name} ${first}: ${String(facts[first!])}`;
}

/** Adds the index of a variable to a relation: `make <= 4` becomes `make[p] <= 4 for p in products`. */
export function allMembers(relation: string, name: string, { data }: Pick<SketchCard, 'data'>): string {
  const { index } = data;
  if (typeof index !== 'string') return relation;
  const places = [...relation.matchAll(WORD)].filter(([word]) => word === name);
  const at = places[0]?.index ?? 0;
  return `${relation.slice(0, at)}${memberOf(name, index)}${relation.slice(at + name.length)} for ${index}`;
}

/** Returns the member of a variable for an index, such as `make[p, t]` for `p in products, t in weeks`. */
function memberOf(name: string, text: string | undefined): string {
  const index = text === undefined ? undefined : readIndex(text);
  return index === undefined || isProblem(index) ? name : `${name}[${namesOfIndex(index).join(', ')}]`;
}
