import { isProblem, linearize, parseFormula } from '../modelling/index.js';
import { fieldOf } from '../canvas/index.js';
import type { Steps } from './steps.js';
import { figure, quote } from './quote.js';
import { type Answer, type RunReader, TIGHT } from './run-reader.js';
import type { SketchCard } from './sketch.js';

/** Maximum number of constraint rows that are searched for violations. */
const MAX_ROWS = 100;

/** Penalties for violated soft constraints, by label. */
type Costs = ReadonlyMap<string, number>;

/**
 * Answers questions about the value of an objective. The value does not include penalties for violated constraints, or other
 * objectives.
 */
export class ObjectiveAnswers {
  constructor(private readonly reader: RunReader) {}

  /** @param name name of an objective, or undefined for all objectives */
  async *value(name?: string): Answer {
    const { run, sketch } = this.reader;
    const objectives = sketch.of('objective');
    const [first] = objectives;
    const total = `${figure(run.objective_value)}${run.outcome === 'time_limit' ? ', the best found in time' : ''}`;
    const costs = yield* this.costsOfBroken();
    const paid = costs === undefined ? undefined : Array.from(costs.values()).reduce((sum, cost) => sum + cost, 0);
    const isLeast = (run.objectives?.[0]?.sense ?? first?.data['sense']) === 'minimize';
    const prices = describeCosts(costs, isLeast);
    if (run.objectives !== undefined) {
      const asked = name === undefined ? run.objectives : run.objectives.filter(({ label }) => label === name);
      if (asked.length === 0)
        return `The newest run has no objective ${quote(name ?? '', 60)}. Write ${quote('solve')} to compute it.`;
      const values = asked.map(
        ({ label, value, priority }) => `${quote(label, 60)} is ${figure(value)} (priority ${priority}).`,
      );
      return `${values.join(' ')} The objective of the run is ${total}, the value of the first priority${prices}.`;
    }
    if (objectives.length > 1) {
      const asked = name === undefined ? objectives : objectives.filter(({ label }) => label === name);
      const values = asked.map((card) => this.describeOne(card));
      return `${values.join(' ')} The objectives together are ${total}, the weighted sum${prices}.`;
    }
    const called = quote(name ?? first?.label ?? 'objective', 60);
    const best = `${total}, the ${isLeast ? 'least' : 'most'} that the constraints allow`;
    if (paid === 0) return `The objective ${called} is ${best}.`;
    if (paid === undefined) return `The objective ${called}${prices}, is ${best}.`;
    const own = (run.objective_value ?? 0) + (isLeast ? -paid : paid);
    return `The objective ${called} is ${figure(own)}${prices}. In total it is ${best}.`;
  }

  /** Describes one of several objectives, if the plan contains all values that the objective's formula needs. */
  private describeOne({ label, data }: SketchCard): string {
    const { run, sketch } = this.reader;
    const text = String(data['expression']);
    const formula = parseFormula(text);
    const linear = isProblem(formula) ? formula : linearize(formula.sides[0], sketch.values);
    const terms = isProblem(linear) ? [] : Array.from(linear.terms, ([name, times]) => times * valueIn(run, name));
    const value = isProblem(linear) ? NaN : terms.reduce((sum, term) => sum + term, linear.constant);
    return Number.isNaN(value) || run.changed_since.length > 0
      ? `To see ${quote(label, 60)} alone, write ${quote(`kpi ${label} alone: ${text}`, 200)} and ${quote('solve')}.`
      : `${quote(label, 60)} is ${figure(value)}.`;
  }

  /** Returns the penalty for each violated constraint. Returns undefined if the penalties are unknown. */
  private async *costsOfBroken(): Steps<Costs | undefined> {
    const { run, sketch } = this.reader;
    const soft = sketch.of('constraint').filter((card) => card.data['classification'] === 'soft');
    const costs = new Map<string, number>();
    if (soft.length === 0 && run.changed_since.length === 0) return costs;
    const found = yield* this.reader.constraints({ tight: true, limit: MAX_ROWS });
    if (typeof found === 'string') return undefined;
    const broken = found.constraints.filter(({ slack }) => slack < -TIGHT);
    if (broken.length > 0 && (run.changed_since.length > 0 || broken.length === MAX_ROWS)) return undefined;
    for (const { name, slack } of broken) {
      const [card] = soft
        .filter(({ label }) => name.startsWith(label) && /^(?:$|\[| \()/.test(name.slice(label.length)))
        .toSorted((one, other) => other.label.length - one.label.length);
      const penalty = card && fieldOf<number | string>(card, 'penalty');
      if (card === undefined || typeof penalty !== 'number') return undefined;
      costs.set(card.label, (costs.get(card.label) ?? 0) - slack * penalty);
    }
    return costs;
  }
}

const valueIn = ({ variables }: RunReader['run'], name: string): number => variables?.[name] ?? NaN;

function describeCosts(costs: Costs | undefined, isLeast: boolean): string {
  const [sign, side] = isLeast ? ['plus', 'with'] : ['minus', 'less'];
  if (costs === undefined) return `, ${side} the price of broken constraints`;
  const parts = Array.from(costs, ([label, cost]) => `${figure(cost)} for breaking ${quote(label, 60)}`);
  return parts.length === 0 ? '' : `, ${sign} ${parts.join(' and ')}`;
}
