import { shortened } from './names.js';
import { nearestNames } from './nearest-names.js';
import type { MissingTexts, Values } from './values.js';

/* Limits for quoting data in a warning: number of quoted strings, number of listed values, and length of a string. */

const MAX_QUOTED = 3;
const MAX_VALUES = 5;
const MAX_TEXT = 40;
/** Maximum number of strings that are searched for similar strings. */
const MAX_CANDIDATES = 500;

export const shortText = (text: string): string => shortened(text, MAX_TEXT);

/** Scripts with letters that look the same. */
const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/**
 * Describes the first difference between two strings that look the same. Returns an empty string if readers can see the
 * difference.
 */
function hiddenDifference(text: string, other: string): string {
  const [own, others] = [[...text], [...other]];
  const at = own.findIndex((character, index) => character !== others[index]);
  const place = at < 0 ? own.length : at;
  const [one, two] = [own[place], others[place]];
  const areOfTwoScripts = isLetter(one) && isLetter(two) && scriptOf(one) !== scriptOf(two);
  const isHidden = text !== other && (areOfTwoScripts || visibleForm(text) === visibleForm(other));
  return isHidden ? `, where character ${place + 1} is ${codeOf(two)} and not ${codeOf(one)}` : '';
}

const scriptOf = (character = ''): number => SCRIPTS.findIndex((script) => script.test(character));

const isLetter = (character = ''): boolean => /\p{L}/u.test(character);

/** Returns a string as it appears to a reader: without invisible characters and with uniform whitespace. */
const visibleForm = (text: string): string =>
  shortText(text)
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}|(?!\s)\p{Cc}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();

function codeOf(character: string | undefined): string {
  if (character === undefined) return 'missing';
  if (/^[!-~]$/.test(character)) return `"${character}"`;
  const code = character.codePointAt(0)!;
  return character === ' ' ? 'a space' : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Formats a list of strings, such as `"San Diego" (near "san diego"), "Topeka" and 2 more`. */
export function quotedList({ texts, count }: MissingTexts, candidates: readonly string[]): string {
  const quotedTexts = texts.slice(0, MAX_QUOTED).map((text) => {
    const [nearest] = nearestNames(text, candidates, 1);
    return `"${shortText(text)}"${nearest === undefined ? '' : ` (near "${shortText(nearest)}"${hiddenDifference(text, nearest)})`}`;
  });
  return `${quotedTexts.join(', ')}${count > quotedTexts.length ? ` and ${count - quotedTexts.length} more` : ''}`;
}

/** Lists the values most similar to a string, followed by the first of the other values. */
export function listNearest(values: Values, text: string): string {
  const first = firstTexts(values);
  const texts = [...new Set([...nearestNames(text, first), ...first])].slice(0, MAX_VALUES);
  const more = values.size > texts.length ? ` and ${values.size - texts.length} more` : '';
  const quotedTexts = texts.map((one) => {
    const difference = hiddenDifference(text, one).slice(', '.length);
    return `"${shortText(one)}"${difference === '' ? '' : ` (${difference})`}`;
  });
  return quotedTexts.join(', ') + more;
}

export function firstTexts(values: Iterable<string>, maxCount = MAX_CANDIDATES): string[] {
  const texts: string[] = [];
  for (const text of values) {
    if (texts.length >= maxCount) break;
    texts.push(text);
  }
  return texts;
}
