import { setTimeout as pause } from 'node:timers/promises';
import { GuideAgent } from '../dist/src/agent/guide.agent.js';

/* Preloaded into the built service. Its agent says 50 words a second for 10 seconds, like a language model. */
GuideAgent.prototype.run = async function* run() {
  for (let words = 0; words < 500; words += 1) {
    await pause(20);
    yield { type: 'text', text: 'another word ' };
  }
};
