import { quote } from './quote.js';
import { figureInWords, figureOf } from './words.js';

/*
 * Recognizes sentences that only count things, such as `I run 3 plants and 5 warehouses`. A sentence with `have` may also be a
 * limit (`we have 40 hours`), unless it counts a small number of things without a unit.
 */

const COUNTED =
  /^(?:(?:i|we) (?:run|own|operate|manage|serve|supply)|(?<has>(?:(?:i|we) have(?: got)?|(?:our|my|the) (?:company|firm|business|group) has|there are)))(?: only| about)? (?<things>[^:]+)(?:: ?(?<names>[^:]+))?$/i;
/** Maximum count for which the user is asked to name each thing. */
const MAX_NAMED = 12;
const MEASURE =
  /^(?:second|minute|hour|day|shift|month|year|ton|tonne|kilo|kilogram|gram|pound|lit(?:er|re)|gallon|met(?:er|re)|kilomet(?:er|re)|mile|feet|dollar|euro|cent|unit|piece|percent|point|option)s$/i;
const THING = /^(?<figure>\S+) (?<thing>\p{L}[\p{L}\p{N}_]*s)(?: (?:in|at|near|across) .+)?$/iu;
const AND = /, and |, | and /i;

/** Returns the things that a sentence counts, with each number in digits. Returns an empty list for other sentences. */
function countedIn(text: string): { figure: string; thing: string }[] {
  const { has, things } = COUNTED.exec(text)?.groups ?? {};
  const counted = (things?.split(AND) ?? []).map((part) => {
    const { figure = '', thing = '' } = THING.exec(part)?.groups ?? {};
    return { figure: figureInWords(figure), thing };
  });
  const isCounted = ({ figure, thing }: { figure: string; thing: string }): boolean => {
    const count = figureOf(figure);
    return (
      count !== undefined &&
      (has === undefined || (Number.isInteger(count) && count > 1 && count <= MAX_NAMED && !MEASURE.test(thing)))
    );
  };
  return counted.every(isCounted) ? counted : [];
}

/** Whether a sentence counts things, none of which are mentioned on the canvas. */
export const isCount = (text: string, isMentioned: (word: string) => boolean): boolean => {
  const counted = countedIn(text);
  return counted.length > 0 && !counted.some(({ thing }) => isMentioned(thing));
};

/** Explains how to name the things that a sentence counts. Returns undefined for other sentences. */
export function whyCounted(text: string): string | undefined {
  const [first, ...others] = countedIn(text);
  if (first === undefined) return undefined;
  const { figure, thing } = first;
  const names = others.length === 0 ? (COUNTED.exec(text)?.groups?.['names']?.split(AND) ?? []) : [];
  const example = names.length > 0 ? names : ['first', 'second'];
  const list = quote(`${thing}: ${example.join(', ')}`);
  return names.length > 0
    ? `write the names of the ${thing} as ${list}`
    : `name the ${thing}, as in ${list}, or write ${quote(`${thing} = ${figure}`)} if formulas need only their number`;
}
