import { type ExhaustedBudget, sentenceOf } from '../usage/exhausted-budget.js';

/** Sentences shown to users after a turn that did not complete. */
export const TURN_SENTENCES = {
  interrupted: 'The agent was interrupted before it had finished.',
  failed: 'The agent failed before it had finished.',
  nothingSaid: 'The agent had nothing to say.',
  unavailable: 'The file store or the database was out of reach. Send the message again later.',
  askerLeft: 'Who has asked this does not see the project any more.',
  budgetUsedUp: (budget: ExhaustedBudget): string => `The agent has stopped here: ${sentenceOf(budget)}.`,
  callsUsedUp: 'The agent used up its tool calls without coming to an end.',
  messageTooLong: 'The answer was cut off at the greatest length that a message can have.',
  answerTooLong: 'The answer was cut off at the greatest length that the model allows.',
  answerWithheld: 'The model provider withheld the answer.',
} as const;

/** Errors of tool calls that were running when their turn ended. */
export const CALL_SENTENCES = {
  interrupted: 'The turn was interrupted before the call ended',
  stopped: 'The turn was stopped before the call ended',
  agent_failed: 'The agent failed before the call ended',
  unfinished: 'The turn ended before the call did',
} as const;

/** Sentences for failures of the model provider. They never quote the provider. */
export const PROVIDER_SENTENCES = {
  brokenOff: 'The model provider broke off its answer before it was complete.',
  silent: (seconds: number): string => `The model provider said nothing for ${seconds} seconds.`,
  webPage: 'The model provider returned a web page instead of an answer. The address in AGENT_BASE_URL may be wrong.',
  unreachable: 'The model provider cannot be reached.',
  redirected:
    'The model provider redirected the request, and the service follows no redirects. Set AGENT_BASE_URL to the final address.',
  tooLong:
    'The message is too long for the model, even without the earlier messages. Shorten it, or let the agent read less at once.',
  tooLongWithImages: 'The conversation with its images is too long for the model.',
  busy: 'The model provider takes no more requests for now. Please try again later.',
  failed: (status: number): string => `The model provider failed (status ${status}).`,
  accessRefused: 'The model provider refused the credentials of this service.',
  unknownModel: 'The model provider does not know the configured model.',
  refused: (status: number): string => `The model provider refused the request (status ${status}).`,
  withImages: (sentence: string): string =>
    `${sentence} It held images: one may be damaged or too large in pixels, or the model takes none.`,
  afterText: (sentence: string): string => `${sentence} What it had said until then is kept.`,
  retried: (sentence: string, attempts: number): string => `${sentence} It was tried ${attempts} times.`,
} as const;
