import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Character maps of East Asian fonts that a PDF references but does not contain. Without them, text in these fonts cannot be
 * read.
 */
const FOLDER = join(dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json')), 'cmaps/');
/** File names of the maps from a character collection to Unicode. */
const TO_UNICODE = /^Adobe-(GB1|CNS1|Japan1|Korea1)-UCS2\./;
/** Character collections by the file name of the map. All other maps belong to the collection Japan1. */
const COLLECTIONS: readonly [names: RegExp, collection: string][] = [
  [/^(?:Uni)?GB/, 'GB1'],
  [/^(?:B5|ET|HK|CNS|UniCNS)/, 'CNS1'],
  [/^(?:KSC|UniKS)/, 'Korea1'],
];

/**
 * Loads the character maps for a document. Some programs write traditional Chinese with a map for simplified Chinese, so text
 * is decoded with its map's collection, not its font's. Reports a contradiction if another font in the document might then be
 * decoded incorrectly.
 */
export class CharacterMaps {
  /** Collections of the maps that encode text, and collections whose maps to Unicode were loaded. */
  private readonly ofTexts = new Set<string>();
  private readonly toUnicode = new Set<string>();
  /** Collections whose map to Unicode was replaced with the map of another collection. */
  private readonly replaced = new Set<string>();

  constructor(private readonly onContradiction: () => void) {}

  /** Factory class that the PDF library expects. */
  get factory(): new () => { fetch(request: { filename: string }): Promise<Uint8Array> } {
    const load = async (name: string): Promise<Uint8Array> =>
      new Uint8Array(await readFile(join(FOLDER, this.fileOf(name))));
    return class {
      async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
        return load(filename);
      }
    };
  }

  private fileOf(filename: string): string {
    const [, ofFont] = TO_UNICODE.exec(filename) ?? [];
    if (ofFont === undefined) {
      const collection = COLLECTIONS.find(([names]) => names.test(filename))?.[1] ?? 'Japan1';
      this.ofTexts.add(collection);
      if (this.replaced.has(collection)) this.onContradiction();
      return filename;
    }
    const [ofText] = this.ofTexts;
    if (ofText !== undefined && !this.ofTexts.has(ofFont)) {
      if (this.ofTexts.size === 1 && !this.toUnicode.has(ofText)) {
        this.replaced.add(ofFont);
        return `Adobe-${ofText}-UCS2.bcmap`;
      }
      this.onContradiction();
    }
    this.toUnicode.add(ofFont);
    return filename;
  }
}
