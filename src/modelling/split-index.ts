import { isProblem } from './formula.js';
import { parseIndex } from './parse-formula.js';

const FOR = ' for ';
/** What seems to be meant as an index, and is told why it is none. */
const LIKE_INDEX = /^\(?[\p{L}_][^=<>]* in [\p{L}_]/u;

/** A text and the index behind its `for` apart: `make[p] >= 3 for p in products`; undefined where there is no such `for`. */
export function splitIndex(text: string): { body: string; index: string } | undefined {
  for (let place = text.indexOf(FOR); place >= 0; place = text.indexOf(FOR, place + 1)) {
    const index = text.slice(place + FOR.length).trim();
    if (!isProblem(parseIndex(index)) || LIKE_INDEX.test(index)) return { body: text.slice(0, place).trim(), index };
  }
  return undefined;
}
