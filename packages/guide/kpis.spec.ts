import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const MODEL =
  'tables, chairs integer; hours = 8; goods: oak, elm; make[g] for g in goods; maximize profit: 50 tables + 30 chairs; Wood: 2 tables + chairs <= 40, hard; requirement: none; data: in the formulas; confirm';

describe('a KPI without a name', () => {
  it.each([
    ['kpi: 2 tables + chairs', '2 tables + chairs'],
    ['kpi: tables - chairs', 'tables - chairs'],
    ['kpi: hours * tables', 'hours * tables'],
    ['kpi: tables', 'tables'],
    ['kpi = 3 chairs', '3 chairs'],
    ['kpi: sum g in goods: make[g]', 'sum g in goods: make[g]'],
    ['kpi: (tables + chairs) / 2', '(tables + chairs) / 2'],
  ])('uses the given formula: %s', async (text, expression) => {
    const room = new Room();
    await room.say(MODEL);
    const turn = await room.say(`${text}; solve`);
    expect(room.cards.find(({ card_type }) => card_type === 'kpi')?.data).toEqual({
      description: expression,
      expression,
    });
    expect(turn.text).not.toContain('limits no plan');
    expect(turn.text).toContain('Solved');
  });

  it('keeps a formula that precedes the declaration of its variables', async () => {
    const room = new Room();
    await room.say(`kpi: 2 tables + chairs; ${MODEL}`);
    expect(room.data('2 tables + chairs')).toMatchObject({ expression: '2 tables + chairs' });
    expect((await room.say('solve')).text).toContain('Solved');
  });

  it.each(['kpi: on time delivery', 'kpi: cost-benefit', 'kpi: 3 shifts', 'kpi: speed'])(
    'keeps its text as a description: %s',
    async (text) => {
      const room = new Room();
      await room.say(MODEL);
      await room.say(text);
      expect(room.data(text.slice('kpi: '.length))).toEqual({ description: text.slice('kpi: '.length) });
    },
  );

  it('prevents a solve if it contains a comparison that may be meant as a limit', async () => {
    const room = new Room();
    await room.say(MODEL);
    expect((await room.say('kpi: tables + chairs at least 12; solve')).text).toContain(
      'The model cannot be solved yet',
    );
  });
});
