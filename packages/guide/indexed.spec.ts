import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { readStatement } from './grammar.js';
import { splitStatements } from './lines.js';
import { withClassLast } from './relation-grammar.js';

const WEEKS = 'weeks: 1 to 4; demand of weeks: 1 30, 2 45, 3 20, 4 50';

/** Sends the messages to a new room. Returns the room and the guide's last answer. */
async function after(...texts: string[]) {
  const room = new Room();
  let last = await room.say('Hello');
  for (const text of texts) last = await room.say(text);
  return { room, text: last.text, question: last.question };
}
const dataOf = (room: Room, label: string) => room.cards.find((card) => card.label === label)?.data;

describe('the class of a constraint', () => {
  const FORMULA = { text: 'make[p] <= 4', index: 'p in ps where price[p] >= 2', label: 'L' };
  it.each<[string, object]>([
    ['L: make[p] <= 4 for p in ps, hard where price[p] >= 2', { classification: 'hard' }],
    ['L: make[p] <= 4, hard for p in ps where price[p] >= 2', { classification: 'hard' }],
    ['L: make[p] <= 4 (hard) for p in ps where price[p] >= 2', { classification: 'hard' }],
    ['L: make[p] <= 4\nfor p in ps, hard\nwhere price[p] >= 2', { classification: 'hard' }],
    ['L: make[p] <= 4, hard\nfor p in ps\nwhere price[p] >= 2', { classification: 'hard' }],
    ['L: make[p] <= 4 for p in ps, soft, penalty 5\nwhere price[p] >= 2', { classification: 'soft', penalty: 5 }],
  ])('may come before the index or its condition: %j', (text, counts) => {
    const [first, ...others] = [...splitStatements(text)];
    expect(others).toEqual([]);
    expect(readStatement(first ?? '').statement).toMatchObject({ kind: 'relation', ...FORMULA, counts });
  });

  it.each(['it is hard for us', 'the work is hard where it rains', 'hard <= 4 for p in ps'])(
    'is not recognized in other statements: %s',
    (text) => {
      expect(withClassLast(text)).toBe(text);
    },
  );
});

describe('statements about sets and indexed names', () => {
  it('become cards', async () => {
    const { room } = await after(
      `shifts: early, "late night" and day\n${WEEKS}`,
      'cost of shifts: early 10, late night 15, day 8.5',
      'staff[s, t] integer for s in shifts, t in weeks; 0 <= staff[s, t] <= 2 * demand[t] for s in shifts, t in weeks',
      'minimize wages: sum s in shifts, t in weeks: cost[s] * staff[s, t]',
      'Cover: sum s in shifts: staff[s, t] >= demand[t] for t in weeks where demand[t] > 20, soft, penalty 5',
      'First: staff["late night", 1] <= 3',
    );
    expect(dataOf(room, 'shifts')).toEqual({
      set: 'shifts',
      members: ['early', 'late night', 'day'],
      values: { cost: { early: 10, 'late night': 15, day: 8.5 } },
    });
    expect(dataOf(room, 'weeks')).toMatchObject({ set: 'weeks', members: '1 to 4', values: { demand: { 3: 20 } } });
    expect(dataOf(room, 'staff')).toEqual({
      name: 'staff',
      index: 's in shifts, t in weeks',
      domain: 'integer',
      lower: 0,
      upper: '2 * demand[t]',
    });
    expect(dataOf(room, 'wages')).toMatchObject({ expression: 'sum s in shifts, t in weeks: cost[s] * staff[s, t]' });
    expect(dataOf(room, 'Cover')).toEqual({
      expression: 'sum s in shifts: staff[s, t] >= demand[t]',
      index: 't in weeks where demand[t] > 20',
      classification: 'soft',
      penalty: 5,
    });
    expect(dataOf(room, 'First')).toEqual({ expression: 'staff["late night", 1] <= 3' });
    expect(room.cards.flatMap(({ gaps }) => gaps.filter(({ severity }) => severity === 'blocking'))).toMatchObject([
      { field: 'classification' },
    ]);
  });

  it('become bounds if they have a single variable, and constraints if they have several', async () => {
    const { room } = await after(
      WEEKS,
      'make[t] integer for t in weeks; open[t] binary for t in weeks',
      'make[t] <= demand[t] for t in weeks',
      'make[t] <= 50 open[t] for t in weeks',
    );
    expect(dataOf(room, 'make')).toMatchObject({ upper: 'demand[t]' });
    expect(dataOf(room, 'Constraint 1')).toEqual({ expression: 'make[t] <= 50 open[t]', index: 't in weeks' });
  });

  it.each([
    [
      '0 <= x <= 10',
      'x',
      { name: 'x', lower: 0, upper: 10 },
      'Which limits does the plan have? For example `labour: x + y <= 4`.',
    ],
    [
      '0 <= ship[o, d] <= limit[o, d] for o in plants, d in towns',
      'ship',
      { name: 'ship', index: 'o in plants, d in towns', lower: 0, upper: 'limit[o, d]' },
      'What is `limit[o, d]`? A number is needed here, but nothing on the canvas has this name.',
    ],
    [
      '0 <= ship[o,d] <= limit[o,d] for (o,d) in lanes',
      'ship',
      { name: 'ship', index: '(o,d) in lanes', lower: 0, upper: 'limit[o,d]' },
      'What is `limit[o, d]`? A number is needed here, but nothing on the canvas has this name.',
    ],
  ])('declare a variable if they only state its bounds: %s', async (text, name, data, asked) => {
    const { room, question } = await after('maximize gain: 3', text);
    expect(dataOf(room, name)).toEqual(data);
    expect(question?.question).toBe(asked);
  });

  it('make the guide ask about an unknown indexed name', async () => {
    const { room, question } = await after(WEEKS, 'minimize cost: sum t in weeks: (3 make[t] + stock[t])');

    expect(question).toMatchObject({
      question: 'What is `make[t]`? A decision for each `t in weeks`, or a known value, as in `make of weeks: ...`?',
      options: [
        { label: 'Whole numbers from 0', description: 'make[t] integer for t in weeks' },
        { label: 'Amounts from 0, fractions too' },
        { label: 'Yes-or-no decisions' },
      ],
    });
    await room.choose('Whole numbers from 0');
    expect(dataOf(room, 'make')).toEqual({ name: 'make', index: 't in weeks', domain: 'integer' });
  });

  it('are reported if they are incomplete, and are never used as free-text answers', async () => {
    expect(readStatement('sum t in weeks: make[t]')).toEqual({
      reason: 'it needs <=, >= or = for a constraint, or `maximize` or `minimize` for an objective',
    });
    const { room, question } = await after(`${WEEKS}; maximize gain: x; x integer; Most: x <= 3, hard`);
    expect(question?.question).toContain('Which figures besides the objective show');
    const labels = room.cards.map(({ label }) => label);
    const { text } = await room.say('make[t integer for t in weeks');
    expect(text).toContain('- `make[t integer for t in weeks`: ');
    expect(room.cards.map(({ label }) => label)).toEqual([...labels, 'make[t integer for t in weeks']);
    expect(room.cards.at(-1)?.card_type).toBe('constraint');
  });

  it.each([
    ['cost of shifts: early 10', 'no set is called `shifts`'],
    ['shifts: early, late, early', 'the member early appears twice'],
    [
      'x[j, i] binary for i in jobs, j in jobs',
      'the names in [ ] must match the indices after `for`, in the same order: write `x[i, j]`',
    ],
    ['make[t, p] integer for p in goods, t in weeks', 'in the same order: write `make[p, t]`'],
    ['0 <= x[b, a] <= 3 continuous for (a, b) in arcs', 'in the same order: write `x[a, b]`'],
    ['make[b, a] >= 0 integer for (a, b) in arcs', 'in the same order: write `make[a, b]`'],
    ['make[t - 1] integer for t in weeks', 'in the same order: write `make[t]`'],
    ['make[t] integer for t in weeks, p in goods', 'in the same order: write `make[t, p]`'],
    ['Need: make[t] <= for t in weeks', 'The formula ends too early'],
    ['Need: make[t] <= 4 for t in weeks where', 'Write a condition after `where`, as in `where demand[p] > 0`'],
    ['make[t] integer for t weeks', 'Write `in` and the name of a set, as in `p in products` (at character 3: weeks)'],
    ['Need: make[t] <= 4 for t in', 'Write the name of a set, as in `p in products`'],
  ])('are rejected with a reason: %s', async (text, reason) => {
    expect((await after(text)).text).toContain(reason);
  });
});

describe('a declaration without a domain or bounds', () => {
  it.each([
    ['make[t] for t in weeks', 't in weeks'],
    ['make[p, t] for p in goods, t in weeks', 'p in goods, t in weeks'],
    ['make[t] for t in weeks where demand[t] > 20', 't in weeks where demand[t] > 20'],
    ['make[t] in tonnes for t in weeks', 't in weeks'],
  ])('declares a continuous variable: %s', async (text, index) => {
    const { room } = await after(`goods: oak, elm; ${WEEKS}`, text);
    expect(dataOf(room, 'make')).toMatchObject({ name: 'make', index });
    const card = room.cards.find(({ label }) => label === 'make');
    expect(card?.status).toBe('complete');
    expect(JSON.stringify(card?.gaps)).toContain('continuous');
  });

  it('replaces the index of an earlier declaration, and the answer reports the replacement', async () => {
    const { room, text } = await after(`goods: oak, elm; ${WEEKS}`, 'make[t] for t in weeks', 'make[p] for p in goods');
    expect(dataOf(room, 'make')).toEqual({ name: 'make', index: 'p in goods' });
    expect(text).toContain('This replaces `for t in weeks`');
  });

  it.each(['demand[t] for t in weeks', 'demand[t] in tonnes for t in weeks'])(
    'is rejected if a column already has the name: %s',
    async (text) => {
      const { room } = await after(WEEKS, text);
      expect(room.cards.some(({ card_type }) => card_type === 'variable')).toBe(false);
      expect(JSON.stringify(room.cards.flatMap(({ gaps }) => gaps))).toContain('blocking');
    },
  );
});

describe('a list of members', () => {
  it.each([
    ['1, 2, ..., 5', '1 to 5'],
    ['1, 2, 3, …, 10', '1 to 10'],
    ['1, 2, ... 5', '1 to 5'],
    ['1, ..., 5', '1 to 5'],
    ['5, 4, ..., 1', '5 to 1'],
    ['1…5', '1 to 5'],
    ['{1..5}', '1 to 5'],
    ['{1, 2, ..., 5}', '1 to 5'],
    ['2, 4, ..., 10', ['2', '4', '6', '8', '10']],
    ['W1, W2, ..., W5', ['W1', 'W2', 'W3', 'W4', 'W5']],
    ['W1..W3', ['W1', 'W2', 'W3']],
    ['W08, W09, ..., W11', ['W08', 'W09', 'W10', 'W11']],
    ['2026-01-01, 2026-01-02, ..., 2026-01-04', ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04']],
    ['{a, b}', ['a', 'b']],
    ['[a, b]', ['a', 'b']],
    ['chair (large), chair (small)', ['chair (large)', 'chair (small)']],
    ['"a...", "{b", "etc"', ['a...', '{b', 'etc']],
  ])('is read without its brackets and ellipsis: %s', async (list, members) => {
    const room = new Room();
    await room.say(`k: ${list}`);
    expect(room.data('k')).toEqual({ set: 'k', members });
  });

  it.each([
    ['a, b, etc', 'it does not list all members'],
    ['a, b, and so on', 'it does not list all members'],
    ['a, b, …', 'it does not list all members'],
    ['1, 2, ...', 'it does not list all members'],
    ['2, 4, ..., 9', 'it does not list all members'],
    ['1, 2, 4, ..., 16', 'it does not list all members'],
    ['mon, tue, ..., sun', 'it does not list all members'],
    ['1..3, 5', 'it does not list all members'],
    ['(a, b), (b, c)', 'a member cannot contain such brackets'],
    ['(a, b)', 'a member cannot contain such brackets'],
    ['a, b}', 'a member cannot contain such brackets'],
    ['{a, b, a}', 'the member a appears twice'],
  ])('prevents a solve if it is ambiguous: %s', async (list, reason) => {
    const room = new Room();
    await room.say(`k: ${list}; x[t] <= 2 for t in k; maximize p: sum t in k: x[t]; data: in the formulas`);
    const { text } = await room.say('kpi: none; requirement: none; confirm; solve');
    expect(text).not.toContain('Solved');
    expect(text).toContain(reason);
    await room.say('k: a, b');
    expect(room.cards.map(({ label }) => label)).not.toContain(`k: ${list}`);
    expect(room.data('k')).toEqual({ set: 'k', members: ['a', 'b'] });
  });
});

describe('a model that is limited only by bounds', () => {
  const MODEL =
    'goods: a, b\nmake[p] integer for p in goods\nmake[p] <= 4 for p in goods\nmaximize profit: sum p in goods: make[p]';

  it('gets an indexed constraint if the user confirms that the bounds are its only limits', async () => {
    const room = new Room();
    await room.say(MODEL);
    await room.choose('Only the bounds of the variables');
    expect(room.data('range of make')).toMatchObject({ expression: 'make[p] <= 4', index: 'p in goods' });
  });

  it('is solved even if there are no constraints for `all constraints are hard` to change', async () => {
    const room = new Room();
    const { text } = await room.say(`${MODEL}\nall constraints are hard; kpi: none; requirement: none\nconfirm; solve`);
    expect(text).toContain('`all constraints are hard`: there is no such constraint yet');
    expect(text).toContain('Solved: the objective is 8');
  });
});
