import { isName } from '../../modelling/lexer.js';
import { tableFormat } from '../../tables/table-format.js';
import type { Reading, StatementOf } from './statement.js';
import { figureOf, without } from './words.js';

/*
 * Sets in files: `products from data/products.csv key product`, `lanes from lanes.xlsx sheet Lanes key origin, destination`,
 * `origins from lanes.csv column origin`, `demand from demand.csv key product, week default 0`.
 */

const FROM = ' from ';
const QUOTES = `"'\``;
/** What may stand behind the path. */
const PART = /,? (?=(?:sheet|keys?|column|default) )/i;

/** What a set in a file says; undefined for other texts. */
export function readFileSet(text: string): Reading | undefined {
  const at = text.indexOf(FROM);
  const set = text.slice(0, Math.max(0, at));
  if (!isName(set)) return undefined;
  const rest = text.slice(at + FROM.length).replace(/^(?:the )?file /i, '');
  // A path in quotation marks may have any words in it.
  const quoted = QUOTES.includes(rest.charAt(0)) ? rest.indexOf(rest.charAt(0), 1) + 1 : 0;
  const [place = '', ...parts] = rest.slice(quoted).split(PART);
  const path = bare(rest.slice(0, quoted) + place);
  if (tableFormat(path) === undefined) return undefined;
  const statement: StatementOf<'file_set'> = { kind: 'file_set', set, path };
  for (const part of parts) {
    const space = part.indexOf(' ');
    const [word, said] = [part.slice(0, space).toLowerCase(), part.slice(space + 1)];
    if (word === 'sheet') statement.sheet = bare(said);
    else if (word === 'column') statement.column = bare(said);
    else if (word !== 'default') statement.key = columnsIn(said);
    else {
      const figure = figureOf(said);
      if (figure === undefined) return { reason: `${said} is no number` };
      statement.fallback = figure;
    }
  }
  if (statement.key !== undefined && statement.column !== undefined)
    return { reason: 'the members are told by a `key` or are the values of a `column`, not both' };
  return { statement };
}

/** The columns of a list: `origin, destination`, `origin and destination`. */
export const columnsIn = (text: string): string[] =>
  text
    .split(/,| and /i)
    .map(bare)
    .filter((column) => column !== '');

const bare = (text: string): string => without(without(text.trim(), ' ,:'), QUOTES).trim();
