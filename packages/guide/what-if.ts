import { listFirst } from '../modelling/index.js';
import { type Change, MAX_SCENARIO_NAME_LENGTH } from '../canvas/index.js';
import type { Question } from '../conversation/index.js';
import { call, type Steps } from './steps.js';
import type { ScenarioRun, ComparisonResult } from './tool-results.js';
import { thingsOn } from './named-things.js';
import type { Choice } from './column-choices.js';
import { ask, LATER } from './question-parts.js';
import { bullets, figure, quote } from './quote.js';
import { readNewest } from './run-reader.js';
import { describeDifference, sayChange, toChange } from './scenarios.js';
import type { Sketch } from './sketch.js';
import type { Feasibility } from './solving.js';
import { type LimitedUse, limitsOnUse, withoutUnit } from './resource-amounts.js';
import type { StatementOf, WantedChange } from './statement.js';
import { limitOfNone, noteOnBound, toChanges } from './what-if-changes.js';

/* Answers what-if questions. Each question is solved as a scenario, which leaves the canvas unchanged. */

const MAX_SHOWN = 10;
/** Maximum number of limits that are offered as options. */
const MAX_LIMITS = 3;

/**
 * Answer to a what-if question. Contains a follow-up question if the user must decide something, and the feasibility of the
 * canvas if the canvas was also solved.
 */
export interface WhatIfAnswer {
  text: string;
  question?: Question;
  feasibility?: Feasibility;
}

/** Solves a what-if question as a scenario named after the question, and compares the result with the plan of the canvas. */
export async function* answerWhatIf(
  { changes: wanted }: StatementOf<'what_if'>,
  sketch: Sketch,
  files: readonly string[],
): Steps<WhatIfAnswer> {
  const things = thingsOn(sketch);
  const changes: Change[] = [];
  const notes: string[] = [];
  const absent: string[] = [];
  for (const said of wanted) {
    const one = said.form === 'wanted' ? withoutUnit(said, things) : said;
    if (one.form === 'wanted') {
      const use = limitsOnUse(one, things, sketch);
      if (use !== undefined) return { text: '', question: askWhatIsLimited(use, one) };
      const limit = limitOfNone(one, things, sketch);
      if (limit !== undefined) {
        absent.push(limit);
        continue;
      }
    }
    const meant = one.form === 'wanted' ? toChanges(one, things, sketch) : [toChange(one, sketch, files)];
    const problem = typeof meant === 'string' ? meant : meant.find((change) => typeof change === 'string');
    if (typeof problem === 'string') return { text: `I cannot try that: ${problem}` };
    const made = typeof meant === 'string' ? [] : meant.filter((change) => typeof change !== 'string');
    changes.push(...made);
    const note = one.form === 'wanted' ? noteOnBound(one, made, things) : undefined;
    if (note !== undefined) notes.push(note);
  }
  if (absent.length > 0) return { text: '', question: askWhatIsAbsent(absent, changes) };
  const name = nameOf(changes);
  const put = yield* call('upsert_scenario', { name, changes, append: false });
  if (!put.ok) return { text: `I cannot try ${quote(name)}: ${put.error}.` };
  const newest = yield* readNewest();
  const isFresh = typeof newest === 'object' && newest.objective_value != null && newest.changed_since.length === 0;
  const solved = yield* call('solve_scenarios', { names: [name], include_base: !isFresh });
  if (!solved.ok) return { text: `${quote(name)} was not solved: ${solved.error}.` };
  const { runs, feasibility_result: feasibility } = solved.result as {
    runs: ScenarioRun[];
    feasibility_result: Feasibility;
  };
  const run = runs.find(({ scenario }) => scenario !== null);
  const closing = [...notes, `The canvas is unchanged. The scenario is saved as ${quote(name)}.`].join(' ');
  if (run?.outcome === undefined || run.objective_value == null)
    return { text: `${quote(name)}: ${describeFailure(run)}. ${closing}`, feasibility };
  const compared = yield* call('compare_scenarios', { names: [name] });
  if (!compared.ok)
    return { text: `${quote(name)}: the objective is ${figure(run.objective_value)}. ${closing}`, feasibility };
  return { text: `${describeEffect(name, compared.result as ComparisonResult)}\n\n${closing}`, feasibility };
}

/** Asks whether `no ...` means that nothing is available or that the limit does not apply. */
function askWhatIsAbsent(limits: readonly string[], others: readonly Change[]): Question {
  const whatIf = (sayLimit: (limit: string) => string): string =>
    `what if ${[...others.map(sayChange), ...limits.map(sayLimit)].join(', ')}`;
  const names = limits.map((limit) => quote(limit, 60)).join(' and ');
  return ask(undefined, 'What if', `No ${names}: is nothing available, or should the limit be ignored?`, [
    ['Nothing is available: the limit is 0', whatIf((limit) => `${limit} = 0`)],
    ['Ignore the limit', whatIf((limit) => `without ${limit}`)],
    LATER,
  ]);
}

/** Asks whether an amount is the new limit on the use of a column, or the new value of each member. */
function askWhatIsLimited({ column, limits }: LimitedUse, { plus, to }: Pick<WantedChange, 'plus' | 'to'>): Question {
  const how = plus === undefined ? `is ${figure(to)}` : `${plus < 0 ? 'falls' : 'rises'} by ${figure(Math.abs(plus))}`;
  const choices = limits.map((limit): Choice => [`The limit ${limit} ${how}`, `what if ${limit} ${how}`]);
  return ask(
    undefined,
    'What if',
    `${quote(column, 60)} is a column with a value for each member. What do you want to change?`,
    [...choices.slice(0, MAX_LIMITS), [`Each value of ${column} ${how}`, `what if ${column} ${how}`], LATER],
  );
}

/** Returns a scenario name. The same changes always have the same name. */
const nameOf = (changes: readonly Change[]): string =>
  `What if ${changes.map(sayChange).join(', ')}`.slice(0, MAX_SCENARIO_NAME_LENGTH);

function describeFailure(run: ScenarioRun | undefined): string {
  if (run === undefined) return 'it was not solved';
  if (run.outcome === 'infeasible') {
    const names = (run.conflict ?? []).map((name) => quote(name, 60));
    return `it has no plan${names.length === 0 ? '' : `, because ${listFirst(names, MAX_SHOWN)} cannot hold together`}`;
  }
  return run.outcome === 'unbounded' ? 'it has no best plan' : `it was not solved, ${run.error ?? run.status}`;
}

/** Describes the objective before and after the change, the KPIs that differ, and the values that differ most. */
function describeEffect(name: string, { base, scenarios, differing }: ComparisonResult): string {
  const [scenario] = scenarios;
  const before = base?.objective_value;
  const after = `the objective is ${figure(scenario?.objective_value)}`;
  const change = scenario?.difference;
  const first =
    before == null || change == null
      ? `${quote(name)}: ${after}. The canvas itself has no plan.`
      : `${quote(name)}: ${after} instead of ${figure(before)}, ${describeDifference(change)}.`;
  const kpis = (scenario?.kpis ?? []).flatMap(({ label, value, difference }) =>
    difference === null || figure(difference) === '0'
      ? []
      : [`${quote(label, 60)}: ${figure(value)} instead of ${figure((value ?? 0) - difference)}`],
  );
  const values = differing.slice(0, MAX_SHOWN).map(({ variable, keys, values: found }) => {
    const of = (called: string | null): number => found.find((one) => one.scenario === called)?.value ?? 0;
    const member = keys.length === 0 ? variable : `${variable}[${keys.join(', ')}]`;
    return `${quote(member)}: ${figure(of(scenario?.name ?? null))} instead of ${figure(of(null))}`;
  });
  const shown = before == null ? [] : [...kpis, ...values];
  const more = differing.length > MAX_SHOWN ? `\n- and more` : '';
  const same = before == null || shown.length > 0 ? '' : ' The values are the same.';
  return `${first}${same}${shown.length === 0 ? '' : `\n\nThe differences:\n${bullets(shown)}${more}`}`;
}
