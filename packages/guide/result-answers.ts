import { isProblem, mentionsOf, parseFormula, wordsOf } from '../modelling/index.js';
import type { Steps } from './steps.js';
import type { ValuesPage } from './tool-results.js';
import { describeComputed } from './computed-answers.js';
import { expressionOf } from './constraint-sides.js';
import { LimitAnswers } from './limit-answers.js';
import { figuresOf, membersNamed, memberText, type NamedMembers, setsOf } from './named-members.js';
import { type Thing, thingNamed } from './named-things.js';
import { ObjectiveAnswers } from './objective-answers.js';
import { bullets, counted, figure, quote } from './quote.js';
import { type Answer, MAX_SHOWN, memberOf, type RunReader, unusedIn, withoutName } from './run-reader.js';
import { describeOutcome } from './solving.js';
import type { Aggregate, ResultQuestion } from './statement.js';
import { WhyNotAnswers } from './why-not-answers.js';

type ValueQuestion = Extract<ResultQuestion, { ask: 'value' }>;

/** Grouping at the end of a question, as in `make by product`. */
const BY = / (?:by|per|(?:for|in) (?:each|every)) (?:the )?(?<set>[\p{L}_][\p{L}\p{N}_]*)$/iu;
/** Maximum number of members that an answer can sum. */
const MAX_ADDED = 100;

const OBJECTIVE =
  /^(?:objectives?|goals?|(?:objective|optimal) (?:function )?values?|value of the objective|optimum)$/i;

/** Answers questions about a run, with a paragraph per question. */
export class ResultAnswers {
  private readonly limits: LimitAnswers;
  private readonly objectives: ObjectiveAnswers;

  constructor(private readonly reader: RunReader) {
    this.limits = new LimitAnswers(reader);
    this.objectives = new ObjectiveAnswers(reader);
  }

  async *answer(question: ResultQuestion): Answer {
    if (this.reader.run.objective_value == null) return `The newest run has no plan. ${this.outcome()}`;
    switch (question.ask) {
      case 'result':
        return this.outcome();
      case 'kpis':
        return this.kpis();
      case 'binding':
        return yield* this.limits.binding();
      case 'slack':
        return yield* this.limits.slack();
      case 'left':
        return yield* this.limits.left(question.subject);
      case 'shadow_price':
        return yield* this.limits.shadowPrice(question.subject);
      case 'reduced_cost':
        return yield* this.limits.reducedCost(question.subject);
      case 'why_not':
        return yield* new WhyNotAnswers(this.reader).whyNot(question.subject, question.wants);
      case 'value':
        return yield* this.value(question);
    }
  }

  private outcome(): string {
    const { status, outcome, error, ...result } = this.reader.run;
    return describeOutcome({
      status,
      result: outcome === undefined ? null : { status: outcome, ...result },
      error: error === undefined ? null : { message: error },
    }).text;
  }

  private kpis(): string {
    const { kpis = [] } = this.reader.run;
    const shown = kpis.map(({ label }) => this.kpi(label));
    return shown.length === 0
      ? 'The newest run has no KPIs with a formula. Write one, such as `kpi hours: 2 chairs + 3 tables`, and then `solve`.'
      : bullets(shown);
  }

  private kpi(label: string): string {
    const kpi = this.reader.run.kpis?.find((one) => one.label === label);
    if (kpi === undefined) return `The KPI ${quote(label, 60)} has no formula, so the run has no value for it.`;
    const unit = kpi.unit === null ? '' : ` ${quote(kpi.unit)}`;
    const target = kpi.target === null ? '' : ` (target ${figure(kpi.target)})`;
    return kpi.value === null
      ? `${quote(label, 60)} cannot be computed for this plan.`
      : `${quote(label, 60)} is ${figure(kpi.value)}${unit}${target}.`;
  }

  private async *value(question: ValueQuestion): Answer {
    const { subject, pick } = question;
    // A KPI that only repeats the objective often has the same name as the objective's value.
    const hasFigure = this.reader.run.kpis?.some(({ label }) => label.toLowerCase() === subject.toLowerCase());
    if (OBJECTIVE.test(subject) && hasFigure !== true) return yield* this.objectives.value();
    const parts = this.partsOf(subject);
    if (parts.length > 1) {
      const answers: string[] = [];
      for (const part of parts) answers.push(yield* this.value({ ...question, subject: part }));
      return answers.join(' ');
    }
    // A KPI may have a name that looks like the start of a question: `Total cost`.
    const whole = thingNamed(`${pick ?? ''} ${subject}`, this.reader.things, true);
    if (whole !== undefined && whole.kind !== 'family') return yield* this.single(whole);
    const ofColumn = yield* this.figuresAndLimits(subject);
    if (ofColumn !== undefined) return ofColumn;
    const { thing, members } = yield* this.reader.resolve(subject);
    if (thing?.kind === 'family') return yield* this.family(thing, subject, pick);
    if (thing !== undefined) return (yield* this.ofMember(thing, subject)) ?? (yield* this.single(thing, question));
    if (members.length > 0) return this.members(subject, members);
    const set = thingNamed(subject, this.reader.things);
    return set === undefined ? this.unplanned(subject) : yield* this.single(set, question);
  }

  /** Returns the index of the key part that belongs to a set or to one of its key columns, or -1 for other names. */
  private partCalled(thing: Thing, name: string): number {
    const keys = this.reader.run.families?.find((family) => family.name === thing.name)?.keys ?? [];
    const isCalled = (one: string): boolean => wordsOf(one).join() === wordsOf(name).join();
    const sets = setsOf(thing, this.reader.sketch);
    const parts = Array.from({ length: Math.max(keys.length, sets.length) }, (_, at) => [keys[at], sets[at]]);
    return parts.findIndex((names) => names.some((one) => one !== undefined && isCalled(one)));
  }

  /** Groups a variable by one key part, and sums it over all other key parts. */
  private async *familyBy(name: string, part: number, set: string): Answer {
    const all = yield* this.reader.values(name, { limit: MAX_ADDED });
    if (typeof all === 'string') return all;
    if (all.size > all.values.length)
      return `${quote(name, 60)} has ${counted(all.size, 'member')}, too many to add up by ${quote(set, 60)} here. Ask for one member, or query the file with its values.`;
    const sums = new Map<string, number>();
    for (const { keys, value } of all.values) sums.set(keys[part] ?? '', (sums.get(keys[part] ?? '') ?? 0) + value);
    const shown = Array.from(sums, ([key, sum]) => `${quote(key, 60)}: ${figure(sum)}`);
    return `The total of ${quote(name, 60)} is ${figure(all.sum)}. By ${quote(set, 60)} it is:\n${bullets(shown)}`;
  }

  private members(text: string, found: readonly ValuesPage[]): string {
    return this.reader.unnamedIn(text, found).length > 0 ? this.unplanned(text) : found.map(describeMembers).join('\n');
  }

  /** Explains that a name is unknown, or that its members are missing in the plan. */
  private unplanned(subject: string): string {
    const [members] = membersNamed(subject, this.reader.things, this.reader.sketch);
    return members?.unused.length === 0
      ? `The newest plan has no ${quote(memberText(members).member, 60)}: the index of ${quote(members.thing.name, 60)} excludes it.`
      : this.reader.unnamed(subject);
  }

  /**
   * Answers a question about the members that follow a name, such as `price of oak`. Returns undefined if there are no such
   * members.
   */
  private async *ofMember(thing: Thing, subject: string): Steps<string | undefined> {
    const { kind, name } = thing;
    if (unusedIn(subject, namesOf(thing)).length === 0) return undefined;
    if (kind === 'constraint') return yield* this.reader.constraint(name, subject);
    if (kind !== 'objective' && kind !== 'kpi') return undefined;
    const found = yield* this.reader.membersNamed(subject);
    if (found.length === 0 || this.reader.unnamedIn(subject, found, namesOf(thing)).length > 0) return undefined;
    return `${yield* this.single(thing)} It has no values for single members. ${found.map(listMembers).join('\n')}`;
  }

  /**
   * Answers a question about members of a column, such as `demand of oak`. If a constraint has the same name, also describes
   * its rows. Returns undefined for other questions.
   */
  private async *figuresAndLimits(subject: string): Steps<string | undefined> {
    const { sketch, things } = this.reader;
    const columns = things.filter(({ kind }) => kind === 'column' || kind === 'computed');
    const [members] = membersNamed(subject, columns, sketch);
    const figures = members?.unused.length === 0 ? figuresOf(memberNamesOf(members), members, sketch) : undefined;
    if (members === undefined || figures === undefined || figures.length === 0) return undefined;
    const { name } = members.thing;
    const shown = figures.slice(0, MAX_SHOWN).map(figure).join(', ');
    const called = memberOf(
      name,
      members.keys.map((key) => key ?? 'all'),
    );
    const answer = `${quote(called, 60)} is ${shown}${figures.length > MAX_SHOWN ? ' and more' : ''}, ${figures.length === 1 ? 'a value' : 'values'} ${members.thing.kind === 'computed' ? 'computed from the data' : 'from the data'}.`;
    return yield* this.withLimit(answer, members.thing, subject);
  }

  /**
   * Appends a description of the constraint with the same name to an answer about a number.
   *
   * @param text text that mentions the members of the constraint to describe
   */
  private async *withLimit(answer: string, thing: Thing, text?: string): Answer {
    const limit = this.limitNamedLike(thing);
    return limit === undefined ? answer : `${answer} ${yield* this.reader.constraint(limit.name, text)}`;
  }

  private limitNamedLike({ name }: Thing): Thing | undefined {
    const limits = this.reader.things.filter(({ kind }) => kind === 'constraint');
    return thingNamed(name, limits, true);
  }

  /**
   * Returns the variable in the constraint that has the same name as a value, if there is only one such variable. For the
   * question `demand of chairs`, this is `chairs` in `Demand: chairs <= demand`.
   */
  private limitedBy(thing: Thing): string[] {
    const card = this.limitNamedLike(thing)?.card;
    const formula = parseFormula(expressionOf(card));
    if (isProblem(formula)) return [];
    const names = mentionsOf(formula, undefined);
    const variables = this.reader.things.filter(({ kind, name }) => kind === 'variable' && names.includes(name));
    return variables.length === 1 ? variables.flatMap(namesOf) : [];
  }

  /** Splits a question about several names, such as `chairs and tables`. Members of a family are not split. */
  private partsOf(subject: string): string[] {
    const { things } = this.reader;
    const parts = subject.split(/ and | or | & |, /i).slice(0, MAX_SHOWN);
    const named = parts.map((part) => thingNamed(part, things));
    const isOfMembers = named[0] !== undefined && ['family', 'column', 'computed'].includes(named[0].kind);
    const isList = named.every((thing) => thing !== undefined) || (named[0] !== undefined && !isOfMembers);
    return isList && thingNamed(subject, things, true) === undefined ? parts : [subject];
  }

  /** @param question the question, if it may contain words other than the name */
  private async *single(thing: Thing, question?: ValueQuestion): Answer {
    const { kind, name, card } = thing;
    const unused =
      question === undefined ? [] : unusedIn(question.subject, [...namesOf(thing), ...this.limitedBy(thing)]);
    if (question !== undefined && unused.length > 0) return this.reader.notUnderstood(question.subject, unused, name);
    if (question?.pick === 'average') return this.reader.notUnderstood(`average ${name}`, ['average'], name);
    switch (kind) {
      case 'objective':
        return yield* this.objectives.value(name);
      case 'kpi':
        return this.kpi(name);
      case 'constraint':
        return yield* this.reader.constraint(name);
      case 'value':
        return yield* this.withLimit(
          `${quote(name, 60)} is ${figure(this.reader.sketch.values.get(name))}, a value on the canvas.`,
          thing,
        );
      case 'computed':
        return yield* this.withLimit(describeComputed(name, this.reader.sketch), thing);
      case 'column':
        return yield* this.withLimit(
          `${quote(name, 60)} is a column of the data, not a result. The plan does not decide it.`,
          thing,
        );
      case 'set':
        return `${quote(name, 60)} is a set, not a result. Ask for a variable that is indexed by it.`;
      default:
        return yield* this.variable(name, card?.label ?? name);
    }
  }

  private async *variable(name: string, label: string): Answer {
    const reply = yield* this.reader.values(name);
    if (typeof reply === 'string') return reply;
    const unit = this.reader.sketch.variable(name)?.data['unit'];
    const called = label === name ? quote(name, 60) : `${quote(label, 60)} (${quote(name, 60)})`;
    return `${called} is ${figure(reply.values[0]?.value)}${typeof unit === 'string' ? ` ${quote(unit)}` : ''}.`;
  }

  private async *family(thing: Thing, subject: string, pick?: Aggregate): Answer {
    const { name } = thing;
    const set = BY.exec(subject)?.groups?.['set'];
    const part = set === undefined ? -1 : this.partCalled(thing, set);
    if (part >= 0) return yield* this.familyBy(name, part, set ?? '');
    const unused = unusedIn(subject, namesOf(thing), ['and', 'or', 'in', 'at', 'on', 'by', 'per', 'each', 'every']);
    if (unused.length > 0) {
      const members = yield* this.reader.values(name, { mentioned_in: withoutName(subject, name) });
      if (typeof members === 'string') return members;
      const rest = this.reader.unnamedIn(subject, [members], namesOf(thing));
      const isOfMembers = members.count > 0 && pick !== undefined && pick !== 'total';
      if (rest.length > 0 || isOfMembers)
        return this.reader.notUnderstood(subject, rest.length > 0 ? rest : unused, name);
      if (members.count > 0) return describeMembers(members);
    }
    const order = pick === 'smallest' ? 'smallest' : 'largest';
    const limit = pick === undefined || pick === 'total' || pick === 'average' ? MAX_SHOWN : 1;
    const all = yield* this.reader.values(name, { order, limit });
    if (typeof all === 'string') return all;
    const total = `The total of ${quote(name, 60)} is ${figure(all.sum)} over ${counted(all.size, 'member')}.`;
    if (pick === 'average' && all.size > 0)
      return `The average of ${quote(name, 60)} is ${figure(all.sum / all.size)} over ${counted(all.size, 'member')}.`;
    if (pick === 'total' || all.values.length === 0) return total;
    const shown = all.values.map(({ keys, value }) => `${quote(memberOf(name, keys))}: ${figure(value)}`);
    if (pick !== undefined) return `The ${pick} is ${shown[0]}.`;
    return `${total}\n${bullets(shown)}${all.size > shown.length ? `\n\nThese are the largest ${shown.length}. Name a member to see its value.` : ''}`;
  }
}

/** Formats a column or variable with its index names, such as `price[k1]`. */
const memberNamesOf = ({ thing, names }: NamedMembers): string => `${thing.name}[${names.join(', ')}]`;

const namesOf = ({ name, card }: Thing): string[] => (card === undefined ? [name] : [name, card.label]);

function describeMembers(members: ValuesPage): string {
  const [only, ...others] = members.values;
  if (only !== undefined && others.length === 0)
    return `${quote(memberOf(members.variable, only.keys))} is ${figure(only.value)}.`;
  return `${listMembers(members)}\n\nTheir sum is ${figure(members.sum)}.`;
}

function listMembers({ variable, values, count }: ValuesPage): string {
  const shown = values.map(({ keys, value }) => `${quote(memberOf(variable, keys))} is ${figure(value)}`);
  return `${bullets(shown)}${count > shown.length ? `\n- and ${count - shown.length} more` : ''}`;
}
