import type { getDocumentProxy } from 'unpdf';

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>;

/** `AnnotationMode.DISABLE` in the PDF library. */
const WITHOUT_ANNOTATIONS = 0;

/** Letter data of a font, as the PDF library returns it. */
interface LoadedFont {
  /** Strings by character code. A font without letter names has a range of character codes instead. */
  toUnicode?: { _map?: Record<number, string>; firstChar?: number };
}

// Node 20 does not have this method, which the PDF library uses to transfer fonts.
if (!('transferToFixedLength' in ArrayBuffer.prototype)) {
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', {
    value(this: ArrayBuffer, length: number): ArrayBuffer {
      return this.slice(0, length);
    },
  });
}

/**
 * Finds letters that a font does not map to Unicode. The PDF library returns their raw codes without a warning, so `Demand` may
 * become `'HPDQG`.
 */
export class FontLetters {
  /** Fonts whose letters were requested from the PDF library. */
  private readonly requestedFonts = new Set<string>();
  private readonly lettersByFont = new Map<string, ReadonlySet<string>>();
  /** Letters on the current page, by font name. */
  private readonly letters = new Map<string, Set<string>>();

  add(font: string, text: string): void {
    const letters = this.letters.get(font) ?? new Set();
    for (const letter of text) if (letter.trim() !== '') letters.add(letter);
    this.letters.set(font, letters);
  }

  /** Returns true if the page has letters that their fonts do not map to Unicode. */
  async hasUnnamedLetters(page: Page): Promise<boolean> {
    const fontsOfPage = [...this.letters].filter(([, letters]) => letters.size > 0);
    this.letters.clear();
    if (fontsOfPage.some(([font]) => !this.requestedFonts.has(font))) await this.load(page, fontsOfPage);
    return fontsOfPage.some(([font, letters]) => {
      const namedLetters = this.lettersByFont.get(font);
      return namedLetters !== undefined && [...letters].some((letter) => !namedLetters.has(letter));
    });
  }

  /** Loads the fonts used on a page. The library loads fonts only together with the page's drawing operators. */
  private async load(page: Page, fontsOfPage: [font: string, letters: unknown][]): Promise<void> {
    // Text that was already extracted is kept even if the drawing operators are broken.
    await page.getOperatorList({ annotationMode: WITHOUT_ANNOTATIONS }).catch(() => undefined);
    for (const [font] of fontsOfPage) {
      this.requestedFonts.add(font);
      if (!page.commonObjs.has(font)) continue;
      const { toUnicode } = page.commonObjs.get(font) as LoadedFont;
      if (toUnicode !== undefined) this.lettersByFont.set(font, lettersOf(Object.values(toUnicode._map ?? {})));
    }
  }
}

/** Returns the letters of the strings, and the letters into which the PDF library splits their ligatures. */
const lettersOf = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => [...text, ...text.normalize('NFKC')]));
