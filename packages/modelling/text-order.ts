/** A text with the pieces that order it: letters and numbers by turns, beginning with the letters before the first number. */
export interface OrderedText {
  text: string;
  pieces: readonly (string | number)[];
}

const NUMBER = /(\d+(?:\.\d+)?)/;

export const orderedText = (text: string): OrderedText => ({
  text,
  pieces: text.split(NUMBER).map((piece, at) => (at % 2 === 1 ? Number(piece) : piece)),
});

/**
 * Compares texts piece by piece, numbers by their value and everything else letter by letter, so that `KW 9` is before `KW 10`. Negative
 * if the first text is smaller.
 */
export function compareTexts(one: OrderedText, other: OrderedText): number {
  const at = one.pieces.findIndex((piece, place) => piece !== other.pieces[place]);
  const [piece, counterpart] = [one.pieces[at], other.pieces[at]];
  if (piece !== undefined && counterpart !== undefined) return piece < counterpart ? -1 : 1;
  const difference = one.pieces.length - other.pieces.length;
  return difference !== 0 ? difference : one.text < other.text ? -1 : one.text > other.text ? 1 : 0;
}
