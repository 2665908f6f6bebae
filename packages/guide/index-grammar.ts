import {
  FIGURE_WORD,
  isName,
  isProblem,
  namesOfIndex,
  parseFormula,
  parseIndex,
  splitIndex,
} from '../modelling/index.js';
import { describeSyntaxProblem, rangeOf } from '../canvas/index.js';
import { bare } from './file-set-grammar.js';
import { quote } from './quote.js';
import { isChain, splitCounts, splitLabel, turned } from './relation-grammar.js';
import { readFacts, setBound } from './variable-facts.js';
import type { Reading, Statement, VariableFacts } from './statement.js';
import { figureOf, NUMBER } from './words.js';

/*
 * Statements about sets and indexed names: `weeks: 1 to 52`, `shifts: early, late`, `cost of shifts: early 10, late 12`,
 * `make[p] integer for p in products`, `Demand: make[p] <= demand[p] for p in products where demand[p] > 0`.
 */

const SIGNS = /(<=|=<|>=|=>|==|[<>=≤≥])/;
const NAME = String.raw`(?:"(?<quoted>[^"]*)"|(?<plain>[^",]+?))`;
const END = String.raw`(?: ?, ?(?:and )?| and |$)`;
const MEMBER = new RegExp(NAME + END, 'y');
const CELL = new RegExp(String.raw`${NAME}(?: ?[:=] ?| )(?<figure>${NUMBER})${END}`, 'iy');
const COLUMN_NAME = /^(?<column>\S+) of (?<set>[^\s:]+) ?: ?column:? (?<body>.+)$/i;
/** `protein 9`, `protein 9 g`, `9 protein`, `9 g of protein` */
const COUNT = `(?:${NUMBER}|${FIGURE_WORD.source})`;
const AMOUNT = new RegExp(
  String.raw`^(?:(?<before>\p{L}[\p{L}\p{N} ]*) ${COUNT}(?: ?[%\p{L}]{1,3})?|${COUNT}(?: ?\p{L}+(?: of|(?= \p{L})))? (?<behind>\p{L}[\p{L}\p{N}]*))$`,
  'iu',
);
const FIGURE = new RegExp(COUNT, 'i');
/** Words that begin a rule such as `no overtime`. */
const RULE = /^ *(?:no|not|never|only|always|at|max|min|up|each|every|all|any|without|exactly) /i;
/** Maximum number of words in an unquoted member. */
const MAX_WORDS = 4;
const SENTENCE =
  /\b(?:it|you|we|they|there|is|are|was|were|has|have|had|gives?|needs?|takes?|costs?|requires?|contains?|provides?|makes?|uses?|sells?|earns?|can|cannot|must|should|will|per|each|every)\b/i;
const PHRASE = /^ *\p{Ll}.* (?:in|of|with|for|on|from|at|by) /u;
/** Labels of other statements. */
const TAKEN = /^(?:objectives?|goals?|constraints?|variables?|vars?|data|values?|bounds?|kpis?|requirements?)$/i;

/** Reads `cost of products: column "Unit cost"`. Returns undefined for other text. */
export function readColumnName(text: string): Reading | undefined {
  const { column = '', set = '', body = '' } = COLUMN_NAME.exec(text)?.groups ?? {};
  const of = cellsIn(`column ${body}`) === undefined ? bare(body) : '';
  if (of === '' || !isName(column) || !isName(set)) return undefined;
  return { statement: { kind: 'column_name', column, set, of } };
}

/**
 * Reads `weeks: 1 to 52`, `shifts: early, late, night` or `cost of shifts: early 10, late 12`. Returns undefined for other
 * text.
 */
export function readSet(text: string): Reading | undefined {
  const { label, body } = splitLabel(text);
  if (label === undefined || TAKEN.test(label) || body === '') return undefined;
  const [column = '', set, ...more] = label.split(' of ');
  if (set !== undefined) {
    const cells = more.length > 0 || !isName(column) || !isName(set) ? undefined : cellsIn(body);
    if (cells === undefined) return undefined;
    const doubled = whyDoubled(text);
    return doubled === undefined ? { statement: { kind: 'cells', column, set, cells } } : { reason: doubled };
  }
  if (!isName(label)) return undefined;
  const { list: stated = '' } = CYCLIC.exec(body)?.groups ?? {};
  if (stated === '') return readMembers(text, label, body);
  const { statement } = readMembers(`${label}: ${stated}`, label, stated) ?? {};
  return statement?.kind === 'members' ? { statement: { ...statement, isCyclic: true } } : undefined;
}

const CYCLIC = /^(?<list>.+?)(?: ?, ?| \(?)(?:is |are )?cyclic\)?$/i;

/** Reads the members of a set. */
function readMembers(text: string, label: string, body: string): Reading | undefined {
  const list = listOf(body);
  const range = list.replace(/^(-?\d+) ?(?:\.{2,3}|…|[-–]) ?(?=\d+$)/, '$1 to ');
  if (rangeOf(range) !== undefined) return { statement: { kind: 'members', set: label, members: range } };
  const continued = continuedIn(list) ?? namedRange(list);
  if (continued !== undefined) return { statement: { kind: 'members', set: label, members: continued } };
  const members = /[<>=≤≥:[\]]/.test(list) ? undefined : membersIn(list);
  if (members === undefined || members.length < 2 || isProse(list)) return undefined;
  const incomplete = whyIncomplete(text);
  if (incomplete !== undefined) return { reason: incomplete };
  const amounts = whyAmounts(text);
  if (amounts !== undefined) return { reason: amounts };
  const doubled = whyDoubled(text);
  if (doubled !== undefined) return { reason: doubled };
  return { statement: { kind: 'members', set: label, members } };
}

/** Names that follow each other in a cycle. */
const CYCLES = [
  ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
  [
    ...['january', 'february', 'march', 'april', 'may', 'june'],
    ...['july', 'august', 'september', 'october', 'november', 'december'],
  ],
];
const NAMED_RANGE = /^(?<from>\p{L}{3,9})(?: to | ?- ?| ?\.{2,3} ?)(?<to>\p{L}{3,9})$/u;

/** Returns the days or months in a range such as `mon to sun` or `January to December`. */
function namedRange(list: string): string[] | undefined {
  const { from, to } = NAMED_RANGE.exec(list)?.groups ?? {};
  if (from === undefined || to === undefined) return undefined;
  for (const whole of CYCLES)
    for (const names of [whole, whole.map((name) => name.slice(0, 3))]) {
      const [first, last] = [from, to].map((name) => names.indexOf(name.toLowerCase()));
      if (first === undefined || last === undefined || first < 0 || last < 0 || first === last) continue;
      const count = ((last - first + names.length) % names.length) + 1;
      const toCase = (name: string): string =>
        from === from.toLowerCase() ? name : name.charAt(0).toUpperCase() + name.slice(1);
      return Array.from({ length: count }, (_, at) => toCase(names[(first + at) % names.length]!));
    }
  return undefined;
}

/** Removes the brackets around a whole list, such as `{a, b}`. */
const listOf = (text: string): string => text.replace(/^(?:\{([^{}]*)\}|\[([^[\]]*)\])$/, '$1$2').trim();

const ELLIPSIS = /(\.{2,}|…)/;
const IS_ELLIPSIS = /^(?:\.{2,}|…)$/;
/** Phrases that indicate further members. */
const AND_MORE = /^(?:etc|et cetera|so (?:on|forth)|more)\.?$/i;
/** Text that ends in a number, such as `W12`. */
const COUNTED = /^(?<text>.*\D)?(?<number>\d{1,9})$/;
/** Maximum number of members in a list with an ellipsis. */
const MAX_CONTINUED = 1_000;

/** Returns the unquoted items of a list. Each ellipsis is a separate item. */
const plainItems = (list: string): string[] =>
  (matchesOf(MEMBER, list) ?? [])
    .flatMap(({ groups }) => groups?.['plain']?.split(ELLIPSIS) ?? [])
    .map((item) => item.trim())
    .filter((item) => item !== '');

/**
 * Returns the members of a series such as `1, 2, ..., 5` or `W1, ..., W5`. Consecutive numbers are returned as a range such as
 * `1 to 5`. Returns undefined for other lists and for an ambiguous series.
 */
function continuedIn(list: string): string[] | string | undefined {
  const items = list.includes('"') ? [] : plainItems(list);
  const at = items.findIndex((item) => IS_ELLIPSIS.test(item));
  if (at < 1 || at !== items.length - 2) return undefined;
  const counted = items.toSpliced(at, 1).map((item) => COUNTED.exec(item)?.groups);
  const [first, second] = counted;
  const numbers = counted.map((groups) => Number(groups?.['number']));
  const [begin = NaN, next = NaN] = numbers;
  const [before = NaN, end = NaN] = numbers.slice(-2);
  const step = at > 1 ? next - begin : Math.sign(end - begin);
  const count = (end - begin) / step + 1;
  const isSeries =
    counted.every((groups) => groups !== undefined && groups['text'] === first?.['text']) &&
    numbers.slice(0, at).every((number, place) => number === begin + place * step) &&
    Number.isInteger(count) &&
    (end - before) * step > 0 &&
    count <= MAX_CONTINUED;
  if (!isSeries || second === undefined) return undefined;
  const { text = '', number = '' } = first ?? {};
  const width = /^0/.test(number) ? number.length : 0;
  if (text === '' && width === 0 && Math.abs(step) === 1) return `${begin} to ${end}`;
  return Array.from({ length: count }, (_, place) => `${text}${String(begin + place * step).padStart(width, '0')}`);
}

/** Explains why the list of members is incomplete or ambiguous. Returns undefined for other text. */
export function whyIncomplete(text: string): string | undefined {
  const { label, body } = splitLabel(text);
  if (label === undefined || !isName(label) || TAKEN.test(label) || /[<>=≤≥:]/.test(body)) return undefined;
  const items = plainItems(listOf(body));
  if (items.length < 2 || isProse(body)) return undefined;
  if (items.some((item) => IS_ELLIPSIS.test(item)) || AND_MORE.test(items.at(-1) ?? ''))
    return `it does not list all members: write each of them, or a range such as \`${label}: 1 to 5\``;
  return items.every(isBalanced)
    ? undefined
    : `a member cannot contain such brackets: write \`${label}: a, b\`, or read pairs from a file, as in \`${label} from pairs.csv key from, to\``;
}

/** Whether a member has no brackets except for one pair of parentheses after other text, as in `chair (large)`. */
const isBalanced = (member: string): boolean => !/[()[\]{}]/.test(member.replace(/(?<=[^\s] ?)\([^()[\]{}]*\)/, ''));

/** Explains that a list contains a member twice. Returns undefined for other text. */
export function whyDoubled(text: string): string | undefined {
  const { label, body } = splitLabel(text);
  const list = listOf(body);
  if (label === undefined || TAKEN.test(label) || /[<>=≤≥[\]]/.test(list)) return undefined;
  const isOfCells = / of /.test(label);
  const members = matchesOf(isOfCells ? CELL : MEMBER, list)?.map(nameOf) ?? [];
  const doubled = members.find((member, at) => members.indexOf(member) < at);
  return doubled === undefined || (!isOfCells && isProse(list)) ? undefined : `the member ${doubled} appears twice`;
}

/**
 * Explains the possible meanings of text such as `Beans: protein 9, carbs 40`. Returns undefined for other text, such as
 * `lines: line 1, line 2`.
 */
export function whyAmounts(text: string): string | undefined {
  const { label, body } = splitLabel(text);
  if (label === undefined || label.split(' ').length > MAX_WORDS || SENTENCE.test(body)) return undefined;
  const parts = body.split(/ ?, ?(?:and )?| and /);
  const words = parts
    .map((part) => AMOUNT.exec(part)?.groups)
    .map((groups) => groups?.['before'] ?? groups?.['behind']);
  // Numbers may also be parts of member names: `line 1, line 2`, `2024 W1, 2024 W2`.
  const kinds = new Set(words.map((word) => word?.replace(/\d+/g, '')));
  const [first = ''] = words;
  if (parts.length < 2 || words.includes(undefined) || kinds.size < parts.length) return undefined;
  const figure = FIGURE.exec(parts[0] ?? '')?.[0];
  const member = isName(label) ? label : `"${label}"`;
  const members = parts.map((part) => `"${part}"`).join(', ');
  return `it is unclear what these amounts are for: write \`${first.replace(/ /g, '_')} of items: ${member} ${figure}\`, or \`${label}: ${members}\` for members of a set`;
}

/**
 * Whether some items of a list are prose, such as `14 grams of protein` or `low in fat`. Quoted members may contain any words.
 */
const isProse = (body: string): boolean =>
  body
    .replace(/"[^"]*"/g, '')
    .split(/,| and /)
    .some((part) => {
      const count = part.trim().split(' ').length;
      const most = /^ *\d/.test(part) ? 2 : MAX_WORDS;
      return (
        count > most ||
        RULE.test(part) ||
        (count > 2 && (SENTENCE.test(part) || PHRASE.test(part))) ||
        /[!?]/.test(part)
      );
    });

/** Returns the members of a list. Returns undefined if the text is not a list. */
function membersIn(text: string): string[] | undefined {
  const members = matchesOf(MEMBER, text)?.map(nameOf);
  return members?.every((member) => member !== '') === true ? members : undefined;
}

function cellsIn(text: string): Record<string, number> | undefined {
  const cells = new Map<string, number>();
  for (const match of matchesOf(CELL, text) ?? []) cells.set(nameOf(match), Number(match.groups?.['figure']));
  return cells.size === 0 || ![...cells.values()].every(Number.isFinite) ? undefined : Object.fromEntries(cells);
}

const nameOf = ({ groups }: RegExpExecArray): string => (groups?.['quoted'] ?? groups?.['plain'] ?? '').trim();

/** Returns consecutive matches that cover the whole text. Returns undefined if they do not. */
function matchesOf(pattern: RegExp, text: string): RegExpExecArray[] | undefined {
  const found: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    found.push(match);
  }
  return found;
}

/**
 * Reads statements with an index: a variable for each member, bounds of such a variable, or a constraint. Returns undefined for
 * other text.
 */
export function readIndexed(text: string): Reading | undefined {
  const { rest: counted, counts } = splitCounts(text);
  const split = splitIndex(counted);
  if (split === undefined) return undefined;
  const { index } = split;
  const over = parseIndex(index);
  if (isProblem(over)) return { reason: describeSyntaxProblem(over, index, true) };
  const { label, body } = splitLabel(split.body);
  const variable = label === undefined && counts === undefined ? readVariable(body, namesOfIndex(over)) : undefined;
  const formula = parseFormula(body);
  const relation: Extract<Statement, { kind: 'relation' }> | undefined =
    isProblem(formula) || formula.relations.length === 0
      ? undefined
      : {
          kind: 'relation',
          text: body,
          index,
          formula,
          ...(label !== undefined && { label }),
          ...(counts !== undefined && { counts }),
        };
  if (variable !== undefined) {
    const { reason, ...family } = variable;
    if (reason !== undefined) return { reason };
    return { statement: { kind: 'family', ...family, index, ...(relation !== undefined && { relation }) } };
  }
  const misordered = whyMisordered(text);
  if (misordered !== undefined) return { reason: misordered };
  if (relation !== undefined) return { statement: relation };
  return { reason: isProblem(formula) ? describeSyntaxProblem(formula, body) : 'it needs <=, >= or = before `for`' };
}

/** Reads facts about all members of an indexed variable: `make[p]`, `make[p] integer` or `0 <= ship[o, d] <= limit[o, d]`. */
function readVariable(
  body: string,
  names: readonly string[],
): { name: string; facts: VariableFacts; reason?: string } | undefined {
  const { facts, rest, reason: contrary } = readFacts(body);
  let reason = contrary;
  const sides = rest.split(SIGNS).map((side) => side.trim());
  if (!isChain(sides)) return undefined;
  const at = sides.findIndex((side) => familyIn(side, names) !== undefined);
  const name = familyIn(sides[at] ?? '', names);
  if (name === undefined || (sides.length === 5 && at !== 2)) return undefined;
  for (let place = 1; place < sides.length; place += 2) {
    const bound = sides[place < at ? place - 1 : place + 1] ?? '';
    const figure = figureOf(bound) ?? bound;
    const sign = sides[place] ?? '';
    const relation = /^={1,2}$/.test(sign) ? '=' : /<|≤/.test(sign) ? '<=' : '>=';
    reason ??= setBound(facts, place > at ? relation : turned(relation), figure, sign === '<' || sign === '>');
  }
  return { name, facts, ...(reason !== undefined && { reason }) };
}

/**
 * Explains why a declaration such as `x[j, i] binary for i in jobs, j in jobs` does not match its index. Returns undefined for
 * other text.
 */
export function whyMisordered(text: string): string | undefined {
  const { body = '', index = '' } = splitIndex(text) ?? {};
  const over = parseIndex(index);
  if (isProblem(over) || splitLabel(body).label !== undefined) return undefined;
  const { facts, rest } = readFacts(body);
  const formula = facts.domain === undefined ? undefined : parseFormula(rest);
  if (formula === undefined || isProblem(formula)) return undefined;
  const member = formula.sides.find(({ kind }) => kind === 'member');
  if (member?.kind !== 'member') return undefined;
  const right = `${member.name}[${namesOfIndex(over).join(', ')}]`;
  return `the names in [ ] must match the indices after \`for\`, in the same order: write ${quote(right)}`;
}

/** Returns the name of a variable whose keys are exactly the index names. Returns undefined for any other expression. */
function familyIn(side: string, names: readonly string[]): string | undefined {
  const formula = parseFormula(side);
  if (isProblem(formula) || formula.relations.length > 0) return undefined;
  const [member] = formula.sides;
  if (member.kind !== 'member' || member.keys.length !== names.length) return undefined;
  const isWhole = member.keys.every((key, at) => key.kind === 'index' && key.lag === 0 && key.name === names[at]);
  return isWhole ? member.name : undefined;
}
