import type { Evaluator } from '../../modelling/index.js';
import { checkCoefficient, type Goal, type Model, type StatedObjective } from '../../solver/index.js';
import { cardProblem, cardReference, expandFormula, formula, optionalField, requiredField } from './card-fields.js';
import type { DefinedVariablesOfModel } from './defined-variables.js';
import type { ModelCard } from './model-card.js';

/** Goal with its objectives. */
interface Group {
  goal: Goal;
  stated: Omit<StatedObjective, 'priority'>[];
}

/**
 * Reads the objectives of a canvas. Objectives with the same priority, or without one, become a weighted sum.
 *
 * @param cards objectives, at least one
 * @returns the goal of the first priority, and the goals of other priorities
 */
export function readGoals(
  cards: readonly ModelCard[],
  evaluator: Evaluator,
  defined: DefinedVariablesOfModel,
): Goal & Pick<Model, 'priorities'> {
  const priorities = new Map(cards.map((card) => [card, optionalField<number>(card, 'priority')]));
  const ranks = [...new Set(priorities.values())].flatMap((rank) => rank ?? []).sort((one, other) => one - other);
  if (ranks.length === 0) return readGroup(cards, evaluator, defined).goal;
  const unranked = cards.find((card) => priorities.get(card) === undefined);
  if (unranked !== undefined)
    throw cardProblem(unranked, 'priority is missing, but other objectives have one: 1 is the most important');
  const groups = ranks.map((priority) => {
    const group = cards.filter((card) => priorities.get(card) === priority);
    return { ...readGroup(group, evaluator, defined), priority };
  });
  return {
    ...groups[0]!.goal,
    priorities: {
      later: groups.slice(1).map(({ goal, priority }) => ({ ...goal, priority })),
      stated: groups.flatMap(({ stated, priority }) => stated.map((one) => ({ ...one, priority }))),
    },
  };
}

/** Reads objectives as their weighted sum, with the sense of the first objective. */
function readGroup(cards: readonly ModelCard[], evaluator: Evaluator, defined: DefinedVariablesOfModel): Group {
  const first = cards[0]!;
  const sense = senseOf(first);
  const coefficients = new Map<number, number>();
  const stated: Group['stated'] = [];
  let constant = 0;
  for (const card of cards) {
    const weight = cards.length > 1 ? requiredField<number>(card, 'weight') : 1;
    const scale = senseOf(card) === sense ? weight : -weight;
    const { sides, relations } = formula(card);
    if (relations.length > 0) throw cardProblem(card, 'an objective cannot contain <=, >= or =');
    defined.begin(card, true);
    const figure = expandFormula(card, () => evaluator.figureOf(sides[0]));
    const { columns, coefficients: factors, size } = figure.terms;
    for (let at = 0; at < size; at += 1) {
      const variable = columns[at]!;
      checkCoefficient(factors[at]!, cardReference(card));
      coefficients.set(variable, (coefficients.get(variable) ?? 0) + scale * factors[at]!);
    }
    constant += scale * figure.constant;
    checkCoefficient(constant, cardReference(card));
    stated.push({
      label: card.label,
      sense: senseOf(card),
      weight,
      figure: {
        constant: figure.constant,
        terms: { variables: columns.slice(0, size), coefficients: factors.slice(0, size) },
      },
      tolerance: optionalField<number>(card, 'tolerance') ?? 0,
      toleranceShare: (optionalField<number>(card, 'tolerance_percent') ?? 0) / 100,
    });
  }
  for (const coefficient of coefficients.values()) checkCoefficient(coefficient, cardReference(first));
  const objective = { variables: [...coefficients.keys()], coefficients: [...coefficients.values()] };
  return { goal: { sense, objective, constant }, stated };
}

const senseOf = (card: ModelCard): Goal['sense'] =>
  requiredField<string>(card, 'sense') === 'maximize' ? 'maximize' : 'minimize';
