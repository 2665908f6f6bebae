import { expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const MODEL = `chairs, tables integer
maximize profit: 30 chairs + 50 tables
labour: 2 chairs + 4 tables <= 40
all constraints are hard; kpi: none; requirement: none; data: in the formulas
confirm; solve`;

it.each([
  [
    'what if the profit of tables is 40',
    'profit_of_tables = 50',
    'maximize profit: 30 chairs + profit_of_tables * tables',
  ],
  [
    'what if profit per table rises by 10 %',
    'profit_of_tables = 50',
    'maximize profit: 30 chairs + profit_of_tables * tables',
  ],
  ['what if the labour of a chair is 3', 'labour_of_chairs = 2', 'labour: labour_of_chairs * chairs + 4 tables <= 40'],
])('explains how to vary a number in a formula: %s', async (asked, value, formula) => {
  const room = new Room();
  await room.say(MODEL);
  const { text } = await room.say(asked);
  expect(text).toContain(`\`${value}\``);
  expect(text).toContain(`\`${formula}\``);
  const { text: solved } = await room.say(`${value}\n${formula}\nconfirm; solve`);
  expect(solved).toContain('Solved: the objective is 600');
  const again = /ask `(?<question>what if [^`]+)`/.exec(text)?.groups?.['question'] ?? '';
  expect(again).toMatch(/ = (?:40|55|3)$/);
  const { calls } = await room.say(again);
  expect(calls.map(({ tool }) => tool)).toContain('upsert_scenario');
});
