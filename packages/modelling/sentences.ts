import type { Extremum, Key, LaggedMember, Operand } from './formula.js';
import { shortened } from './names.js';
import type { ColumnShape } from './vocabulary.js';

/* Messages that are used when formulas are checked and when they are expanded. */

const LETTERS = ['p', 'q', 'r', 's', 't'];

/** Placeholder names for the key parts of a member in messages. */
export const lettersFor = (arity: number): string[] => LETTERS.slice(0, arity);

/** Formats a member such as `make[p, t]` for a message. */
export const formatMember = (name: string, keys: readonly string[]): string =>
  `\`${shortened(name)}[${keys.join(', ')}]\``;

export const textAsNumber = (name: string): string =>
  `${name} contains texts, so you cannot calculate with it: compare it in a condition, as in \`where ${name}[...] = "..."\``;

/** @param unknown unknown name in the comparison, which may be meant as a text */
export const textBesideNumber = (unknown: string | undefined): string =>
  unknown === undefined
    ? 'A text cannot be compared with a number: write texts in double quotes and numbers without quotes'
    : `Nothing is called ${shortened(unknown)}: for a text, write "${shortened(unknown)}" in quotes`;

/** Explains that a lagged member that does not exist counts as 0. */
export function lagBeyondEnds({ expression: { name, keys }, isOfPair }: LaggedMember): string {
  const member = formatMember(name, keys.map(formatKey));
  return `${member} counts as 0 ${isOfPair ? 'where it does not exist' : 'beyond the ends of its set'}`;
}

/** Formats an operand for a message. Omits the parts of a calculation. */
export function formatOperand(operand: Operand): string {
  switch (operand.kind) {
    case 'text':
      return `"${operand.text}"`;
    case 'number':
      return String(operand.value);
    case 'name':
      return operand.name;
    case 'member':
      return `${operand.name}[${operand.keys.map(formatKey).join(', ')}]`;
    case 'end':
      return formatKey(operand);
    case 'position':
      return `position(${operand.name})`;
    default:
      return '(...)';
  }
}

/** Formats a key such as `t - 1` for a message. */
export function formatKey(key: Key): string {
  switch (key.kind) {
    case 'text':
      return `"${shortened(key.text)}"`;
    case 'end':
      return `${key.which}(${key.set})`;
    case 'label':
      return formatOperand(key.of);
    case 'index':
      return key.lag === 0 ? key.name : `${key.name} ${signOf(key, key.lag < 0)} ${Math.abs(key.lag)}`;
    case 'shift': {
      const [first, second] = key.by.kind === 'sum' ? key.by.parts : [];
      const isNegative = first?.negative === true && second === undefined;
      return `${key.name} ${signOf(key, isNegative)} ${formatOperand(isNegative ? first.of : key.by)}`;
    }
  }
}

const signOf = ({ isCyclic }: Extract<Key, { kind: 'index' | 'shift' }>, isNegative: boolean): string =>
  (isNegative ? '-' : '+').repeat(isCyclic === true ? 2 : 1);

/** @param kind description of the name, such as `a column of products` */
export function wrongArity(name: string, kind: string, expected: readonly string[]): string {
  const parts = expected.length === 1 ? 'one member' : `${expected.length} members`;
  return `${name} is ${kind}: write ${parts} in [ ], as in ${formatMember(name, expected)}`;
}

export function missingIndex(name: string): string {
  const short = shortened(name);
  return `It is unclear which members ${short} refers to: add \`for ${short} in ...\` or \`sum ${short} in ...\` with a set, or write "${short}" in quotes for the member of that name`;
}

/** Names of the ways to combine the members of an index. */
export const TOTALS = { sum: 'sum', min: 'minimum', max: 'maximum' };

/** Explains that an index name is used after the end of its sum, minimum or maximum. */
export function indexAfterTotal(name: string, by: 'sum' | Extremum): string {
  const short = shortened(name);
  const does = by === 'sum' ? 'adds up' : 'compares';
  return `The ${TOTALS[by]} over ${short} ends before this: put everything that it ${does} in parentheses, as in \`${by} ${short} in ...: (... + ...)\``;
}

/** @param name index name of the sum. The outer index over the same set has this name too, so the sum has only one term */
export const reboundIndex = (name: string, set: string): string =>
  `The index ${shortened(name)} already runs over ${shortened(set)}, so this sum has a single term: use another name, as in \`sum other in ${shortened(set)}: ...\`, or remove one of the two`;

export function unknownSet(name: string, [nearest]: readonly string[] = []): string {
  const short = shortened(name);
  const suggestion = nearest === undefined ? '' : ` did you mean ${shortened(nearest)}? Otherwise`;
  return `No set is called ${short}:${suggestion} define it, as in \`${short}: a, b, c\``;
}

/** @param members phrase that describes the affected members. Empty if there is no index */
export const divisionByZero = (members: string): string =>
  members === '' ? 'It divides by 0' : `It divides by 0${members}: exclude them with a condition after \`where\``;

export const divisionByVariable = (variable: string): string =>
  `It is not linear: it divides by the variable ${shortened(variable)}`;

/** Explains that two variables are multiplied that are not yes-or-no variables. */
export const productOfVariables = (one: string, other: string): string =>
  `It is not linear: the variables ${shortened(one)} and ${shortened(other)} are multiplied, and neither is a yes-or-no variable`;

export const productOfThree = 'It multiplies three variables, and an objective can multiply only two';

/** Explains that a name is not a column with the rates of tiers. */
export const noTiers = (name: string): string =>
  `${shortened(name)} is not a list of rates: define it, as in \`${shortened(name)}: 0.20 to 100, 0.30 to 250, 0.45 beyond\``;

export const tiersOutOfOrder = (name: string, set: string): string =>
  `The members of ${shortened(set)} must be the ends of the tiers of ${shortened(name)} in ascending order, followed by a word, as in \`100, 250, beyond\`, or their starts, as in \`0, 100, 250\``;

export const boundWithVariable = (variable: string): string =>
  `A bound must be constant, but it contains the variable ${shortened(variable)}: write a constraint instead`;

export const penaltyWithVariable = (variable: string): string =>
  `A penalty must be known before a solve, but it contains the variable ${shortened(variable)}: use values and columns`;

/** @param count number of members with such a penalty. Absent without an index */
export function penaltyNotAbove0(penalty: number, count: number | undefined): string {
  const affected = count === undefined ? '' : count === 1 ? ' for 1 member' : ` for ${count} members`;
  return `A penalty must be above 0, but it is ${penalty}${affected}: exclude such members with a condition after the index`;
}

export const computedWithVariable = (variable: string): string =>
  `A computed number must be known before a solve, but it contains the variable ${shortened(variable)}: write a constraint or a KPI instead`;

export const conditionOnVariable = (variable: string): string =>
  `A condition cannot contain the variable ${shortened(variable)}: compare known values, or write a constraint`;

/** Explains that the condition of a relation is known before a solve. */
export const knownDecision = (name: string): string =>
  `${shortened(name)} is known before a solve: write the condition after the index, as in \`for w in warehouses where ...\``;

/** Explains that the condition of a relation contains a variable that is not 0 or 1. */
export const noDecision = (variable: string): string =>
  `${shortened(variable)} is not a yes-or-no variable: declare it with \`${shortened(variable)} binary\`, or use a yes-or-no variable in the condition, as in \`if open = 0 then ...\``;

export const lagOfVariable = (variable: string): string =>
  `A lag must be known, but it contains the variable ${shortened(variable)}`;

/** @param lag the calculated lag */
export const fractionalLag = (name: string, lag: number, members: string): string =>
  `The lag of ${shortened(name)} must be a whole number, but it is ${lag}${members}`;

/** Explains that a set of pairs has no first or last member. */
export const endOfPairs = (set: string): string =>
  `${shortened(set)} has members with several parts, so it has no first or last member`;

/** Explains that a function such as `round` contains a variable. */
export const functionOfVariable = (name: string, variable: string): string =>
  `\`${name}\` needs known values, but it contains the variable ${shortened(variable)}`;

/** @param members phrase that describes the affected members. Empty if there is no index */
export const extremumOfNothing = (name: string, members: string): string =>
  `\`${name}\` has no members to compare${members}`;

/** Explains that a name is not a set. */
export const notASet = (name: string, kind: string): string =>
  `${shortened(name)} is ${kind}, not a set: write the name of a set, as in \`p in products\``;

/**
 * @param set the set of the column
 * @param others number of other members without a value
 */
export function missingCell(name: string, member: string, set: string, isMember: boolean, others = 0): string {
  const members = others === 0 ? member : `${member} and ${others} more`;
  if (isMember)
    return `${name} has no value for ${members}: fill ${others === 0 ? 'it' : 'them'} in, or give the data card of ${set} a \`default\``;
  return `${name} has no value for ${members}, which ${others === 0 ? 'is not a member' : 'are not members'} of ${set}`;
}

/** @param name name of a variable */
export const noMember = (name: string, member: string): string => `${name} has no member ${member}`;

/**
 * Explains that several columns share a name. Columns of the same set can only share a name if they have different names in
 * their file.
 */
export function ambiguousColumn(name: string, one: NamedColumn, other: NamedColumn): string {
  const stated = one.isComputed === true ? other : one;
  if (one.isComputed === true || other.isComputed === true)
    return `${name} is computed, and it is also a column of ${stated.set}: give the computed number another name`;
  const isSame = one.set === other.set;
  const explanation =
    isSame && one.origin !== undefined && other.origin !== undefined
      ? `may be ${one.origin} or ${other.origin}`
      : `is a column of both ${one.set} and ${other.set}`;
  // The cells of a wide table always have the name of their set.
  const renamed = other.set === name ? one : other;
  const example = `${shortened(`${renamed.set}_${name}`)} of ${renamed.set}: column "${shortened(renamed.column ?? name)}"`;
  const rest = isSame ? '' : ', or in `values` if the card has no file';
  return `${name} ${explanation}: rename one of them in the field \`columns\` of its data card, as in \`${example}\`${rest}`;
}

/** Column of a set. `origin` is absent if formulas use the column's name from the file. */
type NamedColumn = Pick<ColumnShape, 'set' | 'origin' | 'column' | 'isComputed'>;

export function wrongMembership(set: string, arity: number): string {
  const parts = arity === 1 ? 'members with one part' : `members with ${arity} parts`;
  const letters = lettersFor(arity);
  return `${set} has ${parts}: write \`${arity === 1 ? letters.join('') : `(${letters.join(', ')})`} in ${set}\``;
}

/**
 * Explains that members with an empty cell do not have a limit.
 * @param count number of members with an empty cell. Absent without an index
 * @param noun what the limit is, such as `upper bound`
 */
export function emptyLimit(column: string, count: number | undefined, noun: string): string {
  const name = shortened(column);
  if (count === undefined) return `It has no ${noun}, because the cell of ${name} is empty`;
  return count === 1
    ? `1 member has no ${noun}, because its ${name} is empty`
    : `${count} members have no ${noun}, because their ${name} is empty`;
}

/** Explains that sets whose members have different numbers of parts cannot be combined. */
export function combinedArity(sets: readonly (readonly [name: string, arity: number])[]): string {
  const described = sets.map(
    ([name, arity]) => `members of ${shortened(name)} have ${arity === 1 ? 'one part' : `${arity} parts`}`,
  );
  return `Sets can only be combined if their members have the same number of parts, but ${described.join(', and ')}`;
}
