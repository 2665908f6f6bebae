import { type ExhaustedBudget, sentenceOf } from '../usage/exhausted-budget.js';

/** Sentences shown to users after a turn that did not complete. */
export const TURN_SENTENCES = {
  interrupted: 'The agent was interrupted before it finished.',
  failed: 'The agent failed before it finished.',
  nothingSaid: 'The agent gave no answer.',
  unavailable: 'The file store or the database was unavailable. Send the message again later.',
  askerLeft: 'The person who asked no longer has access to this project.',
  budgetUsedUp: (budget: ExhaustedBudget): string => `The agent stopped here. ${sentenceOf(budget)}.`,
  callsUsedUp: 'The agent reached its limit of tool calls before it finished.',
  messageTooLong: 'The answer was cut off because it reached the maximum length of a message.',
  answerTooLong: 'The answer was cut off because it reached the maximum length that the model allows.',
  answerWithheld: 'The model provider withheld the answer.',
} as const;

/** Errors for tool calls that were running when their turn ended. */
export const CALL_SENTENCES = {
  interrupted: 'The turn was interrupted before the call ended',
  stopped: 'The turn was stopped before the call ended',
  agent_failed: 'The agent failed before the call ended',
  unfinished: 'The turn ended before the call did',
} as const;

/** Sentences for model provider failures. The sentences never quote the provider. */
export const PROVIDER_SENTENCES = {
  brokenOff: 'The model provider ended its answer before it was complete.',
  silent: (seconds: number): string => `The model provider did not respond for ${seconds} seconds.`,
  webPage: 'The model provider returned a web page instead of an answer. The address in AGENT_BASE_URL may be wrong.',
  unreachable: 'The model provider cannot be reached.',
  redirected:
    'The model provider redirected the request, but the service does not follow redirects. Set AGENT_BASE_URL to the final address.',
  tooLong:
    'The message is too long for the model, even without the earlier messages. Shorten it, or ask the agent to read less at once.',
  tooLongWithImages: 'The conversation, including its images, is too long for the model.',
  busy: 'The model provider is busy. Try again later.',
  failed: (status: number): string => `The model provider failed (status ${status}).`,
  accessRefused: 'The model provider rejected the credentials of this service. AGENT_API_KEY may be wrong.',
  unknownModel: 'The model provider does not know the configured model. AGENT_MODEL or AGENT_BASE_URL may be wrong.',
  refused: (status: number): string => `The model provider rejected the request (status ${status}).`,
  withImages: (sentence: string): string =>
    `${sentence} The request contained images. One may be damaged or have too many pixels, or the model may not accept images.`,
  afterText: (sentence: string): string => `${sentence} The answer so far was kept.`,
  retried: (sentence: string, attempts: number): string => `${sentence} The service tried ${attempts} times.`,
} as const;
