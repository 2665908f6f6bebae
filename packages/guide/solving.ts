import { CARD_KINDS, type Checklist, type Gap, plainVariables, requirementOf } from '../canvas/index.js';
import { listFirst } from '../modelling/index.js';
import { isMeant } from './meaning-questions.js';
import { counted, figure, quote } from './quote.js';
import type { Sketch, SketchCard } from './sketch.js';
import { type OpenStatement, openStatements } from './open-statements.js';

export type Feasibility = Checklist['feasibility_result'];

const MAX_SHOWN = 30;
const FORMULAS = ['expression', 'lower', 'upper', 'zero_or_between', 'index', 'where'];

/** Outcome of a solve. */
export interface Outcome {
  text: string;
  /** Feasibility shown on the checklist after the solve. */
  feasibility: Feasibility;
  /** Conflicting constraints and bounds. */
  clash: string[];
}

/** Result of run_solve, with the fields used here. All of them may be missing. */
interface Solved {
  status?: unknown;
  result?: unknown;
  error?: unknown;
  feasibility_result?: unknown;
}

/** Returns the reasons why the model on the cards cannot be solved. */
export function obstaclesToSolving(sketch: Sketch): string[] {
  const none = (['objective', 'variable'] as const).filter((type) => sketch.of(type).length === 0);
  const lacking = gapsOfSolve(sketch, true);
  const cards = new Set(lacking.map(({ card }) => card));
  const open = openStatements(sketch).map(({ card, gap }): OpenStatement =>
    isMeant(card, sketch) ? { card, gap: { ...gap, message: 'Choose what it means' } } : { card, gap },
  );
  // If the text on a card is not meant as a formula, these reasons explain its problem better than the gap.
  const reasons = new Map(open.map(({ card, gap }) => [card, gap]));
  return [
    ...none.map((type) => `There is no ${type} yet`),
    ...lacking.map(({ card, gap }) => describeGap({ card, gap: reasons.get(card) ?? gap })),
    ...open.filter(({ card }) => !cards.has(card)).map(describeGap),
  ];
}

/** Returns warnings about content that a solve reads. Warnings do not prevent a solve. */
export const warningsOfSolve = (sketch: Sketch): string[] => gapsOfSolve(sketch, false).map(describeGap);

const describeGap = ({ card, gap }: OpenStatement): string => `${quote(card.label, 60)}: ${gap.message}`;

/** @param isKept whether to return the gaps that prevent a solve (one per card) instead of warnings */
function gapsOfSolve(sketch: Sketch, isKept: boolean): OpenStatement[] {
  const judgements = sketch.judge();
  const variables = plainVariables(sketch.cards);
  return sketch.cards.flatMap((card, at) => {
    const { gaps, unknown } = judgements[at]!;
    const isBlocking = (gap: Gap): boolean => gap.severity === 'blocking' || unknown.includes(gap);
    const found = gaps.filter((gap) => isBlocking(gap) === isKept && isOfSolve(gap, card, variables));
    // An invalid formula is a more important problem than a missing class.
    const first = found.find(({ field }) => FORMULAS.includes(field)) ?? found[0];
    return (isKept && first !== undefined ? [first] : found).map((gap) => ({ card, gap }));
  });
}

/** Whether a gap concerns content that a solve reads. */
function isOfSolve({ severity, field }: Gap, card: SketchCard, variables: ReadonlySet<string>): boolean {
  if (CARD_KINDS[card.card_type].role === 'rating' || severity === 'info') return false;
  if (card.card_type !== 'production_requirement') return severity === 'blocking' || FORMULAS.includes(field);
  const solved = requirementOf(card, variables)?.field;
  return field === (solved ?? 'expression') || (field === 'index' && solved === 'expression');
}

/** Describes the outcome of a solve. */
export function describeSolve(reply: unknown): Outcome {
  const { feasibility_result } = record(reply) as Solved;
  const feasibility = feasibility_result === 'pass' || feasibility_result === 'fail' ? feasibility_result : 'unchecked';
  const { text, clash, found } = describeOutcome(reply);
  const isOther = found !== undefined && found !== feasibility;
  return { text: isOther ? `${text} ${OTHER_MODEL}` : text, clash: isOther ? [] : clash, feasibility };
}

const OTHER_MODEL =
  'In run mode, the snapshot is solved instead of the current canvas, so the checklist does not change.';

/** Describes the outcome, and returns the feasibility of the solved model. */
export function describeOutcome(reply: unknown): Pick<Outcome, 'text' | 'clash'> & { found?: Feasibility } {
  const { status, result, error } = record(reply) as Solved;
  const solved = record(result);
  const outcome = solved['status'];
  if (outcome === 'infeasible' || outcome === 'unbounded') {
    const clash = texts(solved['conflict']);
    const names = clash.map((name) => quote(name));
    const reason = typeof solved['message'] === 'string' ? ` ${solved['message'].replace(/\.$/, '')}.` : '';
    const text =
      outcome === 'unbounded'
        ? `There is no best plan.${reason}`
        : names.length > 0
          ? `The model has no solution: ${listFirst(names, MAX_SHOWN)} cannot hold together.`
          : `The model has no solution.${reason}`;
    return { text, found: 'fail', clash };
  }
  if (outcome === 'optimal' || outcome === 'time_limit') {
    const values = Object.entries(record(solved['variables'])).map(([name, value]) =>
      quote(`${name} = ${figure(value)}`),
    );
    const binding = list(solved['constraints']).filter(
      ({ slack }) => typeof slack === 'number' && Math.abs(slack) < 1e-6,
    );
    const broken = list(solved['constraints']).filter(({ slack }) => typeof slack === 'number' && slack <= -1e-6);
    const paragraphs = [
      `Solved: the objective is ${figure(solved['objective_value'])}${outcome === 'time_limit' ? ', the best found in time' : ''}, with ${listFirst(values, MAX_SHOWN)}.`,
      ...describeObjectives(list(solved['objectives'])),
      ...(binding.length === 0
        ? []
        : [`No room is left in ${counted(binding.length, 'constraint')}: ${named(binding)}.`]),
      ...(broken.length === 0 ? [] : [`Broken at their price: ${named(broken)}.`]),
      ...describeKpis(list(solved['kpis'])),
      ...describeTables(texts(solved['table_paths'])),
    ];
    return { text: paragraphs.join(' '), found: 'pass', clash: [] };
  }
  const { message } = record(error);
  const why = typeof message === 'string' ? `: ${message.replace(/\.$/, '')}` : '';
  return { text: `The solve ended as ${quote(typeof status === 'string' ? status : 'unknown')}${why}.`, clash: [] };
}

/** Lists the objectives of the plan with their priorities. The value of the result is that of the first priority. */
function describeObjectives(objectives: Record<string, unknown>[]): string[] {
  const told = objectives.map(
    ({ label, value, priority }) => `${quote(`${String(label)} = ${figure(value)}`)} (priority ${String(priority)})`,
  );
  return told.length === 0 ? [] : [`Objectives: ${listFirst(told, MAX_SHOWN)}.`];
}

/** Lists the KPIs of the plan with their targets. */
function describeKpis(kpis: Record<string, unknown>[]): string[] {
  const told = kpis.map(({ label, value, unit, target }) => {
    const shown = `${quote(`${String(label)} = ${figure(value)}`)}${typeof unit === 'string' ? ` ${quote(unit)}` : ''}`;
    return typeof target === 'number' ? `${shown} (target ${figure(target)})` : shown;
  });
  return told.length === 0 ? [] : [`KPIs: ${listFirst(told, MAX_SHOWN)}.`];
}

/** Lists the files with the members of indexed variables. The answer itself only contains the totals. */
function describeTables(paths: string[]): string[] {
  const [first] = paths;
  return first === undefined
    ? []
    : [
        `The values of the members are in ${listFirst(
          paths.map((path) => quote(path)),
          MAX_SHOWN,
        )}.`,
      ];
}

const named = (constraints: Record<string, unknown>[]): string =>
  listFirst(
    constraints.map(({ name }) => quote(String(name), 60)),
    MAX_SHOWN,
  );

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
const list = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.map(record) : []);
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
