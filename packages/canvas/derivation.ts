import {
  computationOrder,
  definitionsIn,
  listNames,
  MAX_FORMULA_LENGTH,
  shortened,
  type Vocabulary,
} from '../modelling/index.js';
import type { CardContent, Gap, Judgement } from './card.js';
import type { DerivedItems } from './checklist.js';
import { fieldOf, gapsOfShape, hasKnownField } from './card-shapes.js';
import { vocabularyOf } from './canvas-vocabulary.js';
import { columnSets, type DataContent, NO_DATA, readData, sizeOf, withinFileSetLimit } from './data-content.js';
import { type FileStates, NO_FILES, fileKey } from './data-file.js';
import { judgeFormula, problemOfCardIndex } from './expressions.js';
import type { Surroundings } from './kinds/card-kind.js';
import { CARD_KINDS, type CardType } from './kinds/card-kinds.js';
import { MAX_COMPUTED, MAX_COMPUTED_CHARACTERS, MAX_VALUES } from './kinds/data.js';
import { gap } from './kinds/fields.js';
import { describeLoose, looseVariables } from './loose-variables.js';
import { describeStray, strayVariables } from './stray-variables.js';
import { suggestionFor } from './suggestions.js';
import { missingBounds } from './missing-bounds.js';
import { wordedLimits } from './worded-limits.js';

/** Maximum number of objectives listed in a project, and maximum length of their descriptions when joined. */
const MAX_COMPONENTS = 20;
const MAX_DESCRIPTION_LENGTH = 2_000;

/** Project fields that are derived from the cards. */
export interface Derived extends DerivedItems {
  card_count: number;
  objective_components: Record<string, unknown>[];
  objective_confirmed: boolean;
  objective_description: string | null;
  objective_type: string | null;
}

interface Canvas {
  /** Meaning of the names in formulas. */
  vocabulary: Vocabulary;
  /** For each card, in order, the properties of the canvas that affect the card. */
  surroundings: readonly Surroundings[];
  /** Gaps of formulas that need an upper bound of a variable. */
  unbounded: ReadonlyMap<CardContent, Gap>;
}

/** Judgement of a card, including the gaps for unknown names in its formulas. Unknown names prevent a solve. */
export interface SolveJudgement extends Judgement {
  unknown: readonly Gap[];
}

interface DetailedJudgement extends SolveJudgement {
  /** Whether a formula on the card uses a text column in a calculation. */
  hasTexts: boolean;
}

/**
 * Returns the gaps and status of every card of a canvas, in order.
 *
 * A card without known fields is a `draft`. Any other card is `complete` if it has no blocking gap, and `needs_input` if it has
 * one.
 *
 * @param files states of the files of data cards
 */
export const judge = (cards: readonly CardContent[], files = NO_FILES): Judgement[] =>
  judgeAll(cards, files).map(({ gaps, status }) => ({ gaps, status }));

/** Same as {@link judge}, but also returns the gaps for unknown names, which prevent a solve. */
export const judgeForSolve = (cards: readonly CardContent[], files = NO_FILES): SolveJudgement[] =>
  judgeAll(cards, files);

/**
 * Returns the project fields derived from the cards. Cards must be sorted by age, oldest first. A flag is false if there is no
 * card of its kind.
 */
export const derive = (cards: readonly CardContent[], files = NO_FILES): Derived =>
  deriveFrom(cards, judgeAll(cards, files));

/** Judges the cards and derives the project fields in a single pass. */
export function judgeAndDerive(
  cards: readonly CardContent[],
  files = NO_FILES,
): { judgements: Judgement[]; derived: Derived } {
  const detailed = judgeAll(cards, files);
  const judgements = detailed.map(({ gaps, status }) => ({ gaps, status }));
  return { judgements, derived: deriveFrom(cards, detailed) };
}

function judgeAll(cards: readonly CardContent[], files: FileStates): DetailedJudgement[] {
  const canvas = readSurroundings(cards, files);
  return cards.map((card, at) => {
    const { gaps: formulaGaps, unknown, hasTexts } = judgeFormulas(card, canvas);
    const surroundings = canvas.surroundings[at]!;
    const kind = CARD_KINDS[card.card_type];
    const gaps = [
      ...gapsOfShape(card),
      ...formulaGaps,
      ...(kind.gaps?.(card.data, surroundings, unknown) ?? unknown),
      ...[canvas.unbounded.get(card)].filter((one) => one !== undefined),
      ...(kind.wordingGaps?.(card.data, canvas.vocabulary, surroundings.isLimit) ?? []),
    ];
    const isBlocked = gaps.some(({ severity }) => severity === 'blocking');
    return { gaps, status: !hasKnownField(card) ? 'draft' : isBlocked ? 'needs_input' : 'complete', unknown, hasTexts };
  });
}

function deriveFrom(cards: readonly CardContent[], judgements: readonly DetailedJudgement[]): Derived {
  const of = (type: CardType): CardContent[] => cards.filter(({ card_type }) => card_type === type);
  const statuses = (type: CardType): Judgement['status'][] =>
    judgements.filter((_, index) => cards[index]?.card_type === type).map(({ status }) => status);
  const allComplete = (type: CardType): boolean => every(statuses(type), (status) => status === 'complete');
  const objectives = of('objective');
  // Unknown names in KPIs do not matter, because KPIs do not affect the variables in a plan.
  const hasKnownNames = ({ card_type }: CardContent, at: number): boolean =>
    CARD_KINDS[card_type].role === 'rating' || judgements[at]?.unknown.length === 0;
  return {
    card_count: cards.length,
    objective_drafted: statuses('objective').some((status) => status !== 'draft'),
    objectives_defined: allComplete('objective'),
    all_variables_provided: allComplete('variable') && cards.every(hasKnownNames),
    all_constraints_classified: every(of('constraint'), isClassified),
    data_available: allComplete('data') && judgements.every(({ hasTexts }) => !hasTexts),
    kpis_defined: allComplete('kpi'),
    production_requirements_defined: allComplete('production_requirement'),
    objective_components: objectives.slice(0, MAX_COMPONENTS).map((card) => ({
      card_id: card.id,
      label: card.label,
      sense: fieldOf<string>(card, 'sense') ?? null,
      expression: shortened(fieldOf<string>(card, 'expression') ?? '', MAX_FORMULA_LENGTH) || null,
      weight: fieldOf<number>(card, 'weight') ?? null,
      ...(fieldOf(card, 'priority') !== undefined && { priority: fieldOf<number>(card, 'priority') }),
    })),
    objective_confirmed: every(objectives, (card) => fieldOf<boolean>(card, 'confirmed') === true),
    objective_description: describeAll(objectives),
    objective_type: objectiveType(objectives),
  };
}

/** Checks the formulas on a card. */
function judgeFormulas(card: CardContent, { vocabulary }: Canvas): Omit<DetailedJudgement, 'status'> {
  const gaps: Gap[] = [];
  let hasTexts = false;
  const unknown: Gap[] = [];
  const kind = CARD_KINDS[card.card_type];
  const { index, formulas } = kind.formulas(card.data, vocabulary.variables);
  const indexProblem = index === undefined ? undefined : problemOfCardIndex(index, vocabulary);
  const judgedIndex = index && judgeFormula({ text: '0', index: index.text, use: 'bound' }, vocabulary);
  if (indexProblem !== undefined)
    return { gaps: [gap(indexProblem.field, indexProblem.problem)], unknown, hasTexts: judgedIndex!.hasTexts };
  for (const [field, formula] of formulas) {
    const judged = judgeFormula(formula, vocabulary);
    const { problem, unknown: names, notes, warnings } = judged;
    hasTexts ||= judged.hasTexts;
    const prefix = formula.name === undefined ? '' : `${shortened(formula.name)}: `;
    // A KPI may also be described in plain text, so an invalid formula only causes a warning.
    if (problem !== undefined)
      gaps.push(gap(field, `${prefix}${problem}`, kind.role === 'rating' ? 'warning' : 'blocking'));
    addWarnings(
      gaps,
      field,
      warnings.map((one) => `${prefix}${one}`),
    );
    gaps.push(...notes.map((note) => gap(field, `${prefix}${note}`, 'info')));
    if (names.length === 0) continue;
    const message = `${prefix}No variable or value on the canvas is called ${listNames(names)}${suggestionFor(names, vocabulary)}`;
    unknown.push(gap(field, message, 'warning'));
  }
  // Without a formula, the members are determined by the index alone.
  if (judgedIndex !== undefined && formulas.length === 0) addWarnings(gaps, index!.field, judgedIndex.warnings);
  return { gaps, unknown, hasTexts };
}

/** Adds the warnings that are not among the card's gaps yet. */
function addWarnings(gaps: Gap[], field: string, warnings: readonly string[]): void {
  for (const message of warnings)
    if (!gaps.some((other) => other.message === message)) gaps.push(gap(field, message, 'warning'));
}

/** Data cards with the states of their files. */
interface CanvasData {
  sources: Pick<Surroundings, 'content' | 'state'>[];
  /** Number of cards that define each name. */
  symbols: ReadonlyMap<string, number>;
  /** Cards beyond the maximum number of values on a canvas. */
  oversized: ReadonlySet<CardContent>;
  /** Cards beyond the maximum number of computed numbers on a canvas. Formulas cannot use their numbers. */
  excess: ReadonlySet<CardContent>;
}

function readAllData(cards: readonly CardContent[], files: FileStates): CanvasData {
  const symbols = new Map<string, number>();
  const oversized = new Set<CardContent>();
  const excess = new Set<CardContent>();
  let [figures, computed, characters] = [0, 0, 0];
  const contents = cards.map((card) => {
    const count = sizeOf(card);
    if (count > 0 && figures + count > MAX_VALUES) {
      oversized.add(card);
      return NO_DATA;
    }
    figures += count;
    const all = readData(card);
    computed += all.computed.size;
    for (const { text } of all.computed.values()) characters += text.length;
    const isExcess = computed > MAX_COMPUTED || characters > MAX_COMPUTED_CHARACTERS;
    if (isExcess && all.computed.size > 0) excess.add(card);
    const content = excess.has(card) ? { ...all, computed: NO_DATA.computed } : all;
    for (const name of definedSymbols(card, content)) symbols.set(name, (symbols.get(name) ?? 0) + 1);
    return content;
  });
  for (const name of columnSets(contents)) symbols.set(name, (symbols.get(name) ?? 0) + 1);
  const sources = contents.map((content) => ({ content, state: content.file && files.get(fileKey(content.file)) }));
  return { sources, symbols, oversized, excess };
}

function readSurroundings(cards: readonly CardContent[], files: FileStates): Canvas {
  const { sources, symbols, oversized, excess } = readAllData(cards, files);
  const vocabulary = vocabularyOf(cards, sources);
  const definitions = definitionsIn(vocabulary);
  const { cyclic } = computationOrder(definitions.keys(), definitions);
  const priorities = cards
    .filter(({ card_type }) => card_type === 'objective')
    .map((card) => fieldOf<number>(card, 'priority'));
  const withinLimit = new Set(withinFileSetLimit(cards));
  const looseByCard = new Map(looseVariables(cards).map((variable) => [variable.card, describeLoose(variable)]));
  const strayByCard = new Map(strayVariables(cards).map((variable) => [variable.card, describeStray(variable)]));
  const worded = new Set(wordedLimits(cards, vocabulary.variables));
  const surroundings = cards.map((card, at) => ({
    ...sources[at]!,
    priorities,
    isDuplicate: (name: string) => (symbols.get(name) ?? 0) > 1,
    strayWarning: strayByCard.get(card),
    looseWarning: looseByCard.get(card),
    isLimit: worded.has(card),
    exceedsValueLimit: oversized.has(card),
    exceedsComputedLimit: excess.has(card),
    sets: vocabulary.sets,
    isCyclic: (name: string) => cyclic.has(name),
    isColumn: (name: string) => vocabulary.columns.get(name)?.some(({ isComputed }) => isComputed !== true) === true,
    exceedsFileSetLimit: !withinLimit.has(card),
    columnSet: columnSetIn(vocabulary, sources[at]!.content),
  }));
  return { vocabulary, surroundings, unbounded: missingBounds(cards) };
}

/** Returns the set on the canvas whose members the columns of a wide table should match. */
function columnSetIn({ sets, budget }: Required<Vocabulary>, { file }: DataContent): Surroundings['columnSet'] {
  const shape = file?.columnsAs === undefined ? undefined : sets.get(file.columnsAs);
  return shape && { shape, budget };
}

/** Returns the meaning of the names on a canvas. */
export const vocabularyOfCards = (cards: readonly CardContent[], files: FileStates): Vocabulary =>
  vocabularyOf(cards, readAllData(cards, files).sources);

/** Returns the constants from all data cards, by name. */
export const valuesOf = (cards: readonly CardContent[]): ReadonlyMap<string, number> =>
  vocabularyOfCards(
    cards.filter(({ card_type }) => card_type === 'data'),
    NO_FILES,
  ).values;

/** Returns the names that a card defines and that must be unique: its variable, values, set and computed numbers. */
function definedSymbols(card: CardContent, { values, set, computed }: DataContent): string[] {
  if (card.card_type === 'variable') return [fieldOf<string>(card, 'name') ?? []].flat();
  return [...values.keys(), ...(set === undefined ? [] : [set.name]), ...computed.keys()];
}

function isClassified(card: CardContent): boolean {
  const classification = fieldOf<string>(card, 'classification');
  return classification === 'hard' || (classification === 'soft' && fieldOf(card, 'penalty') !== undefined);
}

/** Joins the descriptions of objectives. Uses the label if the description is missing. */
function describeAll(objectives: readonly CardContent[]): string | null {
  const texts = objectives.map((card) => fieldOf<string>(card, 'description') ?? card.label);
  return texts.length === 0 ? null : shortened(texts.join('; '), MAX_DESCRIPTION_LENGTH);
}

/** Returns the sense of a single objective, or `priorities` or `weighted_sum` for several objectives. */
function objectiveType([first, ...others]: readonly CardContent[]): string | null {
  if (first === undefined) return null;
  if (others.length === 0) return fieldOf<string>(first, 'sense') ?? null;
  return [first, ...others].some((card) => fieldOf(card, 'priority') !== undefined) ? 'priorities' : 'weighted_sum';
}

const every = <Item>(items: readonly Item[], holds: (item: Item) => boolean): boolean =>
  items.length > 0 && items.every(holds);
