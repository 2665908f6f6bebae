/** What is read as a figure, of members. */
const FIGURE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;

/** Numbers texts, so that members are compared and looked up as numbers. */
export class Texts {
  private readonly codes = new Map<string, number>();
  private readonly texts: string[] = [];
  private readonly figures: number[] = [];

  /** The number of a text, which is given one the first time. */
  add(text: string): number {
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    this.codes.set(text, this.texts.length);
    return this.texts.push(text) - 1;
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
