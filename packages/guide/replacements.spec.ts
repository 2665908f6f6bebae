import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const HEAD = 'chairs, tables integer; items: a, b; cost of items: a 1, b 2';

async function answerTo(...texts: string[]): Promise<string> {
  const room = new Room();
  let last = await room.say(HEAD);
  for (const text of texts) last = await room.say(text);
  return last.text;
}

const SECOND: [string, string, string, string][] = [
  ['a constraint', 'wood: chairs + tables <= 15', 'wood: chairs + tables <= 20', 'chairs + tables <= 15'],
  ['a constraint whose name differs in case', 'wood: chairs <= 15', 'Wood: chairs <= 20', 'chairs <= 15'],
  ['a constraint with a generated label', 'chairs + tables <= 5', 'Constraint 1: chairs <= 6', 'chairs + tables <= 5'],
  [
    'a constraint with a class after its label',
    'chairs + tables <= 5',
    'constraint 1 (hard): chairs <= 6',
    'chairs + tables <= 5',
  ],
  ['a requirement with a generated label', 'requirement: chairs >= 3', 'Requirement 1: chairs >= 4', 'chairs >= 3'],
  ['an objective without a name', 'maximize 3 chairs + 5 tables', 'maximize 5 chairs', 'maximize 3 chairs + 5 tables'],
  ['the direction of an objective', 'maximize gain: 3 chairs', 'minimize gain: 3 chairs', 'maximize 3 chairs'],
  ['a value', 'price = 30', 'price = 45', 'price = 30'],
  ['values of a set', 'size of items: a 1, b 2', 'size of items: a 1, b 3', 'size = a 1, b 2'],
  ['members of a set', 'shifts: early, late', 'shifts: early, night', 'members early, late'],
  ['a domain', 'beams continuous', 'beams integer', 'continuous'],
  [
    'a range beside a bound',
    'beams <= 80; beams is 0 or 20 to 200',
    'set beams zero_or_between: 30 to 60',
    'to 80, 0 or 20 to 200',
  ],
  ['a KPI', 'kpi hours: 2 chairs', 'kpi hours: 3 chairs', '2 chairs'],
  ['a requirement', 'requirement orders: chairs >= 3', 'requirement orders: chairs >= 4', 'chairs >= 3'],
  [
    'the index of a constraint',
    'Cap: 1 <= cost[p] for p in items',
    'Cap: 1 <= cost[q] for q in items',
    '1 <= cost[p] for p in items',
  ],
];

describe('a statement that replaces earlier content', () => {
  it.each(SECOND)('is reported with the content that it replaces: %s', async (_, first, second, replaced) => {
    expect(await answerTo(first, second)).toContain(`This replaces \`${replaced}\``);
  });

  it.each(SECOND)(
    'is reported with the content that it replaces in the same message: %s',
    async (_, first, second, replaced) => {
      expect(await answerTo(`${first}\n${second}`)).toContain(`This replaces \`${replaced}\``);
    },
  );

  it.each([
    ['wood: chairs <= 15', 'wood: chairs <= 15'],
    ['price = 30', 'cost_of_wood = 3'],
    ['wood: chairs <= 15', 'wood is soft, penalty 5'],
    ['maximize gain: 3 chairs', 'confirm'],
    ['shifts: early, late', 'pay of shifts: early 1, late 2'],
  ])('is not reported if nothing is replaced: %s, then %s', async (first, second) => {
    expect(await answerTo(first, second)).not.toContain('replaces');
  });
});
