import { cellOf, type DateReading, mergedReadings } from '../dates.js';
import { compareTexts, type OrderedText, orderedText } from '../text-order.js';

/** Pattern for member names that are read as numbers. */
const FIGURE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;

/** Assigns integer codes to strings, so that members are compared and looked up by integers. */
export class Texts {
  private readonly codes = new Map<string, number>();
  private readonly texts: string[] = [];
  private readonly figures: number[] = [];
  private readonly ordered: OrderedText[] = [];
  private readonly readings: readonly DateReading[];

  /** @param readings formats of the dates and times in files. If there are dates, `02.02.2025` equals `2025-02-02`. */
  constructor(readings: Iterable<DateReading> = []) {
    this.readings = mergedReadings(readings);
  }

  /** Returns the code of a string. Assigns a new code to a new string. */
  add(text: string): number {
    const existing = this.codes.get(text);
    if (existing !== undefined) return existing;
    const cell = this.inFileFormat(text);
    const code = cell === text ? this.texts.push(text) - 1 : this.add(cell);
    this.codes.set(text, code);
    return code;
  }

  /** Converts a date or time to the format used in the files. */
  private inFileFormat(text: string): string {
    for (const reading of this.readings) {
      const cell = cellOf(text, reading);
      if (cell !== undefined) return cell;
    }
    return text;
  }

  text(code: number): string {
    return this.texts[code] ?? '';
  }

  /** Numeric values of the strings by code. NaN for strings that are not numbers. */
  get asFigures(): readonly number[] {
    for (let code = this.figures.length; code < this.texts.length; code += 1)
      this.figures.push(toFigure(this.text(code)));
    return this.figures;
  }

  /**
   * Compares two strings by their codes. Numbers are compared by value, other strings in natural order. Returns a negative
   * number if the first string is smaller.
   */
  compare(one: number, other: number): number {
    const { asFigures } = this;
    const difference = asFigures[one]! - asFigures[other]!;
    return Number.isNaN(difference) ? compareTexts(this.orderedAt(one), this.orderedAt(other)) : difference;
  }

  private orderedAt(code: number): OrderedText {
    return (this.ordered[code] ??= orderedText(this.text(code)));
  }
}

function toFigure(text: string): number {
  const figure = FIGURE.test(text) ? Number(text) : NaN;
  return Number.isFinite(figure) ? figure : NaN;
}
