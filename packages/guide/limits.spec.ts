import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const GOODS = 'goods: a, b; demand of goods: a 10, b 20; cap of goods: a 15, b 12';
const FINISH = 'all constraints are hard; kpi: none; requirement: none; data: in the formulas; confirm; solve';
/** Constraint that never binds. Without any constraint, the guide would ask for one. */
const LOOSE = 'Loose: 0 <= 1, hard';

async function after(...texts: string[]) {
  const room = new Room();
  let last = await room.say('Hello');
  for (const text of texts) last = await room.say(text);
  return { room, text: last.text };
}

describe('a second limit', () => {
  it.each<[string, string[], number]>([
    ['that is higher', ['x <= 5', 'x <= 9', 'maximize gain: x'], 5],
    ['that is lower', ['x <= 9', 'x <= 5', 'maximize gain: x'], 5],
    ['with swapped sides', ['x <= 5', '9 >= x', 'maximize gain: x'], 5],
    ['that is a lower limit', ['x >= 5', 'x >= 3', 'minimize cost: x'], 5],
    ['that is a lower limit with swapped sides', ['x >= 3', '5 <= x', 'minimize cost: x'], 5],
    ['as a chain', ['x <= 5', '1 <= x <= 9', 'maximize gain: x'], 5],
    ['as a chain with a new lower side', ['x <= 5', '-4 <= x <= 9', 'minimize cost: x'], -4],
    ['as a fixed value', ['0 <= x <= 5', 'x = 3', 'maximize gain: x'], 3],
    ['in words', ['x at most 5', 'x at most 9', 'maximize gain: x'], 5],
    ['in the same statement', ['x <= 5, x <= 9', 'maximize gain: x'], 5],
    ['for several variables', ['x, y <= 5', 'x, y <= 9', 'maximize gain: x + y'], 10],
    ['next to a domain', ['x <= 5', 'x <= 9 integer', 'maximize gain: x'], 5],
    [
      'for a family',
      [
        GOODS,
        'make[p] <= demand[p] for p in goods',
        'make[p] <= cap[p] for p in goods',
        'maximize gain: sum p in goods: make[p]',
      ],
      22,
    ],
    [
      'for a family, with swapped sides',
      [
        GOODS,
        'make[p] <= demand[p] for p in goods',
        'cap[p] >= make[p] for p in goods',
        'maximize gain: sum p in goods: make[p]',
      ],
      22,
    ],
    [
      'for a family, as a lower limit',
      [
        GOODS,
        'make[p] >= demand[p] for p in goods',
        'make[p] >= cap[p] for p in goods',
        'minimize cost: sum p in goods: make[p]',
      ],
      35,
    ],
    [
      'for some members',
      [
        GOODS,
        'make[p] <= demand[p] for p in goods',
        'make[p] <= 4 for p in goods where cap[p] > 12',
        'maximize gain: sum p in goods: make[p]',
      ],
      24,
    ],
    [
      'for some members, in words',
      [
        GOODS,
        'make[p] continuous for p in goods',
        'make[p] <= demand[p] for p in goods',
        'make[p] at most 4 for p in goods where cap[p] > 12',
        'maximize gain: sum p in goods: make[p]',
      ],
      24,
    ],
    [
      'for all members, by the name of the family',
      [GOODS, 'make[p] <= demand[p] for p in goods', 'make <= 12', 'maximize gain: sum p in goods: make[p]'],
      22,
    ],
  ])('applies in addition to the first limit: %s', async (_, statements, optimum) => {
    const { text } = await after(...statements, LOOSE, FINISH);
    expect(text).toContain(`the objective is ${optimum},`);
  });

  it('becomes a constraint with a new name that the answer mentions', async () => {
    const { room, text } = await after('Constraint 1: y <= 1', 'x <= 5', 'x <= 9');
    expect(room.data('x')).toEqual({ name: 'x', upper: 5 });
    expect(room.data('Constraint 2')).toEqual({
      expression: 'x <= 9',
      classification: 'hard',
      description: 'Adds to the upper bound 5. To replace a bound, write: set x upper: 9',
    });
    expect(text).toContain(
      '- Constraint `Constraint 2`: `x <= 9`, `hard`, `Adds to the upper bound 5. To replace a bound, write: set x upper: 9`',
    );
  });

  it.each([
    ['0 <= x <= 5', 'x <= 5'],
    ['0 <= x <= 5', '5 >= x'],
    ['x = 4', '4 <= x <= 4'],
    ['x <= 5; x <= 9', 'x <= 9'],
    [`${GOODS}; make[p] <= cap[p] for p in goods`, 'make[p] <= cap[p] for p in goods'],
    [`${GOODS}; make[p] <= 9 for p in goods; make[p] <= cap[p] for p in goods`, 'make[p] <= cap[p] for p in goods'],
  ])('has no effect if it repeats an existing limit: %s, then %s', async (first, second) => {
    const { room } = await after('x continuous', first);
    const before = structuredClone(room.cards);
    await room.say(second);
    expect(room.cards).toEqual(before);
  });

  it.each([
    ['x <= 5', 'set x upper: 9', { upper: 9 }],
    ['x >= 5', 'set x lower: 2', { lower: 2 }],
    [`${GOODS}; make[p] <= 5 for p in goods`, 'set make upper: cap[p]', { upper: 'cap[p]' }],
  ])('replaces the first limit if it is stated with `set`: %s, then %s', async (first, second, data) => {
    const { room } = await after(first, second);
    expect(room.cards.find(({ card_type }) => card_type === 'variable')?.data).toMatchObject(data);
    expect(room.cards.some(({ card_type }) => card_type === 'constraint')).toBe(false);
  });
});

describe('a strict limit', () => {
  it.each<[string, string[], number]>([
    ['on an integer variable', ['x integer', 'x > 3', 'minimize cost: x'], 4],
    ['before the domain', ['x > 3', 'x integer', 'minimize cost: x'], 4],
    ['next to the domain', ['x > 3 integer', 'minimize cost: x'], 4],
    ['with swapped sides', ['3 < x integer', 'minimize cost: x'], 4],
    ['from both sides', ['3 < x < 9', 'x integer', 'maximize gain: x'], 8],
    ['below 0', ['x > -3 integer', 'minimize cost: x'], -2],
    ['on a continuous variable', ['x > 3', 'minimize cost: x'], 3],
    ['on several variables', ['x, y > 0 integer', 'minimize cost: x + y'], 2],
    ['in words', ['x integer', 'x more than 3', 'minimize cost: x'], 4],
    ['in words, from above', ['x integer', 'x less than 9', 'maximize gain: x'], 8],
    ['in words, next to the domain', ['x integer, greater than 3', 'minimize cost: x'], 4],
    ['in words, from both sides', ['x integer', 'x must be more than 3 and fewer than 9', 'maximize gain: x'], 8],
    ['in words, on several variables', ['x, y integer', 'x and y are larger than 1', 'minimize cost: x + y'], 4],
    [
      'on a family',
      [
        GOODS,
        'make[p] integer for p in goods',
        'make[p] < cap[p] for p in goods',
        'maximize gain: sum p in goods: make[p]',
      ],
      25,
    ],
  ])('is applied: %s', async (_, statements, optimum) => {
    const { text } = await after(...statements, LOOSE, FINISH);
    expect(text).toContain(`the objective is ${optimum},`);
  });
});

describe('a limit stated in words', () => {
  it.each([
    ['x no more than 5', 'maximize gain: x', 5],
    ['x must not be more than 5', 'maximize gain: x', 5],
    ['x cannot be larger than 5', 'maximize gain: x', 5],
    ['x is less than or equal to 5', 'maximize gain: x', 5],
    ['x no less than 5', 'minimize cost: x', 5],
    ['x must never be fewer than 5', 'minimize cost: x', 5],
    ['x greater than or equal to 5', 'minimize cost: x', 5],
  ])('allows the stated number itself: %s', async (limit, objective, optimum) => {
    const { text } = await after('x integer', limit, objective, LOOSE, FINISH);
    expect(text).toContain(`the objective is ${optimum},`);
  });
});

describe('a statement about several variables', () => {
  const TWO = 'maximize p: x + y; c: x <= 5.5, hard; d: y <= 2.5, hard';
  const THREE = 'maximize p: x + y + z; c: x <= 5.5, hard; d: y <= 5.5, hard; e: z <= 5.5, hard';
  it.each([
    [TWO, 'x integer, y continuous', 7.5],
    [TWO, 'x integer and y continuous', 7.5],
    [TWO, 'x is an integer, y is a continuous variable', 7.5],
    [TWO, 'x: integer, y: continuous', 7.5],
    [TWO, 'x whole, y fractional', 7.5],
    [TWO, 'x continuous, y integer', 7.5],
    [TWO, 'integer x, continuous y', 7.5],
    [TWO, 'variables x integer, y continuous', 7.5],
    [TWO, 'x binary, y integer', 3],
    [TWO, 'x integer, y binary', 6],
    [TWO, 'x integer, y >= 0', 7.5],
    [TWO, 'x is positive, y integer', 7.5],
    [TWO, 'x and y integer, x <= 3', 5],
    [TWO, 'x between 1 and 2, y integer', 4],
    [TWO, '0 <= x, y <= 2', 4],
    [TWO, '0 <= x, y <= 2, y integer', 4],
    [TWO, 'x, y integer, at least 0', 7],
    [TWO, 'x and y are whole numbers from 0 to 2', 4],
    [THREE, 'x, y, z integer, y <= 2', 12],
    [THREE, 'x, y integer and z <= 3', 13],
    [THREE, 'x integer, y binary, z continuous', 11.5],
    [THREE, 'x integer, y, z continuous', 16],
    [THREE, 'integer x, y, continuous z', 15.5],
    [THREE, 'x free, y integer, z >= 0', 16],
    [THREE, 'x, y >= 0, z integer', 16],
  ])('applies each property to the adjacent names: %s; %s', async (model, declaration, optimum) => {
    const { text } = await after(model, declaration, FINISH);
    expect(text).toContain(`the objective is ${optimum},`);
  });

  it.each([
    'x integer, y',
    'x >= 1, y',
    'variables: x integer, y',
    'x, integer y',
    'integer x, y >= 0',
    'free x, y integer',
    'x integer but y continuous',
    'x integer, it is at least 3',
  ])('prevents a solve if it is ambiguous: %s', async (declaration) => {
    const { text, room } = await after(TWO, declaration, 'x, y integer', FINISH, 'solve');
    expect(text).not.toContain('Solved');
    expect(room.cards.map(({ data }) => data['expression'])).toContain(declaration.replace('variables: ', ''));
  });
});

describe('a series of properties of the same variable', () => {
  const GAIN = 'maximize p: x; c: x <= 20, hard';
  const COST = 'minimize p: x; c: x >= -20, hard';
  it.each([
    [GAIN, 'x free, at most 5', 5],
    [GAIN, 'x at most 5, free', 5],
    [GAIN, 'x free and x <= 5', 5],
    [GAIN, 'x binary integer', 1],
    [COST, 'x can be negative, at least -3', -3],
    [COST, 'x at least -3, free', -3],
    [COST, 'x at least 5, nonnegative', 5],
    [COST, 'x nonnegative, at least 5', 5],
    [COST, 'x >= 5, nonnegative', 5],
    [COST, 'x >= -5, nonnegative', 0],
    [COST, 'x between 2 and 9, from 4 to 20', 4],
    [COST, 'x integer, more than 3, at least 2', 4],
    [COST, 'x integer, more than 3, between 5 and 6', 5],
    [COST, 'x positive integer', 1],
    ['minimize p: x + y; c: x >= -20, hard', 'x, y positive integers', 2],
    [
      `${GOODS}; minimize p: sum g in goods: make[g]; c: make[g] >= -20 for g in goods, hard`,
      'make[g] positive integer for g in goods',
      2,
    ],
  ])('is applied as a whole: %s; %s', async (model, declaration, optimum) => {
    const { text } = await after(model, declaration, FINISH);
    expect(text).toContain(`the objective is ${optimum},`);
  });

  it.each([
    ['x continuous integer', 'a variable cannot be both integer and continuous'],
    ['x free, nonnegative', 'it cannot be both negative and at least 0'],
    ['x >= 0, free', 'it cannot be both negative and at least 0'],
    ['x between 8 and 9, from 1 to 2', 'The lower bound is above the upper bound'],
  ])('prevents a solve if the properties contradict each other: %s', async (declaration, reason) => {
    const { text } = await after(GAIN, declaration, FINISH, 'solve');
    expect(text).not.toContain('Solved');
    expect(text).toContain(reason);
  });

  it('prevents a solve if the properties of an indexed variable contradict each other', async () => {
    const make = 'make[g] continuous integer for g in goods';
    const { text } = await after(GOODS, `maximize p: sum g in goods: make[g]; ${make}`, FINISH, 'solve');
    expect(text).toContain(`\`${make}\`: a variable cannot be both integer and continuous`);
  });
});
