import { GuideAgent } from '../dist/src/agent/guide.agent.js';

/* Loaded into the built service before it starts: its agent says one thing and has no other work. */
GuideAgent.prototype.run = async function* run() {
  yield { type: 'text', text: 'Done.' };
};
