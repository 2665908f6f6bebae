import { isProblem, parseFormula, type Relation, splitIndex } from '../modelling/index.js';
import type { ZeroOrBetween } from '../canvas/index.js';
import type { VariableFacts } from './statement.js';
import { figureOf, NUMBER, without } from './words.js';

/** Words that may precede a fact. Up to {@link MAX_SMALL_WORDS} of them may be combined. */
const SMALL_WORDS = ['is ', 'are ', 'as ', 'a ', 'an ', 'and ', 'must be ', 'should be ', ': '];
const MAX_SMALL_WORDS = 3;
const MAX_SMALL_WORD_LENGTH = Math.max(...SMALL_WORDS.map(({ length }) => length));
const fact = (
  words: string,
  note: (groups: Partial<Record<string, string>>) => VariableFacts,
): { pattern: RegExp; note: typeof note } => ({
  pattern: new RegExp(`(?<=[ ,])(?:${words})(?=[ ,])`, 'i'),
  note,
});
const bounds = (lower: string | undefined, upper: string | undefined): VariableFacts => {
  const [from, to] = [figureOf(lower ?? ''), figureOf(upper ?? '')];
  return { ...(from !== undefined && { lower: from, free: null }), ...(to !== undefined && { upper: to }) };
};

const MORE = '(?:more|greater|larger|higher)';
const LESS = '(?:less|fewer|smaller|lower)';
const NOT = String.raw`(?:(?:must|should|shall|can|may) )?(?:no|not|never|cannot|can['’]t)(?: be)?`;

/** Patterns for facts about variables. Each fact is removed from the text once it has been read. */
const FACTS = [
  fact(String.raw`(?:between|from) (?<lower>${NUMBER}) (?:and|(?:up )?to) (?<upper>${NUMBER})`, ({ lower, upper }) =>
    bounds(lower, upper),
  ),
  fact(
    String.raw`(?:in|from|within) (?<lower>${NUMBER}) ?(?:\.\.\.?|to|-|–) ?(?<upper>${NUMBER})`,
    ({ lower, upper }) => bounds(lower, upper),
  ),
  fact(`(?:at most|${NOT} ${MORE} than|${LESS} than or equal to) (?<upper>${NUMBER})`, ({ upper }) =>
    bounds(undefined, upper),
  ),
  fact(`(?:at least|${NOT} ${LESS} than|${MORE} than or equal to) (?<lower>${NUMBER})`, ({ lower }) =>
    bounds(lower, undefined),
  ),
  fact('amounts(?= from)', () => ({ domain: 'continuous' })),
  fact(`${LESS} than (?<upper>${NUMBER})`, ({ upper }) => ({ ...bounds(undefined, upper), strict: ['upper'] })),
  fact(`${MORE} than (?<lower>${NUMBER})`, ({ lower }) => ({ ...bounds(lower, undefined), strict: ['lower'] })),
  fact("non-?negative|not negative|(?:cannot|can['’]t|must not) be negative", () => ({ lower: 0, free: null })),
  fact('positive', () => ({ lower: 0, free: null, strict: ['lower'] })),
  fact('(?:free|unrestricted|unbounded)(?: variables?)?', () => ({ free: true, lower: null, upper: null })),
  fact('(?:can|may) be negative', () => ({ free: true, lower: null })),
  fact('(?:integers?|ints?|whole)(?: (?:numbers?|variables?|values?))?', () => ({ domain: 'integer' })),
  fact(
    '(?:binary|binaries|bool(?:ean)?s?|yes[- ]or[- ]no|yes/no|0/1)(?: (?:choices?|decisions?|variables?|values?))?',
    () => ({ domain: 'binary' }),
  ),
  fact('(?:continuous|reals?|fractional|any(?= numbers?))(?: (?:numbers?|variables?|values?))?', () => ({
    domain: 'continuous',
  })),
  fact('fractions too', () => ({ domain: 'continuous' })),
  // `from 3 suppliers` does not specify a bound.
  fact(`from (?<lower>${NUMBER})(?: (?:up|on)(?:wards?)?)?(?! +(?!and |in )[^ ,])`, ({ lower }) =>
    bounds(lower, undefined),
  ),
];

/** Beginning of a range such as `0 or 20 to 200`. */
const ZERO_OR =
  /(?<=[ ,])(?:(?:is|are|be|(?:must|should|can|may|has to|have to) be) )?(?:either )?(?:0|zero) or (?=[^ ])/i;
const MIN_WORDS = String.raw`(?:at least|no less than|not less than|from|between|in|>=|≥)`;
const AT_MOST = '(?:at most|no more than|not more than|up to)';
const TO_WORDS = String.raw`(?:,? ?(?:and |but )?${AT_MOST}|to|and|\.\.\.?)`;
const FIGURES = new RegExp(
  `^(?:${MIN_WORDS} ?)?(?<lower>${NUMBER}) ?(?:${TO_WORDS}|-|–) ?(?<upper>${NUMBER})(?=[ ,]|$)`,
  'i',
);
const MIN_FIGURE = new RegExp(
  `^(?:(?:at least|no less than|not less than|from|>=|≥) ?(?<least>${NUMBER})(?: up(?:wards)?)?|(?<more>${NUMBER}) (?:or more|upwards?))(?=[ ,]|$)`,
  'i',
);
const SINGLE = new RegExp(`^(?<only>${NUMBER})(?=,| (?!(?:or|of|per) )|$)`, 'i');
const WORD_LAST = /,? (?:integers?|whole(?: numbers?)?|continuous)$/i;
const MIN_BEGIN = new RegExp(`^${MIN_WORDS} ?`, 'i');
const MAX_BEGIN = new RegExp(`^${AT_MOST} `, 'i');
const ENDS = new RegExp(` ${TO_WORDS} `, 'gi');

/** Explains which ranges a variable can have. */
export const ONE_RANGE =
  'a variable has a single range after `0 or`, for all its members: write `x is 0 or 20 to 200`, or `set x zero_or_between: 20 to 200` to replace an earlier range';
const NO_RANGE =
  'after `0 or`, write a range such as `20 to 200` or `at least 20`; a unit follows `in`, as in `x is 0 or 20 to 200 in kg`';

/** Explains why text with a range cannot be used. Returns undefined for other text. */
export function whyNoRange(text: string): string | undefined {
  const body = ` ${splitIndex(text)?.body ?? text}`;
  const zero = ZERO_OR.exec(body);
  if (zero === null) return undefined;
  const ranged = readRange(body.slice(zero.index + zero[0].length));
  return ranged !== undefined && readFacts(ranged.rest).rest === '' ? ONE_RANGE : NO_RANGE;
}

/**
 * Reads the range at the beginning of the text: `20 to 200`, `at least 20`, `lot[p] to most[p]`. Returns the range and the
 * remaining text. Returns undefined for other text.
 */
export function readRange(text: string): { range: ZeroOrBetween; rest: string } | undefined {
  const match = FIGURES.exec(text) ?? MIN_FIGURE.exec(text) ?? SINGLE.exec(text);
  if (match !== null) {
    const { lower, upper, least, more, only } = match.groups ?? {};
    const from = Number(lower ?? least ?? more ?? only);
    const to = only === undefined ? (upper === undefined ? null : Number(upper)) : from;
    return { range: [from, to], rest: text.slice(match[0].length) };
  }
  const rest = WORD_LAST.exec(text)?.[0] ?? '';
  const body = text.slice(0, text.length - rest.length).trim();
  if (MAX_BEGIN.test(body)) return undefined;
  const word = MIN_BEGIN.exec(body)?.[0] ?? '';
  const said = body.slice(word.length);
  for (const { 0: mark, index } of said.matchAll(ENDS)) {
    const [lower, upper] = [amountIn(said.slice(0, index)), amountIn(said.slice(index + mark.length))];
    if (lower !== undefined && upper !== undefined) return { range: [lower, upper], rest };
  }
  const least = /^(?:at least|no|not|>=|≥)/i.test(word) ? amountIn(said) : undefined;
  return least === undefined ? undefined : { range: [least, null], rest };
}

/** Returns a number, or the text of a formula. Returns undefined for other text. */
function amountIn(text: string): number | string | undefined {
  const formula = parseFormula(text);
  return isProblem(formula) || formula.relations.length > 0 ? undefined : (figureOf(text) ?? text.trim());
}

/** Words before a unit. The unit extends to the end of the text. */
const IN_UNIT = /(?<=[ ,])(?:measured )?in (?:unit (?! *$))?/gi;

/** Returns a unit, and the position of the words that introduce it. A unit contains neither relation signs nor commas. */
function unitIn(text: string): { index: number; unit: string } | undefined {
  IN_UNIT.lastIndex = Math.max(...Array.from('<>=≤≥,', (sign) => text.lastIndexOf(sign))) + 1;
  const index = IN_UNIT.exec(text)?.index;
  const unit = index === undefined ? '' : text.slice(IN_UNIT.lastIndex).trim();
  return index === undefined || unit === '' ? undefined : { index, unit };
}

/**
 * Returns the facts about variables that the text contains, and the remaining text. `reason` explains a contradiction between
 * the facts.
 */
export function readFacts(text: string): { facts: VariableFacts; rest: string; reason?: string } {
  let rest = ` ${text} `;
  let reason: string | undefined;
  const facts: VariableFacts = {};
  const zero = ZERO_OR.exec(rest);
  const ranged = zero === null ? undefined : readRange(rest.slice(zero.index + zero[0].length).trimEnd());
  if (zero !== null && ranged !== undefined) {
    const { range, rest: behind } = ranged;
    if (range[0] === 1 && range[1] === 1) facts.domain = 'binary';
    else facts.zero_or_between = range;
    rest = `${withoutSmallWords(rest.slice(0, zero.index))}${behind} `;
  }
  for (const { pattern, note } of FACTS) {
    const match = pattern.exec(rest);
    if (match === null) continue;
    reason ??= addFact(facts, note(match.groups ?? {}));
    rest = `${withoutSmallWords(rest.slice(0, match.index))}${rest.slice(match.index + match[0].length)}`;
  }
  const measured = unitIn(rest);
  if (measured !== undefined) {
    facts.unit = measured.unit;
    rest = withoutSmallWords(rest.slice(0, measured.index));
  }
  return { facts, rest: withoutEnds(rest), ...(reason !== undefined && { reason }) };
}

/** Adds the bounds of a relation. Returns a problem if a bound that is a formula already has another value. */
export function setBound(
  facts: VariableFacts,
  relation: Relation,
  figure: number | string,
  isStrict: boolean,
): string | undefined {
  return addFact(facts, {
    ...(relation !== '<=' && { lower: figure, free: null }),
    ...(relation !== '>=' && { upper: figure }),
    ...(isStrict && { strict: [relation === '>=' ? 'lower' : 'upper'] }),
  });
}

/**
 * Adds a fact to other facts about the same variables. Different bounds are combined. Returns a problem if the facts contradict
 * each other.
 */
function addFact(facts: VariableFacts, { domain, free, strict = [], ...bounds }: VariableFacts): string | undefined {
  const domains = new Set([facts.domain, domain]);
  if (domains.has('continuous') && (domains.has('integer') || domains.has('binary')))
    return `a variable cannot be both ${facts.domain} and ${domain}`;
  if (domain !== undefined) facts.domain = domain;
  for (const side of ['lower', 'upper'] as const) {
    const [old, bound] = [facts[side] ?? null, bounds[side]];
    if (bound === undefined || (bound === null && old !== null)) continue;
    if (old !== null && bound !== null && old !== bound && (typeof old === 'string' || typeof bound === 'string'))
      return `it has two ${side} bounds: write each in a separate statement`;
    const isTighter = old === null || bound === null || (side === 'lower' ? bound > old : bound < old);
    const isStrict = strict.includes(side) || (!isTighter && facts.strict?.includes(side) === true);
    if (!isTighter && old !== bound) continue;
    const others = facts.strict?.filter((one) => one !== side) ?? [];
    const kept = isStrict ? [...others, side] : others;
    facts[side] = bound;
    if (kept.length > 0) facts.strict = kept;
    else delete facts.strict;
  }
  if (free === undefined && facts.free === undefined) return undefined;
  const isFree = free === true || facts.free === true;
  const { lower } = facts;
  if (isFree && typeof lower === 'number' && lower >= 0) return `it cannot be both negative and at least ${lower}`;
  facts.free = isFree && lower == null ? true : null;
  return undefined;
}

/** Removes small words from the end of the text. */
function withoutSmallWords(text: string): string {
  let shorter = text;
  for (let count = 0; count < MAX_SMALL_WORDS; count += 1) {
    const end = shorter.slice(-1 - MAX_SMALL_WORD_LENGTH).toLowerCase();
    const word = SMALL_WORDS.find((one) => end.endsWith(` ${one}`) || end.endsWith(`,${one}`));
    const rest = word === undefined ? '' : shorter.slice(0, -word.length);
    // In `a is free`, `a` is a variable, not an article.
    if (rest.trim() === '') return shorter;
    shorter = rest;
  }
  return shorter;
}

/** Removes spaces, commas and small words from both ends of the text. */
const withoutEnds = (text: string): string => without(text, ' ,').replace(/(?:,? (?:is|are|and)){1,3}$/i, '');
