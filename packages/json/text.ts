/** Length in code points, as the documented limits and error positions count: an emoji is 1, a combining mark is 1. */
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

/** Whether the database can hold a text: it takes neither U+0000 nor lone surrogates. */
export const isValidText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
