import {
  type Formula,
  isName,
  isProblem,
  linearize,
  mentionsOf,
  parseFormula,
  type Relation,
  splitIndex,
} from '../modelling/index.js';
import { describeSyntaxProblem, relationIn } from '../canvas/index.js';
import type { Classification, Reading, Statement, VariableFacts } from './statement.js';
import { isReserved, withMarks, withoutMarks } from './reserved-names.js';
import { readFacts, setBound } from './variable-facts.js';
import { NO_NAME, NUMBER, PRICE, priceOf, WORD } from './words.js';

const NONE: ReadonlyMap<string, number> = new Map();
const SIGN = /[<>=≤≥]/;
const CLASS = String.raw`[, ]{0,3}[ ,(](?:is |as )?(?<word>hard|soft)(?: constraint)?(?:[, ]{0,3}(?:with |at )?(?:an? )?penalty(?: of| is| =|:)? ?(?<penalty>${PRICE}))?\)?`;
const COUNTS = new RegExp(`${CLASS}$`, 'iu');
/** `x[p] <= 4, hard for p in ps`, `x[p] <= 4 for p in ps, hard where p <> "a"` */
const COUNTS_INSIDE = new RegExp(`${CLASS} (?=(?:for|where) )`, 'iu');
const SUM = /^[^:]{0,200}\bsum [\p{L}_(][^:]*? in /iu;
/** Words that may introduce a relation. In `bounds <= 3`, `bounds` is a name. */
const PREFIX =
  /^(?:constraints?|subject to|s\.t\.?|such that|where|with|values?|bounds?|given)(?=[ :]|$)(?! ?[<>=≤≥*/+]):? ?/i;
/** Generated name of a constraint followed by a relation or by a limit: `Constraint 1: x <= 7`, `Constraint 1 <= 7`. */
const NUMBERED = /^(?<numbered>constraint \d+) ?(?:(?:\((?:hard|soft)\) ?)?:|(?<limit>[<>=≤≥]{1,2} ?[\d.,]+)$)/i;

/**
 * Reads relations and statements about variables: `labour: x + y <= 4`, `0 <= x <= 10 integer`, `x, y binary`,
 * `price = 3, cost = 2`, `x in pieces`.
 */
export function readRelation(text: string): Reading {
  const { numbered, limit } = NUMBERED.exec(text)?.groups ?? {};
  if (limit !== undefined)
    return {
      reason: `to change a constraint, write its name and the whole relation, as in \`${numbered}: x + y <= 4\``,
    };
  const { label, body } = splitLabel(text);
  // The label of a relation is a name, even in `binary: x <= 4`.
  const isDomain = label !== undefined && isName(label) && !(isReserved(label) && SIGN.test(body));
  const variables = isDomain || label === undefined ? readVariables(isDomain ? `${label} ${body}` : text) : undefined;
  if (variables !== undefined) return variables;
  const several = label === undefined || /^(?:data|values?)$/i.test(label) ? readSeveral(body) : undefined;
  if (several !== undefined) return several;
  const { name, counts: classified } = splitClass(label);
  const counted = splitCounts(body);
  // The last word of `x <= hard` is a name, not a class.
  const isNameAtEnd = relationIn(counted.rest) === undefined && relationIn(body) !== undefined;
  const { rest, counts = classified } = isNameAtEnd ? { rest: body } : counted;
  const formula = parseFormula(rest);
  if (isProblem(formula)) {
    // A reason is only given for text that looks like a formula.
    return SIGN.test(rest) || rest.includes('[') ? { reason: describeSyntaxProblem(formula, rest) } : {};
  }
  if (formula.relations.length === 0) {
    return label === undefined && !/\d|[-+*/[]/.test(rest)
      ? {}
      : { reason: 'it needs <=, >= or = for a constraint, or `maximize` or `minimize` for an objective' };
  }
  const named = name === undefined || /^(?:data|values?)$/i.test(name) ? {} : { label: name };
  return { statement: { kind: 'relation', text: rest, formula, ...named, ...(counts !== undefined && { counts }) } };
}

/** Splits text at its first colon into a label and a body. */
export function splitLabel(text: string): { label?: string; body: string } {
  const plain = NUMBERED.test(text) ? text : text.replace(PREFIX, '');
  // The colon of a sum does not follow a label.
  const colon = SUM.test(plain) ? -1 : plain.indexOf(':');
  const label = plain.slice(0, Math.max(0, colon)).trim();
  return label === '' || SIGN.test(label)
    ? { body: plain.replace(/^: ?/, '') }
    : { label, body: plain.slice(colon + 1).trim() };
}

/** Splits `labour (hard)` into its name and class. The name may be missing, as in `soft`. */
export function splitClass(label = ''): { name?: string; counts?: Classification } {
  const { name = '', word } = /^(?:(?<name>.+?) ?\()?(?<word>hard|soft)\)?$/i.exec(label)?.groups ?? { name: label };
  return {
    ...(name !== '' && { name }),
    ...(word !== undefined && { counts: { classification: word.toLowerCase() === 'soft' ? 'soft' : 'hard' } }),
  };
}

/** Moves the class of a constraint to the end, after its index and condition. Returns other text unchanged. */
export function withClassLast(text: string): string {
  const match = COUNTS_INSIDE.exec(text);
  if (match === null) return text;
  const rest = `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`;
  return relationIn(splitLabel(rest).body) === undefined ? text : `${rest}${match[0].trimEnd()}`;
}

export function splitCounts(text: string): { rest: string; counts?: Classification } {
  const match = COUNTS.exec(text);
  const { word, penalty } = match?.groups ?? {};
  if (match === null || word === undefined) return { rest: text };
  const isSoft = word.toLowerCase() === 'soft';
  return {
    rest: text.slice(0, match.index).trim(),
    counts: {
      classification: isSoft ? 'soft' : 'hard',
      ...(isSoft && penalty !== undefined && { penalty: priceOf(penalty) }),
    },
  };
}

/** Reads several relations, such as `a = 1, b = 2` or `x >= 0 and y >= 0 integer`. Each item must contain a relation. */
function readSeveral(text: string): Reading | undefined {
  const parts = text.split(/, ?(?:and )?| and /);
  if (parts.length < 2 || !parts.every((part) => SIGN.test(part))) return undefined;
  const statements: Statement[] = [];
  for (const part of parts) {
    const { statement } = readRelation(part.trim());
    if (statement === undefined) return undefined;
    statements.push(statement);
  }
  if (statements.some((one) => one.kind === 'relation' && one.formula.when !== undefined)) return undefined;
  return { statement: { kind: 'several', statements } };
}

/** Returns the name and the number of an equation such as `price = 3`. Returns undefined for other formulas. */
export function assignmentIn(formula: ReturnType<typeof parseFormula>): { name: string; value: number } | undefined {
  if (isProblem(formula) || formula.relations.length !== 1 || formula.relations[0] !== '=') return undefined;
  if (formula.when !== undefined) return undefined;
  const [left, right] = formula.sides;
  if (left.kind !== 'name' || right === undefined) return undefined;
  const value = constantOf({ sides: [right], relations: [] });
  return value === undefined ? undefined : { name: left.name, value };
}

interface Bounded {
  name: string;
  facts: VariableFacts;
}

/** Returns the bounds that a relation between a single name and numbers specifies. Returns undefined for other formulas. */
export function boundsIn({ sides, relations, strict = [], when }: Formula): Bounded | undefined {
  if (when !== undefined) return undefined;
  const at = sides.findIndex(({ kind }) => kind === 'name');
  const name = sides[at];
  if (name?.kind !== 'name' || relations.length > 2 || (relations.length === 2 && at !== 1)) return undefined;
  const facts: VariableFacts = {};
  for (const [index, relation] of relations.entries()) {
    const other = sides[index < at ? index : index + 1];
    const figure = other === undefined ? undefined : constantOf({ sides: [other], relations: [] });
    if (figure === undefined) return undefined;
    setBound(facts, index < at ? turned(relation) : relation, figure, strict.includes(index));
  }
  return { name: name.name, facts };
}

/**
 * Returns the two limits in `tables >= 12 chairs >= 3`, where both names are variables. As a chain, it would mean that there
 * are at least 12 times as many tables as chairs.
 */
export function pairIn({ sides: [left, middle, right], relations: [first, second], strict, when }: Formula): Bounded[] {
  if (when !== undefined) return [];
  if (left.kind !== 'name' || right?.kind !== 'number' || middle?.kind !== 'product' || strict !== undefined) return [];
  const [figure, name, ...more] = middle.factors.map(({ of }) => of);
  if (figure?.kind !== 'number' || name?.kind !== 'name' || more.length > 0) return [];
  const limits = [
    boundsIn({ sides: [left, figure], relations: [first!] }),
    boundsIn({ sides: [name, right], relations: [second!] }),
  ];
  return limits.filter((limit) => limit !== undefined);
}

/** Returns the value of a formula without names. Returns undefined for `0 itneger`, which is always 0 but contains a name. */
function constantOf(formula: Formula): number | undefined {
  if (mentionsOf(formula, undefined).length > 0) return undefined;
  const linear = linearize(formula.sides[0], NONE);
  return isProblem(linear) ? undefined : linear.constant;
}

export const turned = (relation: Relation): Relation => (relation === '<=' ? '>=' : relation === '>=' ? '<=' : '=');

/** Reads facts about a list of variables. Returns undefined for other text. */
function readVariables(text: string): Reading | undefined {
  const prefixed = /^(?:(?:decision )?variables?|vars?)\b:? ?/i.exec(text)?.[0] ?? '';
  const said = text.slice(prefixed.length);
  const several = readDeclarations(said, prefixed);
  if (several !== undefined) return several;
  const marked = withMarks(said, prefixed !== '');
  return (marked === said ? undefined : variablesIn(marked, prefixed)) ?? variablesIn(said, prefixed);
}

/** Separator between the items of a list. The `and` in `between 2 and 5` is not a separator. */
const SEPARATOR = new RegExp(`(?:between|from) ${NUMBER} and |(?<mark> ?, ?(?:and )?| and | & )`, 'gi');
const VERB = /^(?:is|are|must be|should be) /i;

interface Item {
  begin: number;
  end: number;
  hasName: boolean;
  /** Whether the item has facts before its name. */
  isBefore: boolean;
  /** Whether the item has facts after its name, or has facts but no name. */
  isBehind: boolean;
  hasSign: boolean;
}

/**
 * Reads different facts about several variables: `x, y integer, z <= 3`. A fact applies to the names before it. If the list
 * starts with a fact, facts apply to the names after them. Returns undefined for other text and if all variables have the same
 * facts.
 */
function readDeclarations(text: string, prefixed: string): Reading | undefined {
  const items = itemsOf(splitCounts(text).rest);
  const groups: Item[][] = [];
  for (const item of items ?? []) {
    const group = groups.at(-1);
    if (group !== undefined && !isNewGroup(group, item)) group.push(item);
    else groups.push([item]);
  }
  if (groups.length < 2) return undefined;
  const statements: Statement[] = [];
  for (const [at, group] of groups.entries()) {
    const end = at === groups.length - 1 ? text.length : group.at(-1)?.end;
    const part = `${prefixed}${text.slice(group[0]?.begin, end)}`;
    const isBare = group.every(({ isBefore, isBehind }) => !isBefore && !isBehind);
    const isOpen = group.every(({ isBehind }) => !isBehind);
    const isMixed = isOpen && groups[at + 1]?.[0]?.isBefore === false;
    const reading: Reading = isBare || isMixed ? {} : readRelation(part);
    const { statement } = reading;
    const reason = 'reason' in reading ? reading.reason : undefined;
    if (statement?.kind !== 'variables' && statement?.kind !== 'relation')
      return {
        reason: reason ?? 'describe each variable in a separate statement, as in `x integer; y >= 0`',
      };
    statements.push(statement);
  }
  return { statement: { kind: 'several', statements } };
}

/** Whether an item begins a new group of variables. */
function isNewGroup(group: readonly Item[], item: Item): boolean {
  const [first] = group;
  if (!item.hasName || first === undefined || !group.some(({ hasName }) => hasName)) return false;
  if (group.some(({ isBehind }) => isBehind)) return true;
  // `0 <= x, y <= 5` is a single relation with a list of names in the middle.
  if (first.isBefore) return item.isBefore || (item.isBehind && !(first.hasSign && item.hasSign));
  return item.isBefore && !item.isBehind;
}

/**
 * Splits a list into its items. Returns undefined for other text and for a list of names followed by facts about all of them.
 */
function itemsOf(text: string): Item[] | undefined {
  const marks = [...text.matchAll(SEPARATOR)].flatMap(({ index, groups }) => {
    const mark = groups?.['mark'];
    return mark === undefined ? [] : { index, end: index + mark.length };
  });
  const begins = [0, ...marks.map(({ end }) => end)];
  const texts = begins.map((begin, at) => text.slice(begin, marks[at]?.index));
  const isList = texts.slice(0, -1).every(isName);
  // In a list of names, words such as `binary` are names too.
  if (marks.length === 0 || (isList && factsIn(texts.at(-1) ?? '', true)?.isBefore !== true)) return undefined;
  const items: Item[] = [];
  for (const [at, said] of texts.entries()) {
    const item = factsIn(said, at === 0);
    if (item === undefined) return undefined;
    const begin = begins[at] ?? 0;
    items.push({ begin, end: begin + said.length, hasSign: SIGN.test(said), ...item });
  }
  return items;
}

/** Determines whether a list item has facts before or after its name. Returns undefined if the item contains something else. */
function factsIn(said: string, isFirst: boolean): Pick<Item, 'hasName' | 'isBefore' | 'isBehind'> | undefined {
  const item = (isFirst ? said : said.replace(VERB, '')).replace(/(?<=^[^ :]+) ?: ?/, ' ');
  const isFact = !isFirst && readFacts(item).rest === '';
  if (isName(item) && !isFact) return { hasName: true, isBefore: false, isBehind: false };
  const texts = isFirst ? [withMarks(item, false), item] : [item, withMarks(item, false)];
  for (const text of texts) {
    const { rest } = readFacts(text);
    if (rest === '') return { hasName: false, isBefore: false, isBehind: true };
    const name = rest
      .split(/[<>=≤≥]+/)
      .map((side) => side.trim())
      .find(isName);
    const index = [...text.matchAll(WORD)].find(([word]) => word === name)?.index;
    if (index === undefined || (rest === name && text === name)) continue;
    return { hasName: true, isBefore: index > 0, isBehind: index + (name ?? '').length < text.trimEnd().length };
  }
  return undefined;
}

/** Explains a contradiction between the facts in a declaration. Returns undefined for other text. */
export function whyContrary(text: string): string | undefined {
  const body = splitIndex(text)?.body;
  if (body !== undefined) return readFacts(body).reason;
  const reading = readDeclarations(text, '') ?? variablesIn(text, 'variables') ?? {};
  return 'reason' in reading ? reading.reason : undefined;
}

function variablesIn(text: string, prefixed: string): Reading | undefined {
  const { facts, rest: subject, reason: contrary } = readFacts(text);
  const { names: marked, reason = contrary } = namesOf(subject, facts) ?? {};
  const names = marked?.map(withoutMarks);
  if (names === undefined) return undefined;
  if (reason !== undefined) return { reason };
  const isDeclared = prefixed !== '' || facts.domain !== undefined || facts.free === true;
  if (!isDeclared && Object.keys(facts).length === 0) return undefined;
  if (prefixed === '' && names.some((name) => NO_NAME.test(name)))
    return { reason: 'name the variables, as in `x, y integer`' };
  // A relation without other facts may be about a value instead of a variable. The canvas determines which.
  if (!isDeclared && names.length === 1 && facts.unit === undefined && SIGN.test(text) && subject === text.trim())
    return undefined;
  return { statement: { kind: 'variables', names, facts, declares: isDeclared || facts.unit === undefined } };
}

/** Returns the names in `x, y and z`, or between the bounds of a relation: `0 <= x, y <= 10`. */
function namesOf(subject: string, facts: VariableFacts): { names: string[]; reason?: string } | undefined {
  const sides = subject.split(/(<=|=<|>=|=>|==|[<>=≤≥])/).map((side) => side.trim());
  const lists = sides.map((side, index) => (index % 2 === 0 ? nameList(side) : undefined));
  const at = lists.findIndex((list) => list !== undefined);
  const names = lists[at];
  if (names === undefined || !isChain(sides)) return undefined;
  let reason: string | undefined;
  for (let index = 1; index < sides.length; index += 2) {
    const figure = parseFormula(sides[index < at ? index - 1 : index + 1] ?? '');
    const relation = parseFormula(`x ${sides[index]} x`);
    const value = isProblem(figure) || figure.relations.length > 0 ? undefined : constantOf(figure);
    const sign = isProblem(relation) ? undefined : relation.relations[0];
    if (value === undefined || sign === undefined) return undefined;
    const isStrict = !isProblem(relation) && relation.strict !== undefined;
    reason ??= setBound(facts, index < at ? turned(sign) : sign, value, isStrict);
  }
  return { names, ...(reason !== undefined && { reason }) };
}

/** Whether the signs between the sides may form a relation. */
export const isChain = (sides: readonly string[]): boolean =>
  sides.length <= 5 && (sides.length < 5 || !isProblem(parseFormula(`x ${sides[1]} x ${sides[3]} x`)));

function nameList(text: string): string[] | undefined {
  const names = text.split(/ ?, ?(?:and )?| and | & /).map((name) => name.trim());
  return names.every(isName) ? [...new Set(names)] : undefined;
}
