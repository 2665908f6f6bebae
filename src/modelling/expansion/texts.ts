/** Numbers texts, so that members are compared and looked up as numbers. */
export class Texts {
  private readonly codes = new Map<string, number>();
  private readonly texts: string[] = [];
  private figures = new Float64Array(0);

  /** How many there are. */
  get size(): number {
    return this.texts.length;
  }

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
  get asFigures(): Float64Array {
    if (this.figures.length < this.texts.length) {
      this.figures = Float64Array.from(this.texts, (text) => (text === '' ? NaN : Number(text)));
    }
    return this.figures;
  }
}
