/** Fields of a data line in MPS format. */
export interface MpsEntry {
  /** Type of a row or bound, in upper case. Empty in other sections. */
  type: string;
  /** Name of the row in ROWS, of the column in COLUMNS, and of the set of numbers in other sections. */
  name: string;
  /** Names with their numbers. The number of a bound is empty if the type of the bound does not need any. */
  pairs: [name: string, number: string][];
}

/** Splits a data line of a section. Returns undefined if the line has too few or too many fields. */
export type MpsSplitter = (line: string, section: string) => MpsEntry | undefined;

/** Sections that declare rows. The solver enforces lazy constraints like any others, and user cuts do not exclude any plan. */
export const ROW_SECTIONS = ['ROWS', 'LAZYCONS', 'USERCUTS'];
/** Types of bounds that do not need a number. */
export const PLAIN_BOUNDS = ['FR', 'MI', 'PL', 'BV'];

/** Splits a line at white space. The names of sets of numbers are optional. */
export const splitAtSpaces: MpsSplitter = (line, section) => {
  const [first = '', ...others] = line.trim().split(/\s+/);
  const type = first.toUpperCase();
  if (ROW_SECTIONS.includes(section)) {
    const [name] = others;
    return name === undefined || others.length > 1 ? undefined : { type, name, pairs: [] };
  }
  if (section === 'BOUNDS') {
    const needed = PLAIN_BOUNDS.includes(type) ? 1 : 2;
    const words = others.length > needed ? others.slice(1) : others;
    return words.length < needed || words.length > 2 ? undefined : { type, name: '', pairs: pairsOf(words) };
  }
  const isNamed = others.length % 2 === 0;
  if (others.length === 0 || (section === 'COLUMNS' && !isNamed)) return undefined;
  return isNamed
    ? { type: '', name: first, pairs: pairsOf(others) }
    : { type: '', name: '', pairs: pairsOf([first, ...others]) };
};

/** Positions of the fields in fixed format. All other positions must be blank. */
const POSITIONS = [
  [1, 3],
  [4, 12],
  [14, 22],
  [24, 36],
  [39, 47],
  [49, 61],
] as const;

/** Splits a line at fixed positions. */
export const splitAtPositions: MpsSplitter = (line) => {
  let end = 0;
  for (const [from, to] of [...POSITIONS, [line.length, line.length]] as const) {
    if (line.slice(end, from).trim() !== '') return undefined;
    end = to;
  }
  const [type = '', name = '', ...words] = POSITIONS.map(([from, to]) => line.slice(from, to).trim());
  return { type: type.toUpperCase(), name, pairs: pairsOf(words).filter(([row]) => row !== '') };
};

const pairsOf = (words: readonly string[]): MpsEntry['pairs'] =>
  words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? '']] : []));
