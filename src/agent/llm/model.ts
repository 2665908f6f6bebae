import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible, type MetadataExtractor } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';
import { AnthropicAnswer } from './anthropic-answer.js';
import { OpenAiAnswer, PROVIDER_DATA } from './openai-answer.js';
import { providerFetch } from './provider-fetch.js';

const DEFAULT_URLS = { anthropic: 'https://api.anthropic.com/v1', openai: 'https://api.openai.com/v1' } as const;

/**
 * Whether the provider's wire format allows images in tool results. In OpenAI's chat format, results are strings, and the
 * adapter would insert the image bytes as text.
 */
export const takesImagesInResults = ({ AGENT_PROVIDER }: Config): boolean => AGENT_PROVIDER === 'anthropic';

/** Creates the model from validated settings. Does not read environment variables. */
export function createModel(config: Config, logger: Logger): LanguageModel {
  const { AGENT_PROVIDER, AGENT_MODEL, AGENT_BASE_URL, AGENT_API_KEY } = config;
  // By default, the SDK prints warnings to the console between the log lines.
  globalThis.AI_SDK_LOG_WARNINGS = ({ warnings }) => logger.debug({ warnings }, 'part of a request is not supported');
  if (AGENT_PROVIDER === undefined || AGENT_MODEL === undefined) throw new Error('No language model is configured');
  if (AGENT_PROVIDER === 'anthropic') {
    return createAnthropic({
      baseURL: AGENT_BASE_URL ?? DEFAULT_URLS.anthropic,
      apiKey: AGENT_API_KEY ?? '',
      fetch: providerFetch(() => new AnthropicAnswer()),
    })(AGENT_MODEL);
  }
  // Unlike the SDK's OpenAI adapter, its adapter for compatible servers can send provider data back.
  return createOpenAICompatible({
    name: AGENT_PROVIDER,
    baseURL: AGENT_BASE_URL ?? DEFAULT_URLS.openai,
    includeUsage: true,
    fetch: providerFetch(() => new OpenAiAnswer()),
    metadataExtractor: providerData,
    ...(AGENT_API_KEY !== undefined && { apiKey: AGENT_API_KEY }),
  })(AGENT_MODEL);
}

/** Forwards the provider data that {@link OpenAiAnswer} collects. */
const providerData: MetadataExtractor = {
  extractMetadata: () => Promise.resolve(undefined),
  createStreamExtractor: () => {
    let data: unknown;
    return {
      processChunk: (chunk) => (data = (chunk as Record<string, unknown>)[PROVIDER_DATA] ?? data),
      buildMetadata: () => (data === undefined ? undefined : { [PROVIDER_DATA]: data as Record<string, never> }),
    };
  },
};
