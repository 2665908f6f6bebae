import { fieldOf } from '../../canvas/index.js';
import { wordsOf } from '../../modelling/index.js';
import { columnsOf } from '../canvas-columns.js';
import { unreadFormula } from '../open-statements.js';
import type { Sketch, SketchCard } from '../sketch.js';
import { figureInWords, figureOf } from '../words.js';

/** Set with the index names that a variable has over it. */
export interface Over {
  set: string;
  names: readonly string[];
}

/** Amount that the plan decides, such as `chairs`, `make[p]` or `make["chair", t]`. */
export interface Amount {
  text: string;
  /** Sets of its index, which a statement repeats or sums. */
  over: readonly Over[];
}

/** Column of figures, and the variable over its set. */
export interface UsedColumn {
  column: string;
  set: string;
  family: string;
  over: readonly Over[];
}

const MAX_MEMBERS = 1_000;

/** Finds the words of a sentence on the canvas. */
export class PlannerWords {
  constructor(readonly sketch: Sketch) {}

  /** Returns the amount with this name: a variable, or a member of the only variable over its set. */
  amount(words: string): Amount | undefined {
    const { families, variables } = this.sketch.vocabulary;
    const plain = [...variables].find((name) => isSame(name, words));
    if (plain !== undefined) return { text: plain, over: [] };
    const family = [...families].find(([name]) => isSame(name, words));
    if (family !== undefined) return memberOf(family[0], oversOf(family[1].index.over));
    const members = [...families].flatMap(([name, { index }]) => this.memberAmounts(name, oversOf(index.over), words));
    return members.length === 1 ? members[0] : undefined;
  }

  private memberAmounts(family: string, all: readonly Over[], words: string): Amount[] {
    return all.flatMap((over, at) => {
      const member = over.names.length === 1 ? this.member(over.set, words) : undefined;
      if (member === undefined) return [];
      const keys = all.map((one, place) => (place === at ? `"${member}"` : one.names.join(', ')));
      return [{ text: `${family}[${keys.join(', ')}]`, over: all.filter((_, place) => place !== at) }];
    });
  }

  /** Returns the member of a set with this name. */
  member(set: string, words: string): string | undefined {
    const values = this.sketch.vocabulary.sets.get(set)?.parts?.[0];
    return Array.from(values ?? [], String)
      .slice(0, MAX_MEMBERS)
      .find((member) => isSame(member, words) && !member.includes('"'));
  }

  /** Returns the set with this member, if a variable has an index over it. */
  setOfMember(words: string): string | undefined {
    const sets = [...this.sketch.vocabulary.families.values()].flatMap(({ index }) => index.over.map(({ set }) => set));
    const [only, ...others] = new Set(sets.filter((set) => this.member(set, words) !== undefined));
    return others.length === 0 ? only : undefined;
  }

  /** Returns the column of figures with this name, with the only variable over its set. */
  column(words: string): UsedColumn | undefined {
    const column = columnsOf(this.sketch).find(
      ({ type, name, column: title }) => type === 'number' && (isSame(name, words) || isSame(title, words)),
    );
    const families = [...this.sketch.vocabulary.families].filter(([, { index }]) =>
      index.over.some(({ set }) => set === column?.set),
    );
    const [family, ...others] = families;
    if (column === undefined || family === undefined || others.length > 0) return undefined;
    return { column: column.name, set: column.set, family: family[0], over: oversOf(family[1].index.over) };
  }

  /** Returns the set for a period or a group, such as `week` in `every week`. */
  set(words: string): string | undefined {
    return [...this.sketch.vocabulary.sets.keys()].find((name) => isSame(name, words));
  }

  /** Returns the name of a value or of a computed number. */
  value(words: string): string | undefined {
    return [...this.sketch.vocabulary.values.keys()].find((name) => isSame(name, words));
  }

  /** Returns the formula of the constraint, the KPI or the objective with this name. */
  formulaOf(type: 'constraint' | 'objective', words: string): { card: SketchCard; expression: string } | undefined {
    const card = this.sketch.of(type).find((one) => isSame(one.label, words) && unreadFormula(one) === undefined);
    const expression = card && fieldOf<string>(card, 'expression');
    return card === undefined || expression === undefined ? undefined : { card, expression };
  }

  /** Returns a label that no constraint has. */
  label(name: string): string {
    const isTaken = (label: string): boolean => this.sketch.find('constraint', label) !== undefined;
    let label = name;
    for (let number = 2; isTaken(label); number += 1) label = `${name}_${number}`;
    return label;
  }

  /** Returns the sentences on the canvas that have not been understood. */
  get sentences(): { card: SketchCard; text: string }[] {
    return this.sketch.of('constraint').flatMap((card) => {
      const text = fieldOf<string>(card, 'expression');
      return text === undefined || unreadFormula(card) === undefined ? [] : [{ card, text }];
    });
  }
}

const oversOf = (over: readonly { set: string; names: readonly string[] }[]): Over[] =>
  over.map(({ set, names }) => ({ set, names }));

export const memberOf = (family: string, over: readonly Over[]): Amount => ({
  text: `${family}[${over.flatMap(({ names }) => names).join(', ')}]`,
  over,
});

export const indexOf = (over: readonly Over[]): string =>
  over.map(({ set, names }) => `${names.length === 1 ? names.join('') : `(${names.join(', ')})`} in ${set}`).join(', ');

/** Writes an amount whose index is summed, except for the given sets. */
export function totalOf({ text, over }: Amount, kept: readonly string[], factor = ''): { text: string; index: string } {
  const summed = over.filter(({ set }) => !kept.includes(set));
  const index = indexOf(over.filter(({ set }) => kept.includes(set)));
  const product = `${factor}${text}`;
  return { text: summed.length === 0 ? product : `sum ${indexOf(summed)}: ${product}`, index };
}

export const withIndex = (statement: string, index: string): string =>
  index === '' ? statement : `${statement} for ${index}`;

const isSame = (one: string, other: string): boolean => {
  const [first, second] = [wordsOf(one).join(' '), wordsOf(other).join(' ')];
  return first !== '' && first === second;
};

/** Number in digits or in a word, without a sign. */
export const COUNT = String.raw`(?:\d+(?:,\d{3})*(?:\.\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten)`;

/** `we only have 40 hours of labour available` */
export const AVAILABLE = new RegExp(
  String.raw`^(?:we|i|you|there) (?:only )?(?:have|has|had|are|is) (?:only )?(?<count>${COUNT}) (?<what>\p{L}[\p{L}\p{N}_ ]*?)(?: available| left| in stock)?$`,
  'iu',
);

/** Returns the number of a word such as `40`, `1,000`, `two` or `a`. */
export function countOf(word: string): number | undefined {
  if (/^an?$/i.test(word)) return 1;
  return figureOf(figureInWords(word.replace(/,(?=\d{3})/g, '')));
}

/** Writes `2 chairs`, and `chairs` for a single chair. */
export const term = (count: number, name: string): string => (count === 1 ? name : `${count} ${name}`);

/** Returns words as a name in formulas. */
export const nameFrom = (words: string): string => words.trim().replace(/[^\p{L}\p{N}]+/gu, '_');

/** Words such as `we must make`, which may be missing. */
export const ACTOR = String.raw`(?:(?:we|i|you|they|there) )?(?:(?:can|must|should|may|will|have to|need to|want to|only|always) )*(?:(?:make|produce|build|sell|buy|order|use|hire|employ|ship|choose|take|open|need|have|are|is|be|get) )?(?:only )?`;
const BEGINNING = new RegExp(`^${ACTOR}`, 'i');

/** Removes words such as `we must make` from the beginning. */
export const withoutActor = (text: string): string => text.replace(BEGINNING, '');

/** Writes figures of members as a column of a set. Figures on the canvas stay as they are. */
export function cellsOf(
  words: PlannerWords,
  column: string,
  set: string,
  given: readonly { product: string; amount: number }[],
): string {
  const card = words.sketch.of('data').find(({ data }) => data['set'] === set);
  const values = card && fieldOf<Record<string, Record<string, unknown>>>(card, 'values');
  const figures = {
    ...values?.[column],
    ...Object.fromEntries(given.map(({ product, amount }) => [words.member(set, product) ?? product, amount])),
  };
  const list = Object.entries(figures).map(
    ([member, figure]) => `${/^[\p{L}\p{N}_]+$/u.test(member) ? member : `"${member}"`} ${String(figure)}`,
  );
  return `${column} of ${set}: ${list.join(', ')}`;
}

/** Splits text at a separator. Returns undefined unless there are exactly two parts. */
export function halves(text: string, separator: RegExp): [string, string] | undefined {
  const [first, second, ...others] = text.split(separator);
  return first === undefined || second === undefined || others.length > 0 ? undefined : [first, second];
}
