import type { ToolCall } from './tool-call.js';

/** Name of the tool that asks the user; its calls end with `result` null, which is an open question. */
export const ASK_USER_QUESTION = 'ask_user_question';

export interface Question {
  /** What the asking agent knows the question by. */
  id?: string;
  question: string;
  /** A word or two above the options. */
  header: string;
  options: { label: string; description?: string }[];
  multi_select?: boolean;
}

/** A user's choice: for a question's index, written as a string, the chosen label or labels. */
export interface QuestionAnswer {
  selections?: Record<string, string | string[]>;
  other_text?: string;
}

/** The questions that a call asks; none when its input has another form. */
export function questionsOf({ tool, input }: Pick<ToolCall, 'tool' | 'input'>): Question[] {
  const questions = tool === ASK_USER_QUESTION ? input['questions'] : undefined;
  return Array.isArray(questions) && questions.every(isQuestion) ? questions : [];
}

function isQuestion(value: unknown): value is Question {
  const { question, options } = (value ?? {}) as Partial<Record<keyof Question, unknown>>;
  return typeof question === 'string' && Array.isArray(options) && options.every(hasLabel);
}

const hasLabel = (option: unknown): boolean => typeof (option as { label?: unknown } | null)?.label === 'string';
