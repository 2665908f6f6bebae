import {
  type Evaluator,
  type Formula,
  type Frame,
  NO_LIMIT,
  parseFormula,
  penaltyNotAbove0,
  type Space,
  withOptionalLimits,
} from '../../modelling/index.js';
import { assertParsed, cardProblem, expandFormula, optionalField, requiredField } from './card-fields.js';
import type { ModelCard } from './model-card.js';

/** Computes the numbers in the fields of cards for each member of an index. */
export class CardFigures {
  constructor(
    private readonly space: Space,
    private readonly evaluator: Evaluator,
  ) {}

  /** @param fallback bound of all members without a bound, including members with an empty cell */
  bound(card: ModelCard, field: 'lower' | 'upper', frame: Frame, fallback: number): Float64Array {
    const value = optionalField<number | string>(card, field);
    if (value === undefined) return new Float64Array(frame.size).fill(fallback);
    const figures = this.of(card, field, value, frame, (formula) => this.withOptionalLimits(formula));
    return figures.map((figure) => (figure === NO_LIMIT ? fallback : figure));
  }

  /** Returns the penalty of a soft constraint for each member. @throws ModelProblem if a penalty is not above 0 */
  penalties(card: ModelCard, frame: Frame): Float64Array {
    const penalties = this.of(card, 'penalty', requiredField<number | string>(card, 'penalty'), frame);
    const unusable = penalties.filter((penalty) => penalty <= 0);
    if (unusable.length === 0) return penalties;
    const count = frame.codes.size === 0 ? undefined : unusable.length;
    throw cardProblem(card, penaltyNotAbove0(unusable[0]!, count));
  }

  /** @param toFormula changes the formula before it is evaluated */
  of(
    card: ModelCard,
    field: string,
    value: number | string,
    frame: Frame,
    toFormula = (formula: Formula): Formula => formula,
  ): Float64Array {
    if (typeof value === 'number') return new Float64Array(frame.size).fill(value);
    const { sides, relations } = toFormula(assertParsed(card, parseFormula(value)));
    if (relations.length > 0) throw cardProblem(card, `${field} cannot contain <=, >= or =`);
    return expandFormula(card, () =>
      this.evaluator.figures(sides[0], frame, field === 'penalty' ? 'A penalty' : 'A bound'),
    );
  }

  /** Lets empty cells of columns mean that a side of a formula has no limit. */
  withOptionalLimits(formula: Formula): Formula {
    return withOptionalLimits(formula, ({ name, keys }) => {
      const column = this.space.families.has(name) ? undefined : this.space.columns.get(name);
      if (column?.type !== 'number' || column.fallback !== undefined || this.space.doubled.has(name)) return undefined;
      const { set, figures } = column;
      return keys.length === set.columns.length && figures.some(Number.isNaN) ? set.name : undefined;
    });
  }
}
