import { isLimiting, RELATION_SIGN, wordsOf } from '../modelling/index.js';
import { membersNamed, setsOf } from './named-members.js';
import { namesOf, type Thing, thingNamed, thingsOn } from './named-things.js';
import { PERIOD } from './question-grammar.js';
import type { Sketch } from './sketch.js';
import type { ResultQuestion, StatementOf } from './statement.js';
import type { ParsedStatement } from './turn-work.js';
import { unusedWords } from './word-coverage.js';
import { tidy, without } from './words.js';

/*
 * Recognizes questions that look like statements about the model. The names on the canvas determine whether they are questions.
 */

/** Maximum number of statements in a message with questions. A longer message probably describes a model. */
const MAX_STATEMENTS = 20;
/** Maximum length of a question in characters. */
const MAX_QUESTION = 80;
const ARTICLE = /^(?:the|this|that|which|each|every|all)\b/i;
const FORMULA = /[:[\]{}+*/^·×÷%"“]/;
/** `is labour tight` */
const ASKED = /^(?:how )?(?:is|are|was|were) (?:the |our |my )?/i;
/** `hours used in week 1` */
const PARTICIPLE = / \p{L}+(?:ed|en|nt|lt|et|de|ld)(?= (?:in|on|at|by|for|from|of)\b)/iu;
/** Maximum number of members that are compared with the words in a question. */
const MAX_MEMBERS = 1_000;
const BETWEEN = ['and', 'or', 'in', 'at', 'on', 'for', 'from', 'by', 'of', 'with', 'the'];

/** Converts statements that are questions in the context of this canvas. Returns other statements unchanged. */
export const interpretQuestions = (said: readonly ParsedStatement[], sketch: Sketch): readonly ParsedStatement[] =>
  said.length > MAX_STATEMENTS ? said : said.map((one) => meant(one, sketch));

function meant(said: ParsedStatement, sketch: Sketch): ParsedStatement {
  const { source, reading } = said;
  if (source.length > MAX_QUESTION) return said;
  const { statement } = reading;
  const about =
    statement === undefined
      ? questionIn(source, sketch)
      : statement.kind === 'variables' && isPlace(statement, sketch)
        ? ({ ask: 'value', subject: plainOf(source) } as const)
        : undefined;
  return about === undefined ? said : { source, reading: { statement: { kind: 'question', about, isBare: true } } };
}

const plainOf = (source: string): string => without(tidy(source), ' ?!.');

/** Whether an apparent unit is actually a member of the variable, as in `make in the north` and `make in weeks 1 and 2`. */
function isPlace({ names, facts, declares }: StatementOf<'variables'>, sketch: Sketch): boolean {
  const { unit, ...others } = facts;
  if (declares || unit === undefined || Object.keys(others).length > 0) return false;
  if (ARTICLE.test(unit)) return true;
  const things = thingsOn(sketch).filter(({ kind, name }) => kind === 'family' && names.includes(name));
  const words = wordsOf(unit);
  const isOfSet = (set: string): boolean => words.length > 1 && wordsOf(set).every((word) => words.includes(word));
  return things.some(
    (thing) => membersNamed(unit, [thing], sketch).length > 0 || setsOf(thing, sketch).some((set) => isOfSet(set)),
  );
}

/**
 * Reads a sentence without a relation as a question if its verb asks for something, or if it contains names and no limit on
 * them.
 */
function questionIn(source: string, sketch: Sketch): ResultQuestion | undefined {
  const text = plainOf(source);
  if (RELATION_SIGN.test(text) || FORMULA.test(text) || isLimiting(text.replace(PERIOD, ''))) return undefined;
  const isAsked = ASKED.test(text);
  const said = text.replace(ASKED, '');
  const subject = said.replace(PARTICIPLE, '');
  const things = thingsOn(sketch).filter(({ kind }) => kind !== 'set');
  const unused = unusedIn(subject, sketch);
  const rest =
    isAsked && unused.length === 1
      ? subject
          .replace(unused[0] ?? '', ' ')
          .replace(/ +/g, ' ')
          .trim()
      : subject;
  const constraint = thingNamed(rest, constraintsOf(things));
  const thing = constraint ?? thingNamed(rest, things);
  if (thing === undefined || (rest === subject && unused.length > 0)) return undefined;
  // Questions about the use of a constraint, a value or a column are questions about limits.
  const isOfLimit = constraint !== undefined || thing.kind === 'value' || thing.kind === 'column';
  const isUsed = isAsked || subject !== said;
  if (!isAsked && (!rest.includes(' ') || !beginsWith(rest, thing))) return undefined;
  return isUsed && isOfLimit ? { ask: 'left', subject: rest } : { ask: 'value', subject: rest };
}

const constraintsOf = (things: readonly Thing[]): Thing[] => things.filter(({ kind }) => kind === 'constraint');

const beginsWith = (text: string, { name, card }: Thing): boolean =>
  [name, card?.label ?? name].some((one) => `${wordsOf(text).join(' ')} `.startsWith(`${wordsOf(one).join(' ')} `));

function unusedIn(text: string, sketch: Sketch): string[] {
  const things = thingsOn(sketch);
  const members = [...sketch.vocabulary.sets.values()].flatMap(({ parts = [] }) =>
    parts.flatMap((part) => Array.from(part ?? []).slice(0, MAX_MEMBERS)),
  );
  return unusedWords(text, [...namesOf(things), ...members], BETWEEN);
}
