import type { getDocumentProxy } from 'unpdf';

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>;

/** `AnnotationMode.DISABLE` of the library. */
const WITHOUT_ANNOTATIONS = 0;

/** The library's data about the letters of a font. */
interface LoadedFont {
  /** Texts by code. A font that does not name its letters has a range of codes instead. */
  toUnicode?: { _map?: Record<number, string>; firstChar?: number };
}

// The library transfers fonts with this method, which Node 20 does not have.
if (!('transferToFixedLength' in ArrayBuffer.prototype)) {
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', {
    value(this: ArrayBuffer, length: number): ArrayBuffer {
      return this.slice(0, length);
    },
  });
}

/**
 * Finds letters that a font does not name. The library reads them as their codes without a warning, so `Demand` may become
 * `'HPDQG`.
 */
export class FontLetters {
  /** Fonts whose letters were requested from the library. */
  private readonly requestedFonts = new Set<string>();
  private readonly lettersByFont = new Map<string, ReadonlySet<string>>();
  /** Letters of the current page by font name. */
  private readonly letters = new Map<string, Set<string>>();

  add(font: string, text: string): void {
    const letters = this.letters.get(font) ?? new Set();
    for (const letter of text) if (letter.trim() !== '') letters.add(letter);
    this.letters.set(font, letters);
  }

  /** Returns true if the page has letters that their fonts do not name. */
  async hasUnnamedLetters(page: Page): Promise<boolean> {
    const fontsOfPage = [...this.letters].filter(([, letters]) => letters.size > 0);
    this.letters.clear();
    if (fontsOfPage.some(([font]) => !this.requestedFonts.has(font))) await this.load(page, fontsOfPage);
    return fontsOfPage.some(([font, letters]) => {
      const namedLetters = this.lettersByFont.get(font);
      return namedLetters !== undefined && [...letters].some((letter) => !namedLetters.has(letter));
    });
  }

  /** Loads the fonts of a page, which requires its operators. */
  private async load(page: Page, fontsOfPage: [font: string, letters: unknown][]): Promise<void> {
    // Broken operators are not a reason to reject text that was already read.
    await page.getOperatorList({ annotationMode: WITHOUT_ANNOTATIONS }).catch(() => undefined);
    for (const [font] of fontsOfPage) {
      this.requestedFonts.add(font);
      if (!page.commonObjs.has(font)) continue;
      const { toUnicode } = page.commonObjs.get(font) as LoadedFont;
      if (toUnicode !== undefined) this.lettersByFont.set(font, lettersOf(Object.values(toUnicode._map ?? {})));
    }
  }
}

/** Returns the letters of texts, including the letters that the library splits ligatures into. */
const lettersOf = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => [...text, ...text.normalize('NFKC')]));
