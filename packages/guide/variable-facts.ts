import type { Relation } from '../modelling/index.js';
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
