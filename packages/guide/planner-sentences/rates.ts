import { fieldOf } from '../../canvas/index.js';
import { isProblem, namesIn, parseFormula } from '../../modelling/index.js';
import type { Meaning } from './planner-sentences.js';
import { cellsOf, COUNT, countOf, type PlannerWords, term } from './planner-words.js';

/* `a chair earns 30, a table 50`, `profit is 30 per chair`, `a chair costs 20` */

interface Rate {
  product: string;
  amount: number;
}

const EARNED = 'earns?|brings?(?: in)?|yields?|makes? a profit of|makes? us|gives? a profit of|sells? for';
const VERB = new RegExp(
  ` (?<verb>${EARNED}|costs?) (?:us )?(?=[$€£\\d]|an? |one |two |three |four |five |six |seven |eight |nine |ten )`,
  'i',
);
const AMOUNT = new RegExp(
  String.raw`^[$€£]?(?<amount>${COUNT})(?: (?:dollars?|euros?|pounds?|each|apiece))*(?<more>(?:,| and) .+)?$`,
  'iu',
);
const NAMED = new RegExp(
  String.raw`^(?:the |our )?(?<name>profit|revenue|income|margin|cost)s? (?:is|are|of) [$€£]?(?<amount>${COUNT}) (?:per|for each|for an?|for every|on each|an?) (?<rest>.+)$`,
  'iu',
);
const ARTICLE = /^(?:each|every|an?|one) /i;
const PLAIN = /^[\p{L}\p{N} ]+$/u;
const MORE = new RegExp(
  String.raw`^(?:(?:each|every|an?|one) )?(?:(?<product>[\p{L}\p{N} ]+?) (?:(?:${EARNED}|costs?) )?[$€£]?(?<amount>${COUNT})|[$€£]?(?<first>${COUNT}) (?:per|for each|for an?|an?) (?<second>[\p{L}\p{N} ]+))$`,
  'iu',
);

export function readRates(text: string, words: PlannerWords): Meaning[] {
  const said = ofProduct(text) ?? ofName(text);
  if (said === undefined || !PLAIN.test(said.product)) return [];
  const rates = [{ product: said.product, amount: countOf(said.amount) }, ...restOf(said.more)];
  const read = rates.flatMap((rate): Rate[] => (rate.amount === undefined ? [] : [{ ...rate, amount: rate.amount }]));
  return read.length < rates.length ? [] : statementsFor(said.name, read, words);
}

interface Said {
  name: string;
  product: string;
  amount: string;
  more: string;
}

/** Reads `a chair earns 30, a table 50`. */
function ofProduct(text: string): Said | undefined {
  const verb = VERB.exec(text);
  const { amount, more = '' } = AMOUNT.exec(text.slice((verb?.index ?? 0) + (verb?.[0].length ?? 0)))?.groups ?? {};
  if (verb === null || amount === undefined) return undefined;
  const name = /^cost/i.test(verb.groups?.['verb'] ?? '') ? 'cost' : 'profit';
  return { name, product: text.slice(0, verb.index).replace(ARTICLE, ''), amount, more };
}

/** Reads `profit is 30 per chair, 50 per table`. */
function ofName(text: string): Said | undefined {
  const { name, amount = '', rest = '' } = NAMED.exec(text)?.groups ?? {};
  if (name === undefined) return undefined;
  const at = rest.search(/,| and /i);
  return {
    name: name.toLowerCase(),
    amount,
    product: at < 0 ? rest : rest.slice(0, at),
    more: at < 0 ? '' : rest.slice(at),
  };
}

function restOf(more: string): { product: string; amount: number | undefined }[] {
  const parts = more.split(/,? and |, /i).map((part) => part.trim());
  return parts.slice(more === '' ? 1 : 0).flatMap((part) => {
    if (part === '') return [];
    const { product, amount, first, second } = MORE.exec(part)?.groups ?? {};
    return [{ product: product ?? second ?? '', amount: countOf(amount ?? first ?? '') }];
  });
}

function statementsFor(name: string, rates: readonly Rate[], words: PlannerWords): Meaning[] {
  const sets = new Set(rates.map(({ product }) => words.setOfMember(product)));
  const [set] = sets;
  if (sets.size === 1 && set !== undefined) return [{ statements: [cellsOf(words, name, set, rates)] }];
  const amounts = rates.map(({ product }) => words.amount(product));
  if (amounts.some((one) => one === undefined || one.over.length > 0)) return [];
  const terms = rates.map(({ amount }, at) => term(amount, amounts[at]?.text ?? ''));
  const isCost = name === 'cost';
  const sense = isCost ? 'minimize' : 'maximize';
  const [objective, ...others] = words.sketch
    .of('objective')
    .filter((card) => fieldOf(card, 'expression') !== undefined);
  if (objective === undefined) return [{ statements: [`${sense} ${name}: ${terms.join(' + ')}`] }];
  const expression = fieldOf<string>(objective, 'expression') ?? '';
  const formula = parseFormula(expression);
  const isSame = objective.data['sense'] === sense;
  const isNew =
    !isProblem(formula) && (!isSame || !namesIn(formula).some((one) => amounts.some((of) => of?.text === one)));
  const sign = isSame ? ' + ' : ' - ';
  // Another rate of a known product may replace the first or add to it.
  if (others.length > 0 || !isNew) return [];
  const { label } = objective;
  const extended = {
    statements: [`${fieldOf<string>(objective, 'sense') ?? sense} ${label}: ${[expression, ...terms].join(sign)}`],
  };
  return isSame ? [extended] : [extended, { statements: [`kpi ${name}: ${terms.join(' + ')}`] }];
}
