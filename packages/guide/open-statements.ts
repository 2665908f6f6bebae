import { isProblem, parseFormula, shortened } from '../modelling/index.js';
import {
  CARD_KINDS,
  describeSyntaxProblem,
  fieldOf,
  formulaIn,
  type Gap,
  gapsOfShape,
  idleVariables,
  namesInText,
  plainVariables,
  readIndex,
  wordedLimits,
} from '../canvas/index.js';
import { computedNames, whyComputed, whyNotDefined } from './computed-numbers.js';
import { definitionIn, readDefinition, whyNoDefinition } from './definition-grammar.js';
import { whyNoSubset } from './derived-set-grammar.js';
import { derivedSetIn, whyNotDerived } from './derived-sets.js';
import { foreignGap } from './foreign-cards.js';
import { readStatement } from './grammar.js';
import { inCaseAlone, namesCard, namesGivenBy } from './given-names.js';
import { whyAmounts, whyDoubled, whyIncomplete, whyMisordered } from './index-grammar.js';
import { whyNoTiers } from './tier-grammar.js';
import { whyTable } from './pasted-tables.js';
import { assignmentIn, boundsIn, whyContrary } from './relation-grammar.js';
import type { Sketch, SketchCard } from './sketch.js';
import { whyNoRange } from './variable-facts.js';
import { WORD } from './words.js';

/*
 * Finds cards that prevent a solve until they are repaired or removed. Their statements cannot be parsed, or have no effect on
 * any plan.
 */

/** Maximum length of the label of a card that keeps a statement as text. */
export const MAX_TEXT_LABEL = 60;

/** Card with such a statement, and the gap that gives the reason. */
export interface OpenStatement {
  card: SketchCard;
  gap: Pick<Gap, 'field' | 'message'>;
}

/** Returns the cards that prevent a solve until they are repaired or removed. */
export function openStatements(sketch: Sketch): OpenStatement[] {
  // Many formulas share names, and looking up a name visits all cards.
  const cards = new Map<string, SketchCard | undefined>();
  const cardOf = (name: string): SketchCard | undefined => {
    if (!cards.has(name)) cards.set(name, sketch.namedCard(name));
    return cards.get(name);
  };
  const worded = wordedGaps(sketch);
  const taken = gapsOfTakenNames(sketch);
  return sketch.cards.flatMap((card) => {
    const gap =
      foreignGap(card, sketch) ??
      misfitOf(card) ??
      refusedDefinition(card, sketch) ??
      unreadFormula(card) ??
      misnamed(card, cardOf) ??
      renamed(card, sketch) ??
      worded.get(card) ??
      taken.get(card);
    return gap === undefined ? [] : [{ card, gap }];
  });
}

/** Returns the gaps of cards that contain a limit in plain text. */
function wordedGaps(sketch: Sketch): ReadonlyMap<SketchCard, OpenStatement['gap'] | undefined> {
  const cards = wordedLimits(sketch.cards, plainVariables(sketch.cards));
  const vocabulary = cards.length === 0 ? undefined : sketch.vocabulary;
  return new Map(
    cards.map((card) => {
      const { wordingGaps } = CARD_KINDS[card.card_type];
      return [card, vocabulary && wordingGaps?.(card.data, vocabulary, true)[0]];
    }),
  );
}

/** Returns the gap for a field with invalid content. */
const misfitOf = (card: SketchCard): OpenStatement['gap'] | undefined =>
  gapsOfShape(card).find(({ field, severity }) => severity === 'blocking' && card.data[field] != null);

/** Explains the problem with text that is meant as a statement other than a formula. */
export const whyNoFormula = (text: string): string | undefined =>
  whyTable(text) ??
  whyNoDefinition(text) ??
  whyNoSubset(text) ??
  whyContrary(text) ??
  whyMisordered(text) ??
  whyAmounts(text) ??
  whyNoTiers(text) ??
  whyIncomplete(text) ??
  whyDoubled(text) ??
  whyNoRange(text);

/** Returns the gap for a formula or an index that cannot be parsed. */
export function unreadFormula(card: SketchCard): OpenStatement['gap'] | undefined {
  const [expression, index = ''] = [fieldOf<string>(card, 'expression'), fieldOf<string>(card, 'index')];
  const over = readIndex(index);
  if (index !== '' && isProblem(over)) return { field: 'index', message: describeSyntaxProblem(over, index, true) };
  if (expression === undefined || CARD_KINDS[card.card_type].role === 'rating') return undefined;
  const formula = parseFormula(expression);
  if (isProblem(formula))
    return { field: 'expression', message: whyNoFormula(expression) ?? describeSyntaxProblem(formula, expression) };
  const isObjective = card.card_type === 'objective';
  if (formula.relations.length > 0 !== isObjective) return undefined;
  const message = isObjective ? 'An objective cannot contain <=, >= or =' : 'The formula needs <=, >= or =';
  return { field: 'expression', message };
}

/** Returns the gap for a definition that cannot be used, and for another statement that would define a computed name. */
function refusedDefinition(card: SketchCard, sketch: Sketch): OpenStatement['gap'] | undefined {
  const [expression, index] = [fieldOf<string>(card, 'expression'), fieldOf<string>(card, 'index')];
  if (card.card_type !== 'constraint' || expression === undefined) return undefined;
  const definition = readDefinition(expression)?.statement;
  if (definition?.kind === 'definition') {
    const message = whyNotDefined(definition, sketch) ?? 'Write it again, because it can be used now';
    return { field: 'expression', message };
  }
  const set = derivedSetIn(expression, sketch);
  if (set !== undefined) {
    const message = whyNotDerived(set, sketch) ?? 'Write it again, because it can be used now';
    return { field: 'expression', message };
  }
  const text = index === undefined ? expression : `${expression} for ${index}`;
  if (card.label !== shortened(text, MAX_TEXT_LABEL)) return undefined;
  const { statement } = readStatement(text);
  const names = statement === undefined || computedNames(sketch).length === 0 ? [] : namesGivenBy(statement);
  const equation = statement?.kind === 'family' ? definitionIn(statement) : undefined;
  const message =
    names.map((name) => whyComputed(name, sketch)).find((one) => one !== undefined) ??
    (equation && whyNotDefined(equation, sketch));
  return message === undefined ? undefined : { field: 'expression', message };
}

/** Returns the gaps for unused limits and values whose name was later given to an objective or a constraint. */
function gapsOfTakenNames(sketch: Sketch): ReadonlyMap<SketchCard, OpenStatement['gap']> {
  const limits = idleVariables(sketch.cards).map(({ card, name }) => ({ card, name, field: 'name' }));
  const values = sketch
    .of('data')
    .flatMap((card) =>
      Object.entries(fieldOf<Record<string, unknown>>(card, 'values') ?? {}).flatMap(([name, value]) =>
        typeof value === 'number' ? [{ card, name, field: 'values' }] : [],
      ),
    );
  const gaps = new Map<SketchCard, OpenStatement['gap']>();
  for (const { card, name, field } of [...limits, ...values]) {
    const other = sketch.withLabel(name);
    if (other !== undefined && !sketch.cards.some((one) => one !== card && hasInText(one, name)))
      gaps.set(card, { field, message: namesCard(other.label, other) });
  }
  return gaps;
}

/** Returns the gap for an unused limit or value whose name differs from another name only in case. */
function renamed(card: SketchCard, sketch: Sketch): OpenStatement['gap'] | undefined {
  const { expression = '', index } = formulaIn(card) ?? {};
  const formula = parseFormula(expression);
  const name = isProblem(formula) ? undefined : (assignmentIn(formula) ?? boundsIn(formula))?.name;
  if (name === undefined || card.card_type !== 'constraint' || index !== undefined) return undefined;
  const twin = sketch.caseVariantOf(name, card);
  return twin === undefined ? undefined : { field: 'expression', message: inCaseAlone(name, twin) };
}

const hasInText = ({ data }: SketchCard, name: string): boolean =>
  Object.values(data).some((text) => typeof text === 'string' && text.match(WORD)?.includes(name) === true);

/** Returns the gap for a formula that uses the name of an objective or a constraint. */
function misnamed(
  card: SketchCard,
  cardOf: (name: string) => SketchCard | undefined,
): OpenStatement['gap'] | undefined {
  const { expression = '', index } = formulaIn(card) ?? {};
  const other = namesInText(expression, index).map(cardOf).find(Boolean);
  if (other === undefined) return undefined;
  return { field: 'expression', message: namesCard(other.label, other) };
}
