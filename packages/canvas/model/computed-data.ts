import {
  type Computed,
  computationOrder,
  compute,
  type Evaluator,
  parseFormula,
  parseIndex,
  type Space,
} from '../../modelling/index.js';
import type { ModelProblem } from '../../solver/index.js';
import { readData } from '../data-content.js';
import { assertParsed, cardProblem, expandFormula, optionalField } from './card-fields.js';
import type { ModelCard } from './model-card.js';

/** Computed numbers of a canvas. They are added to a space after the numbers on which they depend. */
export class ComputedData {
  private readonly cards = new Map<string, ModelCard>();
  private readonly definitions = new Map<string, Computed>();

  /** @param cards data cards */
  constructor(
    cards: readonly ModelCard[],
    private readonly space: Space,
    private readonly evaluator: Evaluator,
  ) {
    for (const card of cards)
      for (const [name, { definition = {} }] of readData(card).computed) {
        this.cards.set(name, card);
        this.definitions.set(name, definition);
      }
  }

  /**
   * Computes numbers and everything on which they depend. Replaces their previous values.
   *
   * @param names names to compute. Other names are ignored. By default, all numbers are computed
   * @throws ModelProblem that identifies the card
   */
  compute(names: Iterable<string> = this.definitions.keys()): void {
    const { order, cyclic } = computationOrder(names, this.definitions);
    const [first] = cyclic;
    if (first !== undefined) throw cardProblem(this.cards.get(first)!, `${first} depends on itself`);
    for (const name of order) this.computeNumber(name, this.cards.get(name)!, this.definitions.get(name)!);
  }

  private computeNumber(name: string, card: ModelCard, definition: Computed): void {
    const { expression } = definition;
    if (expression === undefined) throw unreadable(name, card);
    const column = this.space.columns.get(name);
    if (column !== undefined && column.isComputed !== true)
      throw cardProblem(card, `${name} is already a column of ${column.set.name}`);
    expandFormula(card, () => compute(this.space, this.evaluator, name, { ...definition, expression }));
  }
}

/** Returns the problem with a formula that could not be read. */
function unreadable(name: string, card: ModelCard): ModelProblem {
  const index = optionalField<string>(card, 'index');
  if (index !== undefined) assertParsed(card, parseIndex(index));
  assertParsed(card, parseFormula(readData(card).computed.get(name)!.text));
  return cardProblem(card, `${name} cannot contain <=, >= or =`);
}
