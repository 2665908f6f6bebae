import { quote } from './quote.js';
import { figureInWords, figureOf } from './words.js';

/* Recognizes sentences that count things without naming them, such as `I run 3 plants and 5 warehouses`. */

const COUNTED =
  /^(?:i|we) (?:run|own|operate|manage|serve|supply)(?: only| about)? (?<things>[^:]+)(?:: ?(?<names>[^:]+))?$/i;
const THING = /^(?<figure>\S+) (?<thing>\p{L}[\p{L}\p{N}_]*s)(?: (?:in|at|near|across) .+)?$/iu;
const AND = /, and |, | and /i;

/** Returns the things that a sentence counts, with each number in digits. Returns an empty list for other sentences. */
function countedIn(text: string): { figure: string; thing: string }[] {
  const parts = COUNTED.exec(text)?.groups?.['things']?.split(AND) ?? [];
  const counted = parts.map((part) => {
    const { figure = '', thing = '' } = THING.exec(part)?.groups ?? {};
    return { figure: figureInWords(figure), thing };
  });
  return counted.every(({ figure }) => figureOf(figure) !== undefined) ? counted : [];
}

/** Whether a sentence counts things and none of them are mentioned on the canvas. */
export const isCount = (text: string, isMentioned: (word: string) => boolean): boolean => {
  const counted = countedIn(text);
  return counted.length > 0 && !counted.some(({ thing }) => isMentioned(thing));
};

/** Explains how to name counted things. Returns undefined for other sentences. */
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
