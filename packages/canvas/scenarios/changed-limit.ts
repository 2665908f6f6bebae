import { type Arithmetic, changed } from '../model/adjustments.js';
import {
  type Formula,
  type FormulaProblem,
  isProblem,
  Lexer,
  mentionsOf,
  parseFormula,
  type Token,
} from '../../modelling/index.js';

/**
 * Changes the limit of a constraint, which is the side of the relation without variables.
 *
 * @param isVariable whether a name is a variable
 * @returns the formula with the new limit
 */
export function changedLimit(
  text: string,
  change: Arithmetic,
  isVariable: (name: string) => boolean,
): string | FormulaProblem {
  const formula = parseFormula(text);
  if (isProblem(formula)) return formula;
  const sides = sidesOf(text, formula);
  if (sides === undefined) return { problem: 'the sides of its formula cannot be identified' };
  const limits = sides.filter(({ text: side }) => isLimit(side, isVariable));
  const [limit, other] = limits;
  if (limit === undefined) return { problem: 'its formula has variables on both sides, so it has no single limit' };
  if (other !== undefined) return { problem: 'its formula has two limits: change the card instead' };
  const side = limit.text.trim();
  const figure = Number(side);
  const value = Number.isFinite(figure) ? String(changed(figure, change)) : withArithmetic(side, change);
  const result = `${text.slice(0, limit.from)} ${value} ${text.slice(limit.from + limit.text.length)}`.trim();
  const read = parseFormula(result);
  return isProblem(read) ? read : result;
}

interface Side {
  text: string;
  from: number;
}

/**
 * Splits the text of a formula into its sides, without its condition. A relation sign only counts if the text on both sides is a
 * valid expression.
 */
function sidesOf(text: string, { relations, when }: Formula): Side[] | undefined {
  const tokens: Token[] = [];
  const lexer = new Lexer(text);
  for (let token = lexer.next(); token.kind !== 'end'; token = lexer.next(token)) tokens.push(token);
  const from = when === undefined ? 0 : endOfCondition(text, tokens);
  const signs = tokens.filter(({ kind, position }) => kind === 'relation' && position >= from);
  const choices = relations.length === 1 ? signs.map((sign) => [sign]) : relations.length === 2 ? pairsOf(signs) : [];
  return choices.map((chosen) => cut(text, from, chosen)).find((sides) => sides.every(isExpression));
}

/** Returns the position after the keyword `then` of the condition. A choice in the formula may contain the same keyword. */
function endOfCondition(text: string, tokens: readonly Token[]): number {
  const ends = tokens.filter((token) => token.text === 'then').map(endOf);
  return ends.find((end) => isConditional(`${text.slice(0, end)} 0 <= 0`)) ?? 0;
}

function isConditional(text: string): boolean {
  const formula = parseFormula(text);
  return !isProblem(formula) && formula.when !== undefined;
}

const endOf = ({ position, written }: Token): number => position + written.length;

const pairsOf = (signs: readonly Token[]): Token[][] =>
  signs.flatMap((one, at) => signs.slice(at + 1).map((other) => [one, other]));

function cut(text: string, begin: number, signs: readonly Token[]): Side[] {
  const starts = [begin, ...signs.map(endOf)];
  const ends = [...signs.map(({ position }) => position), text.length];
  return starts.map((from, at) => ({ text: text.slice(from, ends[at]), from }));
}

function isExpression({ text }: Side): boolean {
  const formula = parseFormula(text);
  return !isProblem(formula) && formula.relations.length === 0;
}

function isLimit(side: string, isVariable: (name: string) => boolean): boolean {
  const formula = parseFormula(side);
  return !isProblem(formula) && !mentionsOf(formula, undefined).some(isVariable);
}

const withArithmetic = (side: string, { times, plus, to }: Arithmetic): string =>
  to !== undefined ? String(to) : times !== undefined ? `(${side}) * ${times}` : `(${side}) + ${plus ?? 0}`;
