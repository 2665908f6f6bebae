import fc, { type GeneratorValue } from 'fast-check';
import type { World, WorldVariable } from './world.js';

/*
 * Generates meaningful random models over two sets of single members, their labels and, optionally, a set of pairs.
 *
 * All numbers are multiples of an eighth, and all divisors are powers of two. Sums are therefore exact in any order.
 */

const CITIES = ['Ulm', 'oak chair', '7', 'b "c"', 'Čáslav'];
const WEEKS = ['3', '1', '2.5', '10', '-4'];
const REGIONS = ['north', 'south', '10', '9'];

/** Index name in scope with the kind of its members. */
interface Bound {
  name: string;
  kind: Kind;
}
type Kind = 'city' | 'week' | 'region';
const SET_OF: Record<Kind, string> = { city: 'cities', week: 'weeks', region: 'regions' };

interface Scope {
  bound: Bound[];
  /** Pairs of index names that identify a member of `lanes`. */
  lanes: [string, string][];
}
const NOTHING: Scope = { bound: [], lanes: [] };

/** Generates random worlds. @param hasPairs whether there is a set of pairs, which cards cannot express */
export const worlds = (hasPairs: boolean): fc.Arbitrary<World> => fc.gen().map((g) => new Maker(g, hasPairs).world());

class Maker {
  private sets: World['sets'] = {};
  private families: { name: string; kinds: Kind[]; over: string[]; where?: string; isPairs: boolean }[] = [];
  private taken = 0;

  constructor(
    private readonly g: GeneratorValue,
    private readonly hasPairs: boolean,
  ) {}

  world(): World {
    const cities = this.some(CITIES, 1, 4);
    const weeks = this.some(WEEKS, 1, 4);
    const regions = this.some(REGIONS, 1, 3);
    const single = (members: string[]): string[][] => members.map((member) => [member]);
    this.sets = { cities: single(cities), weeks: single(weeks), regions: single(regions) };
    if (this.hasPairs) {
      const pairs = cities.flatMap((from) => cities.map((to) => [from, to]));
      this.sets['lanes'] = this.some(pairs, 1, 6);
    }
    const columns: World['columns'] = {
      cost: this.column('cities', () => this.eighth()),
      half: this.column('cities', () => this.divisor()),
      size: this.column('weeks', () => this.eighth()),
      part: this.column('weeks', () => this.divisor()),
      goal: this.column('regions', () => this.eighth()),
      region: this.column('cities', () => this.one(REGIONS)),
      twin: this.column('cities', () => this.one(CITIES)),
      mate: this.column('cities', () => this.one(cities)),
      season: this.column('weeks', () => this.one(REGIONS)),
      lead: this.column('weeks', () => this.below(3)),
    };
    if (this.hasPairs) {
      columns['distance'] = this.column('lanes', () => this.eighth());
      columns['mark'] = this.column('lanes', () => this.one(REGIONS));
      const some = this.column('cities', () => (this.chance(50) ? null : this.eighth()));
      columns['some'] = { ...some, fallback: this.eighth() };
    }
    const values = { price: this.eighth(), zero: 0 };
    const variables: WorldVariable[] = [
      { name: 'x', ...this.domain() },
      { name: 'y', ...this.domain() },
    ];
    for (const [name, kinds] of [
      ['make', ['city']],
      ['run', ['week']],
      ['use', ['city', 'week']],
      ['link', ['city', 'city']],
    ] as [string, Kind[]][])
      variables.push(this.family(name, kinds, false));
    if (this.hasPairs) variables.push(this.family('ship', ['city', 'city'], true));
    const objectives = Array.from({ length: this.hasPairs ? 1 : this.below(3, 1) }, () => ({
      sense: this.one(['maximize', 'minimize'] as const),
      weight: this.below(4, 1),
      expression: this.linear(NOTHING, 3),
    }));
    const constraints = Array.from({ length: this.below(5, 2) }, (_, at) => this.constraint(`C${at}`));
    return { sets: this.sets, columns, values, variables, objectives, constraints };
  }

  /* Numbers. */

  private below(limit: number, from = 0): number {
    return this.g(fc.integer, { min: from, max: limit - 1 });
  }
  private chance(percent: number): boolean {
    return this.g(fc.integer, { min: 0, max: 99 }) >= 100 - percent;
  }
  private one<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }
  private some<Item>(items: readonly Item[], least: number, most: number): Item[] {
    const left = [...items];
    const count = Math.min(items.length, this.below(most + 1, least));
    return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)[0]!);
  }
  private eighth(): number {
    return this.g(fc.integer, { min: -24, max: 24 }) / 8;
  }
  private divisor(): number {
    return this.one([1, 2, -1, 0.5, 4, -2]);
  }
  private column(set: string, cell: () => number | string | null): World['columns'][string] {
    return { set, cells: this.sets[set]!.map(cell) };
  }
  private newName(kind: Kind): string {
    this.taken += 1;
    return `${kind[0]}${this.taken}`;
  }

  /* Cards. */

  private domain(): Pick<WorldVariable, 'domain' | 'free' | 'lower'> {
    return {
      domain: this.one(['continuous', 'integer', 'binary'] as const),
      ...(this.chance(30) && { free: true }),
      ...(this.chance(20) && { lower: this.eighth() - 4 }),
    };
  }

  private family(name: string, kinds: Kind[], isPairs: boolean): WorldVariable {
    const names = kinds.map((kind, at) => `${kind[0]}${at === 0 ? '' : at}${name[0]}`);
    const scope: Scope = {
      bound: names.map((one, at) => ({ name: one, kind: kinds[at]! })),
      lanes: isPairs ? [[names[0]!, names[1]!]] : [],
    };
    const over = isPairs
      ? `(${names.join(', ')}) in lanes`
      : names.map((one, at) => `${one} in ${SET_OF[kinds[at]!]}`).join(', ');
    const where = this.chance(40) ? this.condition(scope, 1) : undefined;
    this.families.push({ name, kinds, over: names, ...(where !== undefined && { where }), isPairs });
    return {
      name,
      index: where === undefined ? over : `${over} where ${where}`,
      ...this.domain(),
      ...(this.chance(50) && { upper: this.number(scope, 2) }),
    };
  }

  private constraint(label: string): World['constraints'][number] {
    const isIndexed = this.chance(75);
    const { text: index, scope } = isIndexed ? this.index(NOTHING) : { text: undefined, scope: NOTHING };
    // All relations in a chain have the same direction.
    const way = this.one(['<=', '>=']);
    const relation = (): string => this.one([way, '=']);
    const side = (): string => (this.chance(70) ? this.linear(scope, 3) : this.number(scope, 2));
    const sides = this.chance(20)
      ? `${this.number(scope, 1)} ${relation()} ${side()} ${relation()} ${this.number(scope, 1)}`
      : `${side()} ${relation()} ${side()}`;
    return {
      label,
      ...(index !== undefined && { index }),
      expression: this.chance(10) ? `${sides} ${relation()} ${side()}` : sides,
      ...(!this.hasPairs && this.chance(25) && { penalty: this.below(9, 1) }),
    };
  }

  /**
   * Returns an index that may use the outer names. It includes the condition of a family if that condition is needed.
   */
  private index(outer: Scope, needed?: (scope: Scope) => string | undefined): { text: string; scope: Scope } {
    let scope: Scope = { bound: [...outer.bound], lanes: [...outer.lanes] };
    const memberships = Array.from({ length: this.below(3, 1) }, () => {
      const { text, scope: extended } = this.membership(scope);
      scope = extended;
      return text;
    });
    const wheres = [needed?.(scope), this.chance(60) ? this.condition(scope, 2) : undefined].filter(
      (one) => one !== undefined,
    );
    const where = wheres.length === 2 ? wheres.map((one) => `(${one})`).join(' and ') : wheres[0];
    return { text: memberships.join(', ') + (where === undefined ? '' : ` where ${where}`), scope };
  }

  /** Returns an index over all members of a set, which is never empty. */
  private whole({ bound, lanes }: Scope): { text: string; scope: Scope } {
    const kind = this.one<Kind>(['city', 'week', 'region']);
    const [name, other] = [this.newName(kind), this.newName(kind)];
    const isPair = this.hasPairs && kind === 'city' && this.chance(50);
    const names = isPair ? [name, other] : [name];
    const added = names.map((one): Bound => ({ name: one, kind }));
    return {
      text: isPair ? `(${name}, ${other}) in lanes` : `${name} in ${SET_OF[kind]}`,
      scope: { bound: [...bound, ...added], lanes: isPair ? [...lanes, [name, other]] : lanes },
    };
  }

  private membership({ bound, lanes }: Scope): { text: string; scope: Scope } {
    const name = (kind: Kind): { name: string; isNew: boolean } => {
      const known = bound.filter((one) => one.kind === kind);
      return known.length > 0 && this.chance(35)
        ? { name: this.one(known).name, isNew: false }
        : { name: this.newName(kind), isNew: true };
    };
    if (this.hasPairs && this.chance(40)) {
      const from = name('city');
      const to = this.chance(15) ? { ...from, isNew: false } : name('city');
      const added = [from, to].filter(({ isNew }) => isNew);
      return {
        text: `(${from.name}, ${to.name}) in lanes`,
        scope: {
          bound: [...bound, ...added.map((one): Bound => ({ name: one.name, kind: 'city' }))],
          lanes: [...lanes, [from.name, to.name]],
        },
      };
    }
    const kind = this.one<Kind>(['city', 'week', 'city', 'week', 'region']);
    const made = name(kind);
    return {
      text: `${made.name} in ${SET_OF[kind]}`,
      scope: { bound: made.isNew ? [...bound, { name: made.name, kind }] : bound, lanes },
    };
  }

  /* Components of formulas. */

  private key(scope: Scope, kind: Kind, mayLag = true): string | undefined {
    const known = scope.bound.filter((one) => one.kind === kind);
    if (known.length === 0 || this.chance(10)) return this.literal(kind);
    const { name } = this.one(known);
    if (mayLag && this.chance(8))
      return kind === 'city' ? `mate[${name}]` : `${this.one(['first', 'last'])}(${SET_OF[kind]})`;
    if (!mayLag || !this.chance(25)) return name;
    const sign = this.one(['-', '+', '--', '++']);
    return `${name} ${sign} ${this.chance(25) ? `lead[${this.literal('week')}]` : this.below(3)}`;
  }

  private literal(kind: Kind): string {
    const [member] = this.one(this.sets[SET_OF[kind]]!);
    return kind === 'week' && !member!.startsWith('-') && this.chance(50) ? member! : quoted(member!);
  }

  private figure(scope: Scope): string {
    const lane = scope.lanes.length > 0 && this.chance(40) ? this.one(scope.lanes) : undefined;
    if (lane !== undefined) return `distance[${lane.join(', ')}]`;
    const week = scope.bound.find(({ kind }) => kind === 'week');
    switch (this.below(7)) {
      case 0:
        return String(Math.abs(this.eighth()));
      case 1:
        return 'price';
      case 2:
        return week === undefined ? 'zero' : week.name;
      case 3:
        return this.hasPairs ? `some[${this.key(scope, 'city')}]` : `size[${this.key(scope, 'week')}]`;
      case 4:
        return `size[${this.key(scope, 'week')}]`;
      case 5:
        return `goal[${this.key(scope, 'region')}]`;
      default:
        return `cost[${this.key(scope, 'city')}]`;
    }
  }

  private number(scope: Scope, depth: number): string {
    if (depth === 0 || this.chance(30)) return this.figure(scope);
    switch (this.below(10)) {
      case 7:
        return this.choice(scope, () => this.number(scope, depth - 1));
      case 8:
        return scope.bound.length === 0 ? '2' : `position(${this.one(scope.bound).name})`;
      case 0:
        return `(${this.number(scope, depth - 1)} ${this.one(['+', '-'])} ${this.number(scope, depth - 1)})`;
      case 1:
        return `${this.figure(scope)} * ${this.figure(scope)}`;
      case 2:
        return `${this.figure(scope)} / ${this.divisorText(scope)}`;
      case 3:
        return `-${this.figure(scope)}`;
      case 4:
        return `${this.one(['min', 'max'])}(${this.number(scope, depth - 1)}, ${this.number(scope, depth - 1)})`;
      case 5:
        return `${this.one(['abs', 'round', 'floor', 'ceil'])}(${this.number(scope, depth - 1)})`;
      case 6: {
        if (this.chance(40)) return `(count ${this.index(scope).text})`;
        const { text, scope: inner } = this.whole(scope);
        return `(${this.one(['min', 'max'])} ${text}: ${this.figure(inner)})`;
      }
      default: {
        const { text, scope: inner } = this.index(scope);
        return `(sum ${text}: ${this.figure(inner)})`;
      }
    }
  }

  private divisorText(scope: Scope): string {
    return this.one([
      `half[${this.key(scope, 'city', false)}]`,
      `part[${this.key(scope, 'week', false)}]`,
      '2',
      '(-4)',
    ]);
  }

  private variable(scope: Scope): string {
    const family = this.one([...this.families, undefined]);
    if (family === undefined) return this.one(['x', 'y']);
    const { name, kinds, over, where, isPairs } = family;
    if (isPairs && where === undefined && scope.lanes.length > 0) return `${name}[${this.one(scope.lanes).join(', ')}]`;
    if (!isPairs && where === undefined) return `${name}[${kinds.map((kind) => this.key(scope, kind)).join(', ')}]`;
    // Returns a sum over new index names, possibly restricted to the members that names in scope refer to.
    const renamed = new Map(over.map((one, at) => [one, this.newName(kinds[at]!)]));
    const fresh = over.map((one) => renamed.get(one)!);
    const index = isPairs
      ? `(${fresh.join(', ')}) in lanes`
      : fresh.map((one, at) => `${one} in ${SET_OF[kinds[at]!]}`).join(', ');
    const equal = fresh.flatMap((one, at) => {
      const known = scope.bound.filter(({ kind }) => kind === kinds[at]!);
      if (known.length === 0 || this.chance(40)) return [];
      const other = this.one(known).name;
      const wanted = kinds[at] === 'city' && this.chance(20) ? `twin[${other}]` : other;
      return [this.chance(50) ? `${one} = ${wanted}` : `${wanted} = ${one}`];
    });
    const own = where?.replace(/[A-Za-z]\w*/g, (one) => renamed.get(one) ?? one);
    const conditions = [...equal, ...(own === undefined ? [] : [`(${own})`])];
    const filter = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
    return `(sum ${index}${filter}: ${name}[${fresh.join(', ')}])`;
  }

  /** Returns a choice between two expressions. */
  private choice(scope: Scope, make: () => string): string {
    if (this.chance(60)) return `(if (${this.condition(scope, 1)}) then ${make()} else (${make()}))`;
    const column = this.hasPairs ? `some[${this.key(scope, 'city')}]` : `size[${this.key(scope, 'week')}]`;
    return `(${column} else (${make()}))`;
  }

  private linear(scope: Scope, depth: number): string {
    if (depth === 0) return this.variable(scope);
    switch (this.below(7)) {
      case 0:
        return this.variable(scope);
      case 5:
        return this.choice(scope, () => this.linear(scope, depth - 1));
      case 1:
        return `${this.linear(scope, depth - 1)} ${this.one(['+', '-'])} ${this.linear(scope, depth - 1)}`;
      case 2:
        return `${this.linear(scope, depth - 1)} + ${this.number(scope, 1)}`;
      case 3:
        return `${this.figure(scope)} * (${this.linear(scope, depth - 1)})`;
      case 4:
        return `(${this.linear(scope, depth - 1)}) / ${this.divisorText(scope)}`;
      default: {
        const { text, scope: inner } = this.index(scope);
        const body = this.chance(50)
          ? `${this.figure(inner)} * ${this.variable(inner)}`
          : `(${this.linear(inner, depth - 1)})`;
        return `(sum ${text}: ${this.chance(20) ? '-' : ''}${body})`;
      }
    }
  }

  private condition(scope: Scope, depth: number): string {
    if (depth > 0 && this.chance(40)) {
      switch (this.below(4)) {
        case 0:
          return `not (${this.condition(scope, depth - 1)})`;
        case 1:
          return `(${this.condition(scope, depth - 1)} or ${this.condition(scope, depth - 1)})`;
        default:
          return `${this.condition(scope, depth - 1)} and ${this.condition(scope, depth - 1)}`;
      }
    }
    if (this.chance(15)) return this.existence(scope);
    const comparison = this.one(['=', '=', '<>', '<', '<=', '>', '>=']);
    return this.chance(45)
      ? `${this.number(scope, 1)} ${comparison} ${this.number(scope, 1)}`
      : `${this.label(scope)} ${comparison} ${this.label(scope)}`;
  }

  /** Returns a condition on the existence of a member or a value. */
  private existence(scope: Scope): string {
    const lane = scope.lanes.length > 0 && this.chance(50) ? this.one(scope.lanes) : undefined;
    const not = this.chance(30) ? 'not ' : '';
    if (lane !== undefined) return `(${lane.toReversed().join(', ')}) ${not}in lanes`;
    const kind = this.one<Kind>(['city', 'week', 'region']);
    switch (this.below(3)) {
      case 0:
        return `${this.key(scope, kind, false)} ${not}in ${SET_OF[this.one<Kind>(['city', 'week', 'region'])]}`;
      case 1:
        return `size[${this.key(scope, 'week')}] is ${not}given`;
      default:
        return this.hasPairs
          ? `some[${this.key(scope, 'city')}] is ${not}empty`
          : `season[${this.key(scope, 'week')}] is ${not}given`;
    }
  }

  /** Returns an operand that is compared as a string. */
  private label(scope: Scope): string {
    const lane = scope.lanes.length > 0 && this.chance(30) ? this.one(scope.lanes) : undefined;
    if (lane !== undefined) return `mark[${lane.join(', ')}]`;
    if (scope.bound.length > 0 && this.chance(40)) return this.one(scope.bound).name;
    switch (this.below(5)) {
      case 4:
        return `${this.one(['first', 'last'])}(${this.one(['weeks', 'cities'])})`;
      case 0:
        return quoted(this.one([...REGIONS, ...CITIES, ...WEEKS]));
      case 1:
        return `season[${this.key(scope, 'week')}]`;
      case 2:
        return `twin[${this.key(scope, 'city')}]`;
      default:
        return `region[${this.key(scope, 'city')}]`;
    }
  }
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Generates worlds that usually contain an error: a cell that is 0 or missing, or a wrong name. */
export const wrongWorlds = (hasPairs: boolean): fc.Arbitrary<World> =>
  fc.tuple(worlds(hasPairs), fc.nat(), fc.nat(), fc.nat(4)).map(([world, where, which, kind]) => {
    const copy = structuredClone(world);
    const columns = Object.values(copy.columns);
    const column = columns[where % columns.length]!;
    const cell = which % column.cells.length;
    if (kind === 0 && hasPairs && typeof column.cells[cell] === 'number') column.cells[cell] = null;
    else if (kind === 1 && typeof column.cells[cell] === 'number') column.cells[cell] = 0;
    else {
      // Replaces an index name or a member with another name.
      const cards = [...copy.constraints, ...copy.objectives];
      const card = cards[where % cards.length]!;
      const words = [...card.expression.matchAll(/(?<=\[)(?:[crw]\d+|"\w+")(?=[,\]])/g)];
      const word = words[which % Math.max(1, words.length)];
      const names = [...`${card.expression} ${'index' in card ? card.index : ''}`.matchAll(/\b[crw]\d+\b/g)];
      const other = kind === 2 ? '"nobody"' : (names[(which >> 4) % Math.max(1, names.length)]?.[0] ?? '"nobody"');
      if (word !== undefined)
        card.expression =
          card.expression.slice(0, word.index) + other + card.expression.slice(word.index + word[0].length);
    }
    return copy;
  });
