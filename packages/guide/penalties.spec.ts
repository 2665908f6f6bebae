import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { readStatement } from './grammar.js';

const SOFT = { classification: 'soft', penalty: 'late_cost[o]' };
const ORDERS = 'orders: a, b; due of orders: a 3, b 4; late_cost of orders: a 5, b 1';
const MODEL = [
  ORDERS,
  'make[o] continuous for o in orders; make[o] <= 9 for o in orders',
  'minimize cost: sum o in orders: make[o]',
  'Room: sum o in orders: make[o] <= 5, hard',
].join('\n');
const FINISH = 'kpi: none; requirement: none; data: in the formulas; confirm; solve';

describe('a penalty for each member', () => {
  it.each([
    'Due: make[o] >= due[o] for o in orders, soft, penalty late_cost[o]',
    'Due: make[o] >= due[o], soft, penalty late_cost[o] for o in orders',
    'Due: make[o] >= due[o] for o in orders (soft, penalty of late_cost[o])',
    'Due: make[o] >= due[o] for o in orders soft with a penalty late_cost[o]',
  ])('is read after a constraint: %s', (text) => {
    expect(readStatement(text).statement).toMatchObject({
      kind: 'relation',
      label: 'Due',
      index: 'o in orders',
      counts: SOFT,
    });
  });

  it.each([
    'Due is soft, penalty late_cost[o]',
    'Due may be broken at late_cost[o]',
    'make Due soft, penalty late_cost[o]',
  ])('is read for a constraint on the canvas: %s', (text) => {
    expect(readStatement(text).statement).toMatchObject({ kind: 'classify', counts: SOFT });
  });

  it('may have a factor', () => {
    expect(readStatement('x[o] <= 3 for o in orders, soft, penalty 2 * late_cost[o]').statement).toMatchObject({
      counts: { penalty: '2 * late_cost[o]' },
    });
    expect(readStatement('x <= 3, soft, penalty 2.5').statement).toMatchObject({ counts: { penalty: 2.5 } });
  });

  it('is solved', async () => {
    const room = new Room();
    await room.say([MODEL, 'Due: make[o] >= due[o] for o in orders, soft, penalty late_cost[o]'].join('\n'));
    const { text } = await room.say(FINISH);
    expect(text).toContain('Solved: the objective is 7');
    expect((await room.say('set Due penalty: 3 * late_cost[o]; solve')).text).toContain('Solved: the objective is 11');
    expect((await room.say('Due is soft, penalty 10; solve')).text).toContain('Solved: the objective is 25');
  });

  it('is asked for if its name is unknown', async () => {
    const room = new Room();
    const { question } = await room.say(
      [MODEL, 'Due: make[o] >= due[o] for o in orders, soft, penalty cost_late[o]'].join('\n'),
    );
    expect(JSON.stringify(question)).toContain('cost_late');
  });
});
