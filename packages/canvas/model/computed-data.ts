import {
  computationOrder,
  type Computed,
  compute,
  type Definition,
  deriveSet,
  type Evaluator,
  parseFormula,
  parseIndex,
  type Space,
} from '../../modelling/index.js';
import type { ModelProblem } from '../../solver/index.js';
import { readData } from '../data-content.js';
import { assertParsed, cardProblem, expandFormula, optionalField } from './card-fields.js';
import type { ModelCard } from './model-card.js';

/** Maximum number of cells in all computed columns of a model. A solve holds all of them in memory. */
const MAX_CELLS = 2_000_000;

/** Computed numbers and derived sets of a canvas. They are added to a space after their inputs. */
export class ComputedData {
  private readonly cards = new Map<string, ModelCard>();
  private readonly definitions = new Map<string, Definition>();
  /** Names of the derived sets. */
  private readonly sets = new Set<string>();
  /** Number of cells in all computed columns. */
  private cells = 0;

  /** @param cards data cards */
  constructor(
    cards: readonly ModelCard[],
    private readonly space: Space,
    private readonly evaluator: Evaluator,
  ) {
    for (const card of cards) {
      const { computed, set } = readData(card);
      for (const [name, { definition = {} }] of computed) this.define(name, card, definition);
      const { name = '', derivation } = set ?? {};
      if (derivation === undefined || 'problem' in derivation) continue;
      this.define(name, card, derivation);
      this.sets.add(name);
    }
  }

  private define(name: string, card: ModelCard, definition: Definition): void {
    this.cards.set(name, card);
    this.definitions.set(name, definition);
  }

  /**
   * Computes numbers and derived sets, and their inputs. Replaces their previous values.
   *
   * @param names names to compute. Other names are ignored. By default, all numbers and sets are computed
   * @throws ModelProblem that identifies the card
   */
  compute(names: Iterable<string> = this.definitions.keys()): void {
    const { order, cyclic } = computationOrder(names, this.definitions);
    const [first] = cyclic;
    if (first !== undefined) throw cardProblem(this.cards.get(first)!, `${first} depends on itself`);
    this.forget();
    for (const name of order) {
      const [card, definition] = [this.cards.get(name)!, this.definitions.get(name)!];
      if (this.sets.has(name)) expandFormula(card, () => deriveSet(this.space, this.evaluator, name, definition));
      else this.computeNumber(name, card, definition);
    }
  }

  /** Removes the columns that have been computed before, the sets of their members, and all derived sets. */
  private forget(): void {
    for (const [name, definition] of this.definitions) {
      if (this.sets.has(name)) this.space.sets.delete(name);
      const { index, set }: Computed = definition;
      if (this.space.columns.get(name)?.isComputed !== true || set === undefined) continue;
      this.space.columns.delete(name);
      if (index?.over.some((membership) => membership.set === set) !== true) this.space.sets.delete(set);
    }
    this.cells = 0;
  }

  private computeNumber(name: string, card: ModelCard, definition: Computed): void {
    const { expression } = definition;
    if (expression === undefined) throw unreadable(name, card);
    const column = this.space.columns.get(name);
    if (column !== undefined && column.isComputed !== true)
      throw cardProblem(card, `${name} is already a column of ${column.set.name}`);
    expandFormula(card, () => {
      const room = MAX_CELLS - this.cells;
      this.cells += compute(this.space, this.evaluator, name, { ...definition, expression }, room);
    });
  }
}

/** Returns the problem with a formula that could not be read. */
function unreadable(name: string, card: ModelCard): ModelProblem {
  const index = optionalField<string>(card, 'index');
  if (index !== undefined) assertParsed(card, parseIndex(index));
  assertParsed(card, parseFormula(readData(card).computed.get(name)!.text));
  return cardProblem(card, `${name} cannot contain <=, >= or =`);
}
