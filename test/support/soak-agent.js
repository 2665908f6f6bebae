import { setTimeout as pause } from 'node:timers/promises';
import { GuideAgent } from '../../dist/agent/guide/guide.agent.js';

/*
 * Loaded into a process of the built service before it starts: its agent then plays a random turn, with text, costs and
 * calls whose effects are written through the transaction that tells of them. An effect may be any tool's.
 */
const COST = 0.01;

GuideAgent.prototype.run = async function* play({ turn_id, signal }) {
  const steps = 1 + Math.floor(Math.random() * 4);
  if (Math.random() < 0.3) await pause(Math.random() * 400, undefined, { signal });
  for (let step = 0; step < steps; step += 1) {
    yield { type: 'text', text: `Step ${step}. ` };
    yield { type: 'usage', credits: COST };
    await pause(Math.random() * 150, undefined, { signal });
    const id = `${turn_id}-${step}`;
    yield { type: 'tool_started', id, tool: 'soak', input: { step } };
    await pause(Math.random() * 100, undefined, { signal });
    yield {
      type: 'tool_effect',
      id,
      apply: async (tx) => {
        await tx.query('INSERT INTO soak_effects (turn_id, call_id) VALUES ($1, $2)', [turn_id, id]);
        return [{ type: 'tool_completed', id, result: { step } }];
      },
    };
  }
};
