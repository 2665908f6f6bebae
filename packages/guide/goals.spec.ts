import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { readStatement } from './grammar.js';

it.each<[string, object]>([
  ['Hours: make close to 400, miss costs 5', { label: 'Hours', subject: 'make', target: '400', penalty: 5 }],
  ['make close to 400', { subject: 'make', target: '400' }],
  ['keep the hours close to 400, a miss costs 5 per hour', { subject: 'hours', target: '400', penalty: 5 }],
  [
    '2 chairs + 4 tables should be close to 40, penalty 3',
    { subject: '2 chairs + 4 tables', target: '40', penalty: 3 },
  ],
  [
    'make[t] close to demand[t], miss costs 5 for t in weeks',
    { subject: 'make[t]', target: 'demand[t]', penalty: 5, index: 't in weeks' },
  ],
  [
    'make[t] close to 4 for t in weeks where t > 1, missing it costs 2',
    { target: '4', penalty: 2, index: 't in weeks where t > 1' },
  ],
  [
    'make[t] close to 4, miss costs pen[t] for t in weeks',
    { subject: 'make[t]', target: '4', penalty: 'pen[t]', index: 't in weeks' },
  ],
  ['Total hours close to 400', { subject: 'Total hours', target: '400' }],
  ['Goal: make close to 400', { subject: 'make', target: '400' }],
])('reads %s', (text, statement) => {
  expect(readStatement(text).statement).toEqual({
    kind: 'goal',
    ...statement,
    ...('subject' in statement ? {} : { subject: 'make[t]' }),
  });
});

it.each(['we are close to the end', 'minimize cost close to 4', 'close to 400', 'the plant is close to town'])(
  'does not read a goal in %j',
  (text) => {
    expect(readStatement(text).statement?.kind).not.toBe('goal');
  },
);

it.each([
  ['Hours: make close to 4 or 5', 'write the target after `close to`'],
  ['Hours: make close to 400, miss costs much', 'the price of a miss is a number or a column'],
])('explains the problem of %s', (text, reason) => {
  expect(readStatement(text)).toMatchObject({ reason: expect.stringContaining(reason) });
});

describe('a goal', () => {
  const MODEL =
    'chairs, tables integer; maximize profit: 30 chairs + 50 tables; Labour: 2 chairs + 4 tables <= 40, hard; Wood: chairs + tables <= 15, hard; requirement: none';

  it.each([
    [100, 8],
    [1, 10],
  ])('has a price in both directions: %s', async (price, chairs) => {
    const room = new Room();
    await room.say(`${MODEL}; kpi: none; chairs close to 8, miss costs ${price}`);
    expect(room.data('Goal 3')).toEqual({ expression: 'chairs = 8', classification: 'soft', penalty: price });
    const { text } = await room.say('confirm; solve');
    expect(text).toContain(`\`chairs = ${chairs}\``);
  });

  it('uses the formula of a KPI', async () => {
    const room = new Room();
    await room.say(`${MODEL}; kpi Working hours: 2 chairs + 4 tables`);
    await room.say('working hours close to 30, miss costs 2');
    expect(room.data('Goal for Working hours')).toEqual({
      expression: '2 chairs + 4 tables = 30',
      classification: 'soft',
      penalty: 2,
    });
  });

  it('makes the guide ask for its price', async () => {
    const room = new Room();
    const { question } = await room.say(`${MODEL}; kpi: none; Seats: chairs close to 8`);
    expect(question?.question).toContain('`Seats`');
    await room.say('7');
    expect(room.data('Seats')).toEqual({ expression: 'chairs = 8', classification: 'soft', penalty: 7 });
  });

  it('prevents a solve if its name is unknown', async () => {
    const room = new Room();
    await room.say(`${MODEL}; kpi: none; keep overtime close to 8`);
    const { text } = await room.say('confirm; solve');
    expect(text).not.toContain('Solved');
    expect(text).toContain('keep overtime close to 8');
  });
});
