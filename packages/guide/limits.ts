import { isProblem, namesOfIndex, shortened } from '../modelling/index.js';
import { readIndex } from '../canvas/index.js';
import type { Sketch, SketchCard } from './sketch.js';
import type { VariableFacts } from './statement.js';
import { WORD } from './words.js';

/** A variable on the canvas, and the members that a statement is about. */
export interface Subject {
  card: SketchCard;
  name: string;
  /** Absent for a variable without an index. */
  index?: string;
}

const SIDES = ['lower', 'upper'] as const;
type Side = (typeof SIDES)[number];

/**
 * Sets what a statement says of a variable. A limit never replaces another one: it becomes a constraint if the card already has
 * a different bound on that side, and if it is strict, which bounds cannot be.
 *
 * @param isOfAll whether the statement is about all members of the variable; bounds of some are constraints
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

/** Puts limits into one constraint, unless it is there already. */
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

/** Says which bounds of the card hold beside a limit, and how to replace them. */
function description({ card, name }: Subject, facts: VariableFacts, taken: readonly Side[]): string | undefined {
  if (taken.length === 0) return undefined;
  const bounds = taken.map((side) => `the ${side} bound ${shortened(String(card.data[side]))}`).join(' and ');
  const [first] = taken;
  return `Adds to ${bounds}. To replace a bound, write: set ${name} ${first}: ${String(facts[first!])}`;
}

/** A relation about a variable, with the index of the variable: `make <= 4` becomes `make[p] <= 4 for p in products`. */
export function allMembers(relation: string, name: string, { data }: Pick<SketchCard, 'data'>): string {
  const { index } = data;
  if (typeof index !== 'string') return relation;
  const places = [...relation.matchAll(WORD)].filter(([word]) => word === name);
  const at = places[0]?.index ?? 0;
  return `${relation.slice(0, at)}${memberOf(name, index)}${relation.slice(at + name.length)} for ${index}`;
}

/** `make[p, t]` of `p in products, t in weeks` */
function memberOf(name: string, text: string | undefined): string {
  const index = text === undefined ? undefined : readIndex(text);
  return index === undefined || isProblem(index) ? name : `${name}[${namesOfIndex(index).join(', ')}]`;
}
