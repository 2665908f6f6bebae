import { isProblem, namesIn, parseFormula } from '../../modelling/index.js';
import type { SketchCard } from '../sketch.js';
import { isUnit } from '../word-coverage.js';
import type { Meaning } from './planner-sentences.js';
import { AVAILABLE, cellsOf, COUNT, countOf, halves, nameFrom, type PlannerWords, term } from './planner-words.js';

/* `each chair needs 2 hours of labour and one board`, `a table needs 4` */

interface Need {
  product: string;
  amount: number;
  /** Absent in `a table needs 4`. */
  resource?: string;
}

const VERB = / (?:needs?|takes?|requires?|uses?|consumes?) /i;
const ARTICLE = /^(?:(?:making|building|producing) )?(?:each|every|an?|one) /i;
const PLAIN = /^[\p{L}\p{N} ]+$/u;
const CLAUSE =
  /(?:,? and|,|;) (?=(?:each|every|an?|one) [\p{L}\p{N} ]{1,60} (?:needs?|takes?|requires?|uses?|consumes?) )/iu;
const ITEM = new RegExp(String.raw`^(?<amount>${COUNT})(?: (?<rest>[\p{L}][\p{L}\p{N} ]*))?$`, 'iu');
const PERIOD = / (?:an?|per|each|every) (?:hour|day|week|month|quarter|year|shift)$/i;

export function readNeeds(text: string, words: PlannerWords): Meaning[] {
  const said = needsIn(text);
  if (said.length === 0) return [];
  const linked = linkedAmounts(said, words);
  if (linked !== undefined) return linked;
  const others = words.sentences
    .filter((one) => one.text !== text)
    .map((one) => ({ ...one, needs: needsIn(one.text) }));
  const resources = [
    ...new Set([...said, ...others.flatMap(({ needs }) => needs)].flatMap(({ resource }) => resource ?? [])),
  ];
  const open = said.filter(({ resource }) => resource === undefined);
  if (open.length > 0) {
    const limits = resources.length > 0 ? resources : limitsOn(words);
    return limits.flatMap((resource) =>
      statementsFor(
        said.map((need) => ({ ...need, resource: need.resource ?? resource })),
        words,
        [],
      ),
    );
  }
  const joined = others.filter(
    ({ needs }) => needs.length > 0 && needs.every(({ resource }) => resource !== undefined),
  );
  return statementsFor(
    [...said, ...joined.flatMap(({ needs }) => needs)],
    words,
    joined.map(({ card }) => card),
  );
}

/** Reads `every table needs four chairs`, where the plan decides both amounts. */
function linkedAmounts(needs: readonly Need[], words: PlannerWords): Meaning[] | undefined {
  const amounts = needs.map(({ resource = '' }) => words.amount(resource));
  if (amounts.every((amount) => amount === undefined)) return undefined;
  const [need, ...others] = needs;
  const [left, right] = [amounts[0], words.amount(need?.product ?? '')];
  if (need === undefined || others.length > 0 || left === undefined || right === undefined) return [];
  if (left.over.length > 0 || right.over.length > 0) return [];
  const product = need.amount === 1 ? right.text : `${need.amount} * ${right.text}`;
  return [{ statements: [`${left.text} >= ${product}`] }, { statements: [`${left.text} = ${product}`] }];
}

/**
 * Splits a sentence into the amounts that each product needs. Returns an empty list if any word is not understood. An amount
 * without a resource is an amount of the only resource before it.
 */
function needsIn(text: string): Need[] {
  const needs: Need[] = [];
  for (const clause of text.split(CLAUSE)) {
    const [subject, list = ''] = halves(clause.replace(/ (?:each|apiece)$/i, ''), VERB) ?? [''];
    const product = subject.replace(ARTICLE, '');
    const earlier = new Set(needs.flatMap(({ resource }) => resource ?? []));
    const [only] = earlier.size === 1 ? earlier : [];
    const items = list.split(/,? and (?:also )?|, /i).map((item) => needIn(product, item.trim(), only));
    if (!PLAIN.test(product) || items.includes(undefined)) return [];
    needs.push(...items.filter((item) => item !== undefined));
  }
  return needs;
}

function needIn(product: string, item: string, only: string | undefined): Need | undefined {
  const { amount = '', rest } = ITEM.exec(item)?.groups ?? {};
  const count = countOf(amount);
  const resource = rest === undefined ? only : resourceIn(rest);
  if (count === undefined || resource === '') return undefined;
  return { product, amount: count, ...(resource !== undefined && { resource }) };
}

/** Returns the resource in `hours of labour` and in `boards`. Returns an empty string for other words. */
function resourceIn(rest: string): string {
  const [unit = '', ...others] = rest.split(/ of (?:the )?/i);
  const resource = others.length === 1 ? (others[0] ?? '') : others.length === 0 ? unit : '';
  const isPlain = [unit, resource].every((part) => part.split(' ').every((word) => isUnit(word)));
  return isPlain && resource.split(' ').length <= 3 ? resource : '';
}

function statementsFor(needs: readonly Need[], words: PlannerWords, joined: readonly SketchCard[]): Meaning[] {
  if (
    groups(needs).some(
      ([, own]) => own.length > new Set(own.map(({ product }) => nameFrom(product).toLowerCase())).size,
    )
  )
    return [];
  const sets = needs.map(({ product }) => words.setOfMember(product));
  const amounts = needs.map(({ product }) => words.amount(product));
  if (sets.every((set) => set !== undefined)) {
    const statements = groups(needs).map(([resource, own]) =>
      cellsOf(words, words.column(resource)?.column ?? nameFrom(resource), sets[0] ?? '', own),
    );
    return [{ statements, others: [...joined] }];
  }
  if (amounts.some((amount) => amount === undefined || amount.over.length > 0)) return [];
  const others = [...joined];
  const statements = groups(needs).map(([resource, own]) => {
    const coefficients = new Map(own.map(({ product, amount }) => [words.amount(product)?.text ?? product, amount]));
    const { statement, cards } = limit(resource, coefficients, words);
    others.push(...cards);
    return statement;
  });
  return statements.includes('') ? [] : [{ statements, others }];
}

/** Groups needs by their resource. */
function groups(needs: readonly Need[]): [resource: string, needs: Need[]][] {
  const byName = new Map<string, [string, Need[]]>();
  for (const need of needs) {
    const resource = need.resource ?? '';
    const key = nameFrom(resource).toLowerCase().replace(/s$/, '');
    const group = byName.get(key) ?? [resource, []];
    byName.set(key, group);
    group[1].push(need);
  }
  return [...byName.values()];
}

/** Writes the limit of a resource. The amount comes from the canvas, from a sentence, or from a value that the guide asks for. */
function limit(
  resource: string,
  coefficients: ReadonlyMap<string, number>,
  words: PlannerWords,
): { statement: string; cards: SketchCard[] } {
  const old = words.formulaOf('constraint', resource);
  const sum = [...coefficients].map(([name, amount]) => term(amount, name)).join(' + ');
  if (old !== undefined) {
    const formula = parseFormula(old.expression);
    const [, left = '', sign = '', right = ''] = /^([^<>=]+)(<=)([^<>=]+)$/.exec(old.expression) ?? [];
    const isNew = !isProblem(formula) && !namesIn(formula).some((name) => coefficients.has(name));
    return {
      statement: isNew && left !== '' ? `${old.card.label}: ${left.trim()} + ${sum} ${sign} ${right.trim()}` : '',
      cards: [],
    };
  }
  const value = words.value(resource);
  const available = words.sentences.flatMap(({ card, text }) => {
    const { count: said = '', what = '' } = AVAILABLE.exec(text.replace(PERIOD, ''))?.groups ?? {};
    const count = what !== '' && isAlike(resourceIn(what), resource) ? countOf(said) : undefined;
    return count === undefined ? [] : [{ card, count }];
  });
  const [given] = available;
  const bound = value ?? given?.count ?? `${nameFrom(resource)}_available`;
  return {
    statement: `${nameFrom(resource)}${value === undefined ? '' : '_limit'}: ${sum} <= ${bound}`,
    cards: value === undefined && given !== undefined ? [given.card] : [],
  };
}

const isAlike = (one: string, other: string): boolean => plain(one) === plain(other);
const plain = (text: string): string => nameFrom(text).toLowerCase().replace(/s$/, '');

/** Returns the names of the constraints that `a table needs 4` may refer to. */
const limitsOn = (words: PlannerWords): string[] =>
  words.sketch
    .of('constraint')
    .filter(
      ({ label, data }) =>
        /^[^<>=]+<=[^<>=]+$/.test(String(data['expression'])) && words.formulaOf('constraint', label) !== undefined,
    )
    .map(({ label }) => label)
    .slice(0, 3);
