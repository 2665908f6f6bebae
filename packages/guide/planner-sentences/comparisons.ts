import type { Meaning } from './planner-sentences.js';
import {
  type Amount,
  COUNT,
  countOf,
  halves,
  indexOf,
  type PlannerWords,
  withIndex,
  withoutActor,
} from './planner-words.js';

/* `make twice as many chairs as tables`, `chairs may not exceed tables by more than 5`, `at least a third of the chairs are oak` */

const TIMES = String.raw`(?<times>twice|double|half|thrice|${COUNT} times)`;
const LIMIT = '(?:(?<limit>at least|at most|exactly|no more than) )?';
const PAIR = String.raw`(?<pair>[\p{L}\p{N} ]+)$`;
const MULTIPLE = new RegExp(`^${LIMIT}(?:${TIMES} )?as many ${PAIR}`, 'iu');
const MORE = new RegExp(`^${LIMIT}(?<count>${COUNT}) (?<word>more|fewer|less) ${PAIR}`, 'iu');
const NO_MORE = new RegExp(`^(?:no|not) (?<word>more|fewer|less) ${PAIR}`, 'iu');
const EXCEED = / (?:(?:may|can|must|should|shall|do|cannot) ?(?<not>not|never)? ?)?(?:exceed|outnumber)s? (?:the )?/i;
const BY = new RegExp(
  String.raw` by (?<limit>more than|at most|at least|no more than|exactly) (?<count>${COUNT})$`,
  'i',
);
const SHARE = String.raw`(?<share>half|an?|one|two|three|\d+(?:\.\d+)? ?(?:%|percent))(?:[ -](?<part>half|third|quarter|fifth|tenth)s?)?`;
const SHARE_OF = new RegExp(
  `(?<limit>at least|at most|exactly|no more than|no less than) ${SHARE} of (?:all the |all |the |our )?`,
  'i',
);
/** Verbs after and before a share. */
const VERB_AFTER =
  / (?:must be|should be|have to be|has to be|can be|may be|are|is|must come from|come from) (?:the )?/i;
const VERB_BEFORE = / (?:must be|should be|have to be|are|is|must make up|make up) $/i;
const THE = /^the /i;
const PARTS: Record<string, number> = { half: 2, third: 3, quarter: 4, fifth: 5, tenth: 10 };
const SIGNS: Record<string, string> = {
  'at least': '>=',
  'no less than': '>=',
  'at most': '<=',
  'no more than': '<=',
  exactly: '=',
};

export function readComparison(text: string, words: PlannerWords): Meaning[] {
  return multiple(text, words) ?? difference(text, words) ?? excess(text, words) ?? [];
}

function multiple(text: string, words: PlannerWords): Meaning[] | undefined {
  const { limit, times, pair: said = '' } = MULTIPLE.exec(withoutActor(text))?.groups ?? {};
  const pair = pairOf(halves(said, / as /i), words);
  const factor = times === undefined ? 1 : factorOf(times);
  if (pair === undefined || factor === undefined) return undefined;
  const sign = SIGNS[limit?.toLowerCase() ?? ''];
  const write = (relation: string): Meaning =>
    pair.write(relation, factor === 1 ? pair.right : `${factor} * ${pair.right}`);
  return sign === undefined ? [write('='), write('>=')] : [write(sign)];
}

function factorOf(times: string): number | undefined {
  const word = times.toLowerCase();
  if (word === 'twice' || word === 'double') return 2;
  if (word === 'half') return 0.5;
  return word === 'thrice' ? 3 : countOf(word.replace(/ times$/, ''));
}

function difference(text: string, words: PlannerWords): Meaning[] | undefined {
  const bare = withoutActor(text);
  const { limit, count, word = '', pair: said = '' } = MORE.exec(bare)?.groups ?? NO_MORE.exec(bare)?.groups ?? {};
  const pair = pairOf(halves(said, / than /i), words);
  if (pair === undefined) return undefined;
  const isMore = /^more$/i.test(word);
  if (count === undefined) return [pair.write(isMore ? '<=' : '>=', pair.right)];
  const number = countOf(count);
  const sign = SIGNS[limit?.toLowerCase() ?? 'exactly'] ?? '=';
  if (number === undefined) return undefined;
  const relation = isMore || sign === '=' ? sign : sign === '>=' ? '<=' : '>=';
  return [pair.write(relation, `${pair.right} ${isMore ? '+' : '-'} ${number}`)];
}

function excess(text: string, words: PlannerWords): Meaning[] | undefined {
  const [verb, by] = [EXCEED.exec(text), BY.exec(text)];
  if (verb === null || by === null) return undefined;
  const right = text.slice(verb.index + verb[0].length, by.index);
  const pair = pairOf([text.slice(0, verb.index).replace(THE, ''), right], words);
  const { limit = '', count = '' } = by.groups ?? {};
  const number = countOf(count);
  const isNegated = verb.groups?.['not'] !== undefined || /\bcannot\b/i.test(text);
  const isMore = /^more than$/i.test(limit);
  // `may exceed by more than 5` allows everything, and `may not exceed by at least 5` is ambiguous.
  if (pair === undefined || number === undefined || isNegated !== isMore) return undefined;
  const sign = isMore ? '<=' : (SIGNS[limit.toLowerCase()] ?? '=');
  return [pair.write(sign, `${pair.right} + ${number}`)];
}

export function readShare(text: string, words: PlannerWords): Meaning[] {
  const match = SHARE_OF.exec(text);
  const [left, whole] = (match && namesAround(text, match)) ?? [];
  if (match === null || left === undefined || whole === undefined) return [];
  const { limit = '', share = '', part } = match.groups ?? {};
  const pair = pairOf([left, whole], words) ?? pairOf([`${left} ${whole}`, whole], words);
  const sign = SIGNS[limit.toLowerCase()];
  if (pair === undefined || sign === undefined) return [];
  const percent = /^(?<figure>[\d.]+) ?(?:%|percent)$/i.exec(share)?.groups?.['figure'];
  if (percent !== undefined)
    return part === undefined
      ? [pair.write(sign, `${Number((Number(percent) / 100).toPrecision(12))} * ${pair.right}`)]
      : [];
  const divisor = PARTS[(part ?? share).toLowerCase()];
  const count = part === undefined ? 1 : countOf(share);
  if (divisor === undefined || count === undefined) return [];
  return [pair.write(sign, `${count === 1 ? '' : `${count} * `}${pair.right} / ${divisor}`)];
}

/** Returns the part and the whole in `a third of the chairs must be oak` and in `tables make up half of the chairs`. */
function namesAround(text: string, share: RegExpExecArray): [left: string, whole: string] | undefined {
  const [before, after] = [text.slice(0, share.index), text.slice(share.index + share[0].length)];
  if (before !== '')
    return VERB_BEFORE.test(before) ? [before.replace(VERB_BEFORE, '').replace(THE, ''), after] : undefined;
  const [whole, left] = halves(after, VERB_AFTER) ?? [];
  return whole === undefined || left === undefined ? undefined : [left, whole];
}

interface Pair {
  right: string;
  write: (sign: string, right: string) => Meaning;
}

/** Returns two amounts over the same sets. */
function pairOf(names: readonly [string, string] | undefined, words: PlannerWords): Pair | undefined {
  const [first, second] = names?.map((name) => words.amount(name)) ?? [];
  if (first === undefined || second === undefined || first.text === second.text) return undefined;
  if (indexOf(first.over) !== indexOf(second.over)) return undefined;
  return {
    right: second.text,
    write: (sign, other) => ({ statements: [withIndex(`${first.text} ${sign} ${other}`, indexOfBoth(first))] }),
  };
}

const indexOfBoth = ({ over }: Amount): string => indexOf(over);
