import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import type { RunResult } from './tool-results.js';
import { ResultAnswers } from './result-answers.js';
import { RunReader } from './run-reader.js';
import { Sketch } from './sketch.js';
import type { Reply } from './steps.js';

const VALUES: Record<string, number> = { chairs: 10, tables: 5 };

/** Returns the answer to a question about a run with the values in `VALUES`. */
async function answerTo(subject: string): Promise<string> {
  const room = new Room();
  await room.say('chairs, tables integer; maximize profit: 30 chairs + 50 tables; kpi: none');
  const run = {
    objective_value: 550,
    outcome: 'optimal',
    kpis: [],
    variables: VALUES,
    changed_since: [],
  } as unknown as RunResult;
  const answers = new ResultAnswers(new RunReader(run, new Sketch(room.cards)));
  const answer = answers.answer({ ask: 'value', subject });
  let reply: Reply | undefined;
  for (;;) {
    const { done, value } = await answer.next(reply);
    if (done === true) return value;
    if (value.kind === 'say') throw new Error('Answers are returned');
    const { variable } = value.call.input as { variable: string };
    reply = { ok: true, result: { values: [{ keys: [], value: VALUES[variable] }], count: 1, size: 1 } };
  }
}

describe('an answer about values', () => {
  it.each([
    ['chairs and tables', '`chairs` is 10. `tables` is 5.'],
    ['tables, chairs', '`tables` is 5. `chairs` is 10.'],
    ['tables & profit', '`tables` is 5. The objective `profit` is 550, the most that the constraints allow.'],
    ['objective value', 'The objective `profit` is 550, the most that the constraints allow.'],
    ['value of the objective', 'The objective `profit` is 550, the most that the constraints allow.'],
  ])('contains every value that %j asks for', async (subject, text) => {
    expect(await answerTo(subject)).toBe(text);
  });

  it('reports an unknown item in a list', async () => {
    expect(await answerTo('chairs and sofas')).toMatch(/^`chairs` is 10\. I cannot answer that: .*`sofas`/);
  });

  it.each([
    ['profit per cart', 'per cart'],
    ['profit in week 1', 'week 1'],
    ['chairs of oak', 'oak'],
    ['profit without tables', 'without tables'],
    ['tables for Hamburg', 'Hamburg'],
  ])('is refused if it would ignore a word: %s', async (subject, word) => {
    expect(await answerTo(subject)).toContain(
      `I cannot answer that: I do not understand \`${word}\` in \`${subject}\`. Ask `,
    );
  });

  it.each([
    ['chairs do we sell', '`chairs` is 10.'],
    ['chairs should we order', '`chairs` is 10.'],
    ['chairs are needed', '`chairs` is 10.'],
    ['profit of the plan', 'The objective `profit` is 550, the most that the constraints allow.'],
  ])('ignores filler words: %s', async (subject, text) => {
    expect(await answerTo(subject)).toBe(text);
  });
});
