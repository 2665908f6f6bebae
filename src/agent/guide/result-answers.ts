import type { AgentOutput } from '../agent.js';
import type { ToldValues } from '../tools/result-tools.service.js';
import { LimitAnswers } from './limit-answers.js';
import { type Thing, thingNamed, thingNear } from './named-things.js';
import { bullets, counted, figure, quote } from './quote.js';
import { type Answer, MAX_SHOWN, memberOf, type RunReader, withoutName } from './run-reader.js';
import { describeOutcome } from './solving.js';
import type { Aggregate, ResultQuestion } from './statement.js';
import { unusedWords } from './word-coverage.js';

type ValueQuestion = Extract<ResultQuestion, { ask: 'value' }>;

/** Maximum number of variables that are searched for a member. */
const MAX_FAMILIES = 5;

const OBJECTIVE =
  /^(?:objectives?|goals?|(?:objective|optimal) (?:function )?values?|value of the objective|optimum)$/i;

/** `do we sell`, `are needed`: the plan has amounts only, whatever they are used for. */
const ACTION =
  / (?:do|does|did|should|must|can|will|would|shall) (?:we|i|you|they) \p{L}+| (?:are|is|were|was|get|gets|to|to be|will be) (?:being )?\p{L}+(?:ed|en|t|de|ld)(?= |$)/giu;
const OF_PLAN = ['plan', 'solution', 'value', 'result', 'model', 'optimal', 'best', 'need', 'in'];

/** Answers questions about a run, a paragraph each. */
export class ResultAnswers {
  private readonly limits: LimitAnswers;

  constructor(private readonly reader: RunReader) {
    this.limits = new LimitAnswers(reader);
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
        return yield* this.limits.whyNot(question.subject, question.wants);
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
      ? 'The newest run has no KPIs with a formula. Write one such as `kpi hours: 2 chairs + 3 tables`, then `solve`.'
      : bullets(shown);
  }

  private kpi(label: string): string {
    const kpi = this.reader.run.kpis?.find((one) => one.label === label);
    if (kpi === undefined) return `The KPI ${quote(label, 60)} has no formula, so the run has no figure for it.`;
    const unit = kpi.unit === null ? '' : ` ${quote(kpi.unit)}`;
    const target = kpi.target === null ? '' : ` (target ${figure(kpi.target)})`;
    return kpi.value === null
      ? `${quote(label, 60)} cannot be computed for this plan.`
      : `${quote(label, 60)} is ${figure(kpi.value)}${unit}${target}.`;
  }

  private async *value(question: ValueQuestion): Answer {
    const { subject, pick } = question;
    // A KPI that only stands for the objective is called like its value.
    const hasFigure = this.reader.run.kpis?.some(({ label }) => label.toLowerCase() === subject.toLowerCase());
    if (OBJECTIVE.test(subject) && hasFigure !== true) return this.objectives();
    const parts = this.partsOf(subject);
    if (parts.length > 1) {
      const answers: string[] = [];
      for (const part of parts) answers.push(yield* this.value({ ...question, subject: part }));
      return answers.join(' ');
    }
    // The name of a KPI may begin like a question: `Total cost`.
    const whole = thingNamed(`${pick ?? ''} ${subject}`, this.reader.things, true);
    const named = whole ?? thingNamed(subject, this.things());
    if (named?.kind === 'family') return yield* this.family(named, subject, pick);
    if (named !== undefined) return yield* this.single(named, whole === undefined ? question : undefined);
    const members = yield* this.membersNamed(subject);
    if (members !== undefined) return members;
    const near = thingNear(subject, this.reader.things);
    if (near?.kind === 'family') return yield* this.family(near, subject, pick);
    if (near !== undefined) return yield* this.single(near, question);
    const set = thingNamed(subject, this.reader.things);
    return set === undefined ? this.reader.unnamed(subject) : yield* this.single(set, question);
  }

  /** The things that can have a value. A set beside other words only says where: `oak chair in week 2`. */
  private things(): readonly Thing[] {
    return this.reader.things.filter(({ kind }) => kind !== 'set');
  }

  /** The things that are asked for together, as in `chairs and tables`. Members of a family stay together. */
  private partsOf(subject: string): string[] {
    const { things } = this.reader;
    const parts = subject.split(/ and | or | & |, /i).slice(0, MAX_SHOWN);
    const named = parts.map((part) => thingNamed(part, things));
    const isList =
      named.every((thing) => thing !== undefined) || (named[0] !== undefined && named[0].kind !== 'family');
    return isList && thingNamed(subject, things, true) === undefined ? parts : [subject];
  }

  /** @param question the question, if the thing may be only a part of what it asks for */
  private async *single(thing: Thing, question?: ValueQuestion): Answer {
    const { kind, name, card } = thing;
    const unused = question === undefined ? [] : unusedIn(question.subject, namesOf(thing));
    if (question !== undefined && unused.length > 0) return this.reader.notUnderstood(question.subject, unused, name);
    if (question?.pick === 'average') return this.reader.notUnderstood(`average ${name}`, ['average'], name);
    switch (kind) {
      case 'objective':
        return this.objectives(name);
      case 'kpi':
        return this.kpi(name);
      case 'constraint':
        return yield* this.reader.constraint(name);
      case 'value':
        return `${quote(name, 60)} is ${figure(this.reader.sketch.values.get(name))}, a figure of the canvas.`;
      case 'column':
        return `${quote(name, 60)} is a column of figures, not a result. The plan does not choose it.`;
      case 'set':
        return `${quote(name, 60)} is a set, not a result. Ask for a variable over it.`;
      default:
        return yield* this.variable(name, card?.label ?? name);
    }
  }

  private objectives(name?: string): string {
    const objectives = this.reader.sketch.of('objective');
    const value = figure(this.reader.run.objective_value);
    const late = this.reader.run.outcome === 'time_limit' ? ', the best found in time' : '';
    if (objectives.length > 1) return `The objectives together are ${value}${late}, added up with their weights.`;
    const [{ label = 'objective', data = {} } = {}] = objectives;
    const sense = data['sense'] === 'minimize' ? 'least' : 'most';
    return `The objective ${quote(name ?? label, 60)} is ${value}${late}, the ${sense} that the constraints allow.`;
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
    const unused = unusedIn(subject, namesOf(thing), ['and', 'or', 'in', 'at', 'on', 'by', 'per', 'each', 'every']);
    if (unused.length > 0) {
      const members = yield* this.reader.values(name, { mentioned_in: withoutName(subject, name) });
      if (typeof members === 'string') return members;
      const rest = this.unnamedIn(subject, [members], namesOf(thing));
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
    return `${total}\n${bullets(shown)}${all.size > shown.length ? `\n\nThese are the largest ${shown.length}. Name a member for its value.` : ''}`;
  }

  /** Describes the members that a text names, of any variable. */
  private async *membersNamed(text: string): AsyncGenerator<AgentOutput, string | undefined> {
    const families = this.reader.things.filter(({ kind }) => kind === 'family').slice(0, MAX_FAMILIES);
    const found: ToldValues[] = [];
    for (const { name } of families) {
      const members = yield* this.reader.values(name, { mentioned_in: text });
      if (typeof members !== 'string' && members.count > 0) found.push(members);
    }
    const [first] = found;
    if (first === undefined) return undefined;
    const unused = this.unnamedIn(text, found, []);
    return unused.length > 0
      ? this.reader.notUnderstood(text, unused, first.variable)
      : found.map(describeMembers).join('\n');
  }

  /** The words of a text that name neither members nor their sets. */
  private unnamedIn(text: string, found: readonly ToldValues[], names: readonly string[]): string[] {
    const keys = found.flatMap(({ values }) => values.flatMap((value) => value.keys));
    const sets = this.reader.things.flatMap(({ kind, name }) => (kind === 'set' ? [name] : []));
    return unusedIn(text, [...names, ...keys, ...sets], ['and', 'or', 'in', 'at', 'on']);
  }
}

const unusedIn = (subject: string, names: readonly string[], others: readonly string[] = []): string[] =>
  unusedWords(subject.replace(ACTION, ''), names, [...OF_PLAN, ...others]);

const namesOf = ({ name, card }: Thing): string[] => (card === undefined ? [name] : [name, card.label]);

function describeMembers({ variable, values, count, sum }: ToldValues): string {
  const shown = values.map(({ keys, value }) => `${quote(memberOf(variable, keys))} is ${figure(value)}`);
  if (shown.length === 1) return `${shown[0]}.`;
  const more = count > shown.length ? `\n- and ${count - shown.length} more` : '';
  return `${bullets(shown)}${more}\n\nTogether they are ${figure(sum)}.`;
}
