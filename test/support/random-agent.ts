import type { ServiceOptions } from './service.js';

/**
 * Settings and modules for an agent that plays random turns without a provider. A turn contains text, cards, files and
 * calls of the real tools, and takes about a second.
 */
export const RANDOM_AGENT = {
  settings: { AGENT_PROVIDER: 'openai-compatible', AGENT_MODEL: 'soak', AGENT_BASE_URL: 'http://127.0.0.1:9/v1' },
  preload: ['test/support/soak-agent.js'],
} satisfies ServiceOptions;
