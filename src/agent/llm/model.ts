import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';

const DEFAULT_URLS = { anthropic: 'https://api.anthropic.com/v1', openai: 'https://api.openai.com/v1' } as const;

/**
 * Whether results of tools can hold images on the wire. In OpenAI's chat format they are texts, and its adapters would write
 * the bytes into them.
 */
export const takesImagesInResults = ({ AGENT_PROVIDER }: Config): boolean => AGENT_PROVIDER === 'anthropic';

/** The model of valid settings that name a provider. Nothing is read from the environment. */
export function createModel(config: Config, logger: Logger): LanguageModel {
  const { AGENT_PROVIDER, AGENT_MODEL, AGENT_BASE_URL, AGENT_API_KEY } = config;
  // Else warnings go to the console, between the lines of the log.
  globalThis.AI_SDK_LOG_WARNINGS = ({ warnings }) => logger.debug({ warnings }, 'a part of a request is not supported');
  if (AGENT_PROVIDER === undefined || AGENT_MODEL === undefined) throw new Error('No language model is configured');
  if (AGENT_PROVIDER === 'openai-compatible') {
    return createOpenAICompatible({
      name: 'openai-compatible',
      baseURL: AGENT_BASE_URL ?? '',
      includeUsage: true,
      ...(AGENT_API_KEY !== undefined && { apiKey: AGENT_API_KEY }),
    })(AGENT_MODEL);
  }
  const settings = { baseURL: AGENT_BASE_URL ?? DEFAULT_URLS[AGENT_PROVIDER], apiKey: AGENT_API_KEY ?? '' };
  return AGENT_PROVIDER === 'anthropic'
    ? createAnthropic(settings)(AGENT_MODEL)
    : createOpenAI(settings).chat(AGENT_MODEL);
}
