import { cellOf, type DateReading, mergedReadings } from '../dates.js';
import { compareTexts, type OrderedText, orderedText } from '../text-order.js';

/** What is read as a figure, of members. */
const FIGURE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;

/** Numbers texts, so that members are compared and looked up as numbers. */
export class Texts {
  private readonly codes = new Map<string, number>();
  private readonly texts: string[] = [];
  private readonly figures: number[] = [];
  private readonly ordered: OrderedText[] = [];
  private readonly readings: readonly DateReading[];

  /** @param readings of the dates and times in files: with dates, `02.02.2025` is the same as `2025-02-02` */
  constructor(readings: Iterable<DateReading> = []) {
    this.readings = mergedReadings(readings);
  }

  /** The number of a text, which is given one the first time. */
  add(text: string): number {
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    const cell = this.inForm(text);
    const code = cell === text ? this.texts.push(text) - 1 : this.add(cell);
    this.codes.set(text, code);
    return code;
  }

  /** A date or time in the form that those of files have. */
  private inForm(text: string): string {
    for (const reading of this.readings) {
      const cell = cellOf(text, reading);
      if (cell !== undefined) return cell;
    }
    return text;
  }

  text(code: number): string {
    return this.texts[code] ?? '';
  }

  /** What texts are as figures, by their numbers; NaN for those that are none. */
  get asFigures(): readonly number[] {
    for (let code = this.figures.length; code < this.texts.length; code += 1)
      this.figures.push(toFigure(this.text(code)));
    return this.figures;
  }

  /** Compares two texts by their numbers: figures as such, others in their natural order. Negative if the first is smaller. */
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
