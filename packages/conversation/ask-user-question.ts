import type { ToolCall } from './tool-call.js';

/** Name of the tool that asks the user a question. A call whose `result` is null is an open question. */
export const ASK_USER_QUESTION = 'ask_user_question';

export interface Question {
  /** Id by which the agent identifies the question. */
  id?: string;
  question: string;
  /** Short title above the options. */
  header: string;
  options: { label: string; description?: string }[];
  multi_select?: boolean;
}

/** Options that a user selected, by question index written as a string. */
export interface QuestionAnswer {
  selections?: Record<string, string | string[]>;
  other_text?: string;
}

/** Returns the questions in a call, or an empty list if the call's input is invalid. */
export function questionsOf({ tool, input }: Pick<ToolCall, 'tool' | 'input'>): Question[] {
  const questions = tool === ASK_USER_QUESTION ? input['questions'] : undefined;
  return Array.isArray(questions) && questions.every(isQuestion) ? questions : [];
}

function isQuestion(value: unknown): value is Question {
  const { question, options } = (value ?? {}) as Partial<Record<keyof Question, unknown>>;
  return typeof question === 'string' && Array.isArray(options) && options.every(hasLabel);
}

const hasLabel = (option: unknown): boolean => typeof (option as { label?: unknown } | null)?.label === 'string';
