import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { whyAmounts } from './index-grammar.js';

const MODEL =
  'beans, rice integer; minimize cost: 2 beans + 3 rice; Full: beans + rice >= 4, hard; kpi: none; requirement: none; confirm';

describe('a list of amounts', () => {
  it.each([
    '- Beans: protein 9, carbs 40',
    'Beans: 9 protein, 40 carbs',
    'Brown rice: protein 9 g, carbs 40g and fat 3 %',
    'Beans: 9 g protein, 40 g of carbs',
    'shifts: early 6, late 7',
    'prices: beans 2.5, rice -3e2',
  ])('prevents a solve instead of becoming a set: %s', async (list) => {
    const room = new Room();
    await room.say(MODEL);
    const { text } = await room.say(list);
    expect(text).toContain('it is unclear what these amounts are for');
    expect(room.checklist.data_available).toBe(false);
    const { calls } = await room.say('solve');
    expect(calls.map(({ tool }) => tool)).not.toContain('run_solve');
  });

  it.each([
    ['kpi', 'requirement: none; data: in the formulas'],
    ['production_requirement', 'kpi: none; data: in the formulas'],
    ['data', 'kpi: none; requirement: none'],
  ])('is not accepted as an answer to the question about a card of type %s', async (type, others) => {
    const room = new Room();
    await room.say(MODEL.replace('kpi: none; requirement: none', others));
    await room.say('Beans: protein 9, carbs 40');
    expect(room.cards.map(({ card_type }) => card_type)).not.toContain(type);
  });

  it('is accepted if it gives values for a set or if its items are in quotation marks', async () => {
    const room = new Room();
    await room.say(`${MODEL}\nBeans: protein 9, carbs 40\nmeals: protein 3, carbs 30`);
    await room.say('meals: "protein 3", "carbs 30"');
    const { text } = await room.say(
      'remove Beans: protein 9, carbs 40; foods: Beans, Rice; protein of foods: Beans 9, Rice 3; solve',
    );
    expect(room.data('meals')).toMatchObject({ members: ['protein 3', 'carbs 30'] });
    expect(text).toContain('Solved');
  });

  it.each([
    'lines: line 1, line 2',
    'sizes: 10 mm, 20 mm',
    'weeks: 2024 W1, 2024 W2',
    'machines: press 1, press 2, lathe 1',
    'shifts: early, late 2',
    'rooms: A1, B2',
    'days: 1, 2, 3',
    'shifts: "early 6", "late 7"',
    'cups: it has 9 protein, 40 carbs',
  ])('is not detected in %j', (text) => {
    expect(whyAmounts(text)).toBeUndefined();
  });
});
