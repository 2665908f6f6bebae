import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { type FileFacts, fileKey } from '../canvas/data-file.js';

const FACTS: FileFacts = {
  columns: [
    { name: 'Plant', type: 'text' },
    { name: 'Capacity t/month', type: 'number' },
    { name: 'Cost (€/t)', type: 'number' },
    { name: 'Region', type: 'text' },
  ],
};
const FILE = { path: 'plants.csv', key: ['Plant'], isDistinct: false };

/** Sends the messages to a room with the file `plants.csv`. Returns the room and the guide's last answer. */
async function after(...texts: string[]) {
  const room = new Room();
  room.files = ['plants.csv'];
  room.fileStates = new Map([[fileKey(FILE), FACTS]]);
  let last = await room.say('plants from plants.csv key Plant');
  for (const text of texts) last = await room.say(text);
  return { room, text: last.text, question: last.question };
}

const MAKE = 'make[p] >= 0 continuous for p in plants; minimize cost: sum p in plants: make[p]';
const labels = ({ question }: Awaited<ReturnType<typeof after>>) => question?.options.map(({ label }) => label);
const VARIABLES = /Whole numbers|Amounts from 0|Yes-or-no/;

describe('an unknown name used as a number', () => {
  it.each([
    ['a limit on a family', 'Limit: make[p] <= Capacity[p] for p in plants', 'Capacity', 'Capacity t/month'],
    ['a limit on the left side', 'Limit: Capacity[p] >= make[p] for p in plants', 'Capacity', 'Capacity t/month'],
    ['a coefficient', 'Spend: sum p in plants: cost[p] * make[p] <= 100', 'cost', 'Cost (€/t)'],
    ['a divisor', 'Use: make[p] / capacity[p] <= 1 for p in plants', 'capacity', 'Capacity t/month'],
    ['a condition', 'Some: make[p] <= 5 for p in plants where capacity[p] > 100', 'capacity', 'Capacity t/month'],
    ['a bound', '0 <= make[p] <= capacity[p] for p in plants', 'capacity', 'Capacity t/month'],
  ])('is mapped to the column with a similar spelling: %s', async (_, text, name, column) => {
    const turn = await after(MAKE, text);
    expect(labels(turn)?.[0]).toBe(`${name} is the column ${column} of plants.csv`);
    expect(labels(turn)?.join()).not.toMatch(VARIABLES);
    const before = turn.room.cards.length;
    const { question } = await turn.room.choose(`${name} is the column ${column} of plants.csv`);
    expect(turn.room.data('plants')).toMatchObject({ columns: { [name]: column } });
    expect(turn.room.cards).toHaveLength(before);
    expect(question?.question).not.toContain(`\`${name}`);
  });

  it('gets the index of its formula if it is written without an index', async () => {
    const turn = await after(MAKE, 'Limit: make[p] <= capacity for p in plants');
    await turn.room.choose('capacity is the column Capacity t/month of plants.csv');
    expect(turn.room.data('Limit')).toMatchObject({ expression: 'make[p] <= Capacity_t_month[p]' });
  });

  it('is replaced in its formula if another formula already uses the name of the column', async () => {
    const turn = await after(
      MAKE,
      'Limit: make[p] <= capacity[p] for p in plants; Least: make[p] >= 0.1 Capacity_t_month[p] for p in plants',
    );
    await turn.room.choose('capacity is the column Capacity t/month of plants.csv');
    expect(turn.room.data('plants')?.['columns']).toBeUndefined();
    expect(turn.room.data('Limit')).toMatchObject({ expression: 'make[p] <= Capacity_t_month[p]' });
  });

  it('is never offered as a variable, and the guide lists the columns when it asks about the name', async () => {
    const turn = await after(MAKE, 'Limit: make[p] <= ceiling[p] for p in plants');
    expect(labels(turn)).toEqual(['It is a value that I enter', 'Later']);
    expect(turn.question?.question).toContain('Enter it as in `ceiling of plants: ...`.');
    expect(turn.question?.question).toContain('`Capacity_t_month` (`Capacity t/month` of `plants.csv`)');
    const { text } = await turn.room.choose('It is a value that I enter');
    expect(text).toContain('`ceiling of plants: first 10, second 20`');
    await turn.room.say('ceiling of plants: Hamburg 10, Lyon 20');
    expect(turn.room.data('plants')).toMatchObject({ values: { ceiling: { Hamburg: 10, Lyon: 20 } } });
  });

  it.each([
    ['x integer; maximize gain: 3 x; Most: 2 x <= budget', 'budget'],
    ['x integer; maximize gain: price * x; Most: x <= 4', 'price'],
    ['x integer; maximize gain: 3 x; Most: budget >= 2 x', 'budget'],
    ['x integer; maximize gain: 3 x; Most: x + 2 = target', 'target'],
  ])('gets a value from a free-text answer: %s', async (text, name) => {
    const room = new Room();
    const { question } = await room.say(text);
    expect(question?.options.map(({ label }) => label)).toEqual(['It is a value that I enter', 'Later']);
    await room.say('12');
    expect(room.data('Values')).toMatchObject({ values: { [name]: 12 } });
  });

  it('is mapped to the value with a similar spelling', async () => {
    const room = new Room();
    const { question } = await room.say('x integer; budget = 40; maximize gain: 3 x; Most: 2 x <= bugdet, hard');
    expect(question?.options[0]).toEqual({
      label: 'bugdet is the value budget',
      description: 'set Most expression: 2 x <= budget',
    });
    await room.choose('bugdet is the value budget');
    expect(room.data('Most')).toMatchObject({ expression: '2 x <= budget' });
  });
});

describe('an unknown name in the key of a variable', () => {
  it('gets a value from a free-text answer', async () => {
    const turn = await after(
      MAKE,
      'weeks: 1 to 4; stock[w] >= 0 continuous for w in weeks',
      'Least: make[p] >= stock[w - delay] for p in plants, w in weeks',
    );
    expect(labels(turn)).toEqual(['It is a value that I enter', 'Later']);
    await turn.room.say('2');
    expect(turn.room.data('Values')).toMatchObject({ values: { delay: 2 } });
  });
});

describe('an unknown name used as a decision', () => {
  it.each([
    ['maximize gain: 3 x + 2 y', 'x, y >= 0 integer'],
    ['maximize gain: price * x; price = 3; Most: x <= 4', 'x >= 0 integer'],
    ['minimize longest: peak; load integer; Most: load <= peak', 'peak >= 0 integer'],
  ])('may become a variable: %s', async (text, statement) => {
    const { question } = await new Room().say(text);
    expect(question?.options.map(({ description }) => description)).toContain(statement);
  });

  it('is mapped to the variable with a similar spelling', async () => {
    const room = new Room();
    const { question } = await room.say('chairs integer; maximize gain: 3 chairs; Most: chair + 2 chairs <= 4');
    expect(question?.options.map(({ label }) => label)).toEqual([
      'chair is the variable chairs',
      'Whole numbers from 0',
      'Amounts from 0, fractions too',
      'Yes-or-no decisions',
    ]);
    await room.choose('chair is the variable chairs');
    expect(room.data('Most')).toEqual({ expression: 'chairs + 2 chairs <= 4' });
  });
});

describe('a variable that only relaxes limits', () => {
  const WARNING = /is only used to loosen a limit/;

  it.each([
    'x, cap integer; minimize cost: x; Limit: x <= cap, hard',
    'x, cap integer; minimize cost: x; Limit: x - cap <= 3',
    'x, cap continuous; minimize cost: x; Limit: cap >= 2 x; Other: 3 cap + 4 >= x',
  ])('causes a warning only once: %s', async (text) => {
    const room = new Room();
    expect((await room.say(text)).text).toMatch(WARNING);
    expect((await room.say('kpi: cost')).text).not.toMatch(WARNING);
  });

  it.each([
    'x, cap integer; minimize cost: x + 2 cap; Limit: x <= cap',
    'x, cap integer; cap <= 8; minimize cost: x; Limit: x <= cap',
    'x, cap integer; minimize cost: x; Limit: x <= cap; Room: cap + x <= 9',
    'x, stock integer; minimize cost: x; Balance: stock = x - 3',
  ])('does not cause a warning: %s', async (text) => {
    expect((await new Room().say(text)).text).not.toMatch(WARNING);
  });
});

it.each([
  ['(i, j) in arcs', 'flow[i, j]'],
  ['(i, j) in arcs, t in weeks', 'flow[i, j, t]'],
])('offers a variable that is indexed by pairs: %s', async (index, member) => {
  const room = new Room();
  room.files = ['arcs.csv'];
  const arcs = { path: 'arcs.csv', key: ['i', 'j'], isDistinct: false };
  const columns = [
    { name: 'i', type: 'text' as const },
    { name: 'j', type: 'text' as const },
    { name: 'cost', type: 'number' as const },
  ];
  room.fileStates = new Map([[fileKey(arcs), { columns }]]);
  await room.say('arcs from arcs.csv key i, j; weeks: 1 to 3');
  await room.say(`minimize total: sum ${index}: cost[i, j] * ${member}`);
  await room.choose('Amounts from 0, fractions too');
  expect(room.data('flow')).toMatchObject({ index, domain: 'continuous' });
});
