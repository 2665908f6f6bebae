import { LpLexer, type LpToken } from './lp-lexer.js';
import {
  assertWithin,
  emptyModel,
  MAX_COEFFICIENT,
  type Model,
  problemAt,
  type Row,
  type Terms,
  toBound,
  type Variable,
  withinBinary,
} from './model.js';
import { makeSemiContinuous } from './semi-continuous.js';

/** Linear expression while it is parsed. */
interface Expression {
  /** Coefficients by variable. A variable that cancels out keeps the coefficient 0. */
  coefficients: Map<number, number>;
  constant: number;
  /** Whether the expression contains a number without a variable. Otherwise the constant is only the initial 0. */
  hasConstant: boolean;
}

/** Number on either side of a relation. */
interface Figure {
  value: number;
  at: LpToken;
}

type Relation = '<=' | '>=' | '=';

const REVERSED: Record<Relation, Relation> = { '<=': '>=', '>=': '<=', '=': '=' };

/** Sections that are only accepted if they are empty, with the name of what they contain. */
const UNSUPPORTED: Record<string, string> = {
  sos: 'special ordered sets',
  'general constraints': 'general constraints',
  pwlobj: 'piecewise-linear objectives',
};

/**
 * Parses a model in CPLEX LP format: the objective with its sense and name, constraints including ranges and lazy constraints,
 * bounds, and general, binary and semi-continuous variables. Variables without bounds start at 0, and binary variables range
 * from 0 to 1.
 *
 * This reader replaces the one in HiGHS and accepts more input. For `=>`, a range or a missing `End`, the HiGHS reader ends the
 * process without reporting a line, and it treats invalid text as an empty model. Everything that the solver does not support,
 * such as quadratic terms, is rejected by name.
 *
 * @throws ModelProblem with line and token
 */
export function readLp(text: string): Model {
  return new LpReader(text).model();
}

class LpReader {
  private readonly lexer: LpLexer;
  private token: LpToken;
  private following: LpToken | undefined;
  private readonly indexes = new Map<string, number>();
  private readonly rowNames = new Set<string>();
  /** Semi-continuous variables, with the places where the file says so. */
  private readonly semiContinuous = new Map<Variable, LpToken>();
  private readonly result: Model;
  private terms = 0;
  private unnamed = 0;
  /** Line of the right side of the last constraint. */
  private rightSideLine = 0;

  constructor(text: string) {
    this.lexer = new LpLexer(text);
    this.token = this.lexer.next();
    this.result = emptyModel();
  }

  model(): Model {
    const { text, kind } = this.token;
    if (kind !== 'section' || (text !== 'minimize' && text !== 'maximize')) {
      // A keyword with a colon has become a name.
      const colon = kind === 'name' && /^(?:min|max)(?:imum|imi[sz]e)?$/i.test(text) ? ', without a colon' : '';
      this.refuse(`a model must begin with Minimize or Maximize${colon}`);
    }
    this.result.sense = text;
    this.advance();
    this.label();
    const { coefficients, constant } = this.expression();
    if (!Number.isFinite(constant)) this.refuse('the objective has an infinite constant before this');
    this.result.objective = this.toTerms(coefficients);
    this.result.constant = constant;
    if (this.token.kind !== 'section' || this.token.text !== 'subject to') this.refuse('Subject To is expected here');
    this.sections();
    for (const [variable, at] of this.semiContinuous) makeSemiContinuous(variable, at);
    return this.result;
  }

  private sections(): void {
    for (;;) {
      const { kind, text } = this.token;
      if (kind === 'end') return;
      if (text === 'minimize' || text === 'maximize') this.refuse('this section is not allowed here');
      const start = this.token;
      this.advance();
      if (text === 'end') {
        if (this.token.kind !== 'end') this.refuse('nothing is allowed after End');
        return;
      }
      while (!this.isAtSection()) {
        const unsupported = UNSUPPORTED[text];
        if (unsupported !== undefined) throw problemAt(start, `${unsupported} are not supported`);
        if (text === 'subject to') this.constraint();
        else if (text === 'bounds') this.bound();
        else this.domain(text);
      }
    }
  }

  /** Parses an optional `name:`. */
  private label(): string | undefined {
    if (this.token.kind !== 'name' || this.peek().kind !== 'colon') return undefined;
    const { text } = this.token;
    this.advance();
    this.advance();
    return text;
  }

  private constraint(): void {
    const start = this.token;
    const label = this.label();
    if (label === undefined && start.kind === 'sign' && start.line === this.rightSideLine) {
      throw problemAt(start, 'variables must be on the left side, and another constraint must begin on a new line');
    }
    const name = label ?? this.nextName();
    if (this.rowNames.has(name)) throw problemAt(start, 'another constraint has this name');
    this.rowNames.add(name);
    assertWithin('rows', this.rowNames.size);
    const left = this.expression();
    if (this.token.kind !== 'relation' && label === undefined && start.line === this.rightSideLine) {
      throw problemAt(start, 'variables must be on the left side of a constraint');
    }
    const relation = this.relation();
    const row: Row = { name, terms: { variables: [], coefficients: [] }, lower: -Infinity, upper: Infinity };
    // Some writers omit the terms of a row without variables: `name: <= 3`.
    const isEmpty = label !== undefined && !left.hasConstant;
    if (left.coefficients.size > 0 || isEmpty) {
      this.limit(row, relation, this.rightSide(left));
      row.terms = this.toTerms(left.coefficients);
    } else {
      // The constraint starts with a number: `3 <= x + y`, optionally followed by `<= 8`.
      if (!left.hasConstant) throw problemAt(start, 'the left side of the constraint is empty');
      const inner = this.expression();
      if (inner.coefficients.size === 0) throw problemAt(start, 'the constraint has no variables');
      this.limit(row, REVERSED[relation], without(inner, { value: left.constant, at: start }));
      if (this.token.kind === 'relation') {
        if (this.token.text !== relation || relation === '=')
          this.refuse('both relations of a range must point the same way');
        this.advance();
        this.limit(row, relation, this.rightSide(inner));
      }
      row.terms = this.toTerms(inner.coefficients);
    }
    this.result.rows.push(row);
  }

  /** Parses the number on the right, and subtracts the constant on the left from it. */
  private rightSide(left: Expression): Figure {
    this.rightSideLine = this.token.line;
    return without(left, this.bare());
  }

  private bound(): void {
    const start = this.token;
    if (start.kind === 'name') {
      const variable = this.variable();
      if (this.token.kind === 'free') {
        this.advance();
        Object.assign(variable, { lower: -Infinity, upper: Infinity });
        return;
      }
      this.limit(variable, this.relation(), this.bare());
      return;
    }
    const figure = this.bare();
    const relation = this.relation();
    if (this.token.kind !== 'name') this.refuse('the name of a variable is expected here');
    const variable = this.variable();
    this.limit(variable, REVERSED[relation], figure);
    this.secondBound(variable);
  }

  /** Parses the rest of `1 <= x <= 3` after the variable. */
  private secondBound(variable: Variable): void {
    if (this.token.kind === 'relation') this.limit(variable, this.relation(), this.bare());
  }

  /** Parses a variable in a section such as `general`. */
  private domain(section: string): void {
    const start = this.token;
    if (start.kind !== 'name') this.refuse('the name of a variable is expected here');
    const variable = this.variable();
    if (section === 'semi-continuous') this.semiContinuous.set(variable, start);
    else Object.assign(variable, { isInteger: true, ...(section === 'binary' && withinBinary(variable)) });
  }

  /** Applies a relation between a variable or row and a number to its bounds. */
  private limit(target: { lower: number; upper: number }, relation: Relation, { value, at }: Figure): void {
    const bound = toBound(value);
    if (relation !== '<=') target.lower = bound;
    if (relation !== '>=') target.upper = bound;
    if (target.lower === Infinity || target.upper === -Infinity) throw problemAt(at, 'the bound is too large');
  }

  /** Parses a sum of terms, up to the first token that cannot begin a term. */
  private expression(): Expression {
    const coefficients = new Map<number, number>();
    let [constant, hasConstant] = [0, false];
    for (let isFirst = true; ; isFirst = false) {
      const start = this.token;
      if (start.kind !== 'sign' && !(isFirst && ['number', 'name', 'infinity'].includes(start.kind))) break;
      const sign = this.signs();
      const number = this.token.kind === 'number' || this.token.kind === 'infinity' ? this.magnitude() : undefined;
      if (this.token.kind === 'name') {
        const coefficient = sign * (number ?? 1);
        if (Math.abs(coefficient) >= MAX_COEFFICIENT) throw problemAt(start, 'the number must be smaller than 1e15');
        const index = this.index();
        coefficients.set(index, (coefficients.get(index) ?? 0) + coefficient);
      } else if (number === undefined) {
        this.refuse('a number or the name of a variable is expected here');
      } else {
        constant += sign * number;
        hasConstant = true;
      }
    }
    return { coefficients, constant, hasConstant };
  }

  /** Parses a number with an optional sign. */
  private bare(): Figure {
    const sign = this.signs();
    const at = this.token;
    if (at.kind === 'name') this.refuse('a number is expected here, because variables must be on the left side');
    if (at.kind !== 'number' && at.kind !== 'infinity') this.refuse('a number is expected here');
    return { value: sign * this.magnitude(), at };
  }

  private signs(): number {
    let sign = 1;
    for (; this.token.kind === 'sign'; this.advance()) if (this.token.text === '-') sign = -sign;
    return sign;
  }

  private magnitude(): number {
    const value = this.token.kind === 'infinity' ? Infinity : Number(this.token.text);
    if (this.token.kind === 'number' && value === Infinity) this.refuse('the number is too large');
    this.advance();
    return value;
  }

  private relation(): Relation {
    if (this.token.kind !== 'relation') this.refuse('<=, >= or = is expected here');
    const { text } = this.token;
    this.advance();
    return text as Relation;
  }

  private variable(): Variable {
    const variable = this.result.variables[this.index()];
    if (variable === undefined) throw new Error('A variable that has an index is missing');
    return variable;
  }

  /** Parses a variable name and returns its index. The first occurrence creates the variable. */
  private index(): number {
    const { text: name } = this.token;
    this.advance();
    const existing = this.indexes.get(name);
    if (existing !== undefined) return existing;
    const { variables } = this.result;
    const index = variables.push({ name, isInteger: false, lower: 0, upper: Infinity }) - 1;
    assertWithin('variables', variables.length);
    this.indexes.set(name, index);
    return index;
  }

  private toTerms(coefficients: ReadonlyMap<number, number>): Terms {
    const nonZero = [...coefficients].filter(([, coefficient]) => coefficient !== 0);
    this.terms += nonZero.length;
    assertWithin('terms', this.terms);
    return { variables: nonZero.map(([index]) => index), coefficients: nonZero.map(([, coefficient]) => coefficient) };
  }

  /** Returns a constraint name that is not in use yet. */
  private nextName(): string {
    let name: string;
    do {
      this.unnamed += 1;
      name = `R${this.unnamed}`;
    } while (this.rowNames.has(name));
    return name;
  }

  private isAtSection(): boolean {
    return this.token.kind === 'section' || this.token.kind === 'end';
  }

  private peek(): LpToken {
    this.following ??= this.lexer.next();
    return this.following;
  }

  private advance(): void {
    this.token = this.following ?? this.lexer.next();
    this.following = undefined;
  }

  private refuse(reason: string): never {
    throw problemAt(this.token, reason);
  }
}

/** Subtracts the constant of an expression from the number on the other side of a relation. */
function without({ constant }: Expression, { value, at }: Figure): Figure {
  if (Math.abs(toBound(constant)) === Infinity)
    throw problemAt(at, 'the other side of the constraint contains an infinite constant');
  return { value: toBound(value) - constant, at };
}
