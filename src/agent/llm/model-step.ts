import { setTimeout as delay } from 'node:timers/promises';
import { type LanguageModel, type ModelMessage, streamText, type ToolSet } from 'ai';
import type { Logger } from 'pino';
import { type AgentEvent, AgentFailure } from '../agent.js';
import { PROVIDER_SENTENCES } from '../turn-sentences.js';
import { tokenCredits, type TokenPrices } from '../turn-credits.js';
import { hasImages } from './conversation.js';
import { assertComplete } from './finish-reasons.js';
import { IdleTimeout } from './idle-timeout.js';
import { ModelAnswer } from './model-answer.js';
import { brokenOff, type ProviderFault, sentenceWithImages, toFault } from './provider-fault.js';

const MAX_ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
/** Time limit for starting another attempt at a step, counted from the start of the first attempt. */
const MAX_WAIT_MS = 60_000;

/** Request to the model. */
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

/** Thrown if the provider rejects the conversation but may accept a shorter or plainer version. */
export class ConversationRejected extends AgentFailure {
  constructor(
    message: string,
    readonly rejected: 'length' | 'form',
  ) {
    super(message);
  }
}

/**
 * Requests an answer from the model and yields its text as it arrives. Retries transient faults until some text has been
 * yielded.
 *
 * @throws AgentFailure with a message for the user
 */
export async function* takeStep(step: Step): AsyncGenerator<AgentEvent, ModelAnswer> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const answer = new ModelAnswer();
    try {
      yield* request(step, answer);
      return answer;
    } catch (error) {
      step.signal.throwIfAborted();
      if (error instanceof AgentFailure) throw error;
      const fault = toFault(error);
      const { status, code, requestId, isTransient, retryAfterMs } = fault.details;
      const wait = retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1);
      // The provider's own messages are not logged, because they may quote the API key or the conversation.
      step.logger.warn(
        { status, provider_code: code, provider_request_id: requestId, attempt, reason: fault.message },
        'the model provider failed',
      );
      const isLate = performance.now() - startedAt + wait > MAX_WAIT_MS;
      if (!isTransient || answer.text !== '' || attempt === MAX_ATTEMPTS || isLate) {
        throw failureOf(fault, { attempt, hasSpoken: answer.text !== '', hadImages: hasImages(step.messages) });
      }
      await delay(wait, undefined, { signal: step.signal });
    }
  }
}

async function* request(step: Step, answer: ModelAnswer): AsyncGenerator<AgentEvent> {
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
      // Raw chunks restart the idle timeout even during a long tool call.
      includeRawChunks: true,
      // Suppresses the SDK's console output. Errors are handled below as parts of the stream.
      onError: () => undefined,
    });
    let isFinished = false;
    for await (const part of fullStream) {
      idleTimeout.restart();
      if (part.type === 'error') throw part.error;
      if (part.type === 'abort') throw idleTimeout.signal.aborted ? idleTimeout.signal.reason : signal.reason;
      const text = answer.add(part);
      if (text !== '') yield { type: 'text', text };
      if (part.type !== 'finish-step') continue;
      yield { type: 'usage', credits: tokenCredits(prices, part.usage) };
      assertComplete(part.rawFinishReason);
      isFinished = true;
    }
    if (!isFinished) throw brokenOff();
  } finally {
    idleTimeout.stop();
  }
}

function failureOf(
  fault: ProviderFault,
  { attempt, hasSpoken, hadImages }: { attempt: number; hasSpoken: boolean; hadImages: boolean },
): AgentFailure {
  const { isTransient, refuses } = fault.details;
  const sentence = hadImages ? sentenceWithImages(fault) : fault.message;
  if (hasSpoken) return new AgentFailure(PROVIDER_SENTENCES.afterText(sentence));
  // Images make up most of a request, so a shorter conversation would not help.
  if (refuses !== undefined && !hadImages) return new ConversationRejected(sentence, refuses);
  return new AgentFailure(isTransient && attempt > 1 ? PROVIDER_SENTENCES.retried(sentence, attempt) : sentence);
}
