import { type Expression, type Index, isProblem, type Key, type Membership, partsOf } from '../../modelling/formula.js';
import { parseFormula } from '../../modelling/parse-formula.js';
import { readIndex } from '../../projects/canvas/expressions.js';
import { formulaIn } from '../../projects/canvas/requirement.js';
import type { Sketch } from './sketch.js';

/** Something that formulas use with an index and nothing on the canvas is, with the index that it seems to have. */
export interface UnknownFamily {
  /** `make[p, t]` */
  member: string;
  /** `p in products, t in weeks` */
  index: string;
}

type Scope = ReadonlyMap<string, Membership>;

/** What formulas use with an index although nothing on the canvas is called so, in the order of their first place. */
export function unknownFamilies(sketch: Sketch): UnknownFamily[] {
  const found = new Map<string, UnknownFamily>();
  const { columns } = sketch.vocabulary;
  const visit = (expression: Expression, scope: Scope): void => {
    if (expression.kind === 'member') {
      const { name, keys } = expression;
      const index = indexOf(keys, scope);
      const isKnown = columns.has(name) || sketch.variable(name) !== undefined || found.has(name);
      if (!isKnown && index !== undefined)
        found.set(name, { member: `${name}[${keys.map(textOf).join(', ')}]`, index });
    }
    const inner = expression.kind === 'total' ? withIndex(expression.over, scope) : scope;
    for (const part of partsOf(expression)) visit(part, inner);
  };
  for (const card of sketch.withFormulas()) {
    const { expression = '', index: over = '' } = formulaIn(card) ?? {};
    // Most formulas have no members in them, and need not be read.
    const formula = parseFormula(expression.includes('[') ? expression : '');
    if (isProblem(formula)) continue;
    const index = readIndex(over);
    for (const side of formula.sides) visit(side, isProblem(index) ? new Map() : withIndex(index, new Map()));
  }
  return [...found.values()];
}

function withIndex({ over }: Index, scope: Scope): Scope {
  const inner = new Map(scope);
  for (const membership of over) for (const name of membership.names) inner.set(name, membership);
  return inner;
}

/** The index that keys stand for, where each is an index of its own. */
function indexOf(keys: readonly Key[], scope: Scope): string | undefined {
  const parts = keys.map((key) => {
    const membership = key.kind === 'index' ? scope.get(key.name) : undefined;
    return membership?.names.length === 1 ? `${textOf(key)} in ${membership.set}` : undefined;
  });
  return parts.includes(undefined) || new Set(parts).size < parts.length ? undefined : parts.join(', ');
}

const textOf = (key: Key): string => (key.kind === 'index' ? key.name : key.text);
