import { setTimeout as pause } from 'node:timers/promises';
import { GuideAgent } from '../../dist/src/agent/guide.agent.js';

/*
 * Preloaded into a process of the built service. Its agent says a word every 100 ms. The user's message specifies the
 * number of words.
 */
GuideAgent.prototype.run = async function* speak({ messages, signal }) {
  const words = Number(/\d+/.exec(messages.at(-1)?.content ?? '')?.[0] ?? 1);
  for (let word = 1; word <= words; word += 1) {
    yield { type: 'text', text: `${word} ` };
    await pause(100, undefined, { signal });
  }
};
