import { isName, isProblem, parseFormula, splitIndex } from '../modelling/index.js';
import { MAX_STATEMENT, readStatement } from './grammar.js';
import { foreignParts } from './foreign-cards.js';
import { splitTables } from './pasted-tables.js';
import { splitCounts, splitLabel } from './relation-grammar.js';

/*
 * Splits text into statements at line breaks and semicolons. A statement continues on the next line if that line begins with an
 * operator, an index or the condition of an index. It also continues after an operator, an open bracket or a comma. Whether a
 * `-` is an operator or a list bullet depends on the other lines. `# ...` and `// ...` are comments, either on a separate line
 * or after a statement. A comment between two lines does not separate them.
 */

const SEPARATOR = /(\r\n|[\n\r\u2028\u2029;\u037e])/;
/** Horizontal rules, table rules and code fences in Markdown. */
const RULE = /^(?:[-: |]{3,}|={3,}|\*{3,}|_{3,}|~{3,}|`{3,}\w*)$/;
/** Short rules and headings in Markdown. */
const HEADING = /^(?:[-=*_+~]{2,}|#+ .*)$/;
/** Start of a comment. Excludes numbers as in `machine #2` and paths as in `https://`. */
const COMMENT = /(?<![^\s])(?:#(?! ?\d)|\/\/)/;
const OPEN_END = /(?:[-+/·×÷−(<>=≤≥[{]|[^*]\*)$/;
const OBJECTIVE = /^(?:(?:objective|goal)s?|max(?:imi[sz]e)?|min(?:imi[sz]e)?)\b/i;
const COMPUTE = /^compute (?:the )?/i;
const RELATION = /[<>=≤≥]/;
const SIGN = /^[-+*/·×÷−]/;
/** List marker, as in `- x`, `2) x` and `2. x`. In `2.x`, `2.` is also a marker because it cannot be a number. */
const BULLET = /^(?<indent>\s*)(?:(?<mark>[-*•+]|\d{1,4}(?:\.\)?|\))) +|\d{1,4}\.(?!e[-+]?\d)(?=[\p{L}_]))/iu;
/** List marker that may also be a number in a formula: `2. - x`, `2. <= x`. */
const NUMBER_BEFORE_SIGN = /^\d+\. +[-+*/·×÷−<>=≤≥]/;
const NUMBERED_LINE = /^[ \t]*\d{1,4}\. /gm;
const IN_PARENTHESES = /^[ \t]*\((?<number>\d{1,4})\) /gm;
const DASHED_RELATION = /^[ \t]*- .*[<>=≤≥]/gm;
const LIMITED_NAME = /^[\p{L}_][^-+*/·×÷−<>=≤≥]*[<>=≤≥]/u;
const LIMITED_FIGURE = /^[\d.,]+ ?[<>=≤≥]/;
const FORMULA = /[:<>=≤≥[\]\d]/;
const THREE_WORDS = /(?<!\p{L})\p{L}{2,} \p{L}+ \p{L}{2,}/u;
/** Beginning of a condition after an index. `with` and `given` are not valid there and are reported. */
const CONDITION = /^(?:where|with|given) /i;
const MORE_CONDITIONS = /^(?:and|or) /i;
/** Beginning of a constraint under a condition. In `if + x <= 3`, `if` is a name. */
const IF = /^if(?: (?![-+*/·×÷−<>=≤≥])|\()/i;
/** End of a line that only lacks the constraint. */
const AFTER_THEN = / then[:,]?\s*$/i;
/** Words that continue a constraint under a condition on the next line. */
const MORE_OF_IF = /^(?:(?:then|else|otherwise)\b|(?:and|or)\b(?<rest>.*))/i;
const GREETING =
  /^(?:hello|hi|hey|dear|thanks|thank|ok|okay|yes|no|so|well|please|now|then|first|next|finally|also)\b/i;
/** Phrases that may follow an objective: `maximize 3x + 2y subject to x + y <= 4`. */
const SUBJECT_TO = / (?:subject to|such that|s\.t\.)[ :]/i;

/**
 * Yields the statements in text, without list markers and code marks. Unicode normalization turns a Greek question mark into a
 * semicolon, which also separates statements. Statements are processed lazily, so that long text does not block the process.
 */
export function* splitStatements(text: string): Generator<string> {
  for (const { text: said, isForeign } of foreignParts(text)) {
    if (isForeign) {
      yield said;
      continue;
    }
    for (const part of splitTables(said)) {
      if ('statements' in part) yield* part.statements;
      else yield* splitLines(part.text);
    }
  }
}

function* splitLines(text: string): Generator<string> {
  const list = listIn(text);
  for (const line of joinLines(text)) {
    for (const part of withoutConstraint(line)) {
      const trimmed = part.trim();
      // Normalizing long runs of combining marks takes quadratic time.
      const statement = trimmed.length > MAX_STATEMENT ? trimmed : unmarked(trimmed.normalize('NFC'), list);
      if (statement !== '' && !RULE.test(statement)) yield statement;
    }
  }
}

/** Splits text at its separators and joins continuation lines. */
function* joinLines(text: string): Generator<string> {
  const pieces = text.split(SEPARATOR);
  let statement = '';
  let isFormula: boolean | undefined;
  /** Marker of the list that begins after `then`. */
  let list: string | undefined;
  let isComment = false;
  for (let at = 0; at < pieces.length; at += 2) {
    const isNewLine = at > 0 && !/[;\u037e]/.test(pieces[at - 1] ?? '');
    isComment &&= !isNewLine;
    const piece = pieces[at] ?? '';
    const line: string = isComment ? '' : withoutComment(piece);
    isComment ||= line !== piece;
    if (isComment && line === '') continue;
    const isShort = Math.max(statement.length, line.length) <= MAX_STATEMENT;
    if (isNewLine && isShort && list !== undefined && markerOf(line) === list) {
      // The condition must be repeated for each item, and the comma makes the guide say so.
      statement += `, ${withoutBullet(line.trim())}`;
      continue;
    }
    if (isNewLine && isShort && continues(statement, line, () => (isFormula ??= isOpenFormula(statement)))) {
      const isAfterThen = AFTER_THEN.test(statement);
      statement += ` ${isAfterThen ? unmarked(line.trim(), NO_LIST) : line.trim()}`;
      if (isAfterThen) list = markerOf(line);
      continue;
    }
    if (statement !== '') yield statement;
    [statement, isFormula, list] = [line, undefined, undefined];
  }
  yield statement;
}

/** Removes the comment at the end of a line. Keeps the comment if the text before it is not a statement. */
function withoutComment(line: string): string {
  const at = line.length > MAX_STATEMENT ? -1 : line.search(COMMENT);
  if (at < 0) return line;
  const head = line.slice(0, at).trimEnd();
  const isInText = (head.split('"').length - 1) % 2 === 1;
  return isInText || !mayEnd(head.trim()) ? line : head;
}

/** Whether a comment may follow the given text. The text must be a complete or partial statement, but not prose. */
const mayEnd = (text: string): boolean =>
  text === '' ||
  OPEN_END.test(text) ||
  isOpenIf(text) ||
  /[,:]$/.test(text) ||
  isWhole(text) ||
  isTerm(text) ||
  isFormula(text);

const isFormula = (text: string): boolean =>
  !isProblem(parseFormula(splitCounts(splitLabel(withoutBullet(text)).body).rest));

const isDecoration = (line: string): boolean => RULE.test(line) || HEADING.test(line);

/** Whether a line continues the preceding statement. */
function continues(statement: string, line: string, isFormula: () => boolean): boolean {
  const [before, next] = [statement.trim(), line.trim()];
  if (before === '' || next === '' || isDecoration(before) || isDecoration(next)) return false;
  if (/^(?:[<>=]?=|≤|≥)/.test(next)) return !isProse(before);
  if (/^[<>]/.test(next)) return isFormula() && isTerm(next);
  if (isOfIndex(before, next) || isOfIf(statement, line)) return true;
  const fits = (): boolean => !isWhole(next) || isWhole(`${before} ${next}`);
  if (before.endsWith(',')) return continuesList(before, next) && fits();
  if (OPEN_END.test(before)) return !isProse(before) && !beginsStatement(next) && fits();
  // Below a line that ends with a colon, `-` may be a bullet or a minus.
  if (before.endsWith(':'))
    return OBJECTIVE.test(withoutBullet(before)) && !BULLET.test(line) && !beginsStatement(next);
  return SIGN.test(next) && continuesFormula(statement, line, isFormula);
}

/**
 * Whether the next line is the index or condition of a statement such as `Cap: make[p] <= limit[p]`. It may be
 * `for p in products` or `where limit[p] < 4`, for example. A line with a complete index is a separate statement.
 */
function isOfIndex(before: string, next: string): boolean {
  if (/^for /i.test(next)) return !isProse(before) && splitIndex(`x ${next}`) !== undefined;
  const isCondition = CONDITION.test(next) || (MORE_CONDITIONS.test(next) && / where /i.test(before));
  return isCondition && !OBJECTIVE.test(before) && splitIndex(before) !== undefined && splitIndex(next) === undefined;
}

/** Whether the next line continues a constraint under a condition: `if open = 0 then` and `x <= 5`. */
function isOfIf(statement: string, line: string): boolean {
  if (!isIf(statement)) return false;
  const next = line.trim();
  const { rest = '' } = MORE_OF_IF.exec(next)?.groups ?? {};
  if (MORE_OF_IF.test(next)) return !beginsStatement(rest.trim());
  const isSibling = BULLET.test(line) && markerOf(line) === markerOf(statement);
  return isOpenIf(statement.trim()) && !isSibling && !beginsStatement(withoutBullet(next));
}

const isIf = (text: string): boolean => IF.test(splitLabel(withoutBullet(text.trim())).body);

/** Whether a constraint under a condition has no relation after `then` yet. */
function isOpenIf(text: string): boolean {
  if (!isIf(text)) return false;
  const at = text.search(/ then\b/i);
  return at < 0 ? RELATION.test(text) : AFTER_THEN.test(text) || (!RELATION.test(text.slice(at)) && !isProse(text));
}

/** Whether the next line continues a list, as in `shifts: early, late,` and `night`, or in `x, y,` and `z integer`. */
function continuesList(before: string, next: string): boolean {
  if (BULLET.test(next) || GREETING.test(before) || OBJECTIVE.test(next)) return false;
  const isIndex = before.endsWith(',') && /\b(?:sum|for) /.test(before.slice(before.lastIndexOf(':') + 1));
  if (!isIndex && (beginsStatement(next) || (isWhole(before.slice(0, -1)) && isWhole(next)))) return false;
  return FORMULA.test(before) || /^[^ ,]+(?:, ?[^ ,]+)*,$/.test(before);
}

/**
 * Whether the next line continues a formula, as in `maximize profit: 30 chairs` and `+ 50 tables`. A new list item does not
 * continue a formula.
 */
function continuesFormula(statement: string, line: string, isFormula: () => boolean): boolean {
  const [item, sibling] = [BULLET.exec(statement)?.groups, BULLET.exec(line)?.groups];
  const isSibling = item?.['mark'] === sibling?.['mark'] && (item?.['indent'] ?? '') === (sibling?.['indent'] ?? '');
  if (sibling !== undefined && isSibling) return false;
  const next = line.trim();
  const rest = next.slice(1).trim();
  if (beginsStatement(rest) || isProse(rest)) return false;
  const begun = withoutBullet(statement.trim());
  // A relation does not continue an objective or a statement that already has a relation.
  if (RELATION.test(next) && (RELATION.test(begun) || OBJECTIVE.test(begun))) return false;
  if (begun.split('(').length > begun.split(')').length) return true;
  // A single name is probably a heading, unless a sign that cannot be a bullet follows.
  const isOpen = isFormula() || (/^[+/]/.test(next) && isName(begun));
  return isOpen && (isTerm(next) || !isWhole(rest));
}

/** Whether a statement ends with a formula that may continue. */
function isOpenFormula(statement: string): boolean {
  const begun = withoutBullet(statement.trim());
  const { label, body } = splitLabel(begun);
  if (OBJECTIVE.test(begun)) return label !== undefined || /\d/.test(body);
  const formula = parseFormula(splitCounts(body.replace(COMPUTE, '')).rest);
  return !isProblem(formula) && (label !== undefined || formula.sides.length > 1 || formula.sides[0].kind !== 'name');
}

/** Whether the terms in a line may continue a formula. */
function isTerm(line: string): boolean {
  const { rest } = splitCounts(line);
  const { body } = splitIndex(rest) ?? { body: rest };
  return !isProblem(parseFormula(`x ${body.replace(OPEN_END, (end) => end.replace(/.$/, ''))}`));
}

const beginsStatement = (line: string): boolean => OBJECTIVE.test(line) || splitLabel(line).label !== undefined;

/**
 * Whether a line is a complete statement. A variable with a unit does not count, because `t in weeks` may belong to an index.
 */
function isWhole(line: string): boolean {
  const { statement } = readStatement(line);
  return statement !== undefined && !(statement.kind === 'variables' && !statement.declares);
}

const isProse = (line: string): boolean => !FORMULA.test(line) && THREE_WORDS.test(line);

/** Returns the indentation and the kind of a list marker. Returns undefined for other lines. */
function markerOf(line: string): string | undefined {
  const { indent = '', mark } = BULLET.exec(line)?.groups ?? {};
  return mark === undefined ? undefined : `${indent}${mark.replace(/\d+/, '1')}`;
}

const withoutBullet = (line: string): string => line.replace(BULLET, '');

/** Splits a line into an objective and the constraint that follows it. */
function withoutConstraint(line: string): string[] {
  const at = line.search(SUBJECT_TO);
  const first = line.slice(0, Math.max(0, at)).replace(/,$/, '');
  return /\bm(?:ax|in)(?:imi[sz]e)?\b/i.test(first) ? [first, line.slice(at)] : [line];
}

/** List markers that occur on several lines. Only then do these lines form a list. */
interface List {
  isDashed: boolean;
  isNumbered: boolean;
  /** Whether lines are numbered `(1)`, `(2)` and so on. Other numbers in parentheses are factors. */
  isInParentheses: boolean;
}

const NO_LIST: List = { isDashed: false, isNumbered: false, isInParentheses: false };

function listIn(text: string): List {
  const numbers = Array.from(text.matchAll(IN_PARENTHESES), ({ groups }) => Number(groups?.['number']));
  return {
    isDashed: (text.match(DASHED_RELATION) ?? []).length > 1,
    isNumbered: (text.match(NUMBERED_LINE) ?? []).length > 1,
    isInParentheses: numbers.length > 1 && numbers.every((number, at) => number === (numbers[0] ?? 0) + at),
  };
}

/**
 * Removes the list marker and the code marks from a line. Keeps the minus in `- 2 <= x`, and in `- x + y <= 2` unless the line
 * is in a list. Removes the minus before a single name, because `- x <= 3` would not limit anything.
 */
function unmarked(line: string, list: List): string {
  const code = line.replace(/^`+(?=[^`])(.*[^`])`+$/, '$1').trim();
  const plain = list.isInParentheses ? code.replace(/^\(\d{1,4}\) +/, '') : code;
  const bare = withoutBullet(plain);
  if (bare === plain) return plain;
  const isFormula = isRelation(plain);
  if (/^\d/.test(plain)) {
    const isFigure = NUMBER_BEFORE_SIGN.test(plain) && isFormula && !(list.isNumbered && isRelation(bare));
    return isFigure ? plain : unmarked(bare, { ...list, isDashed: false });
  }
  const isNumbered = /^\d/.test(bare) && withoutBullet(bare) !== bare && !NUMBER_BEFORE_SIGN.test(bare);
  if (isNumbered) return unmarked(bare, list);
  return !isFormula || LIMITED_NAME.test(bare) || (list.isDashed && !LIMITED_FIGURE.test(bare)) ? bare : plain;
}

function isRelation(text: string): boolean {
  const formula = parseFormula(text);
  return !isProblem(formula) && formula.relations.length > 0;
}
