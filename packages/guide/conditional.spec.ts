import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { splitStatements } from './lines.js';

const FINISH = 'all constraints are hard; kpi: none; requirement: none; data: in the formulas; confirm; solve';
const START = ['maximize profit: 5 x - 20 open', 'x <= 10', 'open binary'];

async function after(...texts: string[]) {
  const room = new Room();
  let last = await room.say('Hello');
  for (const text of texts) last = await room.say(text);
  const constraints = room.cards.filter(({ card_type }) => card_type === 'constraint');
  return { room, text: last.text, data: constraints.map(({ data }) => data) };
}

describe('a constraint under a condition in the chat', () => {
  it.each([
    'if open = 0 then x <= 0',
    'Setup: if open = 0 then x <= 0',
    'if open = 0 then x = 0',
    'if not open then x <= 0',
    'if open is 0 then x <= 0',
    'if open is no then x <= 0',
  ])('becomes a constraint, not a bound: %s', async (line) => {
    const { room, data, text } = await after(...START, line, FINISH);
    expect(data).toEqual([{ expression: line.replace(/^Setup: /, ''), classification: 'hard' }]);
    expect(room.cards.find(({ label }) => label === 'x')?.data).toEqual({ name: 'x', upper: 10 });
    expect(text).toContain('the objective is 30, with `x = 10`, `open = 1`');
  });

  it.each([
    'If open = 0 then x <= 0',
    'IF open = 0 THEN x <= 0',
    'if open = 0, then x <= 0',
    'Setup: If open = 0, then x <= 0.',
    'if open = 0,then x <= 0',
    'if open = 0 then\nx <= 0',
    'Setup: if open = 0\nthen x <= 0',
    'if open = 0,\nthen x <= 0',
    'if open = 0 then # closed\n  x <= 0',
    '- If open = 0 then\n  - x <= 0',
    'if open = 0\n  then\n  x <= 0',
    'if open = 0 then x\n<= 0',
  ])('is a single statement with the usual keywords: %s', async (lines) => {
    const { room, data, text } = await after([...START, lines].join('\n'), FINISH);
    expect(data).toEqual([{ expression: 'if open = 0 then x <= 0', classification: 'hard' }]);
    expect(room.cards.find(({ label }) => label === 'x')?.data).toEqual({ name: 'x', upper: 10 });
    expect(text).toContain('the objective is 30');
  });

  it.each<[string, string]>([
    ['if Open = 0\nand shut = 1 then x <= 5', 'if Open = 0 and shut = 1 then x <= 5'],
    ['IF NOT Open OR shut = 1 THEN x <= 5', 'if not Open or shut = 1 then x <= 5'],
    ['if OR = 0 then x <= 5', 'if OR = 0 then x <= 5'],
    ['if Open != 1 then x <= 5', 'if Open != 1 then x <= 5'],
    ['if Open = 0 then x\n+ 2 shut <= 5', 'if Open = 0 then x + 2 shut <= 5'],
    ['if Open = 0 then x\n- 2 shut <= 5', 'if Open = 0 then x - 2 shut <= 5'],
    ['if Open = 0 then\n- x + 2 shut <= 5', 'if Open = 0 then - x + 2 shut <= 5'],
  ])('keeps the condition with its names: %s', async (lines, expression) => {
    const { data } = await after('maximize profit: 5 x', 'Open, shut, OR binary', lines);
    expect(data).toEqual([expect.objectContaining({ expression })]);
  });

  it.each<[string, string[]]>([
    ['if you have questions, ask\nx <= 5', ['x <= 5']],
    ['if open = 0 then x <= 5\nx >= 2', ['if open = 0 then x <= 5', 'x >= 2']],
    ['if open = 0\nmaximize profit: 3 x', ['if open = 0', 'maximize profit: 3 x']],
    ['if <= 5\nx <= 3', ['if <= 5', 'x <= 3']],
  ])('ends before another statement: %s', (lines, statements) => {
    expect([...splitStatements(lines)].slice(-statements.length)).toEqual(statements);
  });

  it('may be sent in the same message as the rest of the model', async () => {
    const { text } = await after([...START, 'if open = 0 then x <= 0'].join('\n'), FINISH);
    expect(text).toContain('the objective is 30');
  });

  it('may have an index, a class and a name', async () => {
    const { data } = await after(
      'sites: a, b',
      'open[s] binary for s in sites',
      '0 <= make[s] <= 5 for s in sites',
      'Setup: if open[s] = 0 then make[s] <= 0 for s in sites, soft, penalty 3',
    );
    expect(data).toEqual([
      { expression: 'if open[s] = 0 then make[s] <= 0', index: 's in sites', classification: 'soft', penalty: 3 },
    ]);
  });

  it('may be a requirement', async () => {
    const { text } = await after(
      ...START,
      'requirement: if open = 1 then x >= 12',
      'kpi: none; data: none; confirm; solve',
    );
    expect(text).toContain('the objective is 50, with `x = 10`, `open = 0`');
  });

  it.each<[string, string]>([
    ['if x > 3 then open = 1', 'To link an amount to a decision, turn it around, as in `if open = 0 then x <= 0`'],
    ['if it rains then x <= 2', 'A condition must compare two values'],
    ['x <= 3 if open = 1', 'or a condition on a yes-or-no variable first, as in `if open = 0 then x <= 5`'],
    ['if open = 1 then x <= 3 else x <= 5', 'Write a second constraint for the other case'],
    ['open = 0 => x = 0', 'an implication as in `if open = 0 then x <= 0`'],
    ['when open = 0: x = 0', 'first, as in `if open = 0 then x <= 0`'],
    ['x > 0 requires open', 'first, as in `if open = 0 then x <= 0`'],
    ['x <= 5 unless open', 'first, as in `if open = 0 then x <= 0`'],
    ['x > 0 implies open = 1', 'first, as in `if open = 0 then x <= 0`'],
    ['x <= 5 only if open', 'first, as in `if open = 0 then x <= 5`'],
    ['if open = 1 then x <= 3\nelse x <= 5', 'Write a second constraint for the other case'],
    ['if open = 1 then x <= 3\notherwise x <= 5', 'first, as in `if open = 0 then x <= 0`'],
    ['if open = 1 then x >= 2\nand x <= 5', 'repeat the condition for each further relation'],
    ['if open = 1\nx <= 5', 'first, as in `if open = 0 then x <= 0`'],
    ['if open = 1 then:\n- x <= 5', '`:` at character'],
    ['if open = 1 then\n- x >= 2\n- x <= 5', 'repeat the condition for each further relation'],
    ['if open = 1 then\n1. x >= 2\n2. x <= 5', 'repeat the condition for each further relation'],
    ['if open = 1 then x >= 2, x <= 5', 'repeat the condition for each further relation'],
    ['if open = 1 then x >= 2 and x <= 5', 'repeat the condition for each further relation'],
  ])('is explained and not solved if it cannot be used: %s', async (line, reason) => {
    const { room, text } = await after(...START, line);
    expect(text + JSON.stringify(room.cards.map(({ gaps }) => gaps))).toContain(reason);
    expect((await room.say(FINISH)).text).not.toContain('the objective is');
  });

  it('asks about unknown names in the condition', async () => {
    const room = new Room();
    await room.say('Hello');
    await room.say('maximize profit: 5 x; x <= 10');
    await room.say('Setup: if opened = 0 then x <= 0');
    expect(JSON.stringify(room.cards.map(({ gaps }) => gaps))).toContain('is called opened');
  });
});
