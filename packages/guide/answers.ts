import { isDeepStrictEqual } from 'node:util';
import { type Message, type Question, type QuestionAnswer, questionsOf } from '../conversation/index.js';
import { hasFigure, isLimiting, isName, isProblem, parseFormula, parseIndex } from '../modelling/index.js';
import { whyNoDefinition } from './definition-grammar.js';
import { isForeign } from './foreign-cards.js';
import { readStatement } from './grammar.js';
import { whyAmounts } from './index-grammar.js';
import { splitStatements } from './lines.js';
import { splitLabel } from './relation-grammar.js';
import { isReserved } from './reserved-names.js';
import { isOfScenario } from './scenario-grammar.js';
import type { Reading, Statement } from './statement.js';
import { spelledAsOption, typedOptions } from './typed-options.js';
import { figureOf, NO_NAME, tidy } from './words.js';

/** Placeholder in the id of a question. It is replaced with the free-text answer. */
export const BLANK = '…';
/** Maximum length of an answer in a plain message that does not refer to the question. */
const MAX_REPLY_LENGTH = 80;

/** Statement from the messages in a turn. */
export interface Saying {
  /** The user's original text. */
  source: string;
  read: () => Reading;
}

/**
 * Returns the statements in the messages to answer, in order. The statements of a chosen option come from its description.
 * Other text is parsed as statements or, if that fails, as an answer to the question. Each statement is parsed lazily.
 */
export function* statementsIn(messages: readonly Message[]): Generator<Saying> {
  for (const [index, message] of messages.entries()) {
    if (!message.to_answer) continue;
    const earlier = messages.slice(0, index);
    const { content, answer } = message;
    if (answer === null) {
      yield* sayings(content, openQuestion(earlier), false);
      continue;
    }
    const question = answeredQuestion(earlier, answer);
    const chosen = Object.values(answer.selections ?? {}).flat();
    const words = answer.other_text ?? '';
    for (const label of chosen) yield* choice(label, question);
    // For a single-choice question, text that accompanies the chosen option is not a second answer.
    yield* sayings(words, chosen.length === 0 || question?.multi_select === true ? question : undefined, true);
    // Clients may repeat the chosen options in the text.
    const isRepeated = [...chosen, words, chosen.join(', ')].some((text) => text.trim() === content.trim());
    if (!isRepeated) yield* sayings(content, undefined, false);
  }
}

/** Returns the statements in a chosen option. Rejects a label that does not belong to a question. */
function* choice(label: string, question: Question | undefined): Generator<Saying> {
  const statements = question?.options.find((option) => option.label === label)?.description;
  if (statements === undefined)
    yield { source: label, read: () => ({ reason: 'it does not answer an open question' }) };
  else for (const text of splitStatements(statements)) yield { source: text, read: () => readStatement(text) };
}

function* sayings(text: string, question: Question | undefined, isAnswer: boolean): Generator<Saying> {
  const typed = question === undefined ? [] : typedOptions(text, question);
  if (typed.length > 0) {
    for (const label of typed) yield* choice(label, question);
    return;
  }
  const mayReply = isAnswer || (text.length <= MAX_REPLY_LENGTH && !/[?!]$/.test(text.trimEnd()) && isSingle(text));
  const pattern = question?.id?.includes(BLANK) === true ? question.id : undefined;
  let isAnswered = question === undefined;
  for (const source of splitStatements(text)) {
    if (isForeign(source)) {
      yield { source, read: () => ({}) };
      continue;
    }
    const [label] = isAnswered ? [] : typedOptions(source, question!);
    if (label !== undefined) {
      isAnswered = question?.multi_select !== true;
      yield* choice(label, question);
      continue;
    }
    const spelled = isAnswered ? source : spelledAsOption(source, question!);
    const readBeside = (): Reading => {
      const answer = isAnswered || pattern === undefined ? undefined : answerBeside(spelled, pattern);
      isAnswered ||= answer !== undefined;
      return answer ?? read(source, undefined);
    };
    yield { source, read: mayReply ? () => read(spelled, pattern) : readBeside };
  }
}

const isSingle = (text: string): boolean => Array.from(splitStatements(text)).length === 1;

/**
 * Parses a line as an answer although the message contains other statements. Only accepts an answer that cannot be a name:
 * `continuous`, `hard` or a number.
 */
function answerBeside(line: string, pattern: string): Reading | undefined {
  if (line.length > MAX_REPLY_LENGTH || readStatement(line).statement !== undefined || isOfScenario(line))
    return undefined;
  const reading = readStatement(pattern.replace(BLANK, () => line));
  const { statement } = reading;
  const isFact = statement?.kind === 'variables' || statement?.kind === 'family' || statement?.kind === 'classify';
  return isFact || (statement?.kind === 'set' && figureOf(line) !== undefined) ? reading : undefined;
}

/** Parses a line as a statement. If that fails, inserts it into the pattern for answers. */
function read(line: string, pattern: string | undefined): Reading {
  const figure = figureFor(line, pattern);
  if (figure !== undefined) return readStatement(figure);
  const alone = readStatement(line);
  // Scenario changes, lists of numbers and definitions are not plain-text answers.
  const isNoAnswer = (): boolean =>
    ('reason' in alone && isOfScenario(line)) ||
    (whyAmounts(line) ?? whyNoDefinition(line)) !== undefined ||
    givesFigures(line);
  if (pattern === undefined || (alone.statement === undefined && isNoAnswer())) return alone;
  // If the answer is `must hold`, it also replaces the verb of the pattern.
  const place = MODAL.test(line) ? / (?:is|are) …$/ : BLANK;
  const inPattern = readStatement(pattern.replace(place, () => (place === BLANK ? line : ` ${line}`)));
  if (isWords(inPattern) && isFormula(line) && 'reason' in alone) return alone;
  // A limit expressed in words is neither a name nor a description.
  const isAmount = inPattern.statement?.kind === 'requirement' && inPattern.statement.quantity !== undefined;
  if (alone.statement === undefined && isLimiting(line) && isWords(inPattern) && !isAmount) return alone;
  const isBare =
    (alone.statement?.kind === 'question' && alone.statement.isBare === true) ||
    (alone.statement?.kind === 'variables' && (isOfIndex(pattern) || alone.statement.names.every(isReserved)));
  if ((alone.statement === undefined || isBare) && !mayFill(line, pattern)) return alone;
  if (inPattern.statement !== undefined && (alone.statement === undefined || isBare || givesFormula(alone, pattern)))
    return inPattern;
  return alone;
}

/** Statements that mark a list as empty, such as `kpi: none`. */
const NOTHING: ReadonlySet<Statement['kind']> = new Set(['no_kpi', 'no_requirement', 'data_in_formulas']);

const MODAL = /^(?:must|may|can|have to|has to) /i;
const GIVEN = /^(?<name>[\p{L}_][\p{L}\p{M}\p{N}_]*)(?: ?:| is| are| equals)(?<body> ?[^:]+)$/iu;
const BETWEEN = /^(?:to|and|or|until|through)$/i;

/** Returns true if a line only assigns numbers to a name: `price is 3`, `weeks: one to four`. */
function givesFigures(line: string): boolean {
  const parts = (GIVEN.exec(line)?.groups?.['body'] ?? '').split(/[ ,-]+|\.\.+/).filter((part) => part !== '');
  return parts.some(hasFigure) && parts.every((part) => hasFigure(part) || BETWEEN.test(part));
}

/** Rewrites `price: 3` and `price is 3` as `price = 3` if the question asks for `price`. Returns undefined for other lines. */
function figureFor(line: string, pattern: string | undefined): string | undefined {
  const asked = /^(?<name>\S+) = …$/.exec(pattern ?? '')?.groups?.['name'];
  const { name, body = '' } = GIVEN.exec(line)?.groups ?? {};
  return asked !== undefined && name === asked && figureOf(body) !== undefined ? `${name} = ${body.trim()}` : undefined;
}

/** Whether a question asks for an index. In an answer to any other question, `t in weeks` could be a unit. */
const isOfIndex = (pattern: string): boolean => pattern.endsWith(` index: ${BLANK}`);

/**
 * Whether a line may be an answer to the question. If the question asks for a number, a sense, a file or a formula, a sentence
 * is not an answer.
 */
function mayFill(line: string, pattern: string): boolean {
  // `yes` is not a name, but `none` is a valid answer about KPIs.
  if (NO_NAME.test(tidy(line)))
    return NOTHING.has(readStatement(pattern.replace(BLANK, () => line)).statement?.kind ?? 'kpi');
  // To set `price` to `cost`, the user must write `price = cost` in full.
  if (pattern.endsWith(` = ${BLANK}`) && isName(line)) return false;
  const field = /^set .+ (?<field>\w+): …$/.exec(pattern)?.groups?.['field'] ?? '';
  if (/^(?:weight|penalty|target|quantity|default)$/.test(field)) return figureOf(line) !== undefined;
  if (field === 'sense') return /^(?:max|min)/i.test(line);
  if (isOfIndex(pattern)) return !isProblem(parseIndex(line));
  if (pattern === `data: ${BLANK}`)
    return (
      !line.includes(' ') ||
      /\.\w{2,8}$/.test(line) ||
      readStatement(`data: ${line}`).statement?.kind === 'data_in_formulas'
    );
  if (field !== 'expression') return field === '' || !isSentence(line);
  // A line with a label is a separate statement.
  if (splitLabel(line).label !== undefined) return false;
  const isAnswer = /^(?:yes|no|ok|okay|sure|nothing|none)\b/i.test(line);
  return !isAnswer && !isProblem(parseFormula(line));
}

/** Whether a line is a limit and has more words than a name or a number. */
const isSentence = (line: string): boolean => isLimiting(line) && line.trim().split(/\s+/).length > 2;

/** Whether a statement consists only of plain text. */
function isWords({ statement }: Reading): boolean {
  if (statement?.kind === 'requirement') return statement.relation === undefined;
  return (statement?.kind === 'kpi' || statement?.kind === 'objective') && isProblem(parseFormula(statement.text));
}

/** Whether a line is meant as a formula. An invalid formula must not be accepted as a free-text answer. */
const isFormula = (line: string): boolean => /[<>=≤≥[\]]/.test(line);

/** Whether a line assigns the requested formula to the name in the question, as in `profit = 3x + 2y`. */
function givesFormula({ statement }: Reading, pattern: string): boolean {
  const asked = /^set (.+) expression: …$/.exec(pattern)?.[1];
  if (statement?.kind !== 'relation' || statement.label !== undefined) return false;
  const { sides, relations } = statement.formula;
  return relations.join() === '=' && sides[0].kind === 'name' && sides[0].name.toLowerCase() === asked?.toLowerCase();
}

/** Introduces an open question that is repeated. Its options are shown in an earlier message. */
export const STILL_OPEN = 'Still open: ';

/** Returns the open question that the agent's latest answer asks or repeats. */
export function openQuestion(messages: readonly Message[]): Question | undefined {
  for (const { role, content, tool_calls } of messages.toReversed()) {
    if (role !== 'assistant') continue;
    const call = tool_calls.findLast((one) => one.status === 'completed' && questionsOf(one).length > 0);
    if (call !== undefined) return call.result === null ? questionsOf(call)[0] : undefined;
    if (!content.includes(STILL_OPEN)) return undefined;
  }
  return undefined;
}

/** Returns the question to which an answer belongs. */
function answeredQuestion(messages: readonly Message[], answer: QuestionAnswer): Question | undefined {
  const calls = messages.flatMap(({ tool_calls }) => tool_calls);
  const call = calls.findLast((one) => questionsOf(one).length > 0 && isDeepStrictEqual(one.result, answer));
  return call === undefined ? undefined : questionsOf(call)[0];
}
