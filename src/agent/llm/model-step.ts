import { setTimeout as delay } from 'node:timers/promises';
import { type LanguageModel, type ModelMessage, streamText, type ToolSet } from 'ai';
import type { Logger } from 'pino';
import { type AgentEvent, AgentFailure } from '../agent.js';
import type { Call } from '../tools/toolbox.service.js';
import { tokenCredits, type TokenPrices } from '../turn-credits.js';
import { hasImages } from './conversation.js';
import { brokenOff, type ProviderFault, toFault } from './provider-fault.js';
import { IdleTimeout } from './idle-timeout.js';

const MAX_ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
/** A step is not tried again later than this, waits included. */
const LONGEST_WAIT_MS = 60_000;

/** One request to the model. */
export interface Step {
  model: LanguageModel;
  system: string;
  messages: ModelMessage[];
  tools: ToolSet;
  signal: AbortSignal;
  timeoutSeconds: number;
  prices: TokenPrices;
  logger: Logger;
}

/** What the model has answered. */
export interface StepAnswer {
  text: string;
  calls: Call[];
}

/**
 * Lets the model answer once, its text as events while it comes. Transient faults are tried again as long as nothing has
 * been said.
 *
 * @throws AgentFailure in words for the user
 */
export async function* takeStep(step: Step): AsyncGenerator<AgentEvent, StepAnswer> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const answer: StepAnswer = { text: '', calls: [] };
    try {
      yield* request(step, answer);
      return answer;
    } catch (error) {
      step.signal.throwIfAborted();
      if (error instanceof AgentFailure) throw error;
      const fault = toFault(error, { hadImages: hasImages(step.messages) });
      const { status, isTransient, retryAfterMs } = fault.details;
      const wait = retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1);
      // The provider's own words stay out of the log: they may quote the key or the conversation.
      step.logger.warn({ status, attempt, reason: fault.message }, 'the model provider failed');
      const isLate = performance.now() - startedAt + wait > LONGEST_WAIT_MS;
      if (!isTransient || answer.text !== '' || attempt === MAX_ATTEMPTS || isLate) {
        throw new AgentFailure(sentence(fault, attempt, answer));
      }
      await delay(wait, undefined, { signal: step.signal });
    }
  }
}

async function* request(step: Step, answer: StepAnswer): AsyncGenerator<AgentEvent> {
  const { model, system, messages, tools, signal, prices } = step;
  const idleTimeout = new IdleTimeout(step.timeoutSeconds);
  try {
    const { fullStream } = streamText({
      model,
      system,
      messages,
      tools,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, idleTimeout.signal]),
      // Errors come as parts of the stream, too.
      onError: () => undefined,
    });
    let isFinished = false;
    for await (const part of fullStream) {
      idleTimeout.heard();
      switch (part.type) {
        case 'text-start':
          // Texts of one answer are paragraphs.
          if (answer.text !== '') yield say(answer, '\n\n');
          break;
        case 'text-delta':
          yield say(answer, part.text);
          break;
        case 'tool-call':
          answer.calls.push({ tool: part.toolName, input: part.input });
          break;
        case 'finish-step':
          yield { type: 'usage', credits: tokenCredits(prices, part.usage) };
          assertWhole(part.finishReason, part.rawFinishReason);
          isFinished = true;
          break;
        case 'error':
          throw part.error;
        case 'abort':
          throw idleTimeout.signal.aborted ? idleTimeout.signal.reason : signal.reason;
        default:
      }
    }
    if (!isFinished) throw brokenOff();
  } finally {
    idleTimeout.stop();
  }
}

function say(answer: StepAnswer, text: string): AgentEvent {
  answer.text += text;
  return { type: 'text', text };
}

/** @throws ProviderFault, AgentFailure for an answer that is not whole */
function assertWhole(reason: string, raw: string | undefined): void {
  // A stream that ends without a reason was cut.
  if (raw === undefined) throw brokenOff();
  if (reason === 'length')
    throw new AgentFailure('The answer was cut off at the greatest length that the model allows.');
  if (reason === 'content-filter') throw new AgentFailure('The model provider withheld the answer.');
}

function sentence({ message, details }: ProviderFault, attempts: number, { text }: StepAnswer): string {
  if (text !== '') return `${message} What it had said until then is kept.`;
  return details.isTransient && attempts > 1 ? `${message} It was tried ${attempts} times.` : message;
}
