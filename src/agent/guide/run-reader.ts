import { someOf } from '../../../packages/modelling/index.js';
import type { AgentOutput } from '../agent.js';
import type { ToldConstraint, ToldResult, ToldValues } from '../tools/result-tools.service.js';
import type { Toolbox } from '../tools/toolbox.service.js';
import { whyUnnamed } from './named-members.js';
import { type Thing, thingsOn } from './named-things.js';
import { bullets, figure, quote } from './quote.js';
import type { Sketch } from './sketch.js';

/** Maximum number of values, constraints or cards in an answer. */
export const MAX_SHOWN = 10;
/** Slacks and prices that are nearer to 0 count as 0. */
export const TIGHT = 1e-6;

export type Answer = AsyncGenerator<AgentOutput, string>;

/** Reads the newest run of the canvas. Returns undefined before the first run, and the error if a read fails. */
export async function* readNewest(toolbox: Toolbox): AsyncGenerator<AgentOutput, ToldResult | string | undefined> {
  const reply = yield* toolbox.call({ tool: 'read_result', input: {} });
  return reply.ok ? ((reply.result as { run: ToldResult | null }).run ?? undefined) : reply.error;
}

/** Says that the model is not as it was solved; undefined if it is. */
export const describeStale = ({ changed_since }: ToldResult): string | undefined =>
  changed_since.length === 0
    ? undefined
    : `The model has changed since this run (${someOf(
        changed_since.map((label) => quote(label, 60)),
        MAX_SHOWN,
      )}). Write \`solve\` for new values.`;

/** The newest run of the canvas, and the tools that read more of it. */
export class RunReader {
  readonly things: readonly Thing[];

  constructor(
    readonly run: ToldResult,
    readonly sketch: Sketch,
    private readonly toolbox: Toolbox,
  ) {
    this.things = thingsOn(sketch);
  }

  async *values(
    variable: string,
    options: { mentioned_in?: string; order?: string; limit?: number } = {},
  ): AsyncGenerator<AgentOutput, ToldValues | string> {
    const reply = yield* this.toolbox.call({ tool: 'read_values', input: { variable, limit: MAX_SHOWN, ...options } });
    return reply.ok
      ? (reply.result as ToldValues)
      : `The newest run has no value of ${quote(variable, 60)}: ${reply.error}.`;
  }

  /** Describes a constraint, of a family the members with the least room. */
  async *constraint(name: string): Answer {
    const found = yield* this.constraints({ name });
    if (typeof found === 'string') return found;
    const shown = found.constraints.map((one) => this.describeConstraint(one));
    if (shown.length === 0) return `The newest run has no constraint ${quote(name, 60)}.`;
    return shown.length === 1 ? `${shown[0]}.` : `The members with the least room:\n${bullets(shown)}`;
  }

  async *constraints(
    input: { name?: string; tight?: boolean; limit?: number } = {},
  ): AsyncGenerator<AgentOutput, { constraints: ToldConstraint[]; total: number } | string> {
    const reply = yield* this.toolbox.call({ tool: 'read_constraints', input: { limit: MAX_SHOWN, ...input } });
    return reply.ok
      ? (reply.result as { constraints: ToldConstraint[]; total: number })
      : `The constraints of the newest run cannot be read: ${reply.error}.`;
  }

  describeConstraint({ name, keys, activity, slack, dual }: ToldConstraint): string {
    const room =
      slack < -TIGHT ? `broken by ${figure(-slack)}` : slack <= TIGHT ? 'no room left' : `${figure(slack)} left`;
    const price = dual === null || this.run.is_integer ? '' : `, ${describePrice(dual)}`;
    return `${quote(memberOf(name, keys === '' ? [] : [keys]), 60)} is at ${figure(activity)}: ${room}${price}`;
  }

  /** Says which words of a question are not understood, and what can be asked. */
  notUnderstood(subject: string, words: readonly string[], name: string): string {
    return `I cannot answer that: ${quote(words.join(' '), 60)} in ${quote(subject, 60)} is not understood. Ask ${quote(`show ${name}`, 80)} for ${quote(name, 60)} as a whole.`;
  }

  /** Says that a question is about nothing on the canvas. */
  unnamed(subject: string): string {
    return `I cannot answer that: ${whyUnnamed(subject, this.things, this.sketch)}`;
  }
}

export const memberOf = (name: string, keys: readonly string[]): string =>
  keys.length === 0 ? name : `${name}[${keys.join(', ')}]`;

/** A text without the name of a variable, which a member may be called as well. */
export const withoutName = (text: string, name: string): string => text.replace(name, ' ');

const describePrice = (dual: number): string =>
  Math.abs(dual) <= TIGHT
    ? 'and more room would not improve the objective'
    : `each unit more changes the objective by ${figure(dual)}`;
