import type { Condition, Expression, Operand } from '../formula.js';
import { shortened } from '../names.js';
import { comparedFigures, comparedTexts } from './comparisons.js';
import { allRows, type Derived, type Frame, passing, pick, pickFrom } from './frame.js';
import { type JoinKey, keyOfFigures } from './join.js';
import type { Lookup } from './lookup.js';
import { refuse } from './refusal.js';
import type { Texts } from './texts.js';

/** Key that does not match any member. */
const NO_KEY = -9;

/**
 * Evaluates conditions for all rows of a frame at once.
 *
 * @throws ExpansionRefusal in every method
 */
export class ConditionEvaluator {
  /** @param figures returns the values of an expression without variables */
  constructor(
    private readonly lookup: Lookup,
    private readonly texts: Texts,
    private readonly figures: (expression: Expression, frame: Frame) => Float64Array,
  ) {}

  /** Keeps the rows that satisfy all conditions. */
  filtered({ frame, parents }: Derived, conditions: readonly Condition[]): Derived {
    let result: Derived = { frame, parents };
    for (const condition of conditions) {
      const rows = passing(this.matches(condition, result.frame));
      if (rows.length < result.frame.size)
        result = { frame: pick(result.frame, rows), parents: pickFrom(result.parents, rows) };
    }
    return result;
  }

  /** Converts the sides of an equality to a join key. Returns undefined if a string is compared with a number. */
  joinKey(ofMembers: Operand, members: Frame, ofRows: Operand, rows: Frame): JoinKey | undefined {
    const isText = this.lookup.isText(ofMembers, members);
    if (isText !== this.lookup.isText(ofRows, rows)) return undefined;
    if (isText)
      return {
        members: this.lookup.texts(ofMembers, '=', ofRows, members, rows),
        // Empty dates and members outside the set do not equal anything, not even each other.
        rows: this.lookup.texts(ofRows, '=', ofMembers, rows, members).map((code) => (code < 0 ? NO_KEY : code)),
      };
    return keyOfFigures(this.figures(ofMembers as Expression, members), this.figures(ofRows as Expression, rows));
  }

  /** Returns a mask of the rows that satisfy a condition. */
  matches(condition: Condition, frame: Frame): Uint8Array {
    switch (condition.kind) {
      case 'and':
      case 'or':
        return this.joined(condition, frame);
      case 'not':
        return this.matches(condition.of, frame).map((holds) => 1 - holds);
      case 'compare':
        return this.compared(condition, frame);
      case 'in':
        return this.lookup.contained(condition, frame);
      case 'given':
        return this.lookup.given(condition.of, frame);
    }
  }

  /**
   * Evaluates each condition only in the rows that the previous conditions leave undecided, so that the other rows need not
   * have its values: `limit[p] is given and limit[p] > 3`.
   */
  private joined({ kind, of }: Extract<Condition, { kind: 'and' | 'or' }>, frame: Frame): Uint8Array {
    const deciding = kind === 'and' ? 0 : 1;
    const mask = new Uint8Array(frame.size).fill(1 - deciding);
    let open = allRows(frame.size);
    for (const condition of of) {
      const holds = this.matches(condition, open.length === frame.size ? frame : pick(frame, open));
      for (const [at, row] of open.entries()) if (holds[at] === deciding) mask[row] = deciding;
      open = open.filter((_, at) => holds[at] !== deciding);
    }
    return mask;
  }

  private compared({ left, comparison, right }: Extract<Condition, { kind: 'compare' }>, frame: Frame): Uint8Array {
    if (this.lookup.isText(left, frame) && this.lookup.isText(right, frame))
      return comparedTexts(
        this.lookup.texts(left, comparison, right, frame),
        comparison,
        this.lookup.texts(right, comparison, left, frame),
        this.texts,
      );
    return comparedFigures(this.comparable(left, frame), comparison, this.comparable(right, frame));
  }

  /** Returns the values of an operand that is compared with a number. */
  private comparable(operand: Operand, frame: Frame): Float64Array {
    if (operand.kind === 'text')
      refuse(`The text "${shortened(operand.text)}" cannot be compared with a number`, operand.position);
    if (operand.kind === 'member' && this.lookup.isText(operand, frame))
      refuse(
        `${operand.name} contains texts and cannot be compared with a number: write the text in double quotes`,
        operand.position,
      );
    return this.figures(operand, frame);
  }
}
