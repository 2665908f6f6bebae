import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './load-config.js';

const problem = (environment: NodeJS.ProcessEnv): string => {
  try {
    loadConfig(environment);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('language model settings', () => {
  it.each<[string, NodeJS.ProcessEnv, string]>([
    ['no settings', {}, ''],
    ['a complete set', { AGENT_PROVIDER: 'anthropic', AGENT_MODEL: 'm', AGENT_API_KEY: 'k' }, ''],
    [
      'a local server',
      { AGENT_PROVIDER: 'openai-compatible', AGENT_MODEL: 'm', AGENT_BASE_URL: 'http://localhost:1/v1' },
      '',
    ],
    ['no model', { AGENT_PROVIDER: 'openai', AGENT_API_KEY: 'k' }, 'AGENT_PROVIDER=openai requires AGENT_MODEL'],
    ['no key', { AGENT_PROVIDER: 'openai', AGENT_MODEL: 'm' }, 'AGENT_PROVIDER=openai requires AGENT_API_KEY'],
    ['no URL', { AGENT_PROVIDER: 'openai-compatible', AGENT_MODEL: 'm' }, 'requires AGENT_BASE_URL'],
    ['no provider', { AGENT_API_KEY: 'the-key' }, 'AGENT_API_KEY requires AGENT_PROVIDER'],
    ['images without a provider', { AGENT_IMAGES: 'true' }, 'AGENT_IMAGES requires AGENT_PROVIDER'],
    ['an invalid AGENT_IMAGES value', { AGENT_IMAGES: 'yes' }, 'AGENT_IMAGES must be one of'],
    ['an unknown provider', { AGENT_PROVIDER: 'mine', AGENT_MODEL: 'm' }, 'AGENT_PROVIDER must be one of'],
    ['an invalid URL', { AGENT_PROVIDER: 'openai', AGENT_BASE_URL: 'here' }, 'AGENT_BASE_URL must be a URL'],
  ])('are validated: %s', (_, environment, message) => {
    const found = problem(environment);
    if (message === '') expect(found).toBe('');
    else expect(found).toContain(message);
    expect(found).not.toContain('the-key');
  });

  it.each<[string, string | undefined, boolean]>([
    ['anthropic', undefined, true],
    ['anthropic', 'false', false],
    ['openai', undefined, true],
    ['openai-compatible', undefined, false],
    ['openai-compatible', 'true', true],
  ])('determine whether %s with AGENT_IMAGES=%s receives images', (AGENT_PROVIDER, AGENT_IMAGES, given) => {
    const settings = {
      AGENT_PROVIDER,
      AGENT_IMAGES,
      AGENT_MODEL: 'm',
      AGENT_API_KEY: 'k',
      AGENT_BASE_URL: 'http://a/v1',
    };
    expect(loadConfig(settings).agentImages).toBe(given);
  });
});
