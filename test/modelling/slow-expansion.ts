import type {
  Call,
  Comparison,
  Condition,
  Expression,
  Index,
  Key,
  MemberOf,
  Operand,
} from '../../packages/modelling/formula.js';
import { type Fault, formulaOf, indexOf, type Matrix, type World } from './world.js';

/*
 * Straightforward reference implementation of model expansion: member by member, with strings in maps. The parser is
 * the only code that it shares with the service.
 */

class Faulty extends Error {
  constructor(readonly fault: Fault) {
    super(fault);
  }
}

/** Members by index name, and the key part that each index name comes from. */
interface Scope {
  members: Map<string, string>;
  homes: Map<string, { set: string; part: number; isAlone: boolean }>;
}
const NOWHERE: Scope = { members: new Map(), homes: new Map() };

interface Linear {
  constant: number;
  terms: Map<string, number>;
}
const figure = (constant: number): Linear => ({ constant, terms: new Map() });

function plus(one: Linear, other: Linear, times = 1): Linear {
  const terms = new Map(one.terms);
  for (const [name, coefficient] of other.terms) {
    const sum = (terms.get(name) ?? 0) + times * coefficient;
    if (sum === 0) terms.delete(name);
    else terms.set(name, sum);
  }
  return { constant: one.constant + times * other.constant, terms };
}

const keyOf = (member: readonly (string | undefined)[]): string => JSON.stringify(member);

/** Result of looking up a member past the end of a set. */
const NOBODY = undefined;

export function expandSlowly(world: World): Matrix | Fault {
  try {
    return new SlowExpansion(world).matrix();
  } catch (error) {
    if (error instanceof Faulty) return error.fault;
    throw error;
  }
}

class SlowExpansion {
  private readonly cells = new Map<string, Map<string, number | string | null>>();
  /** Names of variables by family and member. */
  private readonly families = new Map<string, Map<string, string>>();

  constructor(private readonly world: World) {
    for (const [name, { set, cells }] of Object.entries(world.columns))
      this.cells.set(name, new Map(world.sets[set]!.map((member, at) => [keyOf(member), cells[at]!])));
  }

  matrix(): Matrix {
    const matrix: Matrix = { variables: new Map(), rows: new Map(), objective: new Map(), constant: 0 };
    const { variables, objectives, constraints } = this.world;
    for (const { name, index, domain, lower, upper, free } of variables) {
      const family = new Map<string, string>();
      for (const scope of this.scopes(indexOf(index), NOWHERE)) {
        const member = [...scope.members.values()];
        const called = index === undefined ? name : `${name}[${member.join(', ')}]`;
        const bounds = {
          lower: this.bound(lower, scope) ?? (free === true ? -Infinity : 0),
          upper: this.bound(upper, scope) ?? Infinity,
        };
        if (domain === 'binary') {
          bounds.lower = Math.max(0, bounds.lower);
          bounds.upper = Math.min(1, bounds.upper);
        }
        matrix.variables.set(called, bounds);
        family.set(keyOf(member), called);
      }
      this.families.set(name, family);
    }
    let objective = figure(0);
    for (const { sense, weight, expression } of objectives) {
      const times = (objectives.length > 1 ? weight : 1) * (sense === objectives[0]!.sense ? 1 : -1);
      objective = plus(objective, this.linear(formulaOf(expression).sides[0], NOWHERE), times);
    }
    matrix.constant = objective.constant;
    matrix.objective = objective.terms;
    for (const constraint of constraints) this.constraint(constraint, matrix);
    return matrix;
  }

  private bound(given: number | string | undefined, scope: Scope): number | undefined {
    return typeof given === 'string' ? this.number(formulaOf(given).sides[0], scope) : given;
  }

  private constraint({ label, index, expression, penalty }: World['constraints'][number], matrix: Matrix): void {
    const { sides, relations } = formulaOf(expression);
    const scopes = this.scopes(indexOf(index), NOWHERE);
    const values = scopes.map((scope) => sides.map((side) => this.linear(side, scope)));
    const hasTerms = (side: number): boolean => values.some((linear) => linear[side]!.terms.size > 0);
    let groups: { lower: number; upper: number; terms: Map<string, number> }[][] = [];
    for (const [at, relation] of relations.entries()) {
      // Moves variables to the left side. If only the right side has variables, they stay there.
      const [from, to] = !hasTerms(at) && hasTerms(at + 1) ? [at + 1, at] : [at, at + 1];
      const isBelow = relation === (from === at ? '<=' : '>=');
      const rows = values.map((linear) => {
        const { constant, terms } = plus(linear[from]!, linear[to]!, -1);
        return {
          lower: relation === '=' || !isBelow ? 0 - constant : -Infinity,
          upper: relation === '=' || isBelow ? 0 - constant : Infinity,
          terms,
        };
      });
      const last = groups.at(-1);
      const isSame = last?.every(({ terms }, row) => {
        const other = rows[row]!.terms;
        return terms.size === other.size && [...terms].every(([name, coefficient]) => other.get(name) === coefficient);
      });
      if (last === undefined || isSame !== true) groups = [...groups, rows];
      else
        for (const [row, { lower, upper }] of rows.entries()) {
          last[row]!.lower = Math.max(last[row]!.lower, lower);
          last[row]!.upper = Math.min(last[row]!.upper, upper);
        }
    }
    const sign = this.world.objectives[0]!.sense === 'maximize' ? -1 : 1;
    for (const [part, rows] of groups.entries())
      for (const [at, row] of rows.entries()) {
        const numbered = groups.length > 1 ? `${label} (${part + 1})` : label;
        const name = index === undefined ? numbered : `${numbered}[${[...scopes[at]!.members.values()].join(', ')}]`;
        if (penalty !== undefined)
          for (const [way, limit] of [
            ['+', row.lower],
            ['-', row.upper],
          ] as const) {
            if (!Number.isFinite(limit)) continue;
            row.terms.set(`${name} ${way}`, way === '+' ? 1 : -1);
            matrix.objective.set(`${name} ${way}`, sign * penalty);
          }
        matrix.rows.set(name, row);
      }
  }

  /** Returns all combinations of members for an index. */
  private scopes(index: Index | undefined, outer: Scope): Scope[] {
    if (index === undefined) return [outer];
    let scopes = [outer];
    for (const { names, set } of index.over)
      scopes = scopes.flatMap((scope) =>
        this.world.sets[set]!.flatMap((member): Scope[] => {
          const members = new Map(scope.members);
          const homes = new Map(scope.homes);
          for (const [part, name] of names.entries()) {
            const isAlone = names.length === 1;
            if (!homes.has(name) || (isAlone && homes.get(name)?.isAlone === false))
              homes.set(name, { set, part, isAlone });
            const known = members.get(name);
            if (known !== undefined && known !== member[part]) return [];
            members.set(name, member[part]!);
          }
          return [{ members, homes }];
        }),
      );
    const { where } = index;
    return where === undefined ? scopes : scopes.filter((scope) => this.passes(where, scope));
  }

  /**
   * Returns false if any part of a condition excludes a member, even if another part causes an error for that member.
   */
  private passes(where: Condition, scope: Scope): boolean {
    let fault: Faulty | undefined;
    for (const part of parts(where)) {
      try {
        if (!this.holds(part, scope)) return false;
      } catch (error) {
        if (!(error instanceof Faulty)) throw error;
        fault = error;
      }
    }
    if (fault !== undefined) throw fault;
    return true;
  }

  private holds(condition: Condition, scope: Scope): boolean {
    switch (condition.kind) {
      case 'and':
        return condition.of.every((one) => this.holds(one, scope));
      case 'or':
        return condition.of.some((one) => this.holds(one, scope));
      case 'not':
        return !this.holds(condition.of, scope);
      case 'compare': {
        const { left, comparison, right } = condition;
        const texts = [this.text(left, scope), this.text(right, scope)];
        if (texts[0] === false || texts[1] === false)
          return compare(comparison, this.number(left, scope), this.number(right, scope));
        const [one, other] = texts as (string | undefined)[];
        if (one === NOBODY || other === NOBODY) return false;
        const isOrder = comparison !== '=' && comparison !== '<>';
        if (isOrder && isFigure(one) && isFigure(other)) return compare(comparison, Number(one), Number(other));
        if (isOrder && (one === '' || other === '')) return false;
        return isOrder ? compare(comparison, naturalOrder(one, other), 0) : compare(comparison, one, other);
      }
      case 'in': {
        const keys = condition.keys.map((key) => this.key(key, scope));
        return this.world.sets[condition.set]!.some((member) => keyOf(member) === keyOf(keys));
      }
      case 'given': {
        if (condition.of.kind === 'name') return true;
        const keys = this.keys(condition.of, scope);
        const { name } = condition.of;
        if (this.families.has(name)) return this.families.get(name)!.has(keyOf(keys));
        const cell = this.cells.get(name)!.get(keyOf(keys)) ?? null;
        return (
          (cell !== null && cell !== '') || (this.world.columns[name]!.fallback !== undefined && !keys.includes(NOBODY))
        );
      }
    }
  }

  /** Returns an operand as a string, or false for a number. */
  private text(operand: Operand, scope: Scope): string | undefined | false {
    if (operand.kind === 'text') return operand.text;
    if (operand.kind === 'end') return this.key(operand, scope);
    if (operand.kind === 'name' && scope.members.has(operand.name)) return scope.members.get(operand.name);
    if (operand.kind !== 'member' || !this.isLabel(operand.name)) return false;
    const keys = this.keys(operand, scope);
    const cell = this.cells.get(operand.name)!.get(keyOf(keys));
    if (cell === undefined && keys.includes(NOBODY)) return NOBODY;
    if (cell === undefined) throw new Faulty('missing');
    return cell === null ? '' : String(cell);
  }

  private isLabel(column: string): boolean {
    return this.world.columns[column]?.cells.some((cell) => typeof cell === 'string') === true;
  }

  private number(operand: Operand, scope: Scope): number {
    if (operand.kind === 'text') throw new Faulty('other');
    const { constant, terms } = this.linear(operand, scope);
    if (terms.size > 0) throw new Faulty('other');
    return constant;
  }

  private linear(expression: Expression, scope: Scope): Linear {
    switch (expression.kind) {
      case 'number':
        return figure(expression.value);
      case 'name': {
        const member = scope.members.get(expression.name);
        if (member !== undefined) {
          if (!isFigure(member)) throw new Faulty('figure');
          return figure(Number(member));
        }
        const value = this.world.values[expression.name];
        return value === undefined ? { constant: 0, terms: new Map([[expression.name, 1]]) } : figure(value);
      }
      case 'member':
        return this.member(expression, scope);
      case 'sum':
        return expression.parts.reduce(
          (sum, { negative, of }) => plus(sum, this.linear(of, scope), negative ? -1 : 1),
          figure(0),
        );
      case 'product':
        return expression.factors.reduce((product, { divisor, of }) => {
          const factor = this.linear(of, scope);
          if (divisor && factor.terms.size > 0) throw new Faulty('other');
          if (divisor && factor.constant === 0) throw new Faulty('zero');
          if (product.terms.size > 0 && factor.terms.size > 0) throw new Faulty('other');
          if (divisor) return plus(figure(0), product, 1 / factor.constant);
          return product.terms.size > 0
            ? plus(figure(0), product, factor.constant)
            : plus(figure(0), factor, product.constant);
        }, figure(1));
      case 'call':
        return figure(
          applied(
            expression.name,
            expression.of.map((one) => this.number(one, scope)),
          ),
        );
      case 'choice':
        return this.linear(this.holds(expression.when, scope) ? expression.then : expression.otherwise, scope);
      case 'tiered':
        throw new Faulty('other');
      case 'end': {
        const member = this.key(expression, scope);
        if (member === NOBODY || !isFigure(member)) throw new Faulty('figure');
        return figure(Number(member));
      }
      case 'position': {
        const order = this.orderOf(expression.name, scope);
        return figure(order.indexOf(scope.members.get(expression.name)!) + 1);
      }
      case 'total': {
        if (expression.by !== 'sum') {
          const values = this.scopes(expression.over, scope).map((inner) => this.number(expression.of, inner));
          if (values.length === 0) throw new Faulty('other');
          return figure(applied(expression.by, values));
        }
        return this.scopes(expression.over, scope).reduce(
          (sum, inner) => plus(sum, this.linear(expression.of, inner)),
          figure(0),
        );
      }
    }
  }

  private member(expression: MemberOf, scope: Scope): Linear {
    const { name } = expression;
    const keys = this.keys(expression, scope);
    const family = this.families.get(name);
    if (family !== undefined) {
      const variable = family.get(keyOf(keys));
      if (variable !== undefined) return { constant: 0, terms: new Map([[variable, 1]]) };
      if (keys.includes(NOBODY) || this.isMissingPair(expression, keys, scope)) return figure(0);
      throw new Faulty('missing');
    }
    if (this.isLabel(name)) throw new Faulty('other');
    const cell = this.cells.get(name)?.get(keyOf(keys));
    if (cell === undefined && keys.includes(NOBODY)) return figure(0);
    const known = cell ?? this.world.columns[name]!.fallback;
    if (known === undefined) throw new Faulty('missing');
    return figure(Number(known));
  }

  /** Whether a lag over pairs leads to a missing pair. The keys without a lag must be part of some member. */
  private isMissingPair({ name, keys }: MemberOf, texts: readonly (string | undefined)[], { homes }: Scope): boolean {
    const isLag = (key: Key): key is Extract<Key, { kind: 'index' | 'shift' }> =>
      key.kind === 'shift' || (key.kind === 'index' && key.lag !== 0);
    const members = [...this.families.get(name)!.keys()].map((member) => JSON.parse(member) as string[]);
    return (
      keys.some((key) => isLag(key) && homes.get(key.name)!.isAlone === false) &&
      keys.every((key, part) => isLag(key) || members.some((member) => member[part] === texts[part]))
    );
  }

  private keys({ keys }: MemberOf, scope: Scope): (string | undefined)[] {
    return keys.map((key) => this.key(key, scope));
  }

  private key(key: Key, scope: Scope): string | undefined {
    switch (key.kind) {
      case 'text':
        return key.text;
      case 'end':
        return this.world.sets[key.set]!.at(key.which === 'first' ? 0 : -1)?.[0];
      case 'label': {
        const keys = this.keys(key.of, scope);
        const cell = this.cells.get(key.of.name)!.get(keyOf(keys));
        if (cell === undefined && keys.includes(NOBODY)) return NOBODY;
        const known = cell ?? this.world.columns[key.of.name]!.fallback ?? cell;
        if (known === undefined) throw new Faulty('missing');
        return String(known ?? '');
      }
      default: {
        const member = scope.members.get(key.name);
        if (member === undefined) throw new Faulty('other');
        const lag = key.kind === 'index' ? key.lag : this.number(key.by, scope);
        if (!Number.isInteger(lag)) throw new Faulty('other');
        const order = this.orderOf(key.name, scope);
        const place = order.indexOf(member) + lag;
        return key.isCyclic === true ? order.at(place % order.length) : order[place];
      }
    }
  }

  private orderOf(name: string, { homes }: Scope): string[] {
    const { set, part } = homes.get(name)!;
    return [...new Set(this.world.sets[set]!.map((member) => member[part]!))];
  }
}

function applied(name: Call['name'], values: number[]): number {
  const [value = NaN] = values;
  switch (name) {
    case 'min':
      return values.reduce((least, one) => (one < least ? one : least));
    case 'max':
      return values.reduce((most, one) => (one > most ? one : most));
    case 'abs':
      return value < 0 ? -value : value;
    case 'round':
      return value < 0 ? -Math.round(-value) : Math.round(value);
    case 'floor':
      return Math.floor(value);
    case 'ceil':
      return Math.ceil(value);
  }
}

const parts = (condition: Condition): Condition[] =>
  condition.kind === 'and' ? condition.of.flatMap(parts) : [condition];

/** Compares the first different segments of two strings. Digits are compared by value and come before letters. */
function naturalOrder(one: string, other: string): number {
  const piecesOf = (text: string): (string | number)[] =>
    Array.from(text.matchAll(/\d+|\D+/g), ([piece]) => (/^\d/.test(piece) ? Number(piece) : piece));
  const [pieces, others] = [piecesOf(one), piecesOf(other)];
  const at = pieces.findIndex((piece, place) => piece !== others[place]);
  const [piece, counterpart] = [pieces[at], others[at]];
  if (piece === undefined || counterpart === undefined)
    return pieces.length - others.length || one.localeCompare(other, 'en');
  if (typeof piece !== typeof counterpart) return typeof piece === 'number' ? -1 : 1;
  return piece < counterpart ? -1 : 1;
}

const isFigure = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

function compare<Value extends string | number>(comparison: Comparison, one: Value, other: Value): boolean {
  switch (comparison) {
    case '=':
      return one === other;
    case '<>':
      return one !== other;
    case '<':
      return one < other;
    case '<=':
      return one <= other;
    case '>':
      return one > other;
    case '>=':
      return one >= other;
  }
}
