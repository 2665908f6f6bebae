import { isDeepStrictEqual } from 'node:util';
import {
  ASK_USER_QUESTION,
  type Question,
  type QuestionAnswer,
  questionsOf,
  type ToolCall,
} from '../../../packages/conversation/index.js';
import { type ErrorEntry, Invalid, invalidValue, MAX_ENTRIES } from '../../common/errors/errors.js';

/** Where to store an answer: in an open call, in the user's own message, or nowhere if the answer repeats an earlier one. */
export type AnswerPlace = { kind: 'answers'; call: ToolCall } | { kind: 'repeats' } | { kind: 'stands_alone' };

/** Tool calls of the two newest messages that ask a question. */
export interface AskedCalls {
  newest: ToolCall[];
  earlier: ToolCall[];
}

/**
 * Finds the question that an answer belongs to.
 *
 * Only the questions in the newest message that asks any are open, and the last of them is answered first. Older unanswered
 * questions count as skipped.
 *
 * @throws Invalid if a question is open and does not have an index or label that the answer contains
 */
export function placeAnswer({ newest, earlier }: AskedCalls, answer: QuestionAnswer): AnswerPlace {
  const open = newest.findLast((call) => isQuestion(call) && call.result === null);
  const problems = open === undefined ? [] : findProblems(questionsOf(open), answer);
  if (open !== undefined && problems.length === 0) return { kind: 'answers', call: open };
  const closed = [...earlier, ...newest].findLast((call) => isQuestion(call) && call.result !== null);
  if (closed !== undefined && isDeepStrictEqual(comparable(closed.result as QuestionAnswer), comparable(answer))) {
    return { kind: 'repeats' };
  }
  if (open !== undefined) throw new Invalid(problems);
  return { kind: 'stands_alone' };
}

/** Returns a call that stores an answer with the user's own message, because no open question matches the answer. */
export function answerCall(id: string, answer: QuestionAnswer, at: Date): ToolCall {
  const moment = at.toISOString();
  return {
    id,
    tool: ASK_USER_QUESTION,
    status: 'completed',
    input: {},
    result: answer,
    started_at: moment,
    completed_at: moment,
    duration_ms: 0,
  };
}

const isQuestion = ({ tool, status }: ToolCall): boolean => tool === ASK_USER_QUESTION && status === 'completed';

/** Returns the problems with an answer, up to the maximum number that a response reports. */
function findProblems(questions: Question[], { selections = {} }: QuestionAnswer): ErrorEntry[] {
  const problems: ErrorEntry[] = [];
  for (const [index, chosen] of Object.entries(selections)) {
    const loc = ['body', 'answer', 'selections', index];
    const question = questions.find((_, place) => String(place) === index);
    if (question === undefined) {
      problems.push(invalidValue(loc, `there is no open question with index ${index}`, chosen));
    } else {
      const unknown = [chosen].flat().flatMap((label, at) => {
        const place = Array.isArray(chosen) ? [...loc, at] : loc;
        return question.options.some((option) => option.label === label)
          ? []
          : [invalidValue(place, `the question has no option ${JSON.stringify(label)}`, label)];
      });
      const isTooMany = question.multi_select === false && Array.isArray(chosen) && chosen.length > 1;
      if (unknown.length > 0) problems.push(...unknown);
      else if (isTooMany)
        problems.push(invalidValue(loc, 'the question allows only one option. Send a single label', chosen));
    }
    if (problems.length >= MAX_ENTRIES) break;
  }
  return problems;
}

/** Normalizes an answer for comparison. A single label becomes a list, and empty choices are dropped. */
function comparable({ selections = {}, other_text = '' }: QuestionAnswer): unknown {
  const chosen = Object.entries(selections).map(([index, labels]) => [index, [labels].flat()] as const);
  return { selections: Object.fromEntries(chosen.filter(([, labels]) => labels.length > 0)), other_text };
}
