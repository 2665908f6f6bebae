import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  checkFormula,
  checkIndex,
  coverageOf,
  decisionsIn,
  emptyLimit,
  figuresOf,
  type Formula,
  type FormulaProblem,
  freeNamesOf,
  identityOf,
  inputsOf,
  type Index,
  isPlain,
  isProblem,
  lagBeyondEnds,
  linearize,
  linearRows,
  MAX_FORMULA_LENGTH,
  namesIn,
  namesOfIndex,
  NO_LIMIT,
  noteOnStrict,
  notesOnPoints,
  optionalSides,
  parseFormula,
  parseIndex,
  penaltyNotAbove0,
  setWithEmptyCells,
  type SetShape,
  shortened,
  splitIndex,
  type Use,
  type Vocabulary,
  withOptionalLimits,
} from '../modelling/index.js';

/** Formula on a card, and its purpose. */
export interface CardFormula {
  text: string;
  /** Name that the formula defines. It precedes the messages about the formula. */
  name?: string;
  /** Text of the formula's index. */
  index?: string | undefined;
  use: Use;
}

/** Text of an index on a card, and its field. */
export interface CardIndex {
  field: string;
  text: string;
  /** Field whose content precedes the content of `field` in the text, and the number of characters before this content. */
  before?: { field: string; length: number };
}

/** Formula and the text of its index. */
export interface IndexedFormula {
  expression: string;
  index?: string;
}

/** Result of checking a formula on a canvas. Messages have no full stop at the end. */
export interface FormulaJudgement {
  /** Reason why the formula prevents a solve. */
  problem: string | undefined;
  /** Distinct names that are not defined on the canvas, in the order of first occurrence. */
  unknown: readonly string[];
  /** Hints about behavior that may surprise the author. */
  notes: readonly string[];
  /** Mismatches between the formula and the data. */
  warnings: readonly string[];
  /** Whether the formula uses a text column or missing values in a calculation. */
  hasTexts: boolean;
}

/** Latest judgement of a formula, and the meaning of its names when it was judged. */
interface CachedJudgement {
  mentions: readonly string[];
  roles: readonly unknown[];
  judged: FormulaJudgement;
}

/**
 * Maximum number of cached judgements. It exceeds the number of formulas on a canvas, so that after a change to a card, only
 * its own formulas and the formulas that use its names are judged again.
 */
const MAX_CACHED_FORMULAS = 1_500;
/** Judgements by use, index and text. Parsed formulas are not cached, because they take much more memory. */
const judgementCache = new LRUCache<string, CachedJudgement>({ max: MAX_CACHED_FORMULAS });
/**
 * Maximum total length of cached indices in characters. Indices are cached because each change to a canvas reads the indices on
 * all cards.
 */
const MAX_INDEX_CHARACTERS = 100_000;
const indices = new LRUCache<string, Index | FormulaProblem>({
  maxSize: MAX_INDEX_CHARACTERS,
  sizeCalculation: (_, text) => text.length + 1,
});
/** Cached relations that were found in descriptions. */
const relations = new LRUCache<string, { relation: IndexedFormula | undefined }>({ max: MAX_CACHED_FORMULAS });
const RELATION_SIGN = /[<>=≤≥]/;
/** Maximum number of characters quoted from a formula at the position of a problem. */
const MAX_EXCERPT_LENGTH = 24;

/** Checks a formula against the names on the canvas. Unknown names are treated as variables. Results are cached. */
export function judgeFormula(cardFormula: CardFormula, vocabulary: Vocabulary): FormulaJudgement {
  const { text, index = '', use } = cardFormula;
  const key = `${use}\n${index}\n${text}`;
  const cached = judgementCache.get(key);
  if (cached?.mentions.every((name, at) => roleOf(name, vocabulary) === cached.roles[at]) === true)
    return cached.judged;
  const formula = parseFormula(text);
  const over = index === '' ? undefined : readIndex(index);
  const mentions = freeNamesOf(
    isProblem(formula) ? undefined : formula,
    over === undefined || isProblem(over) ? undefined : over,
  );
  const judged = { ...NO_JUDGEMENT, ...judge(formula, over, cardFormula, vocabulary) };
  // A formula that is too long is rejected without parsing, so caching the result would not save time.
  const isWhole = vocabulary.budget?.remaining !== 0;
  if (isWhole && text.length <= MAX_FORMULA_LENGTH && index.length <= MAX_FORMULA_LENGTH)
    judgementCache.set(key, { mentions, roles: mentions.map((name) => roleOf(name, vocabulary)), judged });
  return judged;
}

/** Returns the names in a formula that its index does not bind. Returns an empty list for an invalid formula. */
export function namesInText(text: string, index?: string): readonly string[] {
  const formula = parseFormula(text);
  if (isProblem(formula)) return [];
  const over = index === undefined ? undefined : readIndex(index);
  const bound = over === undefined || isProblem(over) ? [] : namesOfIndex(over);
  const decisions = decisionsIn(formula).flatMap(({ of }) => (of.kind === 'name' ? of.name : []));
  return [...new Set([...decisions, ...namesIn(formula)])].filter((name) => !bound.includes(name));
}

/** Parses text that is a relation, optionally followed by `for` and an index. Returns undefined for other text. */
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

/** Parses an index. Results are cached. */
export function readIndex(text: string): Index | FormulaProblem {
  const index = indices.get(text) ?? parseIndex(text);
  indices.set(text, index);
  return index;
}

/** Returns the problem with an index, or undefined if the index is valid. */
export function problemOfIndex(text: string, vocabulary: Vocabulary): string | undefined {
  const index = readIndex(text);
  if (isProblem(index)) return describeSyntaxProblem(index, text, true);
  const problem = checkIndex(index, vocabulary);
  return problem === undefined ? undefined : withPosition(problem, text);
}

/** Returns the problem with the index of a card and the field that contains it, or undefined if the index is valid. */
export function problemOfCardIndex(
  { field, text, before }: CardIndex,
  vocabulary: Vocabulary,
): { field: string; problem: string } | undefined {
  const index = readIndex(text);
  if (before === undefined || isProblem(index)) {
    const problem = problemOfIndex(text, vocabulary);
    return problem === undefined ? undefined : { field, problem };
  }
  const problem = checkIndex(index, vocabulary);
  if (problem === undefined) return undefined;
  const { position = 0 } = problem;
  const isBefore = problem.position !== undefined && position < before.length;
  if (isBefore) return { field: before.field, problem: problem.problem };
  const own = text.slice(before.length);
  return {
    field,
    problem: withPosition({ ...problem, ...(position > 0 && { position: position - before.length }) }, own),
  };
}

const NO_JUDGEMENT: FormulaJudgement = { problem: undefined, unknown: [], notes: [], warnings: [], hasTexts: false };

function judge(
  formula: Formula | FormulaProblem,
  index: Index | FormulaProblem | undefined,
  { text, use }: CardFormula,
  vocabulary: Vocabulary,
): Partial<FormulaJudgement> {
  if (isProblem(formula)) return { problem: describeSyntaxProblem(formula, text) };
  // A problem with the index is reported for the index field instead.
  if (index !== undefined && isProblem(index)) return {};
  const {
    problem,
    unknown,
    firstLag,
    reboundWarning,
    hasTexts = false,
  } = checkFormula(formula, index, use, vocabulary);
  const strict = use === 'constraint' ? noteOnStrict(formula, vocabulary) : undefined;
  const notes = [...(strict === undefined ? [] : [strict]), ...notesOnPoints(text)];
  const isPlainFormula = index === undefined && isPlain(formula) && (use === 'constraint' || use === 'objective');
  const isUnusual = (name: string): boolean =>
    [vocabulary.families, vocabulary.columns, vocabulary.sets, vocabulary.computed].some((names) => names?.has(name));
  // Formulas without an index only use constants. Unless they are computed, their values are known.
  if (isPlainFormula && !namesIn(formula).some(isUnusual)) {
    const plainProblem = problemOfPlainFormula(formula, use, vocabulary.values);
    if (plainProblem?.isNonlinear !== true) return { problem: plainProblem?.problem, unknown, notes };
  }
  // An empty cell does not limit anything.
  const isLimit = use === 'constraint' || use === 'bound';
  const covered = isLimit ? withOptionalLimits(formula, (side) => setWithEmptyCells(side, vocabulary)) : formula;
  const coverage = problem === undefined ? coverageOf(covered, index, vocabulary, unknown.length === 0) : undefined;
  const isPenalty = use === 'penalty' && problem === undefined && unknown.length === 0;
  const penaltyProblem = isPenalty ? problemOfPenalty(formula, index, vocabulary) : undefined;
  const empty = covered === formula || problem !== undefined ? [] : notesOnEmpty(formula, index, use, vocabulary);
  return {
    problem: problem === undefined ? (coverage?.problem ?? penaltyProblem) : withPosition(problem, text),
    unknown,
    hasTexts: hasTexts || coverage?.lacksData === true,
    warnings: [...(reboundWarning === undefined ? [] : [reboundWarning]), ...(coverage?.warnings ?? [])],
    notes: [...notes, ...empty, ...(firstLag === undefined ? [] : [lagBeyondEnds(firstLag)])],
  };
}

/** Explains that a penalty is not above 0. */
function problemOfPenalty({ sides }: Formula, index: Index | undefined, vocabulary: Vocabulary): string | undefined {
  const figures = figuresOf(sides[0], index, vocabulary)?.filter((figure) => figure <= 0) ?? [];
  const [first] = figures;
  return first === undefined ? undefined : penaltyNotAbove0(first, index === undefined ? undefined : figures.length);
}

/** Explains which members have no limit, because the cell of a column is empty. */
function notesOnEmpty(formula: Formula, index: Index | undefined, use: Use, vocabulary: Vocabulary): string[] {
  return optionalSides(formula, vocabulary).flatMap((side) => {
    const [limit] = withOptionalLimits({ sides: [side], relations: [] }, (one) =>
      setWithEmptyCells(one, vocabulary),
    ).sides;
    const count = figuresOf(limit, index, vocabulary)?.filter((figure) => figure === NO_LIMIT).length ?? 0;
    const noun = use === 'bound' ? 'bound' : 'limit';
    return count === 0 ? [] : [emptyLimit(side.name, index === undefined ? undefined : count, noun)];
  });
}

function problemOfPlainFormula(
  formula: Formula,
  use: Use,
  values: ReadonlyMap<string, number>,
): FormulaProblem | undefined {
  const result = use === 'constraint' ? linearRows(formula, values) : figureOf(formula, values);
  return isProblem(result) ? result : undefined;
}

function figureOf({ sides, relations }: Formula, values: ReadonlyMap<string, number>) {
  return relations.length > 0 ? { problem: 'An objective cannot contain <=, >= or =' } : linearize(sides[0], values);
}

/** Matches the syntax of indexed formulas. Problems with other formulas are reported without a position. */
const INDEX_SYNTAX = /["“[\]:]|\b(?:sum|for)\b/;

/** Words that may state a condition, but have no meaning in formulas. */
const CONDITION_WORD = /\b(?:requires|unless|implies|when|only if|otherwise)\b|^if\b(?!.*\bthen\b)/i;
const UNEXPECTED = / is not expected here$/;
const HOW_TO_STATE_CONDITION = 'Write a condition on a yes-or-no variable first, as in `if open = 0 then x <= 0`';

/** Explains why a formula or an index could not be parsed, with the position of the problem. */
export function describeSyntaxProblem(problem: FormulaProblem, text: string, isIndex = false): string {
  const { problem: sentence, position = text.length } = problem;
  if (!isIndex && UNEXPECTED.test(sentence) && CONDITION_WORD.test(text)) return HOW_TO_STATE_CONDITION;
  const hasPosition = position >= text.length || sentence.includes(' at character ');
  return hasPosition || !(isIndex || INDEX_SYNTAX.test(text)) ? sentence : withPosition(problem, text);
}

/** Appends the position to a problem. */
function withPosition({ problem, position }: FormulaProblem, text: string): string {
  if (position === undefined) return problem;
  return `${problem} (at character ${position + 1}: ${shortened(text.slice(position), MAX_EXCERPT_LENGTH)})`;
}

const identity = (data: object | undefined): number | undefined => data && identityOf(data);

/** Roles of the names in a vocabulary. Contains undefined for a name whose role is being determined. */
const rolesByVocabulary = new WeakMap<Vocabulary, Map<string, unknown>>();

/** Returns a value that is equal for names with the same meaning. */
function roleOf(name: string, vocabulary: Vocabulary): unknown {
  const roles = rolesByVocabulary.get(vocabulary) ?? new Map<string, unknown>();
  rolesByVocabulary.set(vocabulary, roles);
  if (roles.has(name)) return roles.get(name);
  // Prevents infinite recursion if a name depends on itself, which is reported as a gap.
  roles.set(name, undefined);
  const role = readRole(name, vocabulary);
  roles.set(name, role);
  return role;
}

function readRole(name: string, vocabulary: Vocabulary): unknown {
  const { values, variables, decisions, wholes, families, columns, sets, computed } = vocabulary;
  const domain = decisions?.has(name) === true ? 'binary' : wholes?.has(name) === true ? 'integer' : 'continuous';
  const plain = values.get(name) ?? (variables.has(name) ? domain : undefined);
  const family = families.get(name);
  const set = sets.get(name);
  const columnsOfName = columns.get(name);
  const definition = computed?.get(name) ?? set?.derivation;
  if ([family, set, columnsOfName, definition].every((meaning) => meaning === undefined)) return plain;
  const dataOf = (shape: SetShape | undefined): unknown[] => [
    shape?.size,
    shape?.readings,
    shape?.parts?.map(identity),
    shape?.keys?.map(identity),
  ];
  const role = JSON.stringify([
    plain,
    domain,
    family?.index,
    identity(definition),
    set && [set.arity, set.isCyclic, dataOf(set)],
    columnsOfName?.map((column) => [
      { ...column, values: identity(column.values), cells: identity(column.cells) },
      dataOf(sets.get(column.set)),
    ]),
  ]);
  const inputs = [...(definition ? inputsOf(definition) : []), ...(family ? freeNamesOf(undefined, family.index) : [])];
  if (inputs.length === 0) return role;
  // The role is a hash, because otherwise it would contain the roles of all inputs and their inputs.
  return createHash('sha256')
    .update(JSON.stringify([role, inputs.map((input) => roleOf(input, vocabulary))]))
    .digest('base64');
}
