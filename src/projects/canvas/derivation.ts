import type { Project } from '../project.entity.js';
import type { Card, Gap } from './card.entity.js';
import { fieldOf, gapsOfShape, isBegun } from './card-shapes.js';
import { type Formula, type FormulaProblem, isProblem, namesIn, parseFormula } from './formula.js';
import { linearize, rowsOf } from './linear.js';

/** What people and agents write of a card; everything else of it is derived. */
export type CardContent = Pick<Card, 'id' | 'card_type' | 'label' | 'data'>;

/** What is derived of one card. */
export type Judgement = Pick<Card, 'gaps' | 'status'>;

/** What a project shows of its cards. */
export type Derived = Pick<
  Project,
  | 'card_count'
  | 'objective_components'
  | 'objective_confirmed'
  | 'objective_description'
  | 'objective_type'
  | 'all_constraints_classified'
  | 'all_variables_provided'
  | 'data_available'
  | 'kpis_defined'
  | 'objective_drafted'
  | 'objectives_defined'
  | 'production_requirements_defined'
>;

/** What a card's judgement takes from the others. */
interface Canvas {
  objectives: number;
  /** How many cards give a name that formulas can use. */
  symbols: ReadonlyMap<string, number>;
  /** The figures that names in formulas stand for. */
  values: ReadonlyMap<string, number>;
}

/** A judgement, with the names in the card's formula that nothing on the canvas has. */
interface Reading extends Judgement {
  unknown: string[];
}

/**
 * Gaps and status of every card of a canvas, in its order.
 *
 * A card is a `draft` while no known field of it holds anything, `complete` without a blocking gap, else it `needs_input`.
 */
export const judge = (cards: readonly CardContent[]): Judgement[] =>
  readAll(cards).map(({ gaps, status }) => ({ gaps, status }));

function readAll(cards: readonly CardContent[]): Reading[] {
  const canvas = survey(cards);
  return cards.map((card) => {
    const formula = formulaOf(card);
    const names = formula === undefined || isProblem(formula) ? [] : namesIn(formula);
    const unknown = names.filter((name) => !canvas.symbols.has(name));
    const gaps = [
      ...gapsOfShape(card),
      ...(formula === undefined ? [] : gapsOfFormula(card, formula, canvas)),
      ...gapsAmong(card, unknown, canvas),
    ];
    const isBlocked = gaps.some(({ severity }) => severity === 'blocking');
    return { gaps, status: !isBegun(card) ? 'draft' : isBlocked ? 'needs_input' : 'complete', unknown };
  });
}

/**
 * The project's fields that follow from its cards, given oldest first. A flag needs a card of its kind: nothing is
 * defined by an empty canvas.
 */
export function derive(cards: readonly CardContent[]): Derived {
  const readings = readAll(cards);
  const of = (type: Card['card_type']): CardContent[] => cards.filter(({ card_type }) => card_type === type);
  const statuses = (type: Card['card_type']): Judgement['status'][] =>
    readings.filter((_, index) => cards[index]?.card_type === type).map(({ status }) => status);
  const allComplete = (type: Card['card_type']): boolean => every(statuses(type), (status) => status === 'complete');
  const objectives = of('objective');
  return {
    card_count: cards.length,
    objective_drafted: statuses('objective').some((status) => status !== 'draft'),
    objectives_defined: allComplete('objective'),
    all_variables_provided: allComplete('variable') && readings.every(({ unknown }) => unknown.length === 0),
    all_constraints_classified: every(of('constraint'), isClassified),
    data_available: allComplete('data'),
    kpis_defined: allComplete('kpi'),
    production_requirements_defined: allComplete('production_requirement'),
    objective_components: objectives.map((card) => ({
      card_id: card.id,
      label: card.label,
      sense: fieldOf<string>(card, 'sense') ?? null,
      expression: fieldOf<string>(card, 'expression') ?? null,
      weight: fieldOf<number>(card, 'weight') ?? null,
    })),
    objective_confirmed: every(objectives, (card) => fieldOf<boolean>(card, 'confirmed') === true),
    objective_description:
      objectives.length === 0
        ? null
        : objectives.map((card) => fieldOf<string>(card, 'description') ?? card.label).join('; '),
    objective_type: objectiveType(objectives),
  };
}

/** Gaps that several fields or several cards make together. */
function gapsAmong(card: CardContent, unknown: string[], canvas: Canvas): Gap[] {
  const gaps: Gap[] = [];
  if (card.card_type === 'objective' && canvas.objectives > 1 && card.data['weight'] === undefined) {
    gaps.push({ field: 'weight', message: 'With several objectives each needs a weight', severity: 'blocking' });
  }
  if (unknown.length > 0) {
    const message = `No variable or value on the canvas is called ${unknown.join(', ')}`;
    gaps.push({ field: 'expression', message, severity: 'warning' });
  }
  if (card.card_type === 'variable') {
    const name = fieldOf<string>(card, 'name');
    if (name !== undefined && isTwice(name, canvas)) {
      gaps.push({ field: 'name', message: `Something else is called ${name}, too`, severity: 'blocking' });
    }
    if ((fieldOf<number>(card, 'lower') ?? -Infinity) > (fieldOf<number>(card, 'upper') ?? Infinity)) {
      gaps.push({ field: 'lower', message: 'The lower bound is above the upper one', severity: 'blocking' });
    }
  }
  const doubled = card.card_type === 'data' ? symbolsGivenBy(card).filter((name) => isTwice(name, canvas)) : [];
  if (doubled.length > 0) {
    const message = `Something else is called ${doubled.join(', ')}, too`;
    gaps.push({ field: 'values', message, severity: 'blocking' });
  }
  return gaps;
}

/** What keeps the formula of an objective or constraint from being solved. */
function gapsOfFormula({ card_type }: CardContent, formula: Formula | FormulaProblem, { values }: Canvas): Gap[] {
  const gap = (message: string): Gap[] => [{ field: 'expression', message, severity: 'blocking' }];
  if (isProblem(formula)) return gap(formula.problem);
  if (card_type === 'objective' && formula.relations.length > 0) {
    return gap('An objective is a figure: it has no <=, >= or = in it');
  }
  const linear = card_type === 'objective' ? linearize(formula.sides[0], values) : rowsOf(formula, values);
  return isProblem(linear) ? gap(linear.problem) : [];
}

/** The formula of an objective or constraint, or why its text is none; undefined where there is no text. */
function formulaOf(card: CardContent): Formula | FormulaProblem | undefined {
  if (card.card_type !== 'objective' && card.card_type !== 'constraint') return undefined;
  const text = fieldOf<string>(card, 'expression');
  return text === undefined ? undefined : parseFormula(text);
}

const isTwice = (name: string, { symbols }: Canvas): boolean => (symbols.get(name) ?? 0) > 1;

function survey(cards: readonly CardContent[]): Canvas {
  const symbols = new Map<string, number>();
  for (const name of cards.flatMap(symbolsGivenBy)) symbols.set(name, (symbols.get(name) ?? 0) + 1);
  return {
    objectives: cards.filter(({ card_type }) => card_type === 'objective').length,
    symbols,
    values: valuesOf(cards),
  };
}

/** The figures of all data cards, by the names that formulas use. */
export const valuesOf = (cards: readonly CardContent[]): Map<string, number> =>
  new Map(cards.flatMap((card) => Object.entries(figuresOf(card))));

const figuresOf = (card: CardContent): Record<string, number> =>
  (card.card_type === 'data' ? fieldOf<Record<string, number>>(card, 'values') : undefined) ?? {};

/** The names that a card lets formulas use: a variable's, or those of the values of a data card. */
function symbolsGivenBy(card: CardContent): string[] {
  if (card.card_type === 'variable') return [fieldOf<string>(card, 'name') ?? []].flat();
  return Object.keys(figuresOf(card));
}

function isClassified(card: CardContent): boolean {
  const classification = fieldOf<string>(card, 'classification');
  return classification === 'hard' || (classification === 'soft' && fieldOf(card, 'penalty') !== undefined);
}

/** The sense of a single objective, `weighted_sum` for several. */
function objectiveType([first, ...others]: readonly CardContent[]): string | null {
  if (first === undefined) return null;
  return others.length > 0 ? 'weighted_sum' : (fieldOf<string>(first, 'sense') ?? null);
}

const every = <Item>(items: readonly Item[], holds: (item: Item) => boolean): boolean =>
  items.length > 0 && items.every(holds);
