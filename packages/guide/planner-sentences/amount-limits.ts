import { fieldOf } from '../../canvas/index.js';
import type { Meaning } from './planner-sentences.js';
import { isUnit } from '../word-coverage.js';
import {
  ACTOR,
  type Amount,
  AVAILABLE,
  COUNT,
  countOf,
  memberOf,
  nameFrom,
  type Over,
  type PlannerWords,
  totalOf,
  withIndex,
} from './planner-words.js';

/* `at most 40 hours of labour a week`, `every week at least 5 tables`, `total weight must stay below 500 kg` */

const LIMIT = String.raw`(?<limit>at least|at most|no more than|not more than|no less than|no fewer than|not less than|up to|exactly|a maximum of|a minimum of|max(?:imum)?|min(?:imum)?|more than|less than|fewer than|only)`;
const EACH = String.raw`(?:(?:for |in |on |during |of )?(?:every|each|per|an?|all)|for|in) (?<%>[\p{L}\p{N}_]+)`;
const BEFORE = new RegExp(`^${EACH.replace('%', 'before')},? (?<rest>.+)$`, 'iu');
const BEHIND = new RegExp(`^(?<rest>.+?),? ${EACH.replace('%', 'behind')}$`, 'iu');
const AMOUNT = new RegExp(
  String.raw`^${ACTOR}${LIMIT} (?<count>${COUNT})(?: (?<what>\p{L}[\p{L}\p{N}_ ]*?))(?: available| left| in stock| in total| altogether)?$`,
  'iu',
);
const TOTAL = new RegExp(
  String.raw`^(?:the |our )?(?<total>total |sum of |overall )?(?<what>[\p{L}\p{N}_ ]+?) (?:(?:must|should|may|can|has to|have to|shall|is|are) )?(?:(?:stay|be|remain|keep) )?(?<limit>below|under|at most|at least|above|over|no more than|not exceed|never exceed|cannot exceed|not be more than|not be less than|no less than|within|up to|exactly) (?<count>${COUNT})(?: (?<unit>\p{L}+))?$`,
  'iu',
);
const SIGNS: [RegExp, string][] = [
  [/^(?:below|under|less than|fewer than)$/i, '<'],
  [/^(?:above|over|more than)$/i, '>'],
  [/least|no less|no fewer|not less|not be less|min/i, '>='],
  [/exactly/i, '='],
  [/./, '<='],
];
const PERIODS = /^(?:hour|day|week|month|quarter|year|shift)s?$/i;
const JOINED = /\b(?:in|on|for|from|per|by|with|to|at|or|and|as|than|if|when)\b/i;

const signOf = (limit: string): string => SIGNS.find(([pattern]) => pattern.test(limit))?.[1] ?? '<=';

export function readLimit(text: string, words: PlannerWords): Meaning[] {
  const { rest, set, isKnown } = withoutEach(text, words);
  if (!isKnown) return [];
  const kept = set === undefined ? [] : [set];
  const amount = AMOUNT.exec(rest)?.groups ?? AVAILABLE.exec(rest)?.groups;
  if (amount !== undefined) {
    const { limit = 'at most', what = '', count = '' } = amount;
    const meanings = limits(what, signOf(limit), countOf(count), kept, words, AVAILABLE.test(rest));
    if (meanings.length > 0) return meanings;
  }
  const { total, what = '', limit = '', count = '' } = TOTAL.exec(rest)?.groups ?? {};
  const column = total === undefined ? undefined : columnLimit(what, signOf(limit), countOf(count), kept, words);
  return column ?? [];
}

/** Removes `every week` and `a week`. A period without a set is the period of the whole plan. */
function withoutEach(text: string, words: PlannerWords): { rest: string; set?: string; isKnown: boolean } {
  const before = BEFORE.exec(text)?.groups;
  const groups = before ?? BEHIND.exec(text)?.groups;
  const word = groups?.['before'] ?? groups?.['behind'] ?? '';
  const set = word === '' ? undefined : words.set(word);
  if (groups === undefined || (set === undefined && !PERIODS.test(word))) return { rest: text, isKnown: true };
  // A limit for a day says nothing about the weeks of a plan.
  const hasPeriods = [...words.sketch.vocabulary.sets.keys()].some((name) => PERIODS.test(name));
  return { rest: groups['rest'] ?? text, isKnown: set !== undefined || !hasPeriods, ...(set !== undefined && { set }) };
}

function limits(
  what: string,
  sign: string,
  count: number | undefined,
  kept: readonly string[],
  words: PlannerWords,
  isHave: boolean,
): Meaning[] {
  if (count === undefined) return [];
  const amount = words.amount(what);
  if (amount !== undefined) return isHave ? [] : onAmount(amount, sign, count, kept);
  const resource = resourceOf(what);
  if (resource === undefined) return [];
  const column = columnLimit(resource, sign, count, kept, words);
  if (column !== undefined) return isHave ? [...column, { statements: [`${nameFrom(resource)} = ${count}`] }] : column;
  const old = words.formulaOf('constraint', resource);
  const [, left = '', relation = ''] = /^([^<>=]+)(<=|>=|=)\s*[\d.]+$/.exec(old?.expression ?? '') ?? [];
  if (old !== undefined && left !== '' && (relation === sign || isHave))
    return [
      {
        statements: [
          withIndex(`${old.card.label}: ${left.trim()} ${relation} ${count}`, fieldOf<string>(old.card, 'index') ?? ''),
        ],
      },
    ];
  return sign === '<=' && kept.length === 0 ? [{ statements: [`${nameFrom(resource)} = ${count}`] }] : [];
}

/** Limits an amount for each member of the named sets, and in total over the others. */
function onAmount(amount: Amount, sign: string, count: number, kept: readonly string[]): Meaning[] {
  if (kept.some((set) => !amount.over.some((over) => over.set === set))) return [];
  const total = totalOf(amount, kept);
  const each = totalOf(
    amount,
    amount.over.map(({ set }) => set),
  );
  const statements = [withIndex(`${total.text} ${sign} ${count}`, total.index)];
  const others =
    kept.length > 0 || amount.over.length === 0
      ? []
      : [{ statements: [withIndex(`${each.text} ${sign} ${count}`, each.index)] }];
  return [{ statements }, ...others];
}

/** Limits the use of a column: the sum of its figures times the amounts. */
function columnLimit(
  what: string,
  sign: string,
  count: number | undefined,
  kept: readonly string[],
  words: PlannerWords,
): Meaning[] | undefined {
  const used = words.column(what);
  if (used === undefined || count === undefined) return undefined;
  const { column, set, family, over } = used;
  if (kept.some((one) => one === set || !over.some((other) => other.set === one))) return undefined;
  const keys = (one: Over): string => one.names.join(', ');
  const own = over.find((one) => one.set === set);
  const factor = `${column}[${own === undefined ? '' : keys(own)}] * `;
  const { text, index } = totalOf(memberOf(family, over), kept, factor);
  return [{ statements: [withIndex(`${words.label(`${column}_limit`)}: ${text} ${sign} ${count}`, index)] }];
}

/** Returns the resource in `hours of labour`, or the only word. */
function resourceOf(what: string): string | undefined {
  const parts = what.split(/ of (?:the )?/i);
  const resource = parts.at(-1) ?? '';
  const isPlain =
    !JOINED.test(what) && parts.length <= 2 && parts.every((part) => part.split(' ').every((word) => isUnit(word)));
  return isPlain && resource.split(' ').length <= 3 ? resource : undefined;
}
