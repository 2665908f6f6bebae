import { shortened } from './names.js';
import { nearestNames } from './nearest-names.js';
import type { Rest, Values } from './values.js';

/* Texts of the data as warnings name them. */

const MAX_NAMED = 3;
const MAX_VALUES = 5;
const MAX_TEXT = 40;
/** Texts that are searched for the nearest one. */
const MAX_CANDIDATES = 500;

export const shown = (text: string): string => shortened(text, MAX_TEXT);

/** `"San Diego" (near "san diego"), "Topeka" and 2 more` */
export function quotedList({ texts, count }: Rest, candidates: readonly string[]): string {
  const named = texts.slice(0, MAX_NAMED).map((text) => {
    const [nearest] = nearestNames(text, candidates, 1);
    return `"${shown(text)}"${nearest === undefined ? '' : ` (near "${shown(nearest)}")`}`;
  });
  return `${named.join(', ')}${count > named.length ? ` and ${count - named.length} more` : ''}`;
}

/** The values nearest to a text, then the first of the others. */
export function listed(values: Values, text: string): string {
  const first = firstOf(values);
  const texts = [...new Set([...nearestNames(text, first), ...first])].slice(0, MAX_VALUES);
  const more = values.size > texts.length ? ` and ${values.size - texts.length} more` : '';
  return texts.map((one) => `"${shown(one)}"`).join(', ') + more;
}

export function firstOf(values: Iterable<string>, most = MAX_CANDIDATES): string[] {
  const texts: string[] = [];
  for (const text of values) {
    if (texts.length >= most) break;
    texts.push(text);
  }
  return texts;
}
