import { type Computed, inputsOf } from '../computed.js';
import type { Index } from '../formula.js';
import { freeNamesOf } from '../mentions.js';
import type { ComparisonBudget } from '../values.js';
import { type ColumnShape, namesOfIndex, type SetShape, type Vocabulary } from '../vocabulary.js';
import { compute } from './compute.js';
import { STAND_INS } from './defined-variables.js';
import { deriveSet } from './derive-set.js';
import { Evaluator } from './evaluator.js';
import { KeyTable } from './key-table.js';
import type { Observer } from './observer.js';
import { ExpansionRefusal } from './refusal.js';
import { Space } from './space.js';
import { Steps } from './steps.js';

/** Maximum number of members in a set, and maximum number of rows of a formula. Larger data is only checked by the solve. */
const MAX_MEMBERS = 50_000;
const MAX_ROWS = 200_000;

/**
 * Known data of a canvas, used to expand formulas in the same way as a solve. Names are added when a formula first mentions
 * them.
 */
export class CanvasSpace {
  private readonly space: Space;
  private readonly isKnown = new Map<string, boolean>();
  private readonly budget: ComparisonBudget;
  private variables = 0;

  constructor(private readonly vocabulary: Vocabulary) {
    const shapes = [...vocabulary.columns.values()].flat();
    const ofSets = Array.from(vocabulary.sets.values(), ({ readings = [] }) => readings).flat();
    this.space = new Space([...shapes.map(({ reading }) => reading), ...ofSets].filter((one) => one !== undefined));
    for (const [name, { isCyclic }] of vocabulary.sets) if (isCyclic === true) this.space.cyclicSets.add(name);
    this.budget = vocabulary.budget ?? { remaining: Infinity };
  }

  readonly textOf = (code: number): string => this.space.texts.text(code);

  /** Adds the data for the given names. Returns false if some of the data is unknown. */
  add(names: readonly string[]): boolean {
    return names.map((name) => this.addName(name)).every(Boolean);
  }

  /** Runs an evaluation. Returns undefined if the evaluation needs too many rows. @throws ExpansionRefusal */
  evaluate<Result>(work: (evaluator: Evaluator) => Result, observer?: Observer): Result | undefined {
    const steps = new Steps(Math.min(MAX_ROWS, this.budget.remaining));
    try {
      return work(new Evaluator(this.space, String, STAND_INS, steps, observer));
    } catch (error) {
      if (steps.isExceeded) return undefined;
      throw error;
    } finally {
      this.charge(steps.rows);
    }
  }

  /** Deducts the members of a set from the budget. Returns false if the set is too large or the budget is exhausted. */
  private tryCharge(members: number): boolean {
    if (members > MAX_MEMBERS) return false;
    this.charge(members);
    return this.budget.remaining > 0;
  }

  private charge(rows: number): void {
    this.budget.remaining = Math.max(0, this.budget.remaining - rows);
  }

  private addName(name: string): boolean {
    const known = this.isKnown.get(name);
    if (known !== undefined) return known;
    // Prevents infinite recursion if an index mentions its own family, which is invalid.
    this.isKnown.set(name, false);
    const { sets, columns, families, variables, values, computed } = this.vocabulary;
    const set = sets.get(name);
    const [column] = columns.get(name) ?? [];
    const family = families.get(name);
    const definition = computed?.get(name);
    const value = values.get(name);
    if (value !== undefined) this.space.values.set(name, value);
    if (variables.has(name)) this.space.variables.set(name, this.variables++);
    const isKnown =
      (set === undefined || this.addSet(name, set)) &&
      (column === undefined || column.isComputed === true || this.addColumn(name, column)) &&
      (definition === undefined || this.addComputed(name, definition)) &&
      (family === undefined || this.addFamily(name, family.index));
    this.isKnown.set(name, isKnown);
    return isKnown;
  }

  private addSet(name: string, { parts = [], keys, arity, size, readings = [], derivation }: SetShape): boolean {
    if (this.space.sets.has(name)) return true;
    if (derivation !== undefined) {
      if (!this.add(inputsOf(derivation))) return false;
      return this.tryEvaluate((evaluator) => deriveSet(this.space, evaluator, name, derivation));
    }
    const count = keys?.[0]?.length ?? parts[0]?.size;
    // Empty and duplicate keys are already reported as gaps of the data card.
    if (count === undefined || (size !== undefined && size !== count) || !this.tryCharge(count)) return false;
    const [first, ...others] = keys?.map((cells) => cells.map(String)) ?? [Array.from(parts[0] ?? [])];
    if (first === undefined || others.length + 1 !== arity) return false;
    this.space.addSet(name, { titles: Array.from({ length: arity }, String), keys: [first, ...others], readings });
    return true;
  }

  private addColumn(name: string, { set, type, cells, reading, fallback }: ColumnShape): boolean {
    const isSetKnown = set === name ? this.space.sets.has(set) : this.addName(set);
    const members = this.space.sets.get(set);
    if (!isSetKnown || members === undefined || cells === undefined) return false;
    const listed = 'get' in cells ? this.inOrder(cells, members.columns[0]!) : cells;
    if (listed.length !== members.size || !this.tryCharge(listed.length)) return false;
    const figures = Float64Array.from(listed, (cell) => (cell === null ? NaN : Number(cell)));
    this.space.addColumn(
      name,
      type === 'number'
        ? { set, type, figures, ...(fallback !== undefined && { fallback }) }
        : {
            set,
            type,
            texts: listed.map((cell) => (cell === null ? null : String(cell))),
            ...(reading !== undefined && { reading }),
          },
    );
    return true;
  }

  private inOrder(cells: ReadonlyMap<string, number | string>, members: Int32Array): (number | string | null)[] {
    const { texts } = this.space;
    const byCode = new Map(Array.from(cells, ([member, cell]) => [texts.add(member), cell]));
    return Array.from(members, (code) => byCode.get(code) ?? null);
  }

  private addComputed(name: string, definition: Computed): boolean {
    const { expression } = definition;
    if (expression === undefined || !this.add(inputsOf(definition))) return false;
    return this.tryEvaluate((evaluator) => compute(this.space, evaluator, name, { ...definition, expression }));
  }

  private addFamily(name: string, index: Index): boolean {
    if (!this.add(freeNamesOf(undefined, index))) return false;
    const names = namesOfIndex(index);
    return this.tryEvaluate((evaluator) => {
      const frame = evaluator.rows(index);
      const { codes, size } = frame;
      const readings = names.map((one) => frame.readings.get(one));
      const columns = names.map((one) => codes.get(one)!);
      const table = new KeyTable(columns, size);
      this.space.families.set(name, { name, names, columns, size, table, readings, from: this.variables });
      this.variables += size;
    });
  }

  /** Runs an evaluation. Returns false if the evaluation needs too many rows or is refused. */
  private tryEvaluate(work: (evaluator: Evaluator) => void): boolean {
    try {
      const isDone = this.evaluate((evaluator) => {
        work(evaluator);
        return true;
      });
      return isDone === true;
    } catch (error) {
      if (error instanceof ExpansionRefusal) return false;
      throw error;
    }
  }
}
