import type { ServiceOptions } from './service.js';

/** What plays the turns: text, cards, files and calls of the real tools, for a second or so; no provider is asked. */
export const RANDOM_AGENT = {
  settings: { AGENT_PROVIDER: 'openai-compatible', AGENT_MODEL: 'soak', AGENT_BASE_URL: 'http://127.0.0.1:9/v1' },
  preload: ['test/support/soak-agent.js'],
} satisfies ServiceOptions;
