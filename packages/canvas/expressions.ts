import { LRUCache } from 'lru-cache';
import {
  beyondTheEnds,
  checkFormula,
  checkIndex,
  coverageOf,
  type Formula,
  type FormulaProblem,
  identityOf,
  type Index,
  isPlain,
  isProblem,
  linearize,
  MAX_FORMULA_LENGTH,
  mentionsOf,
  namesIn,
  namesOfIndex,
  noteOnStrict,
  notesOnPoints,
  parseFormula,
  parseIndex,
  linearRows,
  type SetShape,
  shortened,
  splitIndex,
  type Use,
  type Vocabulary,
} from '../modelling/index.js';

/** A formula of a card, and what it is for. */
export interface CardFormula {
  text: string;
  /** The text of the index that it stands under. */
  index?: string | undefined;
  use: Use;
}

/** A formula, and the index that it stands under. */
export interface IndexedFormula {
  expression: string;
  index?: string;
}

/** What a formula says beside what else is on the canvas. */
export interface Judged {
  /** What keeps it from being solved, in a sentence without a full stop. */
  problem: string | undefined;
  /** The names in it that nothing on the canvas has, each once, in the order of their first place. */
  unknown: readonly string[];
  /** What its author may not think of, in sentences without a full stop. */
  notes: readonly string[];
  /** What in the data does not fit it, in sentences without a full stop. */
  warnings: readonly string[];
  /** Whether it computes with a column of texts, or with figures that are missing. */
  hasTexts: boolean;
}

/** What was found out last about a formula, and what the names in it meant then. */
interface Kept {
  mentions: readonly string[];
  roles: readonly unknown[];
  judged: Judged;
}

/** More than the formulas of a canvas, so that a change of one card reads its formulas only. */
const MAX_KEPT = 1_500;
/** By use, index and text. The formulas themselves take much more memory and are not kept. */
const kept = new LRUCache<string, Kept>({ max: MAX_KEPT });
/** Those of all cards with an index, which are short: each change of a canvas looks at all of them. */
const MAX_INDEX_CHARACTERS = 100_000;
const indices = new LRUCache<string, Index | FormulaProblem>({
  maxSize: MAX_INDEX_CHARACTERS,
  sizeCalculation: (_, text) => text.length + 1,
});
/** Of the descriptions that look like relations. */
const relations = new LRUCache<string, { relation: IndexedFormula | undefined }>({ max: MAX_KEPT });
const RELATION_SIGN = /[<>=≤≥]/;
/** Characters that are shown of the place of a problem. */
const SHOWN = 24;

/** What a formula says. Unknown names count as variables. */
export function judgeFormula(given: CardFormula, vocabulary: Vocabulary): Judged {
  const { text, index = '', use } = given;
  const key = `${use}\n${index}\n${text}`;
  const known = kept.get(key);
  if (known?.mentions.every((name, at) => roleOf(name, vocabulary) === known.roles[at]) === true) return known.judged;
  const formula = parseFormula(text);
  const over = index === '' ? undefined : readIndex(index);
  const mentions = mentionsOf(
    isProblem(formula) ? undefined : formula,
    over === undefined || isProblem(over) ? undefined : over,
  );
  const judged = { ...NOTHING, ...judge(formula, over, given, vocabulary) };
  // What is too long is told from its length.
  const isWhole = vocabulary.lookups?.left !== 0;
  if (isWhole && text.length <= MAX_FORMULA_LENGTH && index.length <= MAX_FORMULA_LENGTH)
    kept.set(key, { mentions, roles: mentions.map((name) => roleOf(name, vocabulary)), judged });
  return judged;
}

/** The names without an index in the formula that a text is; none where it is no formula. */
export function namesInText(text: string, index?: string): readonly string[] {
  const formula = parseFormula(text);
  if (isProblem(formula)) return [];
  const over = index === undefined ? undefined : readIndex(index);
  const bound = over === undefined || isProblem(over) ? [] : namesOfIndex(over);
  return namesIn(formula).filter((name) => !bound.includes(name));
}

/** The relation that a text is by itself, with the index behind its `for`; undefined for other texts. */
export function relationIn(text: string): IndexedFormula | undefined {
  if (text.length > MAX_FORMULA_LENGTH || !RELATION_SIGN.test(text)) return undefined;
  const { relation } = relations.get(text) ?? { relation: readRelation(text) };
  relations.set(text, { relation });
  return relation;
}

function readRelation(text: string): IndexedFormula | undefined {
  const { body, index } = splitIndex(text) ?? { body: text.trim() };
  if (index !== undefined && isProblem(parseIndex(index))) return undefined;
  const formula = parseFormula(body);
  if (isProblem(formula) || formula.relations.length === 0) return undefined;
  return { expression: body, ...(index !== undefined && { index }) };
}

/** The index that a text is, as {@link parseIndex} reads it. */
export function readIndex(text: string): Index | FormulaProblem {
  const index = indices.get(text) ?? parseIndex(text);
  indices.set(text, index);
  return index;
}

/** What keeps a text from being an index; undefined for nothing. */
export function problemOfIndex(text: string, vocabulary: Vocabulary): string | undefined {
  const index = readIndex(text);
  if (isProblem(index)) return whyUnread(index, text, true);
  const problem = checkIndex(index, vocabulary);
  return problem === undefined ? undefined : placed(problem, text);
}

const NOTHING: Judged = { problem: undefined, unknown: [], notes: [], warnings: [], hasTexts: false };

function judge(
  formula: Formula | FormulaProblem,
  index: Index | FormulaProblem | undefined,
  { text, use }: CardFormula,
  vocabulary: Vocabulary,
): Partial<Judged> {
  if (isProblem(formula)) return { problem: whyUnread(formula, text) };
  // It is told where it stands.
  if (index !== undefined && isProblem(index)) return {};
  const { problem, unknown, lagged, rebound, hasTexts = false } = checkFormula(formula, index, use, vocabulary);
  const strict = use === 'constraint' ? noteOnStrict(formula, vocabulary) : undefined;
  const notes = [...(strict === undefined ? [] : [strict]), ...notesOnPoints(text)];
  const isOfFigures = index === undefined && isPlain(formula) && use !== 'bound' && use !== 'kpi';
  const isMisused = (name: string): boolean =>
    vocabulary.families.has(name) || vocabulary.columns.has(name) || vocabulary.sets.has(name);
  // Of formulas without an index the figures are known.
  if (isOfFigures && !namesIn(formula).some(isMisused))
    return { problem: problemOfFigures(formula, use, vocabulary.values), unknown, notes };
  const coverage = problem === undefined ? coverageOf(formula, index, vocabulary, unknown.length === 0) : undefined;
  return {
    problem: problem === undefined ? coverage?.problem : placed(problem, text),
    unknown,
    hasTexts: hasTexts || coverage?.lacksData === true,
    warnings: [...(rebound === undefined ? [] : [rebound]), ...(coverage?.warnings ?? [])],
    notes: [...notes, ...(lagged === undefined ? [] : [beyondTheEnds(lagged)])],
  };
}

function problemOfFigures(formula: Formula, use: Use, values: ReadonlyMap<string, number>): string | undefined {
  const read = use === 'constraint' ? linearRows(formula, values) : figureOf(formula, values);
  return isProblem(read) ? read.problem : undefined;
}

function figureOf({ sides, relations }: Formula, values: ReadonlyMap<string, number>) {
  return relations.length > 0
    ? { problem: 'An objective is a figure: it has no <=, >= or = in it' }
    : linearize(sides[0], values);
}

/** What formulas without an index do not have in them: these are told where they end as they always have been. */
const OF_INDEX = /["“[\]:]|\b(?:sum|for)\b/;

/** Why a text cannot be read as a formula or an index, with the place where that was noticed. */
export function whyUnread(problem: FormulaProblem, text: string, isIndex = false): string {
  const { problem: sentence, position = text.length } = problem;
  const isTold = position >= text.length || sentence.includes(' at character ');
  return isTold || !(isIndex || OF_INDEX.test(text)) ? sentence : placed(problem, text);
}

/** A problem with the place where it stands. */
function placed({ problem, position }: FormulaProblem, text: string): string {
  if (position === undefined) return problem;
  return `${problem} (at character ${position + 1}: ${shortened(text.slice(position), SHOWN)})`;
}

const identity = (data: object | undefined): number | undefined => data && identityOf(data);

const NO_FAMILIES: Vocabulary['families'] = new Map();

/** What a name means, as a value that is equal where it means the same. */
function roleOf(name: string, vocabulary: Vocabulary): unknown {
  const { values, variables, wholes, families, columns, sets } = vocabulary;
  const isWhole = wholes?.has(name) === true;
  const plain = values.get(name) ?? (variables.has(name) ? (isWhole ? 'whole' : 'variable') : undefined);
  const family = families.get(name);
  const set = sets.get(name);
  const columnsOfName = columns.get(name);
  if (family === undefined && set === undefined && columnsOfName === undefined) return plain;
  const dataOf = (one: SetShape | undefined): unknown[] => [
    one?.fallback,
    one?.size,
    one?.readings,
    one?.parts?.map(identity),
    one?.keys?.map(identity),
  ];
  return JSON.stringify([
    plain,
    isWhole,
    family && [
      family.index,
      mentionsOf(undefined, family.index).map((one) => roleOf(one, { ...vocabulary, families: NO_FAMILIES })),
    ],
    set && [set.arity, dataOf(set)],
    columnsOfName?.map((column) => [
      { ...column, values: identity(column.values), cells: identity(column.cells) },
      dataOf(sets.get(column.set)),
    ]),
  ]);
}
