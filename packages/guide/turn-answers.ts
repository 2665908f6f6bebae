import type { Question } from '../conversation/index.js';
import { readData } from '../canvas/index.js';
import type { Steps } from './steps.js';
import { bullets, quote } from './quote.js';
import { answerComputed } from './computed-answers.js';
import { ResultAnswers } from './result-answers.js';
import { describeStale, readNewest, RunReader } from './run-reader.js';
import type { Sketch } from './sketch.js';
import type { Feasibility } from './solving.js';
import type { Statement, StatementOf } from './statement.js';
import { answerWhatIf } from './what-if.js';

/* Answers result questions and what-if questions. */

/** Maximum number of questions per turn. */
const MAX_QUESTIONS = 6;

type Asked = StatementOf<'question' | 'what_if' | 'unclear_question' | 'how_to_give'>;

export const isAsked = (statement: Statement | undefined): statement is Asked =>
  statement?.kind === 'question' ||
  statement?.kind === 'what_if' ||
  statement?.kind === 'unclear_question' ||
  statement?.kind === 'how_to_give';

/** Paragraphs of the answer, and the feasibility of the canvas if a question triggered a solve. */
export interface TurnAnswers {
  paragraphs: string[];
  question?: Question;
  feasibility?: Feasibility;
}

/** @param lacks reasons why the model on the canvas cannot be solved */
export async function* answerAll(
  asked: readonly Asked[],
  sketch: Sketch,
  files: readonly string[],
  lacks: readonly string[],
): Steps<TurnAnswers> {
  const paragraphs: string[] = [];
  let feasibility: Feasibility | undefined;
  let question: Question | undefined;
  const questions: StatementOf<'question'>[] = [];
  for (const statement of asked.slice(0, MAX_QUESTIONS)) {
    if (statement.kind === 'how_to_give') paragraphs.push(describeGiving(statement, sketch));
    else if (statement.kind === 'unclear_question') paragraphs.push(`I cannot try that: ${statement.reason}.`);
    else if (statement.kind === 'question') questions.push(statement);
    else if (lacks.length > 0)
      paragraphs.push(`I cannot try that yet, because the canvas cannot be solved:\n${bullets([...lacks])}`);
    else {
      const answer = yield* answerWhatIf(statement, sketch, files);
      if (answer.text !== '') paragraphs.push(answer.text);
      question ??= answer.question;
      feasibility = answer.feasibility ?? feasibility;
    }
  }
  if (questions.length > 0) paragraphs.push(...(yield* answerQuestions(questions, sketch, lacks)));
  const left = asked.length - MAX_QUESTIONS;
  if (left > 0) paragraphs.push(`I can answer ${MAX_QUESTIONS} questions per turn. Ask the other ${left} again.`);
  return {
    paragraphs,
    ...(question !== undefined && { question }),
    ...(feasibility !== undefined && { feasibility }),
  };
}

async function* answerQuestions(
  questions: readonly StatementOf<'question'>[],
  sketch: Sketch,
  lacks: readonly string[],
): Steps<string[]> {
  const computed = questions.map(({ about }) => answerComputed(about, sketch));
  if (computed.every((answer) => answer !== undefined)) return computed;
  const run = yield* readNewest();
  if (typeof run === 'string') return [`The newest run cannot be read: ${run}.`];
  if (run === undefined)
    return [
      lacks.length === 0
        ? 'The model has not been solved yet, so there are no values. Write `solve` and ask again.'
        : `The model has not been solved yet, so there are no values. It cannot be solved yet:\n${bullets([...lacks])}`,
    ];
  const answers = new ResultAnswers(new RunReader(run, sketch));
  const paragraphs: string[] = [];
  for (const { about } of questions) paragraphs.push(yield* answers.answer(about));
  const stale = describeStale(run);
  return stale === undefined ? paragraphs : [...paragraphs, stale];
}

/** Explains how to enter the values for a name. */
function describeGiving({ name, set }: StatementOf<'how_to_give'>, sketch: Sketch): string {
  if (set === undefined) return `Write ${quote(`${name} = 100`)} with your value.`;
  const card = sketch.of('data').find((one) => readData(one).set?.name === set);
  const file = card === undefined ? undefined : readData(card).file?.path;
  const inFile =
    file === undefined ? '' : ` If ${quote(file)} contains them, write ${quote(`${name} of ${set}: column "..."`)}.`;
  return `Write a value for each member of ${quote(set)}, as in ${quote(`${name} of ${set}: first 10, second 20`)}.${inFile}`;
}
