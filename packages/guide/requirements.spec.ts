import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

/** Sends the messages to a new room. Returns the room and the guide's last answer. */
async function after(...texts: string[]) {
  const room = new Room();
  let last = await room.say('Hello');
  for (const text of texts) last = await room.say(text);
  return { room, text: last.text, question: last.question };
}

const CHAIRS =
  'maximize profit: 30 chairs + 50 tables; chairs, tables integer; Labour: 2 chairs + 4 tables <= 40, hard; kpi: none';
const PRODUCTS = 'products: oak chair, table; minimum of products: oak chair 2, table 3';

describe('a production requirement', () => {
  it('becomes a card, whether it is a relation, a quantity or plain text', async () => {
    const { room, text } = await after(
      `${CHAIRS}\n${PRODUCTS}\nmake[p] integer for p in products`,
      'requirement Minimum: make[p] >= minimum[p] for p in products\nproduce 10 chairs\nrequirement: chairs >= tables\nrequirement: be nice',
    );
    expect(room.data('Minimum')).toEqual({
      description: 'make[p] >= minimum[p] for p in products',
      expression: 'make[p] >= minimum[p]',
      index: 'p in products',
    });
    const requirements = room.cards.filter(({ card_type }) => card_type === 'production_requirement');
    expect(requirements.map(({ label, data }) => [label, data])).toEqual([
      ['Minimum', expect.anything()],
      ['chairs', { description: '10 chairs', quantity: 10, product: 'chairs' }],
      ['Requirement 3', { description: 'chairs >= tables', expression: 'chairs >= tables' }],
      ['be nice', { description: 'be nice' }],
    ]);
    expect(text).toContain('- Requirement `Minimum`: `make[p] >= minimum[p]`, for `p in products`\n');
    expect(text).toContain('- Requirement `Requirement 3`: `chairs >= tables`\n');
  });

  it('keeps its card if it is repeated or rewritten as a different type', async () => {
    const { room } = await after(CHAIRS, 'requirement: chairs >= tables', 'requirement: chairs >= tables');
    expect(room.cards.filter(({ card_type }) => card_type === 'production_requirement')).toHaveLength(1);
    await room.say('requirement Requirement 1: 5 chairs');
    expect(room.data('Requirement 1')).toEqual({ description: '5 chairs', quantity: 5, product: 'chairs' });
    await room.say('requirement Requirement 1: chairs >= 6');
    expect(room.data('Requirement 1')).toEqual({ description: 'chairs >= 6', expression: 'chairs >= 6' });
    await room.say('requirement Requirement 1: 5 chairs');
    await room.say('requirement Requirement 1: be nice');
    expect(room.data('Requirement 1')).toEqual({ description: 'be nice' });
  });

  it('is met by the plan, and makes earlier results outdated', async () => {
    const { room, text } = await after(`${CHAIRS}\nWood: chairs + tables <= 15, hard`, 'solve');
    expect(text).toContain('the objective is 550, with `chairs = 10`, `tables = 5`');
    const more = await room.say('produce 12 chairs');
    expect(more.text).toContain('a feasible solve');
    expect((await room.say('solve')).text).toContain('the objective is 510, with `chairs = 12`, `tables = 3`');
    await room.say('requirement: ask Ada');
    expect(room.feasibility).toBe('pass');
  });

  it('is reported if it cannot be met, and can then be excluded from the solve', async () => {
    const { room, text, question } = await after(`${CHAIRS}; data: in the formulas; produce 21 chairs`, 'solve');
    expect(text).toContain('The model has no solution: `tables >= 0`, `Labour`, `chairs` cannot hold together.');
    expect(question?.options.map(({ label }) => label)).toEqual([
      'Labour may be broken',
      'Without the requirement chairs',
      'Solve again',
      'Later',
    ]);
    const { text: answer } = await room.choose('Without the requirement chairs');
    expect(answer).toContain('Removed: Requirement `chairs`');
    expect(answer).toContain('Solved: the objective is 600');
    expect(room.cards.map(({ label }) => label)).toContain('chairs');
  });

  it('prevents a solve if it is invalid, but not if it is plain text', async () => {
    const { room, text } = await after(
      CHAIRS,
      'requirement: stools >= 2\nrequirement: chairs * tables >= 3\nproduce 10 stools\nsolve',
    );
    expect(text).toContain(
      'The model cannot be solved yet:\n- `Requirement 1`: No variable or value on the canvas is called stools\n- `Requirement 2`: It is not linear: the variables chairs and tables are multiplied, and neither is a yes-or-no variable',
    );
    expect(text).not.toMatch(/cannot be solved yet:(?:\n- .*)*`stools`:/);
    const solved = await room.say('remove Requirement 1; remove requirement Requirement 2; solve');
    expect(solved.text).toContain('Solved: the objective is 600');
  });

  it('makes the guide ask about an unknown name', async () => {
    const { question } = await after(CHAIRS, 'requirement: stools >= 2');
    expect(question?.question).toContain('What is `stools`?');
    const family = await after(CHAIRS, PRODUCTS, 'requirement: make[p] >= minimum[p] for p in products');
    expect(family.question?.question).toContain('What is `make[p]`? A decision for each `p in products`');
  });
});

describe('a statement that a list is empty', () => {
  it.each([
    ['requirement: 8 tables', 'requirement: none', 'the requirement `tables` stays', 'remove requirement tables'],
    ['kpi: delivery', 'kpi: none', 'the kpi `delivery` stays', 'remove kpi delivery'],
    ['data: demand.csv', 'data: in the formulas', 'the data `demand.csv` stays', 'remove data demand.csv'],
  ])('is answered with the card that contradicts it: %s, then %s', async (first, none, staying, removal) => {
    const room = new Room();
    room.files = ['demand.csv'];
    await room.say(`tables integer; ${first}`);
    const before = structuredClone(room.cards);
    const { text } = await room.say(none);
    expect(text).toContain(`\`${none}\`: ${staying} on the canvas: write \`${removal}\` to remove it`);
    expect(room.cards).toEqual(before);
    const { text: answer } = await room.say(`${removal}; ${none}`);
    expect(answer).not.toContain('stays');
    expect(room.cards).toHaveLength(before.length);
  });

  it('does not prevent a solve', async () => {
    const room = new Room();
    await room.say('tables integer; minimize cost: tables; L: tables <= 40, hard; requirement: 8 tables; kpi: none');
    const { text } = await room.say('requirement: none; data: in the formulas; confirm; solve');
    expect(text).toContain('the requirement `tables` stays');
    expect(text).toContain('the objective is 8,');
  });

  it.each(['no other kpis', 'kpis: no others', 'no further requirements', 'no more data'])(
    'is accepted if it allows for existing cards: %s',
    async (statement) => {
      const room = new Room();
      room.files = ['demand.csv'];
      await room.say('tables integer; requirement: 8 tables; kpi: delivery; data: demand.csv');
      const { text } = await room.say(statement);
      expect(text).not.toContain('stays');
    },
  );
});
