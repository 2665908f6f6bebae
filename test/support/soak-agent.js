import { setTimeout as pause } from 'node:timers/promises';
import { LlmAgent } from '../../dist/src/agent/llm/llm.agent.js';

/*
 * Preloaded into a process of the built service. Instead of asking a model, the agent plays a random turn with text,
 * costs and calls of the real tools.
 *
 * Every file has a unique name, and every card change creates another version of the same card. This makes missing or
 * repeated effects visible.
 */
const COST = 0.01;

LlmAgent.prototype.run = async function* play(context) {
  const { turn_id, signal } = context;
  const toolbox = this.toolboxes.open(context);
  const steps = 1 + Math.floor(Math.random() * 3);
  if (Math.random() < 0.3) await pause(Math.random() * 400, undefined, { signal });
  for (let step = 0; step < steps; step += 1) {
    yield { type: 'text', text: `Step ${step}. ` };
    yield { type: 'usage', credits: COST };
    await pause(Math.random() * 150, undefined, { signal });
    const path = `${turn_id}-${step}.txt`;
    yield* toolbox.call({ tool: 'write_file', input: { path, content: path } });
    await pause(Math.random() * 100, undefined, { signal });
    const data = { description: path };
    yield* toolbox.call({ tool: 'upsert_card', input: { card_type: 'kpi', label: 'Steps', data } });
    const read = yield* toolbox.call({ tool: 'read_file', input: { path } });
    if (!read.ok || !JSON.stringify(read.result).includes(path)) throw new Error(`${path} does not hold its name`);
  }
};
