import { readStatement } from '../grammar.js';
import { type Dialect, DIALECTS } from './tree.js';

/*
 * Finds lines of AMPL, GAMS and Pyomo in a message, and splits them into statements. A message is only searched for such
 * lines if at least one of them cannot belong to any other language.
 */

/** Maximum length of the text that is searched, and of a line. */
const MAX_FOREIGN = 20_000;
const MAX_LINE = 2_000;

const SIGNALS: Record<Dialect, readonly RegExp[]> = {
  AMPL: [
    /^(?:var|param|set)\s+\w+\s*\{/,
    /^(?:set|param)\s+\w+\s*:?=\s*\S/,
    /^(?:set|param)\s+\w+\s*;/,
    /^param\s*:/,
    /^param\s+\w+\s*(?:\b(?:default|integer|symbolic)\b|>=?|:)/,
    /^(?:maximize|minimize)\s+\w+\s*\{/,
    /\bsum\s*\{/,
    /^(?:subject to|subj to|s\.t\.)\s+\w+\s*\{/,
    /^\w+\s*\{[^{}]*\}\s*:/,
    /^var\s+\w+\s[^,]*,\s*(?:>=|<=|integer\b|binary\b)/,
  ],
  GAMS: [
    /(?:^|[^<>=])=[elg]=(?!=)/i,
    /^(?:positive|negative)\s+variables?\s+\w/i,
    /^(?:free|binary|integer|nonnegative|semicont|semiint)?\s*(?:parameters?|variables?|equations?|table|sets?)\s+\w+\s*\(\s*\w+\s*(?:,\s*\w+\s*)*\)/i,
    /^\w+\.(?:up|lo|fx)\s*(?:\([^()]*\)\s*)?=/i,
    /^sets?\s+\w[^/:=]*\/[^/]+\//i,
    /^(?:scalars?|parameters?)\s+\w[^/:=]*\/[^/]+\//i,
    /^solve\s+\w+\s+(?:using\s+\w+\s+)?(?:min|max)imi[sz]ing\s+\w/i,
    /^alias\s*\(\s*\w+\s*,/i,
  ],
  Pyomo: [
    /\b\w+\.\w+\s*=\s*(?:\w+\.)?(?:Var|Objective|Constraint|ConstraintList|Param|Set|RangeSet)\s*\(/,
    /^def\s+\w+\s*\(\s*\w[^()]*\)\s*:/,
    /^(?:from|import)\s+pyomo\b/,
    /\b(?:ConcreteModel|AbstractModel)\s*\(/,
    /^\w+\.\w+\.add\s*\(/,
  ],
};
/** Words that begin a statement, even if the semicolon before them is missing. */
const KEYWORDS = {
  AMPL: /^(?:(?:var|param|set|maximize|minimize|option|display|printf?|let|fix|check)(?![\w.])|(?:solve|data|model|end|reset)\s*;|subject to\b|subj to\b|s\.t\.)/,
  GAMS: /^(?:(?:(?:positive|nonnegative|negative|free|binary|integer|semicont|semiint|sos1|sos2)\s+)?variables?\b|(?:sets?|parameters?|scalars?|table|equations?|alias|model|display|options?|\$\w+)(?!\w)|solve\s+\w+\s+(?:using|min|max)|\w+\s*(?:\([^()]*\)\s*)?(?:\$[^.]*)?\.\.|\w+\.(?:up|lo|fx|l|m|scale)\b)/i,
};
/** Beginning of a statement without such a word. */
const NAMED = {
  AMPL: /^\w+\s*(?:\{|:(?!=).*[<>=])/,
  GAMS: /^\w+\s*(?:\([^()]*\)\s*)?(?:\$[^=;]*)?=[^;]*;/i,
};
/** Statement with a name that also begins without a semicolon before it. */
const LABELED = /^\w+\s*(?:\{[^}]*\}\s*)?:(?!=).*[<>=]/;
const PYTHON =
  /^(?:(?:from|import)\s+\w|def\s+\w+\s*\(|return\b|@\w|(?:print|SolverFactory)\s*\(|\w+(?:\.\w+)+\s*(?:=|\(|\[)|\w+\s*=\s*(?:[[{(]|range\s*\(|-?[\d.]+\s*$|\w+(?:\.\w+)*\s*\()|if\s+__name__)/;
/** Statement that may contain several words after each other. */
const LISTS = /^(?:sets?|parameters?|scalars?|table|equations?|\w+ +variables?|variables?)\b|:=/i;
const WORDS_ONLY = /^[\p{L}'’,.!?: -]+$/u;
const THREE_WORDS = /(?<!\p{L})\p{L}+ \p{L}+ \p{L}/u;

type Part = { text: string } | { dialect: Dialect; statements: string[] };

/** Returns the language of a text, or undefined if it has no line in another language. */
function dialectOf(text: string): Dialect | undefined {
  const counts = new Map<Dialect, number>();
  for (const line of linesOf(text.slice(0, MAX_FOREIGN)))
    for (const dialect of DIALECTS)
      if (SIGNALS[dialect].some((signal) => signal.test(line))) counts.set(dialect, (counts.get(dialect) ?? 0) + 1);
  const [first] = [...counts].sort(([, one], [, other]) => other - one);
  return first?.[0];
}

/** Lines and the pieces between semicolons. */
function* linesOf(text: string): Generator<string> {
  for (const line of text.split('\n')) {
    if (line.length > MAX_LINE) continue;
    const pieces = line.split(/(?<=;)/);
    for (const piece of pieces) yield piece.trim();
  }
}

/** Splits a message into statements in another language and other text. The statements become a single part. */
export function splitForeign(text: string): Part[] {
  const dialect = dialectOf(text);
  if (dialect === undefined || text.length > MAX_FOREIGN) return [{ text }];
  const parts: Part[] = [];
  const statements: string[] = [];
  const pieces = dialect === 'Pyomo' ? pythonPieces(text) : algebraPieces(text, dialect);
  let other = '';
  const flush = (): void => {
    if (other.trim() !== '') parts.push({ text: other });
    other = '';
  };
  for (const { isCode, text: piece } of pieces) {
    if (!isCode) {
      other += `${piece}\n`;
      continue;
    }
    if (statements.length === 0) {
      flush();
      parts.push({ dialect, statements });
    }
    statements.push(piece);
  }
  flush();
  return parts;
}

interface Piece {
  isCode: boolean;
  text: string;
}

function* algebraPieces(source: string, dialect: 'AMPL' | 'GAMS'): Generator<Piece> {
  const lines = withoutComments(source, dialect).split('\n');
  const isEnded = endedLines(lines, dialect);
  let statement = '';
  for (const [at, line] of lines.entries()) {
    const isListed = isEnded[at] === true && LISTS.test(statement);
    const isOther = isFence(line) || (!isListed && !KEYWORDS[dialect].test(line.trim()) && isProse(line));
    const isNew = isOther || KEYWORDS[dialect].test(line.trim()) || (isEnded[at] !== true && LABELED.test(line.trim()));
    if (isNew && statement.trim() !== '') {
      yield withoutSemicolon(statement, dialect);
      statement = '';
    }
    if (isOther) {
      if (!isFence(line)) yield { isCode: false, text: line };
      continue;
    }
    const pieces = line.split(';');
    for (const [place, piece] of pieces.entries()) {
      const isLast = place === pieces.length - 1;
      const begun = `${piece.trim()}${isLast ? '' : ';'}`;
      const isCode = statement.trim() !== '' || KEYWORDS[dialect].test(begun) || NAMED[dialect].test(begun);
      if (isCode) statement += `${piece}\n`;
      else if (piece.trim() !== '') yield { isCode: false, text: piece.trim() };
      if (!isLast && statement.trim() !== '') {
        yield { isCode: true, text: statement.trim() };
        statement = '';
      }
    }
  }
  if (statement.trim() !== '') yield withoutSemicolon(statement, dialect);
}

/** A statement of the guide without a semicolon is not code, even if it looks similar. */
function withoutSemicolon(statement: string, dialect: 'AMPL' | 'GAMS'): Piece {
  const text = statement.trim();
  const isForeign = /[{}$]|:=/.test(text) || SIGNALS[dialect].some((signal) => signal.test(text));
  const isOwn = !isForeign && readStatement(text).statement !== undefined;
  return { isCode: !isOwn, text };
}

/** Determines for each line whether a semicolon ends its statement, in this line or below. */
function endedLines(lines: readonly string[], dialect: 'AMPL' | 'GAMS'): boolean[] {
  const ended: boolean[] = [];
  let isEnded = false;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? '';
    if (isFence(line)) isEnded = false;
    ended[at] = isEnded || line.includes(';');
    isEnded = !KEYWORDS[dialect].test(line.trim()) && ended[at] === true;
  }
  return ended;
}

const isFence = (line: string): boolean => /^\s*```/.test(line);
function isProse(line: string): boolean {
  const [first = ''] = line.split(';');
  return WORDS_ONLY.test(first.trim()) && THREE_WORDS.test(first);
}

function withoutComments(text: string, dialect: 'AMPL' | 'GAMS'): string {
  if (dialect === 'AMPL') return text.replace(/\/\*[^*]*\*\//g, ' ').replace(/#.*/g, '');
  let isText = false;
  const lines = text.split('\n').filter((line) => {
    if (/^\$ontext/i.test(line)) isText = true;
    const isKept = !isText && !line.startsWith('*');
    if (/^\$offtext/i.test(line)) isText = false;
    return isKept;
  });
  return lines.join('\n');
}

/** Splits Python into logical lines. The lines of a function are a single piece. */
function* pythonPieces(source: string): Generator<Piece> {
  let [statement, depth, isFunction] = ['', 0, false];
  for (const raw of source.split('\n')) {
    const comment = raw.search(/(?<![^\s])#/);
    const line = (comment < 0 ? raw : raw.slice(0, comment)).trimEnd();
    if (/^\s*```/.test(line) || line.trim() === '') continue;
    const isBody = isFunction && depth === 0 && /^\s/.test(line);
    const isOpen = depth > 0 || isBody || /^@.*\)$/.test(statement);
    if (!isOpen) {
      if (statement !== '') yield { isCode: true, text: statement };
      statement = '';
      isFunction = false;
      if (!PYTHON.test(line.trim())) {
        yield { isCode: false, text: line };
        continue;
      }
    }
    statement += `${statement === '' ? '' : ' '}${line.trim()}`;
    isFunction ||= /^\s*def\b/.test(line);
    depth = Math.max(0, depth + bracketsIn(line));
  }
  if (statement !== '') yield { isCode: true, text: statement };
}

const bracketsIn = (line: string): number => (line.match(/[([{]/g)?.length ?? 0) - (line.match(/[)\]}]/g)?.length ?? 0);
