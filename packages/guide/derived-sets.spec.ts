import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { readStatement } from './grammar.js';

const GOODS =
  'goods: oak, elm, ash, yew; price of goods: oak 9, elm 7, ash 5, yew 0; lead of goods: oak 5, elm 2, ash 3, yew 9';
const FAST = 'fast in goods where lead[p] <= 3';
const MAKE = 'make[p] integer for p in fast; make[p] <= 10 for p in fast';
const PROFIT = 'maximize profit: sum p in fast: price[p] * make[p]';
const FINISH = 'all constraints are hard; kpi: none; requirement: none; data: in the formulas; confirm; solve';

/** Sends the messages to a new room. Returns the room and the guide's last answer. */
async function after(...texts: string[]) {
  const room = new Room();
  let last = await room.say('Hello');
  for (const text of texts) last = await room.say(text);
  return { room, text: last.text, question: last.question };
}
const dataOf = (room: Room, label: string) => room.cards.find((card) => card.label === label)?.data;

describe('a statement about a subset', () => {
  it.each<[string, object]>([
    [FAST, { set: 'fast', of: 'goods', where: 'lead[p] <= 3' }],
    ['fast: p in goods where lead[p] <= 3', { set: 'fast', of: 'p in goods', where: 'lead[p] <= 3' }],
    ['fast = goods where lead[p] <= 3', { set: 'fast', of: 'goods', where: 'lead[p] <= 3' }],
    ['fast = p in goods where lead[p] <= 3', { set: 'fast', of: 'p in goods', where: 'lead[p] <= 3' }],
    ['fast are all goods where lead[p] <= 3', { set: 'fast', of: 'goods', where: 'lead[p] <= 3' }],
    ['near in lanes where km[o, d] <= 100', { set: 'near', of: 'lanes', where: 'km[o, d] <= 100' }],
    ['near: (o, d) in lanes where o <> d', { set: 'near', of: '(o, d) in lanes', where: 'o <> d' }],
    ['open in nodes where not (n in closed)', { set: 'open', of: 'nodes', where: 'not (n in closed)' }],
    ['north = goods where region[p] = "north"', { set: 'north', of: 'goods', where: 'region[p] = "north"' }],
    ['late: t in weeks where t > 2', { set: 'late', of: 't in weeks', where: 't > 2' }],
  ])('is read: %s', (text, statement) => {
    expect(readStatement(text).statement).toEqual({ kind: 'derived_set', ...statement });
  });

  it.each(['fast in goods where lead[p] <=', 'fast in goods where lead[p] < = 3', 'fast = goods where [p] <= 3'])(
    'is kept with its problem: %s',
    (text) => {
      expect(readStatement(text)).toEqual({ reason: expect.any(String) });
    },
  );

  it.each([
    'Need: sum p in goods where lead[p] <= 3: make[p] >= 4',
    'make[p] <= 4 for p in goods where lead[p] <= 3',
    'we work in places where it rains',
    'x in pieces',
  ])('is not meant by %s', (text) => {
    expect(readStatement(text).statement?.kind).not.toBe('derived_set');
  });
});

describe('derived sets in the chat', () => {
  it('are solved', async () => {
    const { text } = await after([GOODS, FAST, MAKE, PROFIT, FINISH].join('\n'));
    expect(text).toContain('- Data `fast`: set `fast`, members of `goods`, where `lead[p] <= 3`');
    expect(text).toContain('Solved: the objective is 120');
  });

  it.each<[string, string[], object | undefined, number]>([
    ['a union', ['light: ash, elm', 'heavy: oak, yew', 'fast = light + heavy'], { of: ['light', 'heavy'] }, 210],
    ['a difference', ['slow: oak, yew', 'fast = goods - slow'], { of: 'goods', where: 'p not in slow' }, 120],
    [
      'a difference of a union',
      ['rest = fast - slow', 'fast = light + heavy', 'light: ash, elm', 'heavy: oak, yew', 'slow: oak, yew'],
      { of: ['light', 'heavy'] },
      210,
    ],
    [
      'a difference of several sets',
      ['one: oak, yew', 'other: ash, fir', 'fast = goods - one - other'],
      { of: 'goods', where: 'p not in one and p not in other' },
      70,
    ],
    ['a subset that is stated twice', [FAST, 'fast in goods where lead[p] <= 2'], { where: 'lead[p] <= 2' }, 70],
    ['a list instead of a subset', [FAST, 'fast: elm, ash'], { members: ['elm', 'ash'] }, 120],
  ])('can be %s', async (_, sets, data, optimum) => {
    const { room, text } = await after([...sets, GOODS, MAKE, PROFIT, FINISH].join('\n'));
    expect(dataOf(room, 'fast')).toMatchObject(data ?? {});
    expect(text).toContain(`Solved: the objective is ${optimum}`);
  });

  it('can be changed in a later message', async () => {
    const { room, text } = await after(
      [GOODS, 'light: ash, elm', 'heavy: oak, yew', 'fast = light + heavy', MAKE, PROFIT, FINISH].join('\n'),
      'fast = goods - heavy; solve',
      'set fast where: p not in light; solve',
    );
    expect(dataOf(room, 'fast')).toMatchObject({ set: 'fast', of: 'goods', where: 'p not in light' });
    expect(text).toContain('Solved: the objective is 90');
  });

  it.each<[string, string[], string]>([
    [
      'the name of a variable',
      ['x <= 5', 'maximize 2 x', 'x in goods where lead[p] <= 3'],
      '`x` is a variable: use a new name for the set',
    ],
    ['the name of a value', ['rate = 5', 'rate in goods where lead[p] <= 3'], '`rate` is a value'],
    ['the name of a computed number', ['compute rate = 5', 'rate in goods where lead[p] <= 3'], '`rate` is computed'],
    [
      'a union without some members',
      ['light: ash, elm', 'heavy: oak, yew', 'slow: elm, yew', 'fast = light + heavy - slow'],
      'write `all = light + heavy` first, and then `fast = all - slow`',
    ],
    ['a column without a key', ['fast in goods where lead <= 3'], 'Name the members in `of`, as in `p in products`'],
    ['an unknown set', ['fast in good where lead[p] <= 3'], 'No set is called good: did you mean goods?'],
    ['a set that depends on itself', ['fast in goods where p in slow', 'slow = goods - fast'], 'depends on itself'],
    [
      'a variable in the condition',
      ['make[p] integer for p in goods', 'fast in goods where make[p] <= 3'],
      'A condition cannot contain the variable make',
    ],
    ['a condition that ends early', ['fast in goods where lead[p] <='], 'The formula ends too early'],
    ['a condition that nothing meets', ['fast in goods where lead[p] > 50'], 'nothing meets this condition'],
  ])('are not used with %s', async (_, lines, reason) => {
    const [last = '', ...first] = lines.toReversed();
    const { text } = await after(
      [GOODS, ...first.toReversed()].join('\n'),
      'maximize profit: 3 z; z <= 4',
      `${last}\n${FINISH}`,
    );
    expect(text).toContain(reason);
    expect(text).not.toContain('Solved');
  });

  it('ask for an unknown value in a condition', async () => {
    const { question } = await after([GOODS, 'fast in goods where lead[p] <= days', MAKE, PROFIT].join('\n'));
    expect(JSON.stringify(question)).toContain('days');
  });
});
