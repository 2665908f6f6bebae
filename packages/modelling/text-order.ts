/** A text, and the numbers in it. */
export interface OrderedText {
  text: string;
  /** The text with a sign in the place of each number. */
  shape: string;
  figures: readonly number[];
}

const NUMBERS = /\d+(?:\.\d+)?/g;

export const orderedText = (text: string): OrderedText => ({
  text,
  shape: text.replace(NUMBERS, '\0'),
  figures: Array.from(text.matchAll(NUMBERS), ([figure]) => Number(figure)),
});

/**
 * Compares texts that differ in numbers alone by these numbers, so that `KW 9` is before `KW 10`, and other texts letter by letter.
 * Negative if the first text is smaller.
 */
export function compareTexts(one: OrderedText, other: OrderedText): number {
  if (one.shape === other.shape) {
    const at = one.figures.findIndex((figure, place) => figure !== other.figures[place]);
    if (at >= 0) return one.figures[at]! - other.figures[at]!;
  }
  return one.text < other.text ? -1 : one.text > other.text ? 1 : 0;
}
