import { fieldOf } from '../../projects/canvas/card-shapes.js';
import { type Formula, type FormulaProblem, isProblem } from '../../modelling/formula.js';
import { parseFormula } from '../../modelling/parse-formula.js';
import { linearize, type Row as LinearRow, rowsOf } from '../../modelling/linear.js';
import type { ModelCard } from '../solver/task.js';
import { checkCoefficient, type Model, ModelProblem, type Terms, toBound, withinBinary } from './model.js';

/** What formulas of a canvas can name. */
interface Names {
  /** Index of each variable. */
  variables: ReadonlyMap<string, number>;
  /** Numbers of data cards. */
  values: ReadonlyMap<string, number>;
}

const NOUNS: Record<ModelCard['card_type'], string> = {
  objective: 'objective',
  variable: 'variable',
  constraint: 'constraint',
  kpi: 'KPI',
  data: 'data',
  production_requirement: 'production requirement',
};

/**
 * The model that the cards of a canvas describe. Several objectives become one weighted sum, with the sense of the
 * first; a soft constraint may be broken, at its penalty per unit. Constraints are called like their cards.
 *
 * @throws ModelProblem that says which card lacks what
 */
export function readCanvas(cards: readonly ModelCard[]): Model {
  const of = (type: ModelCard['card_type']): ModelCard[] => cards.filter(({ card_type }) => card_type === type);
  const model: Model = {
    sense: 'minimize',
    objective: { variables: [], coefficients: [] },
    constant: 0,
    variables: [],
    rows: [],
  };
  const names = readNames(model, of('variable'), of('data'));
  readObjectives(model, of('objective'), names);
  for (const card of of('constraint')) readConstraint(model, card, names);
  return model;
}

function readNames(model: Model, variableCards: readonly ModelCard[], dataCards: readonly ModelCard[]): Names {
  if (variableCards.length === 0) throw incomplete('The canvas has no variables: a model needs at least one');
  const variables = new Map<string, number>();
  for (const card of variableCards) {
    const name = need<string>(card, 'name');
    const domain = need<'continuous' | 'integer' | 'binary'>(card, 'domain');
    if (variables.has(name)) throw refused(card, `another variable is called ${name}`);
    const lowest = optional<boolean>(card, 'free') === true ? -Infinity : 0;
    const bounds = {
      lower: toBound(optional<number>(card, 'lower') ?? lowest),
      upper: toBound(optional<number>(card, 'upper') ?? Infinity),
    };
    if (bounds.lower === Infinity || bounds.upper === -Infinity)
      throw refused(card, 'nothing is as large as its bound');
    const index = model.variables.push({
      name,
      isInteger: domain !== 'continuous',
      ...(domain === 'binary' ? withinBinary(bounds) : bounds),
    });
    variables.set(name, index - 1);
  }
  const values = new Map<string, number>();
  for (const card of dataCards) {
    for (const [name, value] of Object.entries(optional<Record<string, number>>(card, 'values') ?? {})) {
      if (values.has(name) || variables.has(name)) throw refused(card, `something else is called ${name}, too`);
      values.set(name, value);
    }
  }
  return { variables, values };
}

function readObjectives(model: Model, cards: readonly ModelCard[], names: Names): void {
  const [first] = cards;
  if (first === undefined) throw incomplete('The canvas has no objective: what is to be maximized or minimized?');
  model.sense = need<string>(first, 'sense') === 'maximize' ? 'maximize' : 'minimize';
  const sum = new Map<string, number>();
  for (const card of cards) {
    const weight = cards.length > 1 ? need<number>(card, 'weight') : 1;
    const scale = need<string>(card, 'sense') === need<string>(first, 'sense') ? weight : -weight;
    const { sides, relations } = formula(card);
    if (relations.length > 0) throw refused(card, 'an objective is a figure, without <=, >= or =');
    const { terms, constant } = fitting(card, linearize(sides[0], names.values));
    for (const [name, coefficient] of terms) sum.set(name, (sum.get(name) ?? 0) + scale * coefficient);
    model.constant += scale * constant;
    checkCoefficient(model.constant, called(card));
    toTerms(card, terms, names);
  }
  model.objective = toTerms(first, sum, names);
}

function readConstraint(model: Model, card: ModelCard, names: Names): void {
  const classification = need<string>(card, 'classification');
  const penalty = classification === 'soft' ? need<number>(card, 'penalty') : undefined;
  const rows = fitting(card, rowsOf(formula(card), names.values));
  rows.forEach((row, index) => {
    const terms = toTerms(card, row.terms, names);
    for (const bound of [row.lower, row.upper]) if (Number.isFinite(bound)) checkCoefficient(bound, called(card));
    if (penalty !== undefined) addSlack(model, terms, row, penalty);
    const name = rows.length > 1 ? `${card.label} (${index + 1})` : card.label;
    model.rows.push({ name, terms, lower: row.lower, upper: row.upper });
  });
}

/** Lets a row be broken on either side that it bounds, at a price per unit. */
function addSlack(model: Model, terms: Terms, { lower, upper }: LinearRow, penalty: number): void {
  const price = model.sense === 'maximize' ? -penalty : penalty;
  for (const sign of [...(lower === -Infinity ? [] : [1]), ...(upper === Infinity ? [] : [-1])]) {
    const index = model.variables.push({ name: '', isInteger: false, lower: 0, upper: Infinity, isSlack: true }) - 1;
    terms.variables.push(index);
    terms.coefficients.push(sign);
    model.objective.variables.push(index);
    model.objective.coefficients.push(price);
  }
}

function formula(card: ModelCard): Formula {
  return fitting(card, parseFormula(need<string>(card, 'expression')));
}

/** What was read of a card's formula, unless that is a problem. */
function fitting<Value extends object>(card: ModelCard, read: Value | FormulaProblem): Value {
  if (isProblem(read)) throw refused(card, read.problem);
  return read;
}

function toTerms(card: ModelCard, terms: ReadonlyMap<string, number>, { variables }: Names): Terms {
  const made: Terms = { variables: [], coefficients: [] };
  for (const [name, coefficient] of terms) {
    const index = variables.get(name);
    if (index === undefined) throw refused(card, `no variable and no value of a data card is called ${name}`);
    checkCoefficient(coefficient, called(card));
    made.variables.push(index);
    made.coefficients.push(coefficient);
  }
  return made;
}

/** The value of a field that the model needs. */
function need<Value>(card: ModelCard, field: string): Value {
  const value = optional<Value>(card, field);
  if (value === undefined) throw refused(card, `${field} is missing`);
  return value;
}

/** The value of a field; undefined when it holds nothing. @throws ModelProblem when it holds something else */
function optional<Value>(card: ModelCard, field: string): Value | undefined {
  const value = fieldOf<Value>(card, field);
  if (value === undefined && card.data[field] != null) throw refused(card, `${field} is not what it should be`);
  return value;
}

const called = ({ card_type, label }: ModelCard): string => `The ${NOUNS[card_type]} card "${label}"`;
const incomplete = (message: string): ModelProblem => new ModelProblem('incomplete_model', message);
const refused = (card: ModelCard, reason: string): ModelProblem => incomplete(`${called(card)}: ${reason}`);
