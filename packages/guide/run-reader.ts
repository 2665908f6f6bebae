import { listFirst, nearestNames, wordsOf } from '../modelling/index.js';
import { call, type Steps } from './steps.js';
import type { ConstraintsPage, ConstraintValue, RunResult, ValuesPage } from './tool-results.js';
import { membersOn, whyUnnamed } from './named-members.js';
import { namesOf, type Thing, thingNamed, thingsOn } from './named-things.js';
import { bullets, figure, quote } from './quote.js';
import type { Sketch } from './sketch.js';
import { unusedWords } from './word-coverage.js';

/** Maximum number of values, constraints or cards in an answer. */
export const MAX_SHOWN = 10;
/** Maximum number of variables in which members are searched. */
const MAX_FAMILIES = 5;
/** Maximum number of constraint rows in which the members of a question are searched. */
const MAX_SEARCHED = 100;
/** Tolerance within which slacks and prices count as 0. */
export const TIGHT = 1e-6;

export type Answer = Steps<string>;

/** Reads the newest run of the canvas. Returns undefined if there is no run yet, or an error message if reading fails. */
export async function* readNewest(): Steps<RunResult | string | undefined> {
  const reply = yield* call('read_result');
  return reply.ok ? ((reply.result as { run: RunResult | null }).run ?? undefined) : reply.error;
}

/** Explains that the model has changed since the solve. Returns undefined if it has not. */
export const describeStale = ({ changed_since }: RunResult): string | undefined =>
  changed_since.length === 0
    ? undefined
    : `The model has changed since this run (${listFirst(
        changed_since.map((label) => quote(label, 60)),
        MAX_SHOWN,
      )}). Write \`solve\` to update the values.`;

/** Verb phrases such as `do we sell` or `are needed`. The verb does not matter, because the plan only contains amounts. */
const ACTION =
  / (?:do|does|did|should|must|can|will|would|shall) (?:we|i|you|they) \p{L}+| (?:are|is|were|was|get|gets|to|to be|will be) (?:being )?\p{L}+(?:ed|en|t|de|ld)(?= |$)/giu;
const OF_PLAN = ['plan', 'solution', 'value', 'result', 'model', 'optimal', 'best', 'need', 'in'];

/** Returns the words in a question that carry meaning and do not occur in the names. */
export const unusedIn = (subject: string, names: readonly string[], others: readonly string[] = []): string[] =>
  unusedWords(subject.replace(ACTION, ''), names, [...OF_PLAN, ...others]);

/** Named part of the model, or members of variables, that the text mentions. Empty if it mentions neither. */
export interface Resolved {
  thing?: Thing;
  members: ValuesPage[];
}

/** Reads the newest run of the canvas. Reads more of its values on demand. */
export class RunReader {
  readonly things: readonly Thing[];

  constructor(
    readonly run: RunResult,
    readonly sketch: Sketch,
  ) {
    this.things = thingsOn(sketch);
  }

  async *values(
    variable: string,
    options: { mentioned_in?: string; order?: string; limit?: number } = {},
  ): Steps<ValuesPage | string> {
    const reply = yield* call('read_values', { variable, limit: MAX_SHOWN, ...options });
    return reply.ok
      ? (reply.result as ValuesPage)
      : `The newest run has no values of ${quote(variable, 60)}: ${reply.error}.`;
  }

  /** Reads the members that the text mentions, for all variables that have such members. */
  async *membersNamed(text: string): Steps<ValuesPage[]> {
    const families = this.things.filter(({ kind }) => kind === 'family').slice(0, MAX_FAMILIES);
    const found: ValuesPage[] = [];
    for (const { name } of families) {
      const members = yield* this.values(name, { mentioned_in: text });
      if (typeof members !== 'string' && members.count > 0) found.push(members);
    }
    return found;
  }

  /**
   * Finds what a question refers to. A name that matches the whole text takes precedence, followed by other names, members and
   * similar names. The name of a set only qualifies other names.
   */
  async *resolve(text: string, things = this.things): Steps<Resolved> {
    const results = things.filter(({ kind }) => kind !== 'set');
    const thing = thingNamed(text, results);
    const isWhole = thing !== undefined && unusedIn(text, namesOf([thing])).length === 0;
    const members = isWhole ? [] : yield* this.membersNamed(text);
    // In `oak chair`, the member takes precedence over a constraint named `chairs`.
    const areNamed = members.length > 0 && (thing === undefined || this.unnamedIn(text, members).length === 0);
    if (areNamed) return { members };
    if (thing !== undefined) return { thing, members: [] };
    const chosen = results.filter(({ kind }) => kind !== 'column');
    const [near, other] = nearestNames(text, [...namesOf(chosen), ...membersOn(things, this.sketch)], 2);
    if (near === undefined || other !== undefined) return { members: [] };
    const similar = thingNamed(near, chosen, true);
    return similar === undefined ? { members: yield* this.membersNamed(near) } : { thing: similar, members: [] };
  }

  /** Returns the words in the text that match neither members nor their sets. */
  unnamedIn(text: string, found: readonly ValuesPage[], names: readonly string[] = []): string[] {
    const keys = found.flatMap(({ values }) => values.flatMap((value) => value.keys));
    const sets = this.things.flatMap(({ kind, name }) => (kind === 'set' ? [name] : []));
    return unusedIn(
      text,
      [...names, ...keys, ...sets],
      ['and', 'or', 'in', 'at', 'on', 'of', 'for', 'by', 'per', 'each', 'every'],
    );
  }

  /**
   * Describes a constraint. For a family, describes the members with the least slack.
   *
   * @param text text that mentions the members of the family to describe
   */
  async *constraint(name: string, text?: string): Answer {
    const found = yield* this.constraints({ name, ...(text !== undefined && { limit: MAX_SEARCHED }) });
    if (typeof found === 'string') return found;
    const rows = text === undefined ? found.constraints : mentionedIn(withoutName(text, name), found.constraints);
    const keys = rows.flatMap((row) => row.keys);
    const unused = text === undefined ? [] : this.unnamedIn(text, [], [name, ...keys]);
    if (text !== undefined && unused.length > 0) return this.notUnderstood(text, unused, name);
    const shown = rows.slice(0, MAX_SHOWN).map((one) => this.describeConstraint(one));
    if (shown.length === 0) return `The newest run has no constraint ${quote(name, 60)}.`;
    return shown.length === 1 ? `${shown[0]}.` : `The members with the least room:\n${bullets(shown)}`;
  }

  async *constraints(input: { name?: string; tight?: boolean; limit?: number } = {}): Steps<ConstraintsPage | string> {
    const reply = yield* call('read_constraints', { limit: MAX_SHOWN, ...input });
    return reply.ok
      ? (reply.result as ConstraintsPage)
      : `The constraints of the newest run cannot be read: ${reply.error}.`;
  }

  describeConstraint({ name, keys, activity, slack, dual }: ConstraintValue): string {
    const room =
      slack < -TIGHT ? `broken by ${figure(-slack)}` : slack <= TIGHT ? 'no room left' : `${figure(slack)} left`;
    const price = dual === null || this.run.is_integer ? '' : `, ${describePrice(dual)}`;
    return `${quote(memberOf(name, keys === '' ? [] : [keys]), 60)} is at ${figure(activity)}: ${room}${price}`;
  }

  /** Explains which words of a question were not understood, and suggests another question. */
  notUnderstood(subject: string, words: readonly string[], name: string): string {
    return `I cannot answer that: I do not understand ${quote(words.join(' '), 60)} in ${quote(subject, 60)}. Ask ${quote(`show ${name}`, 80)} to see all of ${quote(name, 60)}.`;
  }

  /** Explains that a question does not refer to anything on the canvas. */
  unnamed(subject: string): string {
    return `I cannot answer that: ${whyUnnamed(subject, this.things, this.sketch)}`;
  }
}

export const memberOf = (name: string, keys: readonly string[]): string =>
  keys.length === 0 ? name : `${name}[${keys.join(', ')}]`;

/** Returns the rows for which the text mentions the most key parts. */
function mentionedIn(text: string, rows: readonly ConstraintValue[]): ConstraintValue[] {
  const words = ` ${wordsOf(text).join(' ')} `;
  const counts = rows.map(
    ({ keys }) => keys.split(', ').filter((key) => words.includes(` ${wordsOf(key).join(' ')} `)).length,
  );
  const most = Math.max(1, ...counts);
  return rows.filter((_, at) => counts[at] === most);
}

/** Removes a variable's name from text, because a member name may contain the same word. */
export const withoutName = (text: string, name: string): string => text.replace(name, ' ');

const describePrice = (dual: number): string =>
  Math.abs(dual) <= TIGHT
    ? 'and more room would not improve the objective'
    : `each additional unit changes the objective by ${figure(dual)}`;
