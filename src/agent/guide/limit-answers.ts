import { type Formula, isProblem, mentionsOf, parseFormula, linearRows } from '../../../packages/modelling/index.js';
import { fieldOf } from '../../projects/canvas/card-shapes.js';
import { plainVariables, requirementOf } from '../../projects/canvas/requirement.js';
import type { ToldConstraint } from '../tools/result-tools.service.js';
import { type Thing, thingNamed, thingNear } from './named-things.js';
import { bullets, counted, figure, quote } from './quote.js';
import { type Answer, memberOf, type RunReader, TIGHT, withoutName } from './run-reader.js';
import type { SketchCard } from './sketch.js';
import { unusedWords } from './word-coverage.js';

/** Maximum number of constraints whose room is compared with what a unit needs. */
const MAX_COMPARED = 100;

/** Answers to questions about what limits the plan. */
export class LimitAnswers {
  constructor(private readonly reader: RunReader) {}

  async *binding(): Answer {
    const found = yield* this.reader.constraints({ tight: true });
    if (typeof found === 'string') return found;
    const bounds = this.tightBounds().map((text) => `${quote(text, 60)}: no room left`);
    const shown = [...found.constraints.map((one) => this.reader.describeConstraint(one)), ...bounds];
    if (shown.length === 0)
      return 'No limit binds: every constraint has room left, and no variable is at its upper bound.';
    const more = found.total - found.constraints.length;
    return `These limits bind:\n${bullets(shown)}${more > 0 ? `\n- and ${more} more` : ''}`;
  }

  async *slack(): Answer {
    const found = yield* this.reader.constraints();
    if (typeof found === 'string') return found;
    const shown = found.constraints.filter(({ slack }) => slack > TIGHT);
    const more = found.total - found.constraints.length;
    const others =
      more > 0 ? `${more} more constraints have at least as much room. Name one of them for its figure.` : '';
    if (shown.length === 0) return others || 'No constraint has room left.';
    return `These limits have room left:\n${bullets(shown.map((one) => this.reader.describeConstraint(one)))}${others && `\n\n${others}`}`;
  }

  /** Upper bounds of variables without an index that the plan reaches, as relations. */
  private tightBounds(): string[] {
    return this.reader.things.flatMap(({ kind, name: variable, card }) => {
      const upper = card === undefined ? undefined : fieldOf<number>(card, 'upper');
      const value = this.reader.run.variables?.[variable];
      return kind === 'variable' && typeof upper === 'number' && value !== undefined && value >= upper - TIGHT
        ? [`${variable} <= ${upper}`]
        : [];
    });
  }

  async *shadowPrice(subject?: string): Answer {
    if (this.reader.run.is_integer) return this.noPrices('shadow prices', subject);
    if (subject === undefined) {
      const found = yield* this.reader.constraints({ tight: true });
      if (typeof found === 'string') return found;
      const priced = found.constraints.filter(({ dual }) => dual !== null && Math.abs(dual) > TIGHT);
      return priced.length === 0
        ? 'No constraint has a shadow price: more room would not improve the objective.'
        : `Shadow prices:\n${bullets(priced.map((one) => this.reader.describeConstraint(one)))}`;
    }
    const thing = thingNamed(subject, this.constraintsFirst()) ?? thingNear(subject, this.constraintsFirst());
    if (thing?.kind === 'constraint') return yield* this.reader.constraint(thing.name);
    const limited = thing === undefined ? [] : this.constraintsWith(thing.name);
    if (limited.length > 0 && thing?.kind !== 'variable') {
      const answers: string[] = [];
      for (const name of limited.slice(0, 3)) answers.push(yield* this.reader.constraint(name));
      return `${quote(subject, 60)} stands in ${counted(limited.length, 'constraint')}. ${answers.join(' ')}`;
    }
    return thing === undefined
      ? this.reader.unnamed(subject)
      : `${quote(thing.name, 60)} is no constraint, and only constraints have shadow prices. Ask for its reduced cost.`;
  }

  /** The room of a constraint, or of the constraints with a value such as `budget`. */
  async *left(subject: string): Answer {
    const things = this.constraintsFirst();
    const thing = thingNamed(subject, things) ?? thingNear(subject, things);
    if (thing === undefined) return this.reader.unnamed(subject);
    const unused = unusedWords(subject, [thing.name, thing.card?.label ?? thing.name]);
    if (unused.length > 0) return this.reader.notUnderstood(subject, unused, thing.name);
    const names = thing.kind === 'constraint' ? [thing.name] : this.constraintsWith(thing.name);
    const isLimited = thing.kind === 'constraint' || thing.kind === 'value' || thing.kind === 'column';
    if (!isLimited || names.length === 0)
      return `I cannot answer that: ${quote(thing.name, 60)} is no constraint. Only constraints have room left.`;
    const answers: string[] = [];
    for (const name of names.slice(0, 3)) answers.push(yield* this.reader.constraint(name));
    const more = names.length > 3 ? ` ${names.length - 3} more constraints have ${quote(thing.name, 60)} as well.` : '';
    return `${answers.join(' ')}${more}`;
  }

  private constraintsFirst(): Thing[] {
    return this.reader.things.toSorted(
      (one, other) => Number(other.kind === 'constraint') - Number(one.kind === 'constraint'),
    );
  }

  private noPrices(what: string, subject = 'the budget'): string {
    return `There are no ${what}: the model has whole-number or yes-or-no variables, and prices are defined for continuous ones only. Ask ${quote(`what if ${subject} rises by 1`)} instead.`;
  }

  async *reducedCost(subject?: string): Answer {
    if (this.reader.run.is_integer) return this.noPrices('reduced costs', subject);
    const thing =
      subject === undefined
        ? undefined
        : (thingNamed(subject, this.reader.things) ?? thingNear(subject, this.reader.things));
    if (thing?.kind !== 'variable' && thing?.kind !== 'family')
      return subject === undefined ? 'Name the variable, as in `reduced cost of x`.' : this.reader.unnamed(subject);
    const reply = yield* this.reader.values(thing.name, {
      ...(thing.kind === 'family' && { mentioned_in: subject ?? '' }),
    });
    const all = typeof reply !== 'string' && reply.count === 0 ? yield* this.reader.values(thing.name) : reply;
    if (typeof all === 'string') return all;
    const shown = all.values.map(({ keys, reduced_cost }) => {
      const price = reduced_cost === null ? 'no reduced cost' : describeReduced(reduced_cost);
      return `${quote(memberOf(thing.name, keys))}: ${price}`;
    });
    return all.size > shown.length && all.count > shown.length
      ? `${bullets(shown)}\n\nName a member for others.`
      : bullets(shown);
  }

  async *whyNot(subject: string, wants: 'more' | 'less'): Answer {
    const thing = thingNamed(subject, this.reader.things) ?? thingNear(subject, this.reader.things);
    if (thing?.kind !== 'variable' && thing?.kind !== 'family')
      return thing === undefined
        ? this.reader.unnamed(subject)
        : `${quote(thing.name, 60)} is no variable, so the plan does not choose it.`;
    const { name } = thing;
    const mentioned = { mentioned_in: withoutName(subject, name) };
    const some = yield* this.reader.values(name, thing.kind === 'family' ? mentioned : {});
    if (typeof some === 'string') return some;
    const [member] = some.count > 0 ? some.values : [];
    const step = wants === 'more' ? 1 : -1;
    const isWhole = thing.card?.data['domain'] === 'integer' || thing.card?.data['domain'] === 'binary';
    const found = yield* this.reader.constraints(isWhole ? { limit: MAX_COMPARED } : { tight: true });
    if (typeof found === 'string') return found;
    const limits = this.limitsOf(name);
    const tight = found.constraints.flatMap((one) => {
      const limit = limits.find(
        ({ label }) =>
          one.name === label || /^(?:\[| \(\d)/.test(one.name.startsWith(label) ? one.name.slice(label.length) : ''),
      );
      const need = limit && needOf(limit, one, name, step, this.reader.sketch.values);
      const most = isWhole && need !== undefined ? Math.abs(need.change) - TIGHT : TIGHT;
      if (limit === undefined || (need?.room ?? one.slack) > most || need?.change === 0) return [];
      const needs =
        one.slack > TIGHT && need !== undefined ? `, and one unit ${wants} needs ${figure(Math.abs(need.change))}` : '';
      return [this.reader.describeConstraint(one) + needs];
    });
    const bounds = thing.kind === 'variable' ? boundOf(thing, member?.value, step, isWhole) : [];
    const called = quote(member === undefined ? name : memberOf(name, member.keys), 60);
    const now = member === undefined ? '' : `${called} is ${figure(member.value)}. `;
    const cost = member?.reduced_cost;
    const price =
      cost == null || Math.abs(cost) <= TIGHT ? '' : ` One more unit changes the objective by ${figure(cost)}.`;
    const reasons = [...bounds, ...tight];
    const next = member === undefined ? undefined : figure(member.value + (wants === 'more' ? 1 : -1));
    const example = `what if ${name} ${wants === 'more' ? '>=' : '<='} ${next ?? '10'}`;
    const offer = thing.kind === 'variable' ? ` To see the price, ask ${quote(example)}.` : '';
    return reasons.length === 0
      ? `${now}No limit with ${quote(name, 60)} binds, so another amount would not improve the objective.${price}${offer}`
      : `${now}These limits hold it:\n${bullets(reasons)}\n\n${`${price}${offer}`.trim()}`.trim();
  }

  /** Labels of the constraints whose formula has a name. */
  private constraintsWith(name: string): string[] {
    return this.limitsOf(name).flatMap(({ card_type, label }) => (card_type === 'constraint' ? [label] : []));
  }

  /** Constraints and requirements whose formula has a name. */
  private limitsOf(name: string): Limit[] {
    const { sketch } = this.reader;
    const variables = plainVariables(sketch.cards);
    return [...sketch.of('constraint'), ...sketch.of('production_requirement')].flatMap((card) => {
      const expression = requirementOf(card, variables)?.expression ?? fieldOf<string>(card, 'expression') ?? '';
      const formula = parseFormula(expression);
      const { card_type, label } = card;
      return !isProblem(formula) && mentionsOf(formula, undefined).includes(name)
        ? [{ card_type, label, formula }]
        : [];
    });
  }
}

/** A card with a relation. */
interface Limit extends Pick<SketchCard, 'card_type' | 'label'> {
  formula: Formula;
}

/** How a unit more or less of a variable changes a row, and the room there; undefined for relations with an index. */
function needOf(
  { formula, label }: Limit,
  { name, activity }: Pick<ToldConstraint, 'name' | 'activity'>,
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

/** The bound that keeps a variable from a unit more or less, as a relation. */
function boundOf({ name, card }: Thing, value: number | undefined, step: number, isWhole: boolean): string[] {
  const { lower = 0, upper, free, domain } = card?.data ?? {};
  const bound =
    step > 0 ? (domain === 'binary' ? 1 : upper) : free === true && card?.data['lower'] == null ? undefined : lower;
  if (typeof bound !== 'number' || value === undefined) return [];
  const room = step * (bound - value);
  const text = `${name} ${step > 0 ? '<=' : '>='} ${bound}`;
  return room > (isWhole ? 1 - TIGHT : TIGHT) ? [] : [`${quote(text, 60)}: its ${step > 0 ? 'upper' : 'lower'} bound`];
}

const describeReduced = (cost: number): string =>
  Math.abs(cost) <= TIGHT
    ? 'reduced cost 0, so its bounds do not hold it'
    : `reduced cost ${figure(cost)}: so much one more unit would change the objective`;
