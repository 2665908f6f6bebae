import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { readStatement } from './grammar.js';

const FINISH = 'all constraints are hard; kpi: none; requirement: none; data: in the formulas; confirm; solve';
const MODEL = 'x, y <= 10; Hours: x + y <= 12';

async function after(...texts: string[]) {
  const room = new Room();
  let last = await room.say('Hello');
  for (const text of texts) last = await room.say(text);
  return { room, text: last.text };
}

it.each<[string, object]>([
  ['minimize cost, priority 2', { kind: 'objective', sense: 'minimize', text: 'cost', priority: 2 }],
  [
    'maximize service: x + y, priority 1, may lose 2 %',
    { label: 'service', text: 'x + y', priority: 1, tolerance_percent: 2 },
  ],
  ['maximize service, priority 1, may lose 5', { text: 'service', tolerance: 5 }],
  ['maximize service: x + y (priority 1)', { text: 'x + y', priority: 1 }],
  ['maximize x, weight 2, priority 1', { text: 'x', weight: 2, priority: 1 }],
  ['maximize x with priority 3, may lose up to 2.5 percent', { text: 'x', priority: 3, tolerance_percent: 2.5 }],
  ['maximize profit: x, weight 2', { text: 'x', weight: 2 }],
  ['set cost priority: 2', { kind: 'set', whom: 'cost', field: 'priority', value: '2' }],
  ['priority of cost: 2', { kind: 'set', whom: 'cost', field: 'priority', value: '2' }],
  ['cost has priority 2', { kind: 'set', whom: 'cost', field: 'priority', value: '2' }],
  ['service may lose 2 %', { kind: 'set', whom: 'service', field: 'tolerance_percent', value: '2' }],
  ['service may lose 5', { kind: 'set', whom: 'service', field: 'tolerance', value: '5' }],
  ['set service tolerance_percent: 3', { kind: 'set', field: 'tolerance_percent', value: '3' }],
  ['priority: x + y <= 4', { kind: 'relation', label: 'priority' }],
])('reads %s', (text, statement) => {
  expect(readStatement(text).statement).toMatchObject(statement);
});

it.each([
  'maximize x, priority 1, priority 2',
  'maximize x, may lose 5, may lose 2 %',
  'max gain: x, weight 1, weight 2',
])('rejects a repeated property: %s', async (statement) => {
  const { text } = await after('x <= 10', statement, FINISH);
  expect(text).toContain('The model cannot be solved yet');
  expect(text).toContain('is not expected here');
});

describe('the guide', () => {
  it('solves objectives by priority and lists their values', async () => {
    const { room, text } = await after(
      `${MODEL}; maximize service: x + y, priority 1; minimize cost: 3 x + y, priority 2`,
      FINISH,
    );
    expect(text).toContain(
      'Solved: the objective is 12, with `x = 2`, `y = 10`. Objectives: `service = 12` (priority 1), `cost = 16` (priority 2).',
    );
    expect((await room.say('what is the cost')).text).toContain('`cost` is 16 (priority 2).');
    expect((await room.say('what is the objective')).text).toContain(
      '`service` is 12 (priority 1). `cost` is 16 (priority 2). The objective of the run is 12, the value of the first priority',
    );
    const { text: changed } = await room.say('service may lose 25 %; confirm; solve');
    expect(changed).toContain('Objective `service`: `maximize`, `x + y`, priority `1`, may lose `25 %`, confirmed');
    expect(changed).toContain('`service = 9` (priority 1), `cost = 9` (priority 2)');
    const { text: amount } = await room.say('set service tolerance: 1; solve');
    expect(room.data('service')).not.toHaveProperty('tolerance_percent');
    expect(amount).toContain('`service = 11` (priority 1), `cost = 13` (priority 2)');
  });

  it('asks for the priority of an objective if other objectives have priorities', async () => {
    const { room, text } = await after(`${MODEL}; maximize service: x + y, priority 1; minimize cost: 3 x + y`, FINISH);
    expect(text).toContain('The model cannot be solved yet');
    expect(text).toContain('`cost`: Which priority does it have?');
    await room.say('2');
    expect(room.data('cost')).toMatchObject({ priority: 2 });
    expect((await room.say('confirm; solve')).text).toContain('`cost = 16` (priority 2)');
  });

  it.each([
    ['set service tolerance_percent: none', 'tolerance_percent'],
    ['set service priority: none', 'priority'],
    ['set service tolerance: 5; set service tolerance: NONE', 'tolerance'],
  ])('clears a priority or tolerance: %s', async (text, field) => {
    const { room } = await after(`${MODEL}; maximize service: x + y, priority 1, may lose 2 %`, text);
    expect(room.data('service')).toMatchObject({ expression: 'x + y' });
    expect(room.data('service')).not.toHaveProperty(field);
  });

  it('explains that objectives with priorities have no shadow prices and reduced costs', async () => {
    const { room } = await after(
      `${MODEL}; maximize service: x + y, priority 1; minimize cost: 3 x + y, priority 2`,
      FINISH,
    );
    const reason = 'because the objectives have priorities and no price covers all of them. Ask `what if';
    for (const question of ['shadow prices', 'shadow price of Hours', 'reduced cost of x'])
      expect((await room.say(question)).text).toContain(reason);
  });

  it('reports shadow prices if all objectives have the same priority', async () => {
    const { room } = await after(
      `${MODEL}; maximize service: x + y, priority 1, weight 4; minimize cost: 3 x + y, priority 1, weight 1`,
      FINISH,
    );
    expect((await room.say('shadow prices')).text).toContain('Shadow prices:\n- `Hours`');
  });

  it('reports penalties according to the sense of the first priority', async () => {
    const { room } = await after(
      'x, y <= 10; minimize cost: 3 x + y, priority 2; maximize service: 3 x + 3 y, priority 1; Hours: x + y <= 12, soft, penalty 1',
      FINISH.replace('all constraints are hard; ', ''),
    );
    expect((await room.say('what is service')).text).toContain(
      'The objective of the run is 52, the value of the first priority, minus 8 for breaking `Hours`.',
    );
  });

  it('says that the newest run does not contain a new objective', async () => {
    const { room } = await after(
      `${MODEL}; maximize service: x + y, priority 1; minimize cost: 3 x + y, priority 2`,
      FINISH,
      'maximize variety: y, priority 3',
    );
    expect((await room.say('what is variety')).text).toContain(
      'The newest run has no objective `variety`. Write `solve` to compute it.',
    );
  });

  it('adds a priority to an existing objective', async () => {
    const { room } = await after(`${MODEL}; maximize service: x + y; minimize cost: 3 x + y`);
    await room.say('maximize service, priority 1, may lose 5; minimize cost, priority 2');
    expect(room.data('service')).toEqual({ sense: 'maximize', expression: 'x + y', priority: 1, tolerance: 5 });
    expect(room.data('cost')).toEqual({ sense: 'minimize', expression: '3 x + y', priority: 2 });
  });
});
