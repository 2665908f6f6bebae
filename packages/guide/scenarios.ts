import { type Change, MAX_SCENARIO_NAME_LENGTH } from '../canvas/index.js';
import { isProblem, listFirst, parseFormula } from '../modelling/index.js';
import { call, type Steps } from './steps.js';
import type { ComparedPlan, ScenarioRun, ComparisonResult, KpiValue } from './tool-results.js';
import { whyNoChange } from './computed-answers.js';
import { allMembers } from './limits.js';
import { bullets, figure, quote } from './quote.js';
import { boundsIn } from './relation-grammar.js';
import type { Sketch } from './sketch.js';
import type { SaidChange, Statement, StatementOf } from './statement.js';
import { findFile } from './workspace-file.js';

/* Executes statements about scenarios and describes the results. */

/** Statements about scenarios, except for statements that solve them. */
export type ScenarioStatement = StatementOf<'scenario' | 'remove_scenario' | 'show_scenarios'>;

export const changesScenarios = (statement: Statement): statement is ScenarioStatement =>
  statement.kind === 'scenario' || statement.kind === 'remove_scenario' || statement.kind === 'show_scenarios';

/** Scenario statement with the user's original text. */
export interface SaidScenario {
  source: string;
  statement: ScenarioStatement;
}

/** Scenario as the tools return it. */
interface Told {
  name: string;
  changes: Change[];
}

/** Maximum number of changes and KPIs shown per scenario. */
const MAX_SHOWN = 12;

/**
 * Creates, changes, removes and lists scenarios. Returns paragraphs that describe the results. Statements about the same
 * scenario are combined into a single call.
 */
export async function* performScenarios(
  said: readonly SaidScenario[],
  sketch: Sketch,
  files: readonly string[],
): Steps<string[]> {
  const done: string[] = [];
  const failed: string[] = [];
  const lists: string[] = [];
  for (const statement of joined(said)) {
    if (statement.kind === 'show_scenarios') {
      const reply = yield* call('list_scenarios');
      if (reply.ok) lists.push(describeList((reply.result as { scenarios: Told[] }).scenarios));
      continue;
    }
    const { name } = statement;
    const action = statement.kind === 'scenario' ? putting(statement, sketch, files) : removing(name);
    if (typeof action === 'string') {
      failed.push(`Scenario ${quote(name)}: ${action}`);
      continue;
    }
    const reply = yield* call(action.tool, action.input);
    if (!reply.ok) failed.push(`Scenario ${quote(name)}: ${reply.error}`);
    else if (statement.kind === 'scenario') done.push(describeScenario(reply.result as Told));
    else done.push(`Removed: scenario ${quote((reply.result as Told).name)}`);
  }
  return [
    ...(done.length === 0 ? [] : [`Scenarios now:\n${bullets(done)}`]),
    ...(failed.length === 0 ? [] : [`Not done:\n${bullets(failed)}`]),
    ...lists,
  ];
}

/** Combines the changes to each scenario, unless the scenario is removed between them. */
function joined(said: readonly SaidScenario[]): ScenarioStatement[] {
  const statements: ScenarioStatement[] = [];
  for (const { statement } of said) {
    const last = statements.findLast((one) => isOfSame(one, statement));
    if (statement.kind === 'scenario' && last?.kind === 'scenario') last.changes.push(...statement.changes);
    else statements.push(statement.kind === 'scenario' ? { ...statement, changes: [...statement.changes] } : statement);
  }
  return statements;
}

const isOfSame = (one: ScenarioStatement, other: ScenarioStatement): boolean =>
  'name' in one && 'name' in other && one.name.toLowerCase() === other.name.toLowerCase();

const removing = (name: string) => ({ tool: 'remove_scenario', input: { name } });

/** Returns the call that adds changes to a scenario, or the reason why the changes are not possible. */
function putting({ name, changes }: StatementOf<'scenario'>, sketch: Sketch, files: readonly string[]) {
  if (name.length > MAX_SCENARIO_NAME_LENGTH) return `a name can have at most ${MAX_SCENARIO_NAME_LENGTH} characters`;
  const meant: Change[] = [];
  for (const change of changes) {
    const one = toChange(change, sketch, files);
    if (typeof one === 'string') return one;
    meant.push(one);
  }
  return { tool: 'upsert_scenario', input: { name, changes: meant, append: true } };
}

/** Resolves a change against the canvas. Returns an explanation if the change is ambiguous. */
export function toChange(said: SaidChange, sketch: Sketch, files: readonly string[]): Change | string {
  if (said.form === 'off') return { kind: 'off', target: said.target };
  if (said.form === 'relation') return addedLimit(said.text, sketch);
  if (said.form === 'file') {
    const found = findFile(said.path, files);
    return 'problem' in found ? found.problem : { kind: 'file', target: said.target, to: found.path };
  }
  const { target, key, where, times, plus, to } = said;
  if (sketch.computing(target) !== undefined) return whyNoChange(target, sketch);
  const change = {
    target,
    ...(key !== undefined && { key }),
    ...(where !== undefined && { where }),
    ...(times !== undefined && { times }),
    ...(plus !== undefined && { plus }),
    ...(to !== undefined && { to }),
  };
  if (target.includes('.')) return { kind: 'bound', ...change };
  const { columns, values, variables, families, sets } = sketch.vocabulary;
  if (key !== undefined && families.has(target) && to !== undefined)
    return { kind: 'add', target: `${target}[${key.map((part) => `"${part}"`).join(', ')}] = ${to}` };
  if (key !== undefined) return { kind: 'cell', ...change };
  if (where !== undefined && values.has(target))
    return `${quote(target)} is a single number, so \`where\` cannot select members`;
  if (where !== undefined || columns.has(target)) return { kind: 'column', ...change };
  const isKnown = [values, variables, families, sets].some((names) => names.has(target));
  if (isKnown) return { kind: 'value', ...change };
  const limit = sketch.resolve(target, ['constraint']);
  if (limit !== undefined) return { kind: 'limit', ...change, target: limit.label };
  const ofNumbers = [...columns].flatMap(([name, shapes]) =>
    shapes.some(({ type }) => type === 'number') ? name : [],
  );
  return whyUnknown(target, [...values.keys(), ...ofNumbers]);
}

/** Returns a change that adds a limit to the limits on the canvas. `make <= 40` applies to all members. */
function addedLimit(text: string, sketch: Sketch): Change | string {
  const formula = parseFormula(text);
  const bounded = isProblem(formula) ? undefined : boundsIn(formula);
  const card = bounded && sketch.variable(bounded.name);
  if (card !== undefined) return { kind: 'add', target: allMembers(text, bounded?.name ?? '', card) };
  const limit = bounded && !sketch.values.has(bounded.name) && sketch.resolve(bounded.name, ['constraint']);
  return limit
    ? `${quote(limit.label, 60)} is a constraint: write its new limit, as in ${quote(`${limit.label} = 40`)}`
    : { kind: 'add', target: text };
}

/** Explains that a name is unknown. Suggests the same name in a different case. Without such a name, lists all names. */
function whyUnknown(target: string, names: readonly string[]): string {
  const same = names.filter((name) => name.toLowerCase() === target.toLowerCase());
  const known = (same.length > 0 ? same : names).map((name) => quote(name));
  const others = known.length === 0 ? '' : `; the canvas has ${listFirst(known, MAX_SHOWN)}`;
  return `no value or column is called ${quote(target)}${others}`;
}

const describeList = (scenarios: readonly Told[]): string =>
  scenarios.length === 0
    ? 'There are no scenarios yet. To create one, write for example `scenario "two shifts": hours x 1.5`.'
    : `Scenarios:\n${bullets(scenarios.map(describeScenario))}`;

/** Formats a scenario on a single line. */
export const describeScenario = ({ name, changes }: Told): string =>
  changes.length === 0
    ? `Scenario ${quote(name)}: no changes`
    : `Scenario ${quote(name)}: ${listFirst(
        changes.map((change) => quote(sayChange(change))),
        MAX_SHOWN,
      )}`;

/** Formats a change as a statement. */
export function sayChange(change: Change): string {
  const { kind, target, where, key, times, plus, to } = change;
  if (kind === 'add') return target;
  if (kind === 'off') return `without ${target}`;
  if (kind === 'file') return `${target} from ${to}`;
  const member = key === undefined ? '' : `[${key.map((part) => `"${part}"`).join(', ')}]`;
  const how =
    times !== undefined ? `x ${times}` : plus === undefined ? `= ${to}` : plus < 0 ? `- ${-plus}` : `+ ${plus}`;
  return `${target}${member} ${how}${where === undefined ? '' : ` where ${where}`}`;
}

/** Lists the results of scenario solves, with a line per run. */
export const describeRuns = (runs: readonly ScenarioRun[]): string =>
  `Solved with the same state of the canvas:\n${bullets(runs.map(describeRun))}`;

function describeRun({
  scenario,
  outcome,
  objective_value,
  difference,
  kpis = [],
  conflict = [],
  error,
  status,
}: ScenarioRun): string {
  const who = scenario === null ? 'The canvas' : quote(scenario);
  if (outcome === undefined)
    return `${who}: not solved${error === undefined ? `, ${status}` : `: ${error.replace(/\.$/, '')}`}`;
  if (outcome === 'unbounded') return `${who}: there is no best plan`;
  if (outcome === 'infeasible') {
    const names = conflict.map((name) => quote(name));
    return `${who}: no solution${names.length === 0 ? '' : `, ${listFirst(names, MAX_SHOWN)} cannot hold together`}`;
  }
  return describePlan(who, { status: outcome, objective_value: objective_value ?? null, kpis }, difference ?? null);
}

/** Maximum number of differing variables shown. */
const MAX_DIFFERING = 10;

/** Lists the newest plans, with a line per plan, and the differences between them. */
export function describeComparison({ base, scenarios, differing }: ComparisonResult): string {
  const lines = [
    ...(base === null ? ['The canvas: not solved yet'] : [describePlan('The canvas', base, null)]),
    ...scenarios.map((scenario) => describePlan(quote(scenario.name), scenario, scenario.difference)),
  ];
  const values = differing.slice(0, MAX_DIFFERING).map(({ variable, keys, values: found }) => {
    const member = keys.length === 0 ? variable : `${variable}[${keys.join(', ')}]`;
    const figures = found.map(({ scenario, value }) => `${scenario ?? 'the canvas'} ${figure(value)}`);
    return `${quote(member)}: ${listFirst(
      figures.map((text) => quote(text)),
      MAX_SHOWN,
    )}`;
  });
  const most = differing.length > values.length ? 'The largest differences' : 'The differences';
  return [
    `The newest plans:\n${bullets(lines)}`,
    ...(values.length === 0 ? [] : [`${most}:\n${bullets(values)}`]),
  ].join('\n\n');
}

function describePlan(
  who: string,
  { status, objective_value, kpis }: ComparedPlan<KpiValue>,
  difference: number | null,
): string {
  if (objective_value === null) return `${who}: ${status === null ? 'not solved yet' : `no plan, ${status}`}`;
  const beside = difference === null ? '' : `, ${describeDifference(difference)}`;
  const late = status === 'time_limit' ? ', the best found in time' : '';
  const told = kpis.map(({ label, value }) => quote(`${label} = ${figure(value)}`));
  return `${who}: the objective is ${figure(objective_value)}${late}${beside}${told.length === 0 ? '' : `; ${listFirst(told, MAX_SHOWN)}`}`;
}

export function describeDifference(difference: number): string {
  const shown = figure(Math.abs(difference));
  return shown === '0'
    ? 'the same as for the canvas'
    : `${shown} ${difference > 0 ? 'more' : 'less'} than for the canvas`;
}
