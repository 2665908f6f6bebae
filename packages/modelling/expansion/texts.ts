import { isoDate } from '../dates.js';

/** What is read as a figure, of members. */
const FIGURE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;

/** Numbers texts, so that members are compared and looked up as numbers. */
export class Texts {
  private readonly codes = new Map<string, number>();
  private readonly texts: string[] = [];
  private readonly figures: number[] = [];

  /** @param hasDates whether dates of files are among the texts: then `02.02.2025` is the same as `2025-02-02` */
  constructor(private readonly hasDates = false) {}

  /** The number of a text, which is given one the first time. */
  add(text: string): number {
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    const date = this.hasDates ? isoDate(text) : undefined;
    const code = date === undefined || date === text ? this.texts.push(text) - 1 : this.add(date);
    this.codes.set(text, code);
    return code;
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
}

function toFigure(text: string): number {
  const figure = FIGURE.test(text) ? Number(text) : NaN;
  return Number.isFinite(figure) ? figure : NaN;
}
