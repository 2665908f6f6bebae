import { FIGURE_WORD, hasFigure, isCompared, isProblem, parseFormula, RELATION_SIGN } from '../modelling/index.js';
import type { Sketch } from './sketch.js';
import type { Statement, StatementOf } from './statement.js';
import { isNearCard, textCard, type UnreadCard } from './unread.js';
import { tidy, WORD } from './words.js';

/*
 * Detects limits that would otherwise be stored as plain text on a card: as the description of a KPI or a requirement, or as a
 * unit. A plan ignores plain text, so such a statement becomes a card with a blocking gap. This also applies to `max 12 tables`
 * if an objective already exists, because the statement is then probably a limit.
 */

const OPERATOR = /[[\]+*]/;
/** `1000 kg` */
const MULTIPLE_UNIT = /^\d[\d.]* \p{L}+[²³\d]?$/u;
/** Maximum number of words that are compared with the names on the canvas. */
const MAX_WORDS = 40;

/** Returns the cards that keep a limit expressed in words. Returns an empty list for other statements. */
export function wordedLimits(statement: Statement, source: string, sketch: Sketch): UnreadCard[] {
  switch (statement.kind) {
    case 'objective':
      return isLimitOfAmount(statement, source, sketch) ? [textCard(source)] : [];
    case 'kpi':
      return isLimitOfKpi(statement, sketch) ? [textCard(source)] : [];
    case 'requirement':
      return isLimitOfRequirement(statement) ? [requirementCard(statement)] : [];
    case 'variables':
    case 'family':
      return isLimitOfUnit(statement.facts.unit ?? '') ? [textCard(source)] : [];
    default:
      return [];
  }
}

/** Matches `max tables = 12`, and `max 12 tables` if it would replace an existing objective. */
function isLimitOfAmount({ label, text }: StatementOf<'objective'>, source: string, sketch: Sketch): boolean {
  if (label !== undefined) return source.includes('=') && sketch.variable(label) !== undefined;
  if (!/^m(?:ax|in) [\d.]/i.test(tidy(source))) return false;
  const formula = parseFormula(text);
  const isSum = isProblem(formula) || formula.sides[0].kind === 'sum';
  return !isSum && sketch.of('objective').some(({ data }) => data['expression'] !== undefined);
}

function isLimitOfKpi({ label, text }: StatementOf<'kpi'>, sketch: Sketch): boolean {
  const formula = parseFormula(text);
  // In a formula without relations, comparisons are parts of conditions.
  if (!isProblem(formula) && formula.relations.length === 0) return false;
  const isFormula = isProblem(formula) && label !== undefined && OPERATOR.test(text);
  return (RELATION_SIGN.test(text) || !isFormula) && isNamed(text, sketch) && (isCompared(text) || /\d/.test(text));
}

/**
 * Whether a requirement limits something that is not on the canvas. If its text contains a name from the canvas, the card
 * itself already reports the problem.
 */
const isLimitOfRequirement = ({ relation, text, quantity }: StatementOf<'requirement'>): boolean =>
  relation === undefined && quantity === undefined && hasFigure(text) && isCompared(text);

/** Returns a requirement card with the text as its invalid formula. */
const requirementCard = ({ label, product, text }: StatementOf<'requirement'>): UnreadCard => ({
  type: 'production_requirement',
  label: label ?? product ?? text,
  data: { description: text, expression: text, index: null, quantity: null, product: null },
});

/** `12 or more`, `steps of 5`, `two to twelve` */
const isLimitOfUnit = (unit: string): boolean =>
  isCompared(unit) ||
  / of \d/.test(unit) ||
  (FIGURE_WORD.test(unit) && unit.includes(' ')) ||
  (/^[^\p{L}]*\d/u.test(unit) && !MULTIPLE_UNIT.test(unit));

/** Whether text contains a name from the canvas, in singular or plural or with a typo. */
const isNamed = (text: string, sketch: Sketch): boolean =>
  (text.match(WORD) ?? [])
    .slice(0, MAX_WORDS)
    .some(
      (word) =>
        [word, `${word}s`, word.replace(/s$/, '')].some((one) => sketch.mentions(one)) || isNearCard(word, sketch),
    );
