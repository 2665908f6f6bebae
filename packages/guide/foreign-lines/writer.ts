import type { Names } from './names.js';
import { type Index, type Node, numberIn, Untranslatable } from './tree.js';

/* Writes the parts of a model in the grammar of the guide. */

const SUM = 1;
const PRODUCT = 2;
const FACTOR = 3;
const PLAIN = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u;
const FIGURE = /^\d{1,15}$/;

/** Writes an expression. Parts that bind less than the given strength are put in parentheses. */
export function writeExpression(node: Node, names: Names, strength = SUM): string {
  const { text, binds } = written(node, names);
  return binds < strength ? `(${text})` : text;
}

interface Written {
  text: string;
  binds: number;
}

function written(node: Node, names: Names): Written {
  const write = (part: Node, strength?: number): string => writeExpression(part, names, strength);
  switch (node.kind) {
    case 'number':
      return { text: figure(node.value), binds: FACTOR };
    case 'reference':
      return { text: writeReference(node, names), binds: FACTOR };
    case 'negative':
      return { text: `-${write(node.of, FACTOR)}`, binds: SUM };
    case 'operation': {
      const { sign, left, right } = node;
      const isSum = sign === '+' || sign === '-';
      // The index of a sum would include the factors after it.
      const first = !isSum && left.kind === 'total' ? `(${write(left)})` : write(left, isSum ? SUM : PRODUCT);
      return { text: `${first} ${sign} ${write(right, isSum ? PRODUCT : FACTOR)}`, binds: isSum ? SUM : PRODUCT };
    }
    case 'total': {
      const { combine, index, of } = node;
      return { text: `${combine} ${writeIndex(index, names)}: ${write(of, PRODUCT)}`, binds: PRODUCT };
    }
    case 'call': {
      const isOne = !['min', 'max'].includes(node.name);
      if (isOne !== (node.parts.length === 1))
        throw new Untranslatable(`\`${node.name}\` has another number of arguments here`);
      return { text: `${node.name}(${node.parts.map((part) => write(part)).join(', ')})`, binds: FACTOR };
    }
    case 'count':
      return { text: `(count i in ${names.of(node.set)})`, binds: FACTOR };
    case 'position':
      return { text: `position(${names.of(node.index)})`, binds: FACTOR };
    case 'choice':
      return {
        text: `(if ${writeCondition(node.when, names)} then ${write(node.then)} else ${write(node.otherwise, FACTOR)})`,
        binds: FACTOR,
      };
    case 'text':
      throw new Untranslatable(`the text \`${node.text}\` is not a number`);
    default:
      throw new Untranslatable('a condition is used as a number');
  }
}

function writeReference({ name, keys }: Extract<Node, { kind: 'reference' }>, names: Names): string {
  const written = names.of(name);
  return keys.length === 0 ? written : `${written}[${keys.map((key) => writeKey(key, names)).join(', ')}]`;
}

function writeKey(key: Node, names: Names): string {
  switch (key.kind) {
    case 'lag': {
      const sign = (key.by < 0 ? '-' : '+').repeat(key.isCyclic ? 2 : 1);
      return `${names.of(key.index)} ${sign} ${Math.abs(key.by)}`;
    }
    case 'text':
      return `"${plainText(key.text)}"`;
    case 'number':
      return String(key.value);
    case 'first':
    case 'last':
      return `${key.kind}(${names.of(key.set)})`;
    case 'reference':
      return writeReference(key, names);
    default:
      throw new Untranslatable('a key of an index is a calculation: write a name, a member, or a lag such as `t - 1`');
  }
}

export function writeIndex({ over, where }: Index, names: Names): string {
  const memberships = over.map(({ names: keys, set }) => {
    const list = keys.map((key) => names.of(key)).join(', ');
    return `${keys.length === 1 ? list : `(${list})`} in ${names.of(set)}`;
  });
  return `${memberships.join(', ')}${where === undefined ? '' : ` where ${writeCondition(where, names)}`}`;
}

const JOINS = { or: 1, and: 2 };

/** Writes a condition on known values. */
function writeCondition(node: Node, names: Names, strength = 0): string {
  switch (node.kind) {
    case 'or':
    case 'and': {
      const binds = JOINS[node.kind];
      const text = `${writeCondition(node.left, names, binds)} ${node.kind} ${writeCondition(node.right, names, binds)}`;
      return binds < strength ? `(${text})` : text;
    }
    case 'not':
      return `not (${writeCondition(node.of, names)})`;
    case 'member':
      return `${writeTuple(node.of, names)} in ${names.of(node.set)}`;
    case 'compare':
      return `${writeOperand(node.left, names)} ${node.sign} ${writeOperand(node.right, names)}`;
    default:
      throw new Untranslatable('a condition needs a comparison, such as `> 0`');
  }
}

function writeTuple(node: Node, names: Names): string {
  const parts = node.kind === 'tuple' ? node.parts : [node];
  const keys = parts.map((part) => writeKey(part, names));
  return keys.length === 1 ? keys.join('') : `(${keys.join(', ')})`;
}

const writeOperand = (node: Node, names: Names): string =>
  node.kind === 'text'
    ? `"${plainText(node.text)}"`
    : node.kind === 'first' || node.kind === 'last'
      ? writeKey(node, names)
      : writeExpression(node, names);

function plainText(text: string): string {
  if (text.includes('"')) throw new Untranslatable('a member cannot contain a quotation mark');
  return text;
}

/** Writes the members of a set. */
export const writeMember = (member: string): string =>
  (PLAIN.test(member) && !/^(?:etc|more|and|none)$/i.test(member)) || FIGURE.test(member)
    ? member
    : `"${plainText(member)}"`;

export function figure(value: number): string {
  if (!Number.isFinite(value)) throw new Untranslatable('a number is too large');
  return String(value);
}

/** Writes a bound. Returns undefined for a missing bound. */
export function writeBound(bound: Node | undefined, names: Names): { text: string; isNumber: boolean } | undefined {
  if (bound === undefined) return undefined;
  const value = numberIn(bound);
  return value === undefined
    ? { text: writeExpression(bound, names), isNumber: false }
    : { text: figure(value), isNumber: true };
}
