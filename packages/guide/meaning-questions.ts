import type { Question } from '../conversation/index.js';
import { fieldOf } from '../canvas/index.js';
import { RELATION_SIGN, splitIndex } from '../modelling/index.js';
import type { Choice } from './column-choices.js';
import { readStatement } from './grammar.js';
import { type Meaning, meaningsOf } from './planner-sentences/planner-sentences.js';
import type { OpenStatement } from './open-statements.js';
import { describeOpen } from './describe.js';
import { exampleFor, proposalsFor } from './proposals.js';
import { ask, referTo } from './question-parts.js';
import { bullets, quote } from './quote.js';
import { splitLabel } from './relation-grammar.js';
import { repairedFormulas } from './repaired-formulas.js';
import type { Sketch, SketchCard } from './sketch.js';

/* Proposes meanings for text that could not be parsed. */

/** Maximum number of statements for which a proposal is sought. */
const MAX_STATEMENTS = 20;

/** Asks what the user meant by the first statement for which there is a proposal. */
export function askForMeaning(refused: readonly { source: string }[], sketch: Sketch): Question | undefined {
  for (const { source } of refused.slice(0, MAX_STATEMENTS)) {
    const sentences = readableMeanings(source, sketch).map(({ statements }) => statements.join('; '));
    const proposals = sentences.length > 0 ? sentences : proposalsFor(source, sketch);
    if (proposals.length === 0) continue;
    const choices = proposals.map((one): Choice => [one, one]);
    return ask(undefined, 'Meaning', `What did you mean by ${quote(source)}?`, [
      ...choices,
      ['None of these', 'later'],
    ]);
  }
  return undefined;
}

/** Returns the meanings of a sentence whose statements the guide can read. */
const readableMeanings = (text: string, sketch: Sketch): Meaning[] =>
  meaningsOf(text, sketch).filter(({ statements }) =>
    statements.every((one) => readStatement(one).statement !== undefined),
  );

const VALUE = /^[\p{L}_][\p{L}\p{N}_]* = [\d.]+$/u;

/** Whether a card contains a sentence that the guide can express as formulas. */
export function isMeant(card: SketchCard, sketch: Sketch): boolean {
  const text = fieldOf<string>(card, 'expression') ?? '';
  return card.card_type === 'constraint' && !RELATION_SIGN.test(text) && readableMeanings(text, sketch).length > 0;
}

/** Lists the cards that cannot be understood, and the sentences that the guide can express as formulas. */
export function describeUnread(open: readonly OpenStatement[], sketch: Sketch): string[] {
  const meant = open.filter(({ card }) => isMeant(card, sketch));
  const sentences = meant.map(({ card }) => quote(fieldOf<string>(card, 'expression') ?? ''));
  return [
    ...describeOpen(open.filter((one) => !meant.includes(one))),
    ...(meant.length === 0
      ? []
      : [`A plan needs formulas, so choose what you mean before I can solve the model:\n${bullets(sentences)}`]),
  ];
}

/** Returns options that replace the plain text on a card with a formula. */
export function meantFormulas(card: SketchCard, reference: string, sketch: Sketch): Choice[] {
  const text = fieldOf<string>(card, 'expression') ?? fieldOf<string>(card, 'description') ?? '';
  const repaired = repairedFormulas(text, fieldOf<string>(card, 'index'), sketch);
  const sentences = readableMeanings(text, sketch).map(({ statements, others = [] }): Choice => {
    const removed = others.filter((one) => one !== card).map((one) => `remove ${referTo(one, sketch)}`);
    return [statements.join('; '), [`remove ${reference}`, ...removed, ...statements].join('; ')];
  });
  const proposals = [...new Set([...repaired, ...proposalsFor(text, sketch)])];
  // A formula over the columns of the user's own data is more useful than a value that no formula contains.
  const isValue = sentences.every(([statement]) => VALUE.test(statement));
  const columns = isValue ? proposals.filter((proposal) => proposal.includes('[')) : [];
  if (sentences.length > 0 && columns.length === 0) return sentences;
  const formulas = (sentences.length > 0 ? columns : proposals).map((proposal): Choice => {
    // A proposal that has a label or assigns a value replaces the whole card.
    if (splitLabel(proposal).label !== undefined || VALUE.test(proposal))
      return [proposal, `remove ${reference}; ${proposal}`];
    const { body, index } = splitIndex(proposal) ?? { body: proposal };
    const statements = [
      `set ${reference} expression: ${body.trim()}`,
      ...(index === undefined ? [] : [`set ${reference} index: ${index}`]),
    ];
    return [proposal, statements.join('; ')];
  });
  return [...formulas, ...sentences];
}

/** Returns an example that uses names from the canvas. */
export function describeExample(sketch: Sketch): string[] {
  const example = exampleFor(sketch);
  return example === undefined
    ? []
    : [`The model is unchanged. Write limits as in ${quote(example)}. Write \`help\` to see other statements.`];
}
