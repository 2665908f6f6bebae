import type { Project } from '../project.entity.js';
import type { Card, Gap } from './card.entity.js';
import { fieldOf, gapsOfShape, isBegun } from './card-shapes.js';
import { vocabularyOf } from './canvas-vocabulary.js';
import { type DataContent, MAX_FILE_SETS, NO_DATA, readData, sizeOf, withRoom } from './data-content.js';
import { type FileState, type FileStates, NO_FILES, questionOf } from './data-file.js';
import { gapsOfFile, gapsOfMembers } from './data-gaps.js';
import { type CardFormula, judgeFormula, problemOfIndex } from './expressions.js';
import { describeLoose, looseVariables } from './loose-variables.js';
import { asksForNothing, requirementOf } from './requirement.js';
import { describeStray, strayVariables } from './stray-variables.js';
import { suggestionFor } from './suggestions.js';
import { wordedLimits } from './worded-limits.js';
import {
  type Family,
  MAX_FORMULA_LENGTH,
  namesOfIndex,
  shortened,
  someNames,
  type Vocabulary,
} from '../../../packages/modelling/index.js';

/** Most values of all data cards; those of further cards are no names in formulas. */
const MAX_VALUES = 20_000;
/** Objectives that a project lists, and characters of their descriptions together. */
const MAX_COMPONENTS = 20;
const MAX_DESCRIBED = 2_000;

/** What people and agents write of a card; everything else of it is derived. */
export type CardContent = Pick<Card, 'id' | 'card_type' | 'label' | 'data'>;

/** What is derived of one card. */
export type Judgement = Pick<Card, 'gaps' | 'status'>;

/** What a project shows of its cards. */
export type Derived = Pick<
  Project,
  | 'card_count'
  | 'objective_components'
  | 'objective_confirmed'
  | 'objective_description'
  | 'objective_type'
  | 'all_constraints_classified'
  | 'all_variables_provided'
  | 'data_available'
  | 'kpis_defined'
  | 'objective_drafted'
  | 'objectives_defined'
  | 'production_requirements_defined'
>;

/** What a card's judgement takes from the others. */
interface Canvas {
  objectives: number;
  /** How many cards give a name that formulas can use. */
  symbols: ReadonlyMap<string, number>;
  /** What names in formulas stand for. */
  vocabulary: Vocabulary;
  /** What the data cards say, in the order of the cards. */
  contents: readonly DataContent[];
  /** The data cards that there is no room for among the {@link MAX_VALUES}. */
  crowded: ReadonlySet<CardContent>;
  /** Those of sets in files that there is no room for. */
  beyond: ReadonlySet<CardContent>;
  /** Why variables are probably misspelled names. */
  stray: ReadonlyMap<CardContent, string>;
  /** Why limits with a variable have no effect. */
  loose: ReadonlyMap<CardContent, string>;
  /** Cards with limits in words. */
  worded: ReadonlySet<CardContent>;
}

/** A judgement, and the gaps for names in the card's formulas that nothing on the canvas has: no solve runs with them. */
export interface SolveJudgement extends Judgement {
  unknown: readonly Gap[];
}

interface Reading extends SolveJudgement {
  /** Whether a formula of the card computes with a column of texts. */
  hasTexts: boolean;
}

/** The names in the formulas of a card that nothing on the canvas has, by the formula's field. */
type Unknown = ReadonlyMap<string, readonly string[]>;

/**
 * Gaps and status of every card of a canvas, in its order.
 *
 * A card is a `draft` while no known field of it holds anything, `complete` without a blocking gap, else it `needs_input`.
 *
 * @param files what is known of the files that data cards name
 */
export const judge = (cards: readonly CardContent[], files = NO_FILES): Judgement[] =>
  readAll(cards, files).map(({ gaps, status }) => ({ gaps, status }));

/** The same, with the warnings that keep a model from being solved. */
export const judgeForSolve = (cards: readonly CardContent[], files = NO_FILES): SolveJudgement[] =>
  readAll(cards, files);

/**
 * The project's fields that follow from its cards, given oldest first. A flag needs a card of its kind: nothing is
 * defined by an empty canvas.
 */
export const derive = (cards: readonly CardContent[], files = NO_FILES): Derived =>
  derivedFrom(cards, readAll(cards, files));

/** Both together, from one reading of the cards. */
export function judgeAndDerive(
  cards: readonly CardContent[],
  files = NO_FILES,
): { judgements: Judgement[]; derived: Derived } {
  const readings = readAll(cards, files);
  const judgements = readings.map(({ gaps, status }) => ({ gaps, status }));
  return { judgements, derived: derivedFrom(cards, readings) };
}

function readAll(cards: readonly CardContent[], files: FileStates): Reading[] {
  const canvas = survey(cards, files);
  return cards.map((card, at) => {
    const { gaps: ofFormulas, unknown, hasTexts } = readFormulas(card, canvas);
    const content = canvas.contents[at] ?? NO_DATA;
    const ofNames = gapsOfNames(unknown, canvas.vocabulary);
    const gaps = [
      ...gapsOfShape(card),
      ...ofFormulas,
      ...gapsAmong(card, content, ofNames, canvas),
      ...gapsOfMembers(content),
      ...(canvas.beyond.has(card) ? [TOO_MANY_FILES] : gapsOfFile(content, stateOf(content, files))),
    ];
    const isBlocked = gaps.some(({ severity }) => severity === 'blocking');
    return {
      gaps,
      status: !isBegun(card) ? 'draft' : isBlocked ? 'needs_input' : 'complete',
      unknown: ofNames,
      hasTexts,
    };
  });
}

function derivedFrom(cards: readonly CardContent[], readings: readonly Reading[]): Derived {
  const of = (type: Card['card_type']): CardContent[] => cards.filter(({ card_type }) => card_type === type);
  const statuses = (type: Card['card_type']): Judgement['status'][] =>
    readings.filter((_, index) => cards[index]?.card_type === type).map(({ status }) => status);
  const allComplete = (type: Card['card_type']): boolean => every(statuses(type), (status) => status === 'complete');
  const objectives = of('objective');
  // A plan has all its variables whatever its KPIs are.
  const hasItsNames = ({ card_type }: CardContent, at: number): boolean =>
    card_type === 'kpi' || readings[at]?.unknown.length === 0;
  return {
    card_count: cards.length,
    objective_drafted: statuses('objective').some((status) => status !== 'draft'),
    objectives_defined: allComplete('objective'),
    all_variables_provided: allComplete('variable') && cards.every(hasItsNames),
    all_constraints_classified: every(of('constraint'), isClassified),
    data_available: allComplete('data') && readings.every(({ hasTexts }) => !hasTexts),
    kpis_defined: allComplete('kpi'),
    production_requirements_defined: allComplete('production_requirement'),
    objective_components: objectives.slice(0, MAX_COMPONENTS).map((card) => ({
      card_id: card.id,
      label: card.label,
      sense: fieldOf<string>(card, 'sense') ?? null,
      expression: shortened(fieldOf<string>(card, 'expression') ?? '', MAX_FORMULA_LENGTH) || null,
      weight: fieldOf<number>(card, 'weight') ?? null,
    })),
    objective_confirmed: every(objectives, (card) => fieldOf<boolean>(card, 'confirmed') === true),
    objective_description: describeAll(objectives),
    objective_type: objectiveType(objectives),
  };
}

const gapsOfNames = (unknown: Unknown, vocabulary: Vocabulary): Gap[] =>
  Array.from(unknown, ([field, names]) => ({
    field,
    message: `No variable or value on the canvas is called ${someNames(names)}${suggestionFor(names, vocabulary)}`,
    severity: 'warning',
  }));

/** Gaps that several fields or several cards make together. */
function gapsAmong(card: CardContent, content: DataContent, ofNames: readonly Gap[], canvas: Canvas): Gap[] {
  const gaps: Gap[] = [];
  if (card.card_type === 'objective' && canvas.objectives > 1 && card.data['weight'] === undefined) {
    gaps.push({ field: 'weight', message: 'With several objectives each needs a weight', severity: 'blocking' });
  }
  gaps.push(...ofNames);
  if (card.card_type === 'variable') {
    const name = fieldOf<string>(card, 'name');
    if (name !== undefined && isTwice(name, canvas)) {
      gaps.push({ field: 'name', message: `Something else is called ${shortened(name)}, too`, severity: 'blocking' });
    }
    const [lower, upper] = [fieldOf<number | string>(card, 'lower'), fieldOf<number | string>(card, 'upper')];
    if (typeof lower === 'number' && typeof upper === 'number' && lower > upper) {
      gaps.push({ field: 'lower', message: 'The lower bound is above the upper one', severity: 'blocking' });
    }
    const stray = canvas.stray.get(card);
    if (stray !== undefined) gaps.push({ field: 'name', message: stray, severity: 'blocking' });
    const loose = canvas.loose.get(card);
    if (loose !== undefined) gaps.push({ field: 'name', message: loose, severity: 'warning' });
  }
  gaps.push(...gapsOfWords(card, canvas.vocabulary, canvas.worded.has(card)));
  if (canvas.crowded.has(card)) {
    const message = `The data cards of a canvas have at most ${MAX_VALUES} values together`;
    gaps.push({ field: 'values', message, severity: 'blocking' });
    return gaps;
  }
  if (card.card_type !== 'data') return gaps;
  const { values, set } = content;
  for (const [field, given] of [
    ['values', [...values.keys()]],
    ['set', set === undefined ? [] : [set.name]],
  ] as const) {
    const names = given.filter((name) => isTwice(name, canvas));
    if (names.length === 0) continue;
    gaps.push({ field, message: `Something else is called ${someNames(names)}, too`, severity: 'blocking' });
  }
  return gaps;
}

/**
 * What to do with a requirement or a KPI that plans need not meet, as it makes no constraint.
 *
 * @param isLimit whether its words limit something on the canvas
 */
export function gapsOfWords(
  card: Pick<Card, 'card_type' | 'data'>,
  { variables, families }: Vocabulary,
  isLimit: boolean,
): Gap[] {
  if (card.card_type === 'kpi') return isLimit ? [LIMIT_OF_KPI] : [];
  if (card.card_type !== 'production_requirement' || card.data['expression'] != null) return [];
  if (requirementOf(card, variables) !== undefined || asksForNothing(card)) return [];
  const product = fieldOf<string>(card, 'product')?.trim();
  // Then only the quantity is missing.
  if (product !== undefined && variables.has(product)) return [];
  const family = product === undefined ? undefined : families.get(product);
  const message =
    product === undefined
      ? `A plan does not have to meet this: name a variable as its product, or write it as a relation, ${EXAMPLE}`
      : family === undefined
        ? `No variable is called ${shortened(product)}, so a plan does not have to meet this: name a variable, or write it as a relation, ${EXAMPLE}`
        : `${shortened(product)} has many members, so a plan does not have to meet this: write it as a relation, such as ${ofAll(product, family, card)}`;
  return [{ field: 'product', message, severity: isLimit ? 'blocking' : 'warning' }];
}

const LIMIT_OF_KPI: Gap = {
  field: 'description',
  message: 'A KPI limits no plan: write it as a constraint, such as `chairs >= 10`',
  severity: 'warning',
};
const EXAMPLE = 'such as `chairs >= 10`';

/** `sum p in products: make[p] >= 10` */
function ofAll(name: string, { index }: Family, card: Pick<Card, 'card_type' | 'data'>): string {
  const over = index.over.map(({ names, set }) => {
    const [first, ...others] = names;
    return `${others.length === 0 ? first : `(${names.join(', ')})`} in ${set}`;
  });
  const quantity = fieldOf<number>(card, 'quantity') ?? 10;
  return `\`sum ${over.join(', ')}: ${name}[${namesOfIndex(index).join(', ')}] >= ${quantity}\``;
}

/** What the formulas of a card say. */
interface FormulaReading extends Pick<Reading, 'gaps' | 'hasTexts'> {
  unknown: Unknown;
}

function readFormulas(card: CardContent, { vocabulary }: Canvas): FormulaReading {
  const gaps: Gap[] = [];
  let hasTexts = false;
  const unknown = new Map<string, readonly string[]>();
  const { index, formulas } = formulasOf(card, vocabulary);
  const ofIndex = index === undefined ? undefined : problemOfIndex(index.text, vocabulary);
  const judgedIndex = index && judgeFormula({ text: '0', index: index.text, use: 'bound' }, vocabulary);
  if (ofIndex !== undefined) {
    const gap: Gap = { field: index!.field, message: ofIndex, severity: 'blocking' };
    return { gaps: [gap], unknown, hasTexts: judgedIndex!.hasTexts };
  }
  for (const [field, formula] of formulas) {
    const judged = judgeFormula(formula, vocabulary);
    const { problem, unknown: names, notes, warnings } = judged;
    hasTexts ||= judged.hasTexts;
    // A KPI is as good without a formula: it is told in words then.
    const severity = card.card_type === 'kpi' ? 'warning' : 'blocking';
    if (problem !== undefined) gaps.push({ field, message: problem, severity });
    addWarnings(gaps, field, warnings);
    for (const note of notes) gaps.push({ field, message: note, severity: 'info' });
    if (names.length > 0) unknown.set(field, names);
  }
  // Without a formula, the index alone says which members there are.
  if (judgedIndex !== undefined && formulas.length === 0) addWarnings(gaps, index!.field, judgedIndex.warnings);
  return { gaps, unknown, hasTexts };
}

/** Adds warnings that no other formula of the card has led to. */
function addWarnings(gaps: Gap[], field: string, warnings: readonly string[]): void {
  for (const message of warnings)
    if (!gaps.some((gap) => gap.message === message)) gaps.push({ field, message, severity: 'warning' });
}

/** The formulas of a card that are solved, by their fields, and the index that they stand under. */
function formulasOf(card: CardContent, { variables }: Vocabulary): Formulas {
  if (card.card_type === 'production_requirement') {
    const required = requirementOf(card, variables);
    if (required === undefined) return { formulas: [] };
    const { field, expression, index } = required;
    return {
      formulas: [[field, { text: expression, index, use: 'constraint' }]],
      ...(index !== undefined && { index: { field: field === 'expression' ? 'index' : field, text: index } }),
    };
  }
  const index = fieldOf<string>(card, 'index');
  const formulas = (FORMULAS[card.card_type] ?? []).flatMap(([field, use]): Formulas['formulas'] => {
    const text = fieldOf<unknown>(card, field);
    return typeof text === 'string' ? [[field, { text, index, use }]] : [];
  });
  return { formulas, ...(index !== undefined && { index: { field: 'index', text: index } }) };
}

/** What is judged of a card. */
interface Formulas {
  formulas: [field: string, formula: CardFormula][];
  index?: { field: string; text: string };
}

/** The fields of card types that hold formulas, and what these are for. */
const FORMULAS: Partial<Record<Card['card_type'], [field: string, use: CardFormula['use']][]>> = {
  objective: [['expression', 'objective']],
  constraint: [['expression', 'constraint']],
  kpi: [['expression', 'kpi']],
  variable: [
    ['lower', 'bound'],
    ['upper', 'bound'],
  ],
};

const isTwice = (name: string, { symbols }: Canvas): boolean => (symbols.get(name) ?? 0) > 1;

function survey(cards: readonly CardContent[], files = NO_FILES): Canvas {
  const symbols = new Map<string, number>();
  const crowded = new Set<CardContent>();
  let figures = 0;
  const contents = cards.map((card) => {
    const count = sizeOf(card);
    if (count > 0 && figures + count > MAX_VALUES) {
      crowded.add(card);
      return NO_DATA;
    }
    figures += count;
    const content = readData(card);
    for (const name of symbolsGivenBy(card, content)) symbols.set(name, (symbols.get(name) ?? 0) + 1);
    return content;
  });
  const roomy = new Set(withRoom(cards));
  const vocabulary = vocabularyOf(
    cards,
    contents.map((content) => ({ content, state: stateOf(content, files) })),
  );
  return {
    objectives: cards.filter(({ card_type }) => card_type === 'objective').length,
    symbols,
    vocabulary,
    contents,
    crowded,
    beyond: new Set(cards.filter((card) => !roomy.has(card))),
    loose: new Map(looseVariables(cards).map((one) => [one.card, describeLoose(one)])),
    worded: new Set(wordedLimits(cards, vocabulary.variables)),
    stray: new Map(strayVariables(cards).map((one) => [one.card, describeStray(one)])),
  };
}

const TOO_MANY_FILES: Gap = {
  field: 'file_path',
  message: `A canvas has at most ${MAX_FILE_SETS} sets in files`,
  severity: 'blocking',
};

const stateOf = ({ file }: DataContent, files: FileStates): FileState | undefined =>
  file && files.get(questionOf(file));

/** What names in formulas stand for on a canvas. */
export const vocabularyOn = (cards: readonly CardContent[], files: FileStates): Vocabulary =>
  survey(cards, files).vocabulary;

/** The figures of all data cards, by the names that formulas use. */
export const valuesOf = (cards: readonly CardContent[]): ReadonlyMap<string, number> =>
  survey(cards.filter(({ card_type }) => card_type === 'data')).vocabulary.values;

/** The names that a card lets formulas use once: a variable's, those of the values of a data card, and of its set. */
function symbolsGivenBy(card: CardContent, { values, set }: DataContent): string[] {
  if (card.card_type === 'variable') return [fieldOf<string>(card, 'name') ?? []].flat();
  return [...values.keys(), ...(set === undefined ? [] : [set.name])];
}

function isClassified(card: CardContent): boolean {
  const classification = fieldOf<string>(card, 'classification');
  return classification === 'hard' || (classification === 'soft' && fieldOf(card, 'penalty') !== undefined);
}

/** What objectives are about: their descriptions, else their labels. */
function describeAll(objectives: readonly CardContent[]): string | null {
  const texts = objectives.map((card) => fieldOf<string>(card, 'description') ?? card.label);
  return texts.length === 0 ? null : shortened(texts.join('; '), MAX_DESCRIBED);
}

/** The sense of a single objective, `weighted_sum` for several. */
function objectiveType([first, ...others]: readonly CardContent[]): string | null {
  if (first === undefined) return null;
  return others.length > 0 ? 'weighted_sum' : (fieldOf<string>(first, 'sense') ?? null);
}

const every = <Item>(items: readonly Item[], holds: (item: Item) => boolean): boolean =>
  items.length > 0 && items.every(holds);
