/** Maximum number of character maps listed in a sentence, and maximum length of each name. */
const MAX_NAMES = 3;
const MAX_NAME = 40;

/** Console that the PDF library writes to. */
const output: { warn: (...parts: unknown[]) => void } = globalThis.console;

const FONT_FAILURE = /translateFont failed: "(.*)"/s;
const UNKNOWN_MAP = /Unknown CMap name: (.*)/s;

/**
 * Collects the fonts that the PDF library cannot load. The library omits text in these fonts and only logs warnings to the
 * console, so this class replaces `console.warn` until it is closed. This is safe because a process never reads two documents
 * at the same time.
 */
export class FontFailures {
  /** Log level at which the PDF library writes warnings. */
  static readonly VERBOSITY = 1;
  private readonly maps = new Set<string>();
  private hasOthers = false;
  private hasContradiction = false;
  private hasUnnamedLetters = false;
  private readonly original = output.warn;

  constructor() {
    output.warn = (...parts: unknown[]) => this.add(parts.join(' '));
  }

  close(): void {
    output.warn = this.original;
  }

  /**
   * Sentence, without a full stop, that describes missing text or text that may be wrong. Undefined if all fonts were loaded.
   */
  get sentence(): string | undefined {
    const names = [...this.maps].slice(0, MAX_NAMES).map((name) => JSON.stringify(name.slice(0, MAX_NAME)));
    const reasons = [
      ...(names.length > 0 ? [`an unknown character map (${names.join(', ')})`] : []),
      ...(this.hasOthers ? ['a broken font'] : []),
      ...(this.hasContradiction ? ['a font and a character map of different languages'] : []),
    ];
    const problem = `Text of the PDF cannot be read because of ${reasons.join(' and ')}`;
    const wrong = 'Letters of the PDF may be wrong because a font does not name them';
    const problems = [...(reasons.length > 0 ? [problem] : []), ...(this.hasUnnamedLetters ? [wrong] : [])];
    if (problems.length === 0) return undefined;
    const remedy =
      reasons.length > 0 ? 'Save the PDF with embedded fonts, or save its text' : 'Compare the text with the pages';
    return `${problems.join('. ')}. ${remedy}`;
  }

  /** Records that some letters in a font could only be read as raw character codes. */
  addUnnamedLetters(): void {
    this.hasUnnamedLetters = true;
  }

  /** Records that the characters of a font may not match its character map. */
  addContradiction(): void {
    this.hasContradiction = true;
  }

  private add(warning: string): void {
    const [, reason] = FONT_FAILURE.exec(warning) ?? [];
    if (reason === undefined) return;
    const [, map] = UNKNOWN_MAP.exec(reason) ?? [];
    if (map === undefined) this.hasOthers = true;
    else this.maps.add(map);
  }
}
