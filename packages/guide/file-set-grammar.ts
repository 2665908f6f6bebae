import { isName } from '../modelling/index.js';
import { tableFormat } from '../data-engine/index.js';
import { quote } from './quote.js';
import type { Reading, StatementOf } from './statement.js';
import { figureOf, without } from './words.js';

/*
 * Statements about sets in files: `products from data/products.csv key product`,
 * `lanes from lanes.xlsx sheet Lanes key origin, destination`, `origins from lanes.csv column origin`,
 * `demand from demand.csv key product, week default 0`, and for a wide table with a column for each customer
 * `distance from km.xlsx key plant, columns customer`. Names may be in quotation marks.
 */

const FROM = /^(?<set>\S+) from (?:(?:the )?file )?(?<rest>.+)$/i;
const QUOTES = `"'\``;
const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;
/** Words between `columns` and the name of their set. */
const FORM = /^(?:are|as|form|for|of) /i;
/** Keywords that may follow the file path. */
const PARTS = /,? (?:sheet|keys?|columns?|default) /gi;
const KEY = /^,? (?:keys?|columns?) /i;
const COMMAS = /,| and /gi;

/** Reads the definition of a set in a file. Returns undefined for other text. */
export function readFileSet(text: string): Reading | undefined {
  const { set = '', rest = '' } = FROM.exec(text)?.groups ?? {};
  if (!isName(set)) return undefined;
  const [place = '', ...parts] = splitBefore(rest, PARTS);
  const path = bare(place);
  if (tableFormat(path) === undefined)
    return KEY.test(parts.join(''))
      ? { reason: `\`${path}\` is not a file: name the file, as in \`${set} from book.xlsx sheet ${path} key ...\`` }
      : undefined;
  const statement: StatementOf<'file_set'> = { kind: 'file_set', set, path };
  const seen = new Set<string>();
  for (const part of parts) {
    const [word = '', ...words] = without(part, ' ,').split(' ');
    const said = words.join(' ');
    const name = word.toLowerCase().replace(/^keys$/, 'key');
    if (seen.has(name)) return { reason: `\`${name}\` appears twice` };
    seen.add(name);
    if (name === 'sheet') statement.sheet = bare(said);
    else if (name === 'column') statement.column = bare(said);
    else if (name === 'columns') {
      statement.columnsAs = bare(said.replace(FORM, ''));
      if (!isName(statement.columnsAs)) return { reason: whyNoSet(set, path, said) };
    } else if (name === 'key') statement.key = columnsIn(said);
    else {
      const figure = figureOf(said);
      if (figure === undefined) return { reason: `${said} is not a number` };
      statement.fallback = figure;
    }
  }
  if (statement.columnsAs !== undefined && statement.column !== undefined)
    return { reason: 'with `columns`, use `key` for the columns that identify a row' };
  if (statement.key !== undefined && statement.column !== undefined)
    return { reason: 'use either `key` or `column` to define the members, not both' };
  return { statement };
}

/** Explains that the columns of a wide table need the name of a set. */
const whyNoSet = (set: string, path: string, said: string): string =>
  `${quote(said)} is not the name of a set: write a name for the set that the other columns form, as in \`${set} from ${path} key plant, columns customer\``;

/** Splits a list of columns: `origin, destination`, `origin and "to, by road"`. */
export const columnsIn = (text: string): string[] =>
  splitBefore(text, COMMAS)
    .map((part) => bare(part.replace(/^(?:,| and )/i, '')))
    .filter((column) => column !== '');

/** Splits a string before each match of a pattern outside quotation marks. */
function splitBefore(text: string, pattern: RegExp): string[] {
  const plain = text.replace(QUOTED, (quoted) => '_'.repeat(quoted.length));
  const places = [0, ...Array.from(plain.matchAll(pattern), ({ index }) => index), text.length];
  return places.slice(1).map((end, at) => text.slice(places[at], end));
}

/** Removes the quotation marks, commas and colons around a name. */
export const bare = (text: string): string => without(without(text.trim(), ' ,:'), QUOTES).trim();
