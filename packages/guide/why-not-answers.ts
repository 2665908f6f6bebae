import {
  type Expression,
  type Formula,
  isProblem,
  type Key,
  linearRows,
  type MemberOf,
  mentionsOf,
  namesOfIndex,
  parseFormula,
  partsOf,
} from '../modelling/index.js';
import { fieldOf, isEased, plainVariables, readIndex, requirementOf } from '../canvas/index.js';
import type { Steps } from './steps.js';
import type { ConstraintValue, MemberValue } from './tool-results.js';
import { figuresOf, memberOfKeys } from './named-members.js';
import type { Thing } from './named-things.js';
import { bullets, figure, quote } from './quote.js';
import { type Answer, MAX_SHOWN, memberOf, type RunReader, TIGHT, withoutName } from './run-reader.js';
import type { Sketch, SketchCard } from './sketch.js';

/** Maximum number of constraint rows per call. */
const MAX_COMPARED = 100;
/** Maximum number of constraints that are read individually. */
const MAX_LIMITS = 10;
/** Maximum number of members of a variable for which the limits are listed. */
const MAX_EXPLAINED = 3;

/** Answers questions about why the plan does not contain more or less of something. */
export class WhyNotAnswers {
  constructor(private readonly reader: RunReader) {}

  async *whyNot(subject: string, wants: 'more' | 'less'): Answer {
    const { thing, members } = yield* this.reader.resolve(subject);
    const answers: string[] = [];
    for (const { variable, values, count } of members) {
      const family = this.reader.things.find(({ kind, name }) => kind === 'family' && name === variable);
      if (family === undefined) continue;
      for (const value of values.slice(0, MAX_EXPLAINED)) answers.push(yield* this.whyNotOf(family, wants, value));
      if (count > MAX_EXPLAINED)
        answers.push(`Name one of the other members of ${quote(variable, 60)} to see its limits.`);
    }
    if (answers.length > 0) return answers.join('\n\n');
    if (thing?.kind !== 'variable' && thing?.kind !== 'family')
      return thing === undefined
        ? this.reader.unnamed(subject)
        : `${quote(thing.name, 60)} is not a variable, so the plan does not decide it.`;
    const mentioned = { mentioned_in: withoutName(subject, thing.name) };
    const some = yield* this.reader.values(thing.name, thing.kind === 'family' ? mentioned : {});
    if (typeof some === 'string') return some;
    return yield* this.whyNotOf(thing, wants, some.count > 0 ? some.values[0] : undefined);
  }

  /** @param value value of the variable, or of a single member. Undefined for all members. */
  private async *whyNotOf(thing: Thing, wants: 'more' | 'less', value: MemberValue | undefined): Answer {
    const { name } = thing;
    const step = wants === 'more' ? 1 : -1;
    const isWhole = thing.card?.data['domain'] === 'integer' || thing.card?.data['domain'] === 'binary';
    const limits = limitsOf(name, this.reader.sketch);
    const eased = this.easedBy(limits, name, step);
    const rows = yield* this.rowsOf(limits, !isWhole);
    if (typeof rows === 'string') return rows;
    const tight = rows.flatMap((one) => {
      const limit = limits.find(
        ({ label }) =>
          one.name === label || /^(?:\[| \(\d)/.test(one.name.startsWith(label) ? one.name.slice(label.length) : ''),
      );
      const need = limit && needOf(limit, one, name, step, this.reader.sketch.values);
      const most = isWhole && need !== undefined ? Math.abs(need.change) - TIGHT : TIGHT;
      if (limit === undefined || (need?.room ?? one.slack) > most || need?.change === 0) return [];
      if (need === undefined && eased.has(limit)) return [];
      if (!concerns(limit, one, name, value?.keys)) return [];
      const unit =
        one.slack > TIGHT && need !== undefined ? `, and one unit ${wants} needs ${figure(Math.abs(need.change))}` : '';
      return [this.reader.describeConstraint(one) + unit];
    });
    const bounds = value === undefined ? [] : this.boundOf(thing, value, step, isWhole);
    const called = quote(memberOf(name, value?.keys ?? []), 60);
    const now = value === undefined ? '' : `${called} is ${figure(value.value)}. `;
    const cost = value?.reduced_cost;
    const price =
      cost == null || Math.abs(cost) <= TIGHT ? '' : ` One more unit changes the objective by ${figure(cost)}.`;
    const reasons = [...bounds, ...tight.slice(0, MAX_SHOWN)];
    const subject = [name, ...(value?.keys.length ? ['of', ...value.keys] : [])].join(' ');
    const example = `what if ${subject} ${wants === 'more' ? '>=' : '<='} ${figure((value?.value ?? 0) + step)}`;
    const offer = value === undefined ? '' : ` To see the price, ask ${quote(example)}.`;
    if (reasons.length > 0)
      return `${now}These limits hold it:\n${bullets(reasons)}\n\n${`${price}${offer}`.trim()}`.trim();
    const isBounded = value === undefined && thing.card?.data[wants === 'more' ? 'upper' : 'lower'] !== undefined;
    return isBounded
      ? `No constraint with ${called} binds. Its members have bounds: name one of them.`
      : `${now}${wants === 'less' ? `No limit prevents less of ${called}` : `No limit with ${called} binds`}, so ${wants} of it would not improve the objective.${price}${offer}`;
  }

  /**
   * Returns the limits that a larger or smaller amount only makes easier to satisfy. Excludes limits with negative numbers,
   * because a negative number may reverse the direction.
   */
  private easedBy(limits: readonly Limit[], name: string, step: 1 | -1): ReadonlySet<Limit> {
    const { columns, values } = this.reader.sketch.vocabulary;
    const isNegative = (one: string): boolean =>
      (values.get(one) ?? 0) < 0 ||
      columns.get(one)?.every(({ range }) => range !== undefined && range[0] >= 0) === false;
    return new Set(
      limits.filter(
        ({ expression, formula }) =>
          isEased(expression, name, step) && !mentionsOf(formula, undefined).some(isNegative),
      ),
    );
  }

  /** Returns the bound, as a relation, that prevents a larger or smaller value of a variable or member. */
  private boundOf(thing: Thing, { keys, value }: MemberValue, step: number, isWhole: boolean): string[] {
    const { lower = 0, upper, free, domain } = thing.card?.data ?? {};
    const bound =
      step > 0
        ? domain === 'binary'
          ? 1
          : upper
        : free === true && thing.card?.data['lower'] == null
          ? undefined
          : lower;
    const figureOfBound = typeof bound === 'string' ? this.figureFor(bound, thing, keys) : bound;
    if (typeof figureOfBound !== 'number') return [];
    const room = step * (figureOfBound - value);
    const text = `${memberOf(thing.name, keys)} ${step > 0 ? '<=' : '>='} ${figure(figureOfBound)}`;
    return room > (isWhole ? 1 - TIGHT : TIGHT)
      ? []
      : [`${quote(text, 60)}: its ${step > 0 ? 'upper' : 'lower'} bound`];
  }

  /** Returns the value of a bound that is specified by a formula. */
  private figureFor(text: string, thing: Thing, keys: readonly string[]): number | undefined {
    const { sketch } = this.reader;
    const members = memberOfKeys(thing, keys, sketch);
    return members && figuresOf(text, members, sketch)?.[0];
  }

  /** Returns constraint rows. For a large model, only some of the constraints are read. */
  private async *rowsOf(limits: readonly Limit[], isTight: boolean): Steps<ConstraintValue[] | string> {
    const query = { limit: MAX_COMPARED, ...(isTight && { tight: true }) };
    const all = yield* this.reader.constraints(query);
    if (typeof all === 'string') return all;
    const rows = new Map(all.constraints.map((row) => [`${row.name} ${row.keys}`, row]));
    if (all.total === all.constraints.length) return [...rows.values()];
    for (const { label } of limits.slice(0, MAX_LIMITS)) {
      const found = yield* this.reader.constraints({ ...query, name: label });
      if (typeof found === 'string') return found;
      for (const row of found.constraints) rows.set(`${row.name} ${row.keys}`, row);
    }
    return [...rows.values()];
  }
}

/** Returns the constraints and requirements whose formula contains a name. */
export function limitsOf(name: string, sketch: Sketch): Limit[] {
  const variables = plainVariables(sketch.cards);
  return [...sketch.of('constraint'), ...sketch.of('production_requirement')].flatMap((card) => {
    const expression = requirementOf(card, variables)?.expression ?? fieldOf<string>(card, 'expression') ?? '';
    const formula = parseFormula(expression);
    const { card_type, label } = card;
    const index = readIndex(requirementOf(card, variables)?.index ?? fieldOf<string>(card, 'index') ?? '');
    const names = isProblem(index) ? [] : namesOfIndex(index);
    return !isProblem(formula) && mentionsOf(formula, undefined).includes(name)
      ? [{ card_type, label, expression, formula, names }]
      : [];
  });
}

/** Card with a relation. */
interface Limit extends Pick<SketchCard, 'card_type' | 'label'> {
  expression: string;
  formula: Formula;
  /** Index names of the card. */
  names: readonly string[];
}

/**
 * Returns by how much one more unit of a variable changes a row, and the slack of the row. Returns undefined for relations with
 * an index.
 */
function needOf(
  { formula, label }: Limit,
  { name, activity }: Pick<ConstraintValue, 'name' | 'activity'>,
  variable: string,
  step: number,
  values: ReadonlyMap<string, number>,
): { change: number; room: number } | undefined {
  const rows = linearRows(formula, values);
  const row = isProblem(rows)
    ? undefined
    : rows[Math.max(0, Number(name.slice(label.length).replace(/[ ()]/g, '')) - 1)];
  if (row === undefined) return undefined;
  const change = step * (row.terms.get(variable) ?? 0);
  return { change, room: change > 0 ? row.upper - activity : activity - row.lower };
}

/** Whether a row of a constraint may contain a member of a variable. */
function concerns(
  { formula, names }: Limit,
  { keys }: Pick<ConstraintValue, 'keys'>,
  variable: string,
  member: readonly string[] | undefined,
): boolean {
  const row = keys === '' ? [] : keys.split(', ');
  // A member name with a comma makes the key parts ambiguous, so the row may contain the member.
  if (member === undefined || member.length === 0 || names.length !== row.length) return true;
  const isOfRow = (key: Key, at: number): boolean => {
    if (key.kind === 'text') return key.text === member[at];
    if (key.kind !== 'index' || key.lag !== 0) return true;
    const place = names.indexOf(key.name);
    return place < 0 || row[place] === member[at];
  };
  const places = formula.sides.flatMap(membersIn).filter(({ name }) => name === variable);
  return places.some((place) => place.keys.every(isOfRow));
}

/** Returns the member expressions in an expression. The index names of a sum hide the same names in an outer index. */
const membersIn = (expression: Expression): MemberOf[] => [
  ...(expression.kind === 'member' ? [expression] : []),
  ...partsOf(expression).flatMap(membersIn),
];
