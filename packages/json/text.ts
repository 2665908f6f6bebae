/**
 * Returns the length of a string in code points, the unit of the documented limits and error positions. A simple emoji counts
 * as 1, and so does a combining mark.
 */
export function codePoints(text: string): number {
  let count = text.length;
  for (let index = text.length - 1; index > 0; index--) {
    if (isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1))) {
      count--;
      index--;
    }
  }
  return count;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code < 0xe000;

/** Returns true if the database can store a string. U+0000 and lone surrogates cannot be stored. */
export const isValidText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
