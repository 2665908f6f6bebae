import {
  type DefinedVariables,
  type Extremal,
  type LinearSum,
  productOfThree,
  productOfVariables,
  refuse,
} from '../../modelling/index.js';
import { type Definition, isDecision, MODEL_LIMITS, ModelProblem, type Variable } from '../../solver/index.js';
import { cardReference } from './card-fields.js';
import type { ModelCard } from './model-card.js';

/** Adds variables with a definition to a model. */
export class DefinedVariablesOfModel implements DefinedVariables {
  /** Variables by the numbers of their factors. */
  private readonly products = new Map<string, number>();
  private place = '';
  private mayMultiply = false;
  /** Number of variables for the current card. */
  private added = 0;

  constructor(private readonly variables: Variable[]) {}

  /**
   * Starts the formulas of a card.
   *
   * @param mayMultiply whether variables may be multiplied that are not yes-or-no decisions
   */
  begin(card: ModelCard, mayMultiply: boolean): void {
    this.place = cardReference(card);
    this.mayMultiply = mayMultiply;
    this.added = 0;
  }

  product(one: number, other: number): number {
    const [first, second] = [this.variables[one]!, this.variables[other]!];
    // A decision is 0 or 1, so its square is the decision itself.
    if (one === other && isDecision(first)) return one;
    const of = isDecision(first) ? ([one, other] as const) : ([other, one] as const);
    const kind = isDecision(first) || isDecision(second) ? 'product' : 'quadratic';
    if (kind === 'quadratic') this.checkQuadratic(first, second);
    const key = `${kind} ${Math.min(one, other)} ${Math.max(one, other)}`;
    const known = this.products.get(key);
    if (known !== undefined) return known;
    // The solver is not reliable for whole numbers without bounds, so only a product of decisions is declared as whole.
    const isDecided = isDecision(first) && isDecision(second);
    const added = this.add({ kind, of }, isDecided ? { isInteger: true, lower: 0, upper: 1 } : {});
    this.products.set(key, added);
    return added;
  }

  largest(of: readonly LinearSum[], name: Extremal): number {
    return this.add({ kind: 'largest', of, name });
  }

  /** Whether the values of a variable are whole numbers. */
  isWhole(variable: number): boolean {
    const { isInteger, definition } = this.variables[variable]!;
    if (definition === undefined || isInteger) return isInteger;
    if (definition.kind !== 'largest') return definition.of.every((at) => this.isWhole(at));
    return definition.of.every(
      ({ constant, terms: { variables, coefficients } }) =>
        [constant, ...Array.from(coefficients)].every(Number.isInteger) &&
        Array.from(variables).every((at) => this.isWhole(at)),
    );
  }

  private checkQuadratic(one: Variable, other: Variable): void {
    const nested = [one, other].find(({ definition }) => definition !== undefined);
    if (nested?.definition?.kind === 'quadratic') refuse(productOfThree);
    if (nested !== undefined)
      refuse(
        'It multiplies a variable with a product or a function of variables: write a variable with a constraint for it',
      );
    if (!this.mayMultiply) refuse(productOfVariables(one.name, other.name));
  }

  private add(
    definition:
      | { kind: 'product' | 'quadratic'; of: readonly [number, number] }
      | { kind: 'largest'; of: readonly LinearSum[]; name: Extremal },
    variable: Partial<Variable> = {},
  ): number {
    this.added += 1;
    if (this.variables.length >= MODEL_LIMITS.variables)
      throw new ModelProblem(
        'model_too_large',
        `A model can have at most ${MODEL_LIMITS.variables} variables. ${this.place} alone needs more than ${this.added} for products and functions of variables`,
      );
    const limits = { above: false, below: false };
    const defined: Definition = { ...definition, place: this.place, limits };
    return (
      this.variables.push({
        name: '',
        isInteger: false,
        lower: -Infinity,
        upper: Infinity,
        ...variable,
        definition: defined,
      }) - 1
    );
  }
}
