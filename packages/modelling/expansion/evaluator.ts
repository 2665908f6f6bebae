import { withDates } from '../date-literals.js';
import type { Call, Choice, Condition, Expression, Extremum, Factor, Index, MemberOf } from '../formula.js';
import { applied, isExtremal } from '../functions.js';
import { shortened } from '../names.js';
import { divisionByVariable, divisionByZero, extremumOfNothing, functionOfVariable } from '../sentences.js';
import { ConditionEvaluator } from './condition-evaluator.js';
import { PendingConditions, type Stage } from './conditions.js';
import { allRows, type Derived, type Frame, ONE_ROW, passing, pick, pickFrom } from './frame.js';
import { boundKeys, join, newMembers } from './join.js';
import type { DefinedVariables, LinearSum } from './defined-variables.js';
import { Lookup, refuseMisfit } from './lookup.js';
import { hasTerms, Nonlinear, sumsOf } from './nonlinear.js';
import type { Observer } from './observer.js';
import { refuse } from './refusal.js';
import type { Space } from './space.js';
import { Steps } from './steps.js';
import { tiersOf } from './tiers.js';
import { concatenated, type Linear, merged, negate, scale, startsOf, Terms } from './terms.js';

type Total = Extract<Expression, { kind: 'total' }>;

/** Maximum number of terms in a sum. Terms are counted before terms of the same variable are combined. */
const MAX_TERMS = 10_000_000;
const TOO_LARGE = 'A number in the formula becomes too large';

/**
 * Evaluates a formula for all rows of an index at once. Every operation processes whole columns.
 *
 * @throws ExpansionRefusal in every method
 */
export class Evaluator {
  private places = new Int32Array(0);
  private readonly lookup: Lookup;
  private readonly conditions: ConditionEvaluator;
  private readonly nonlinear: Nonlinear;

  /**
   * @param nameOf returns the name of a variable for messages
   * @param defined creates variables for the parts of formulas that are not linear
   * @param observer receives missing values. Without an observer, they are rejected
   */
  constructor(
    private readonly space: Space,
    private readonly nameOf: (variable: number) => string,
    defined: DefinedVariables,
    private readonly steps = new Steps(),
    private readonly observer?: Observer,
  ) {
    const known = (place: string) => (expression: Expression, frame: Frame) => this.figures(expression, frame, place);
    this.nonlinear = new Nonlinear(defined);
    this.lookup = new Lookup(space, known('A lag'), observer);
    this.conditions = new ConditionEvaluator(this.lookup, space.texts, known('A condition'));
  }

  /** Starts the evaluation of a formula and returns the rows of its index, in the order of its sets. */
  rows(index: Index | undefined): Frame {
    this.steps.begin();
    return index === undefined ? ONE_ROW : this.extend(ONE_ROW, index).frame;
  }

  /** Evaluates an expression in each row. */
  private linear(expression: Expression, frame: Frame): Linear {
    this.steps.addRows(frame.size);
    switch (expression.kind) {
      case 'number':
        return { constants: new Float64Array(frame.size).fill(expression.value) };
      case 'name':
        return this.name(expression.name, frame);
      case 'member':
        return this.member(expression, frame);
      case 'sum':
        return this.sum(expression.parts, frame);
      case 'product':
        return this.product(expression.factors, frame);
      case 'call':
        return this.call(expression, frame);
      case 'total':
        return expression.by === 'sum'
          ? this.total(expression, frame)
          : this.extremum(expression.by, expression, frame);
      case 'choice':
        return this.choice(expression, frame);
      case 'end':
        return { constants: this.lookup.memberFigures(this.lookup.ends(expression, frame), expression.which) };
      case 'tiered': {
        const amounts = this.linear(expression.of, frame);
        const tiers = tiersOf(this.space, expression.name, expression.position);
        return this.withMerged(this.nonlinear.tiered(tiers, amounts));
      }
      case 'position':
        return { constants: this.lookup.positions(expression.name, expression.position, frame) };
    }
  }

  /** Evaluates an expression without an index. Each variable has at most one term in the result. */
  figureOf(expression: Expression): { constant: number; terms: Terms } {
    this.steps.begin();
    const linear = this.finite(expression, ONE_ROW);
    const terms = linear.terms === undefined ? new Terms(0) : this.merge(linear.terms, 1).terms;
    return { constant: linear.constants[0]!, terms };
  }

  /** Evaluates an expression in each row. Throws if a value is not finite. */
  finite(expression: Expression, frame: Frame): Linear {
    const linear = this.linear(expression, frame);
    const { constants, terms } = linear;
    for (let row = 0; row < frame.size; row += 1)
      if (!Number.isFinite(constants[row]!)) refuse(`${TOO_LARGE}${this.lookup.forRow(frame, row)}`);
    for (let at = 0; at < (terms?.size ?? 0); at += 1)
      if (!Number.isFinite(terms!.coefficients[at]!))
        refuse(`${TOO_LARGE}${this.lookup.forRow(frame, terms!.rows[at]!)}`);
    return linear;
  }

  /** Evaluates an expression without variables in each row. */
  figures(expression: Expression, frame: Frame, place: string): Float64Array {
    const linear = this.finite(expression, frame);
    if (hasTerms(linear))
      refuse(`${place} must be constant, but it contains the variable ${this.nameOf(linear.terms.columns[0]!)}`);
    return linear.constants;
  }

  /** Sorts terms by row and combines terms of the same variable. */
  merge(terms: Terms, rows: number): ReturnType<typeof merged> {
    if (terms.isMerged) return { terms, starts: startsOf(terms, rows) };
    const variables = Math.max(this.countVariables(), this.nonlinear.end);
    if (this.places.length < variables) this.places = new Int32Array(variables).fill(-1);
    return merged(terms, rows, this.places);
  }

  private countVariables(): number {
    let count = this.space.variables.size;
    for (const { size } of this.space.families.values()) count += size;
    return count;
  }

  private name(name: string, frame: Frame): Linear {
    const { variables, values } = this.space;
    const codes = frame.codes.get(name);
    if (codes !== undefined) return { constants: this.lookup.memberFigures(codes, name) };
    const value = values.get(name);
    if (value !== undefined) return { constants: new Float64Array(frame.size).fill(value) };
    const variable = variables.get(name);
    if (variable === undefined) refuse(`no variable or value is called ${shortened(name)}`);
    const terms = new Terms(frame.size, true);
    for (let row = 0; row < frame.size; row += 1) terms.push(row, variable, 1);
    return { constants: new Float64Array(frame.size), terms };
  }

  private member(expression: MemberOf, frame: Frame): Linear {
    const family = this.space.families.get(expression.name);
    if (family === undefined) return { constants: this.lookup.figures(expression, frame) };
    return { constants: new Float64Array(frame.size), terms: this.lookup.variables(family, expression, frame) };
  }

  private sum(parts: Extract<Expression, { kind: 'sum' }>['parts'], frame: Frame): Linear {
    const constants = new Float64Array(frame.size);
    const lists: Terms[] = [];
    let count = 0;
    for (const { negative, of } of parts) {
      const part = this.linear(of, frame);
      const sign = negative ? -1 : 1;
      for (let row = 0; row < frame.size; row += 1) constants[row]! += sign * part.constants[row]!;
      if (part.terms === undefined) continue;
      if (negative) negate(part.terms);
      lists.push(part.terms);
      count += part.terms.size;
      if (count > MAX_TERMS) refuse(`It has more than ${MAX_TERMS} terms`);
    }
    return { constants, ...(lists.length > 0 && { terms: this.merge(concatenated(lists), frame.size).terms }) };
  }

  /** Evaluates a product. Products of variables become variables with a definition. */
  private product(factors: readonly Factor[], frame: Frame): Linear {
    const scales = new Float64Array(frame.size).fill(1);
    let variable: Required<Linear> | undefined;
    for (const { divisor, of, isSquared } of factors) {
      const factor = this.linear(of, frame);
      for (let times = isSquared === true ? 2 : 1; times > 0; times -= 1) {
        if (!hasTerms(factor)) this.multiply(scales, factor.constants, divisor, frame);
        else if (divisor) refuse(divisionByVariable(this.nameOf(factor.terms.columns[0]!)));
        else if (variable === undefined) variable = factor;
        else variable = this.withMerged(this.nonlinear.multiplied(variable, factor, frame.size));
      }
    }
    if (variable === undefined) return { constants: scales };
    const { constants, terms } = variable;
    for (let row = 0; row < frame.size; row += 1) constants[row]! *= scales[row]!;
    scale(terms, scales);
    return { constants, terms };
  }

  private multiply(scales: Float64Array, constants: Float64Array, divisor: boolean, frame: Frame): void {
    for (let row = 0; row < frame.size; row += 1) {
      const constant = constants[row]!;
      if (divisor && constant === 0) refuse(divisionByZero(this.lookup.forRow(frame, row)));
      scales[row] = divisor ? scales[row]! / constant : scales[row]! * constant;
      if (!Number.isFinite(scales[row]!)) refuse(`${TOO_LARGE}${this.lookup.forRow(frame, row)}`);
    }
  }

  private total({ over, of }: Total, frame: Frame): Linear {
    const { frame: inner, parents } = this.extend(frame, over, 'sum');
    const { constants, terms } = this.linear(of, inner);
    const sums = new Float64Array(frame.size);
    for (let row = 0; row < inner.size; row += 1) sums[parents[row]!]! += constants[row]!;
    if (terms === undefined) return { constants: sums };
    for (let at = 0; at < terms.size; at += 1) terms.rows[at] = parents[terms.rows[at]!]!;
    terms.isMerged = false;
    return { constants: sums, terms: this.merge(terms, frame.size).terms };
  }

  /** Evaluates each branch only in the rows that use it, so that the other rows need not have its members. */
  private choice({ when, then, otherwise }: Choice, frame: Frame): Linear {
    const mask = this.conditions.matches(this.dated(when, frame.readings), frame);
    const constants = new Float64Array(frame.size);
    const lists: Terms[] = [];
    for (const [branch, rows] of [
      [then, passing(mask)],
      [otherwise, passing(mask.map((holds) => 1 - holds))],
    ] as const) {
      const part = this.linear(branch, pick(frame, rows));
      for (const [at, row] of rows.entries()) constants[row] = part.constants[at]!;
      if (part.terms === undefined) continue;
      for (let at = 0; at < part.terms.size; at += 1) part.terms.rows[at] = rows[part.terms.rows[at]!]!;
      part.terms.isMerged = false;
      lists.push(part.terms);
    }
    return { constants, ...(lists.length > 0 && { terms: this.merge(concatenated(lists), frame.size).terms }) };
  }

  private withMerged({ constants, terms }: Required<Linear>): Required<Linear> {
    return { constants, terms: this.merge(terms, constants.length).terms };
  }

  private call({ name, of, position }: Call, frame: Frame): Linear {
    const parts = of.map((one) => this.finite(one, frame));
    const variable = parts.find(hasTerms)?.terms.columns[0];
    if (variable !== undefined) {
      if (!isExtremal(name)) refuse(functionOfVariable(name, this.nameOf(variable)), position);
      const sums = parts.map(sumsOf);
      const ofRows = Array.from({ length: frame.size }, (_, row) => sums.map((one) => one[row]!));
      return this.withMerged(this.nonlinear.extreme(name, ofRows));
    }
    const columns = parts.map(({ constants }) => constants);
    const constants = new Float64Array(frame.size);
    for (let row = 0; row < frame.size; row += 1)
      constants[row] = applied(
        name,
        columns.map((column) => column[row]!),
      );
    return { constants };
  }

  /** Returns the minimum or maximum of an expression over the members of an index. */
  private extremum(by: Extremum, { over, of, position }: Total, frame: Frame): Linear {
    const { frame: inner, parents } = this.extend(frame, over, by);
    const part = this.finite(of, inner);
    if (hasTerms(part)) {
      const ofRows = Array.from({ length: frame.size }, (): LinearSum[] => []);
      for (const [row, sum] of sumsOf(part).entries()) ofRows[parents[row]!]!.push(sum);
      const empty = ofRows.findIndex((sums) => sums.length === 0);
      if (empty >= 0) refuse(extremumOfNothing(by, this.lookup.forRow(frame, empty)), position);
      return this.withMerged(this.nonlinear.extreme(by, ofRows));
    }
    const constants = extremes(by, part.constants, parents, frame.size);
    for (let row = 0; row < frame.size; row += 1)
      if (Number.isNaN(constants[row]!)) refuse(extremumOfNothing(by, this.lookup.forRow(frame, row)), position);
    return { constants };
  }

  /**
   * Extends each row of a frame with the members of an index.
   * @param by how the members are combined. Absent for the index of a whole formula
   */
  private extend(outer: Frame, index: Index, by?: Total['by']): Derived {
    const { over } = index;
    const where = this.withDates(index, outer);
    const names = new Set([...outer.codes.keys(), ...over.flatMap((one) => one.names)]);
    const pending = new PendingConditions(where, names);
    const rebound = new Set(over.flatMap((one) => one.names));
    // Conditions on the outer rows come first, because a condition such as `limit[p] is given` may protect the other conditions.
    let extended = this.conditions.filtered(
      { frame: outer, parents: allRows(outer.size) },
      pending.takeAvailable({ members: new Set(), rows: new Set(outer.codes.keys()), later: rebound }),
    );
    for (const [at, membership] of over.entries()) {
      const { frame, parents } = extended;
      const set = this.lookup.set(membership);
      const known = new Set(frame.codes.keys());
      const all = newMembers(membership, set, frame);
      const later = new Set(over.slice(at + 1).flatMap((one) => one.names));
      const stage: Stage = { members: new Set(all.frame.codes.keys()), rows: known, later };
      const members = this.conditions.filtered(all, pending.takeMemberConditions(stage));
      const keys = [
        ...boundKeys(membership, set, members.parents, frame),
        ...pending.takeJoinKeys(stage, (ofMembers, ofRows) =>
          this.conditions.joinKey(ofMembers, members.frame, ofRows, frame),
        ),
      ];
      if (by !== undefined && where === undefined) this.observer?.filtered(membership, set, frame);
      const joined = join(frame, members.frame, keys, (size) => this.steps.addRows(size, membership.position));
      extended = this.conditions.filtered(
        { frame: joined.frame, parents: pickFrom(parents, joined.parents) },
        pending.takeAvailable(stage),
      );
    }
    if (outer.size > 0 && extended.frame.size === 0) this.observer?.emptied(index, by);
    return extended;
  }

  /**
   * Returns the condition of an index, with its strings converted to the format of the dates and times with which they are
   * compared.
   */
  private withDates({ over, where }: Index, { readings: known }: Frame): Condition | undefined {
    const readings = new Map(known);
    for (const membership of over) {
      const { readings: ofParts } = this.lookup.set(membership);
      for (const [part, name] of membership.names.entries())
        if (ofParts[part] !== undefined && !readings.has(name)) readings.set(name, ofParts[part]);
    }
    return where && this.dated(where, readings);
  }

  private dated(condition: Condition, readings: Frame['readings']): Condition {
    return withDates(condition, (operand) => this.lookup.readingOf(operand, readings), refuseMisfit);
  }
}

/** Returns the minimum or maximum of the values of each parent. Returns NaN for a parent without values. */
function extremes(by: Extremum, values: Float64Array, parents: Int32Array, count: number): Float64Array {
  const found = new Float64Array(count).fill(NaN);
  for (const [row, value] of values.entries()) {
    const previous = found[parents[row]!]!;
    if (!(by === 'min' ? previous <= value : previous >= value)) found[parents[row]!] = value;
  }
  return found;
}
