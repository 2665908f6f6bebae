import { GuideAgent } from '../dist/src/agent/guide.agent.js';

/* Preloaded into the built service. Its agent says a single word and does no other work. */
GuideAgent.prototype.run = async function* run() {
  yield { type: 'text', text: 'Done.' };
};
