/**
 * Maximum length of compared names in UTF-16 units. Comparing two names takes time proportional to the product of their lengths.
 */
const MAX_LENGTH = 60;
/** Minimum length of a word or an abbreviation that suggests a longer name. */
const MIN_WORD = 2;
const MIN_PREFIX = 3;

interface Spelling {
  words: readonly string[];
  /** All words joined without separators. */
  letters: string;
  digits: string;
}

/**
 * Returns the candidates with the most similar spelling, nearest first, without duplicates. Ignores case, accents, spaces,
 * punctuation and a plural `s`. Exact matches rank first, followed by small typos, names that contain all words of the other
 * name, and abbreviations.
 */
export function nearestNames(wanted: string, candidates: Iterable<string>, count = 3): string[] {
  const spelling = spellingOf(wanted);
  if (spelling.letters === '') return [];
  const scored: { name: string; score: number }[] = [];
  for (const name of new Set(candidates)) {
    const score = difference(spelling, spellingOf(name));
    if (score !== undefined) scored.push({ name, score });
  }
  return scored
    .sort((one, other) => one.score - other.score)
    .slice(0, count)
    .map(({ name }) => name);
}

/**
 * Maximum length of a short label such as `A` or `B`. Labels up to this length that differ in a single letter are different
 * names, not typos.
 */
const MAX_MARK = 2;

/**
 * Returns the names that differ from a candidate only in case, punctuation or a single letter. Each name is mapped to the first
 * such candidate. The time is proportional to the number of names plus the number of candidates.
 */
export function misspelledNames(names: Iterable<string>, candidates: Iterable<string>): Map<string, string> {
  const byTrace = new Map<string, string[]>();
  for (const candidate of candidates)
    for (const trace of tracesOf(spellingOf(candidate).letters)) {
      const others = byTrace.get(trace);
      if (others === undefined) byTrace.set(trace, [candidate]);
      else if (others.length < MAX_ALIKE) others.push(candidate);
    }
  const misspelled = new Map<string, string>();
  for (const name of names) {
    const near = tracesOf(spellingOf(name).letters).flatMap((trace) => byTrace.get(trace) ?? []);
    const candidate = near.find((one) => isMisspelled(spellingOf(name), spellingOf(one)));
    if (candidate !== undefined) misspelled.set(name, candidate);
  }
  return misspelled;
}
const MAX_ALIKE = 20;

/** Returns a word and all its variants with a single letter removed. Words that differ in a single letter share a variant. */
const tracesOf = (letters: string): string[] => [
  letters,
  ...Array.from(letters, (_, at) => letters.slice(0, at) + letters.slice(at + 1)),
];

function isMisspelled(one: Spelling, other: Spelling): boolean {
  if (one.letters === other.letters) return true;
  const areMarks =
    one.words.length === other.words.length &&
    one.words.every(
      (word, at) => word === other.words[at] || Math.max(word.length, other.words[at]!.length) <= MAX_MARK,
    );
  return !areMarks && one.digits === other.digits && typosBetween(one.letters, other.letters, 1) !== undefined;
}

function spellingOf(name: string): Spelling {
  const words = wordsOf(name.slice(0, MAX_LENGTH));
  const letters = words.join('');
  return { words, letters, digits: letters.replace(/\P{N}/gu, '') };
}

/** Splits a string into lower-case words for comparing spellings. Accents and a plural `s` are removed. */
export const wordsOf = (text: string): string[] =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(singular);

const singular = (word: string): string => (/[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word);

/** Returns the distance between two spellings, or undefined if they are not similar. */
function difference(wanted: Spelling, candidate: Spelling): number | undefined {
  if (wanted.letters === candidate.letters) return 0;
  const [shorter, longer] =
    wanted.letters.length <= candidate.letters.length ? [wanted, candidate] : [candidate, wanted];
  if (shorter.letters === '') return undefined;
  // Names with different numbers refer to different things. Week 12, for example, is not a typo for week 13.
  if (shorter.digits === longer.digits) {
    const typos = typosBetween(shorter.letters, longer.letters, allowedTypos(longer.letters.length));
    if (typos !== undefined) return typos;
  }
  const [few, many] = wanted.words.length <= candidate.words.length ? [wanted, candidate] : [candidate, wanted];
  const areContained = few.words.every((word) => word.length >= MIN_WORD && many.words.includes(word));
  if (areContained) return 2 + (many.words.length - few.words.length) / 100;
  const isAbbreviation = shorter.letters.length >= MIN_PREFIX && longer.letters.startsWith(shorter.letters);
  return isAbbreviation ? 3 + (longer.letters.length - shorter.letters.length) / 100 : undefined;
}

function allowedTypos(length: number): number {
  if (length < 3) return 0;
  return length < 6 ? 1 : length < 10 ? 2 : 3;
}

/**
 * Counts the letters that must be inserted, removed, replaced or swapped with the next letter (optimal string alignment).
 * Returns undefined if the count exceeds `most`.
 */
export function typosBetween(one: string, other: string, most: number): number | undefined {
  if (Math.abs(one.length - other.length) > most) return undefined;
  const width = other.length + 1;
  let [before, previous, current] = [0, 1, 2].map(() => new Int32Array(width)) as [Int32Array, Int32Array, Int32Array];
  for (let column = 0; column < width; column += 1) previous[column] = column;
  for (let row = 1; row <= one.length; row += 1) {
    // Cells farther from the diagonal would need more typos than allowed.
    const [from, to] = [Math.max(1, row - most), Math.min(other.length, row + most)];
    current.fill(most + 1);
    if (row <= most) current[0] = row;
    let fewest = current[0]!;
    for (let column = from; column <= to; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let typos = Math.min(previous[column - 1]! + (isSame ? 0 : 1), previous[column]! + 1, current[column - 1]! + 1);
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        typos = Math.min(typos, before[column - 2]! + 1);
      current[column] = typos;
      fewest = Math.min(fewest, typos);
    }
    if (fewest > most) return undefined;
    [before, previous, current] = [previous, current, before];
  }
  const typos = previous[other.length]!;
  return typos > most ? undefined : typos;
}
