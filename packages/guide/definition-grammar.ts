import {
  type Formula,
  inputsOf,
  isProblem,
  namesOfIndex,
  parseFormula,
  parseIndex,
  splitIndex,
} from '../modelling/index.js';
import { describeSyntaxProblem } from '../canvas/index.js';
import { quote } from './quote.js';
import type { Reading, Statement, StatementOf } from './statement.js';

/*
 * Statements that define computed numbers: `compute margin[p] = price[p] - cost[p] for p in products` and
 * `compute horizon = 3 * batch`. Without `compute`, the names on the canvas determine whether a relation is a definition.
 */

type Definition = StatementOf<'definition'>;

const COMPUTE =
  /^compute (?:the )?(?<left>[\p{L}_][\p{L}\p{M}\p{N}_]*(?: ?\[[^[\]]*\])?) ?(?<sign>[<>=≤≥]{1,2}) ?(?<right>.+)$/iu;
const BEGINNING = /^[^=]*={1,2} */;
const EXAMPLE = '`compute margin[p] = price[p] - cost[p] for p in products`';

/** Reads a definition that begins with `compute`. Returns undefined for other text. */
export function readDefinition(text: string): Reading | undefined {
  const { left, sign = '', right = '' } = COMPUTE.exec(text)?.groups ?? {};
  if (left === undefined) return undefined;
  if (!/^={1,2}$/.test(sign)) return { reason: `a computed number needs \`=\` and its formula, as in ${EXAMPLE}` };
  const relation = `${left} = ${right}`;
  const { body, index } = splitIndex(relation) ?? { body: relation };
  const formula = parseFormula(body);
  if (isProblem(formula)) return { reason: describeSyntaxProblem(formula, body) };
  const definition = definitionOf(formula, body, index);
  return typeof definition === 'string' ? { reason: definition } : { statement: definition };
}

/** Explains why a definition that begins with `compute` cannot be used. Returns undefined for other text. */
export function whyNoDefinition(text: string): string | undefined {
  const reading = readDefinition(text) ?? {};
  return 'reason' in reading ? reading.reason : undefined;
}

/**
 * Returns the definition that a statement without `compute` may be: an unnamed equation for a new name, or for all its members.
 * Returns undefined for other statements and for equations with a number, such as `price = 3`.
 */
export function definitionIn(statement: Statement): Definition | undefined {
  const relation = statement.kind === 'family' ? statement.relation : statement;
  if (relation?.kind !== 'relation' || relation.label !== undefined || relation.counts !== undefined) return undefined;
  const { formula, text, index } = relation;
  const definition = definitionOf(formula, text, index);
  if (typeof definition === 'string' || definition.names.includes(definition.name)) return undefined;
  return index === undefined && definition.names.length === 0 ? undefined : definition;
}

/** Returns the definition that a formula and its index give, or the reason why they give no definition. */
function definitionOf(
  { sides, relations, when }: Formula,
  text: string,
  index: string | undefined,
): Definition | string {
  const [left, right, ...others] = sides;
  if (right === undefined || others.length > 0 || relations[0] !== '=' || when !== undefined)
    return `a computed number has a single \`=\`, as in ${EXAMPLE}`;
  if (left.kind !== 'name' && left.kind !== 'member') return `a name must be on the left of \`=\`, as in ${EXAMPLE}`;
  const { name } = left;
  const expression = text.replace(BEGINNING, '');
  if (left.kind === 'name')
    return index === undefined
      ? { kind: 'definition', name, expression, names: inputsOf({ expression: right }) }
      : `${quote(name, 60)} has no index names: write ${quote(`${name}[...]`, 60)} with the names after \`for\`, or leave out the index`;
  const keys = left.keys.map((key) => (key.kind === 'index' && key.lag === 0 ? key.name : undefined));
  const isPlain = keys.every((key) => key !== undefined) && new Set(keys).size === keys.length;
  if (!isPlain) return `the names in [ ] of ${quote(name, 60)} must be different index names, as in ${EXAMPLE}`;
  if (index === undefined) return `it does not say for which members: write the index after \`for\`, as in ${EXAMPLE}`;
  const over = parseIndex(index);
  if (isProblem(over)) return describeSyntaxProblem(over, index, true);
  const indexNames = namesOfIndex(over);
  if (keys.join() !== indexNames.join())
    return `the names in [ ] must match the indices after \`for\`, in the same order: write ${quote(`${name}[${indexNames.join(', ')}]`, 60)}`;
  return { kind: 'definition', name, expression, index, names: inputsOf({ expression: right, index: over }) };
}
