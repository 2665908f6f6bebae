import { fieldOf } from '../../canvas/index.js';
import type { Meaning } from './planner-sentences.js';
import { COUNT, countOf, halves, nameFrom, type PlannerWords, withoutActor } from './planner-words.js';

/* `either oak or pine but not both`, `if we open the plant we pay 500` */

const NOT_BOTH = /,? (?:but )?(?:not|never) both$/i;
const NEITHER_BOTH = /^(?:not|never) both (?<pair>[\p{L}\p{N} ]+)$/iu;
const FORBIDDEN =
  /^(?:(?:we|i|you) )?(?:cannot|can['’]t|may not|must not|do not|don['’]t) (?:(?:use|buy|make|choose|take|open|build) )?both /i;
const OF_LIST = /^(?<limit>at most|at least|exactly|only) one of (?:the )?(?<pair>[\p{L}\p{N} ]+)$/iu;
const LIMITS: Record<string, string[]> = { 'at most': ['<='], only: ['<='], 'at least': ['>='], exactly: ['='] };
const PLAIN = /^[\p{L}\p{N} ]+$/u;
const FEE = new RegExp(
  String.raw`^(?:if|when|once) (?:we|i|you) (?<verb>\p{L}+) (?:the |a |an |another )?(?<thing>[\p{L}\p{N} ]+?),? (?:then )?(?:(?:we|i|you) (?:have to |must )?pay|it costs(?: us)?|(?:this|that) costs(?: us)?|there is a (?:fixed )?(?:cost|fee) of) [$€£]?(?<amount>${COUNT})(?: (?:dollars|euros|pounds))?$`,
  'iu',
);

/** Reads a choice between two decisions. */
export function readChoice(text: string, words: PlannerWords): Meaning[] {
  const { limit, pair } = OF_LIST.exec(text)?.groups ?? {};
  if (pair !== undefined)
    return choices(halves(pair, / (?:and|or) /i), LIMITS[limit?.toLowerCase() ?? ''] ?? [], words);
  const both = NEITHER_BOTH.exec(text.replace(FORBIDDEN, 'not both '))?.groups?.['pair'];
  if (both !== undefined) return choices(halves(both, / and /i), ['<='], words);
  const rest = text.replace(NOT_BOTH, '');
  const said = withoutActor(rest);
  const bare = said.replace(/^either /i, '');
  const isChoice = rest !== text || bare !== said;
  return isChoice ? choices(halves(bare, / or /i), ['=', '<='], words) : [];
}

function choices(names: [string, string] | undefined, signs: readonly string[], words: PlannerWords): Meaning[] {
  if (names?.every((name) => PLAIN.test(name)) !== true) return [];
  return signs.flatMap((sign) => decisions(names, sign, words));
}

/** Writes a limit on two yes-or-no decisions. Amounts get a decision each. */
function decisions(names: readonly string[], sign: string, words: PlannerWords): Meaning[] {
  const { vocabulary } = words.sketch;
  const amounts = names.map((name) => words.amount(name));
  if (amounts.some((amount) => amount !== undefined && amount.over.length > 0)) return [];
  const label = `${words.label('choice')}: `;
  const known = amounts.map((amount, at) => amount?.text ?? nameFrom(names[at] ?? ''));
  if (
    amounts.every(
      (amount) => amount !== undefined && vocabulary.decisions?.has(amount.text.split('[')[0] ?? '') === true,
    )
  )
    return [{ statements: [`${label}${known.join(' + ')} ${sign} 1`] }];
  if (amounts.every((amount) => amount === undefined)) {
    if (names.some((name) => name.split(' ').length > 3)) return [];
    return [{ statements: [`${known.join(', ')} binary`, `${label}${known.join(' + ')} ${sign} 1`] }];
  }
  if (amounts.includes(undefined) || known.some((name) => !vocabulary.variables.has(name))) return [];
  const uses = known.map((name) => `use_${name}`);
  return [
    {
      statements: [
        `${uses.join(', ')} binary`,
        ...known.map((name, at) => `if ${uses[at] ?? ''} = 0 then ${name} = 0`),
        `${label}${uses.join(' + ')} ${sign} 1`,
      ],
    },
  ];
}

/** A price that is paid once for a decision. It is added to the objective. */
export function readFee(text: string, words: PlannerWords): Meaning[] {
  const { verb = '', thing = '', amount = '' } = FEE.exec(text)?.groups ?? {};
  const price = countOf(amount);
  if (price === undefined || thing === '') return [];
  const { vocabulary } = words.sketch;
  const isDecision = (name: string): boolean =>
    vocabulary.decisions?.has(name) === true && vocabulary.variables.has(name);
  const name = nameFrom(`${verb} ${thing}`);
  const known = [name, nameFrom(thing), nameFrom(verb)].find(isDecision);
  const decision = known ?? name;
  const fee = `${price} ${decision}`;
  const declared = known === undefined ? [`${decision} binary`] : [];
  const objectives = words.sketch.of('objective').filter((card) => fieldOf(card, 'expression') !== undefined);
  const [objective, ...others] = objectives;
  if (others.length > 0) return [];
  if (objective === undefined) return [{ statements: [...declared, `minimize cost: ${fee}`] }];
  const sense = fieldOf<string>(objective, 'sense') ?? 'minimize';
  const sign = sense === 'maximize' ? '-' : '+';
  return [
    {
      statements: [
        ...declared,
        `${sense} ${objective.label}: ${fieldOf<string>(objective, 'expression') ?? ''} ${sign} ${fee}`,
      ],
    },
  ];
}
