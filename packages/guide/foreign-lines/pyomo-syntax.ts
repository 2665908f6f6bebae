import type { ExpressionReader, Syntax } from './expressions.js';
import type { Tokens } from './tokens.js';
import { type Membership, type Node, Untranslatable } from './tree.js';

/* Expressions of Pyomo, which are expressions of Python. */

const COMPARISONS = new Map(Object.entries({ '==': '=', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' }));

/** @param prefixes names of models, and names under which Pyomo is imported */
export function pyomoSyntax(prefixes: ReadonlySet<string>): Syntax {
  const name = (tokens: Tokens): string => {
    const first = tokens.name();
    if (!tokens.is('.')) return first;
    if (!prefixes.has(first)) throw new Untranslatable(`\`${first}.\` is not a model`);
    tokens.take();
    return tokens.name();
  };
  return {
    bracket: '[',
    comparisons: COMPARISONS,
    special: (reader) => specialIn(reader, name),
    name,
  };
}

function specialIn(reader: ExpressionReader, name: (tokens: Tokens) => string): Node | undefined {
  const { tokens } = reader;
  if (tokens.is('pyo', 'pe', 'aml') && tokens.peek(1).text === '.') {
    tokens.take();
    tokens.take();
  }
  if (tokens.peek(1).text !== '(') return undefined;
  if (tokens.is('value')) {
    tokens.take();
    return reader.primary();
  }
  if (tokens.is('len', 'inequality', 'summation', 'sum_product', 'dot_product', 'prod'))
    throw new Untranslatable(`\`${tokens.next.text}\` has no counterpart here: write the sum with its index`);
  if (!tokens.is('sum', 'quicksum', 'min', 'max')) return undefined;
  return totalIn(reader, tokens.is('min', 'max') ? (tokens.next.text as 'min' | 'max') : 'sum', name);
}

/** Reads `sum(m.c[i] * m.x[i] for i in m.I if m.c[i] > 0)`. Without `for`, `min` and `max` are functions of their arguments. */
function totalIn(reader: ExpressionReader, combine: 'sum' | 'min' | 'max', name: (tokens: Tokens) => string): Node {
  const { tokens } = reader;
  tokens.take();
  tokens.expect('(');
  const of = reader.expression();
  if (combine !== 'sum' && !tokens.is('for')) {
    const others = tokens.skip(',') ? reader.list(')', () => reader.expression()) : (tokens.expect(')'), []);
    return { kind: 'call', name: combine, parts: [of, ...others] };
  }
  if (!tokens.is('for')) throw new Untranslatable('a sum needs `for i in ...`');
  const over: Membership[] = [];
  while (tokens.skip('for')) {
    const isTuple = tokens.skip('(');
    const names = [tokens.name()];
    while (tokens.skip(',')) names.push(tokens.name());
    if (isTuple) tokens.expect(')');
    tokens.expect('in');
    if (tokens.is('range')) throw new Untranslatable('a sum over `range`: name the set first, as in `weeks: 1 to 4`');
    over.push({ names, set: name(tokens) });
  }
  const where = tokens.skip('if') ? reader.condition() : undefined;
  tokens.expect(')');
  return { kind: 'total', combine, index: { over, ...(where !== undefined && { where }) }, of };
}
