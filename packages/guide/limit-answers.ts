import { describeRange, fieldOf, type ZeroOrBetween } from '../canvas/index.js';
import type { ValuesPage } from './tool-results.js';
import type { Thing } from './named-things.js';
import { bullets, counted, figure, quote } from './quote.js';
import { type Answer, memberOf, type RunReader, TIGHT, unusedIn, withoutName } from './run-reader.js';
import { limitsOf } from './why-not-answers.js';
import { unusedWords } from './word-coverage.js';

/** Answers questions about the limits that apply to the plan. */
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
      more > 0 ? `${more} more constraints have at least as much room. Name one of them to see its room.` : '';
    if (shown.length === 0) return others || 'No constraint has room left.';
    return `These limits have room left:\n${bullets(shown.map((one) => this.reader.describeConstraint(one)))}${others && `\n\n${others}`}`;
  }

  /** Returns the upper bounds and ranges that the plan reaches. Only variables without an index are considered. */
  private tightBounds(): string[] {
    return this.reader.things.flatMap(({ kind, name: variable, card }) => {
      const upper = card === undefined ? undefined : fieldOf<number>(card, 'upper');
      const range = card === undefined ? undefined : fieldOf<ZeroOrBetween>(card, 'zero_or_between');
      const value = this.reader.run.variables?.[variable];
      if (kind !== 'variable' || value === undefined) return [];
      const isAtEnd = range?.some((end) => typeof end === 'number' && Math.abs(value - end) <= TIGHT) === true;
      return [
        ...(typeof upper === 'number' && value >= upper - TIGHT ? [`${variable} <= ${upper}`] : []),
        ...(isAtEnd ? [`${variable} is 0 or ${describeRange(range)}`] : []),
      ];
    });
  }

  async *shadowPrice(subject?: string): Answer {
    if (this.hasNoPrices) return this.noPrices('shadow prices', subject);
    if (subject === undefined) {
      const found = yield* this.reader.constraints({ tight: true });
      if (typeof found === 'string') return found;
      const priced = found.constraints.filter(({ dual }) => dual !== null && Math.abs(dual) > TIGHT);
      return priced.length === 0
        ? 'No constraint has a shadow price: more room would not improve the objective.'
        : `Shadow prices:\n${bullets(priced.map((one) => this.reader.describeConstraint(one)))}`;
    }
    const { thing, members } = yield* this.reader.resolve(subject, this.constraintsFirst());
    if (members.length > 0) return `${ofVariable(subject, members)} Only constraints have shadow prices.`;
    if (thing?.kind === 'constraint') return yield* this.constraint(thing, subject);
    const limited = thing === undefined ? [] : this.constraintsWith(thing.name);
    if (limited.length > 0 && thing?.kind !== 'variable') {
      const answers: string[] = [];
      for (const name of limited.slice(0, 3)) answers.push(yield* this.reader.constraint(name));
      return `${quote(subject, 60)} is used in ${counted(limited.length, 'constraint')}. ${answers.join(' ')}`;
    }
    return thing === undefined
      ? this.reader.unnamed(subject)
      : `${quote(thing.name, 60)} is not a constraint, and only constraints have shadow prices. Ask for its reduced cost.`;
  }

  /** Returns the slack of a constraint, or of all constraints that use a value such as `budget`. */
  async *left(subject: string): Answer {
    const { thing, members } = yield* this.reader.resolve(subject, this.constraintsFirst());
    if (members.length > 0) return `${ofVariable(subject, members)} Only constraints have room left.`;
    if (thing === undefined) return this.reader.unnamed(subject);
    if (thing.kind === 'constraint') return yield* this.constraint(thing, subject);
    const unused = unusedWords(subject, [thing.name, thing.card?.label ?? thing.name]);
    if (unused.length > 0) return this.reader.notUnderstood(subject, unused, thing.name);
    const names = this.constraintsWith(thing.name);
    const isLimited = thing.kind === 'value' || thing.kind === 'column';
    if (!isLimited || names.length === 0)
      return `I cannot answer that: ${quote(thing.name, 60)} is not a constraint. Only constraints have room left.`;
    const answers: string[] = [];
    for (const name of names.slice(0, 3)) answers.push(yield* this.reader.constraint(name));
    const more = names.length > 3 ? ` ${names.length - 3} more constraints also use ${quote(thing.name, 60)}.` : '';
    return `${answers.join(' ')}${more}`;
  }

  /** Describes a constraint, or only the members that the text mentions. */
  private async *constraint({ name, card }: Thing, text: string): Answer {
    const isWhole = unusedIn(text, [name, card?.label ?? name]).length === 0;
    return yield* this.reader.constraint(name, isWhole ? undefined : text);
  }

  private constraintsFirst(): Thing[] {
    return this.reader.things.toSorted(
      (one, other) => Number(other.kind === 'constraint') - Number(one.kind === 'constraint'),
    );
  }

  private get hasNoPrices(): boolean {
    const { is_integer, objectives } = this.reader.run;
    return is_integer || new Set(objectives?.map(({ priority }) => priority)).size > 1;
  }

  private noPrices(what: string, subject = 'the budget'): string {
    const reason =
      this.reader.run.notes?.join(' ') ??
      `There are no ${what}: they are defined only for continuous variables, and the model has whole-number or yes-or-no variables.`;
    return `${reason} Ask ${quote(`what if ${subject} rises by 1`)} instead.`;
  }

  async *reducedCost(subject?: string): Answer {
    if (this.hasNoPrices) return this.noPrices('reduced costs', subject);
    if (subject === undefined) return 'Name the variable, as in `reduced cost of x`.';
    const { thing, members } = yield* this.reader.resolve(subject);
    if (members.length > 0) return bullets(members.flatMap(describeReducedCosts));
    if (thing?.kind !== 'variable' && thing?.kind !== 'family') return this.reader.unnamed(subject);
    const reply = yield* this.reader.values(thing.name, {
      ...(thing.kind === 'family' && { mentioned_in: withoutName(subject, thing.name) }),
    });
    const all = typeof reply !== 'string' && reply.count === 0 ? yield* this.reader.values(thing.name) : reply;
    if (typeof all === 'string') return all;
    const shown = describeReducedCosts(all);
    return all.size > shown.length && all.count > shown.length
      ? `${bullets(shown)}\n\nName a member to see the others.`
      : bullets(shown);
  }

  /** Returns the labels of the constraints whose formula contains a name. */
  private constraintsWith(name: string): string[] {
    return limitsOf(name, this.reader.sketch).flatMap(({ card_type, label }) =>
      card_type === 'constraint' ? [label] : [],
    );
  }
}

const ofVariable = (subject: string, [members]: readonly ValuesPage[]): string =>
  `I cannot answer that: ${quote(subject, 60)} is a member of the variable ${quote(members?.variable ?? '', 60)}.`;

const describeReducedCosts = ({ variable, values }: ValuesPage): string[] =>
  values.map(({ keys, reduced_cost }) => {
    const price = reduced_cost === null ? 'no reduced cost' : describeReduced(reduced_cost);
    return `${quote(memberOf(variable, keys))}: ${price}`;
  });

const describeReduced = (cost: number): string =>
  Math.abs(cost) <= TIGHT
    ? 'reduced cost 0, so its bounds do not limit the objective'
    : `reduced cost ${figure(cost)}: the change of the objective per additional unit`;
