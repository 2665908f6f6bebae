import { isProblem } from './formula.js';
import { parseIndex } from './parse-formula.js';

const FOR = ' for ';
const BEGINNING = /^\(?(?<name>[\p{L}_][\p{L}\p{M}\p{N}_]*)/u;
const MEMBERSHIP = /^\(?[\p{L}_][^=<>]* in(?: [\p{L}_]|$)/u;

/**
 * Splits text such as `make[p] >= 3 for p in products` at the `for` of its index. Returns undefined if the text has no index.
 */
export function splitIndex(text: string): { body: string; index: string } | undefined {
  for (let place = text.indexOf(FOR); place >= 0; place = text.indexOf(FOR, place + 1)) {
    const index = text.slice(place + FOR.length).trim();
    const body = text.slice(0, place).trim();
    if (!isProblem(parseIndex(index)) || resemblesIndex(index, body)) return { body, index };
  }
  return undefined;
}

/**
 * Whether text is probably meant as an index, such as `p of products` after `make[p]`. It is then parsed as an index, so that
 * the user gets an error message.
 */
function resemblesIndex(index: string, body: string): boolean {
  const { name } = BEGINNING.exec(index)?.groups ?? {};
  if (name === undefined) return false;
  if (MEMBERSHIP.test(index)) return true;
  const keys = body.split('[').slice(1);
  return keys.some((key) => (key.split(']')[0] ?? '').split(/[\s,+-]/).includes(name));
}
