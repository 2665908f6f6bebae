import type { Token } from './tokens.js';
import { type Draft, type Item, type Known, type Membership, Untranslatable } from './tree.js';
import { twoSets } from './two-sets.js';

/** Maximum length of a statement. Lists of members and figures may be longer than formulas. */
const MAX_STATEMENT = 4_000;

/** Parts of the model that have been read so far. */
export class Program {
  readonly items: Item[] = [];
  /** Figures of members that are not listed. */
  readonly defaults = new Map<string, number>();
  private readonly shapes = new Map<string, string[]>();
  /** Names in the text that no new index may have. */
  private readonly words: ReadonlySet<string>;

  constructor(
    readonly known: Known,
    private readonly sources: readonly string[],
  ) {
    const text = sources.join('\n');
    const isIndex = new Set(
      Array.from(text.matchAll(/(?<![\p{L}\p{M}\p{N}_])([\p{L}_][\p{L}\p{M}\p{N}_]*)\s+in\b/gu), ([, name]) => name),
    );
    const words = text.match(/\.?[\p{L}_][\p{L}\p{M}\p{N}_]*/gu) ?? [];
    this.words = new Set(words.filter((word) => !isIndex.has(word)).map((word) => word.replace('.', '')));
  }

  /** Adds the items of a statement, or the reason why it has no translation. */
  take(source: string, read: () => Draft[]): void {
    if (source.length > MAX_STATEMENT) {
      this.items.push({ source, kind: 'problem', reason: `it has more than ${MAX_STATEMENT} characters` });
      return;
    }
    const count = this.items.length;
    try {
      for (const item of read()) this.items.push({ source, ...item });
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error;
      this.items.length = count;
      this.items.push({ source, kind: 'problem', reason: error.message });
    }
  }

  declare(name: string, sets: string[]): void {
    this.shapes.set(name, sets);
  }

  /** Returns the set of each key of a name. */
  setsOf(name: string): readonly string[] | undefined {
    return this.shapes.get(name) ?? this.known.setsOf(name);
  }

  /** Returns the value of a number, or of a name with a known value. */
  figure({ kind, text }: Token): number {
    const value = this.items.findLast((item) => item.kind === 'value' && item.name === text);
    const figure = kind === 'number' ? Number(text) : value?.kind === 'value' ? value.value : undefined;
    if (figure === undefined || !Number.isInteger(figure))
      throw new Untranslatable(
        `the value of \`${text.slice(0, 40)}\` is not known here: write the range with numbers, such as \`weeks: 1 to 4\``,
      );
    return figure;
  }

  /** Returns the set of a range, which is added if it is new. */
  range(from: number, to: number, name: string): string {
    const old = this.items.find((item) => item.kind === 'set' && isRange(item.members, from, to));
    if (old?.kind === 'set') return old.name;
    const set = this.unused(`${name}_range`);
    this.items.push({ source: '', kind: 'set', name: set, members: { from, to } });
    return set;
  }

  /** Returns the figures in a list of members and figures. */
  cells(
    name: string,
    declared: readonly string[],
    words: readonly string[],
    fallback = this.defaults.get(name),
  ): Draft {
    const sets = declared.length > 0 ? declared : (this.setsOf(name) ?? []);
    if (sets.length > 1 || words.some((word) => /^\[/.test(word))) throw new Untranslatable(twoSets(name, sets));
    const pairs = Array.from({ length: Math.ceil(words.length / 2) }, (_, at): [string, number] => [
      words[2 * at] ?? '',
      Number(words[2 * at + 1]),
    ]);
    if (pairs.length === 0 || pairs.some(([, value]) => !Number.isFinite(value)))
      throw new Untranslatable(`it needs a number for each member: write \`${name} of products: a 1, b 2\``);
    const set = sets[0] ?? this.known.setWith(pairs.map(([member]) => member));
    return { kind: 'cells', name, set, cells: this.completed(set, pairs, fallback) };
  }

  /** Adds the default for the members that are not listed. */
  private completed(set: string | undefined, pairs: [string, number][], fallback?: number): [string, number][] {
    if (fallback === undefined) return pairs;
    const item = this.items.find((one) => one.kind === 'set' && one.name === set);
    if (item?.kind !== 'set' || !Array.isArray(item.members))
      throw new Untranslatable('the default of a column needs a list of the members before it');
    const listed = new Set(pairs.map(([member]) => member));
    return [
      ...pairs,
      ...item.members.filter((one) => !listed.has(one)).map((one): [string, number] => [one, fallback]),
    ];
  }

  /** Whether a statement contains a text, regardless of its spaces. */
  mentions(text: string): boolean {
    return this.sources.some((source) => source.replace(/\s+/g, '').includes(text));
  }

  /** Returns a name that does not occur in the text. */
  unused(name: string): string {
    let unused = name;
    for (let count = 2; this.words.has(unused) || this.known.spelling(unused) !== undefined; count += 1)
      unused = `${name}${count}`;
    return unused;
  }
}

const isRange = (members: string[] | { from: number; to: number }, from: number, to: number): boolean =>
  !Array.isArray(members) && members.from === from && members.to === to;

/** Gives each set without an index name the first unused beginning of the set's own name. */
export function indexNames(over: readonly Membership[], program: Program): Membership[] {
  const taken = new Set(over.flatMap(({ names }) => names));
  return over.map(({ names, set }) => {
    if (names.length > 0) return { names, set };
    const letters = Array.from({ length: set.length }, (_, at) => set.slice(0, at + 1).toLowerCase());
    const name =
      letters.find((one) => !taken.has(one) && program.unused(one) === one) ??
      program.unused(`${set.charAt(0).toLowerCase()}1`);
    taken.add(name);
    return { names: [name], set };
  });
}
