import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { readStatement } from './grammar.js';
import type { VariableFacts } from './statement.js';
import { whyNoRange } from './variable-facts.js';

const FINISH = 'all constraints are hard; kpi: none; requirement: none; data: in the formulas; confirm; solve';

function factsOf(text: string): VariableFacts {
  const { statement } = readStatement(text);
  return statement?.kind === 'variables' ? statement.facts : {};
}

async function after(...texts: string[]) {
  const room = new Room();
  let last = await room.say('Hello');
  for (const text of texts) last = await room.say(text);
  return { room, text: last.text };
}

describe('a statement about a variable that is 0 or in a range', () => {
  it.each<[string, object]>([
    ['x is 0 or 20 to 200', { zero_or_between: [20, 200] }],
    ['x is zero or between 20 and 200', { zero_or_between: [20, 200] }],
    ['x is either 0 or from 20 to 200', { zero_or_between: [20, 200] }],
    ['x must be 0 or in 20..200', { zero_or_between: [20, 200] }],
    ['x can be 0 or 20 - 200', { zero_or_between: [20, 200] }],
    ['x 0 or 20 to 200', { zero_or_between: [20, 200] }],
    ['x: 0 or 20 to 200', { zero_or_between: [20, 200] }],
    ['x is 0 or at least 20 and at most 200', { zero_or_between: [20, 200] }],
    ['x is 0 or at least 20, at most 200', { zero_or_between: [20, 200] }],
    ['x is 0 or 2.5 up to 1e3', { zero_or_between: [2.5, 1000] }],
    ['x is 0 or 20 to 200 integer', { zero_or_between: [20, 200], domain: 'integer' }],
    ['x is integer, 0 or 20 to 200', { zero_or_between: [20, 200], domain: 'integer' }],
    ['x integer and is 0 or 20 to 200 in kg', { zero_or_between: [20, 200], domain: 'integer', unit: 'kg' }],
    ['x is 0 or at least 20', { zero_or_between: [20, null] }],
    ['x is 0 or >= 20', { zero_or_between: [20, null] }],
    ['x is 0 or 20 or more', { zero_or_between: [20, null] }],
    ['x <= 300 and is 0 or at least 20', { zero_or_between: [20, null], upper: 300 }],
    ['x is 0 or 20', { zero_or_between: [20, 20] }],
    ['x is 0 or 1', { domain: 'binary' }],
    ['x is 0 or lot to 3 * lot', { zero_or_between: ['lot', '3 * lot'] }],
    ['x is 0 or between lot and 200, whole numbers', { zero_or_between: ['lot', 200], domain: 'integer' }],
    ['x is 0 or at least cap - 5', { zero_or_between: ['cap - 5', null] }],
    ['x is 0 or cap - 5 to cap - 2', { zero_or_between: ['cap - 5', 'cap - 2'] }],
  ])('is parsed: %s', (text, facts) => {
    const { free, ...read } = { ...factsOf(text) };
    expect(free ?? null).toBeNull();
    expect([readStatement(text).statement, read]).toEqual([
      expect.objectContaining({ kind: 'variables', names: ['x'], declares: true }),
      facts,
    ]);
  });

  it.each([
    'x is 0 or up to 20',
    'x is 0 or at most 20',
    'x is 0 or lot - 20',
    'x is 0 or more',
    'x is 0 or 20 kg',
    'x is 0 or 20 to 200 pieces',
    'x is 0 or 20,5 to 200',
    'make[p] is 0 or up to most[p] for p in products',
  ])('is rejected with an example if the range cannot be read: %s', (text) => {
    expect(readStatement(text).statement).toBeUndefined();
    expect(whyNoRange(text)).toContain('after `0 or`, write a range such as `20 to 200` or `at least 20`');
  });

  it('can apply to several variables or to all members of an index', () => {
    expect(readStatement('x, y are 0 or 20 to 200').statement).toMatchObject({ names: ['x', 'y'] });
    expect(readStatement('x is 0 or 20 to 200, y is 0 or 5 to 9').statement).toMatchObject({
      kind: 'several',
      statements: [{ facts: { zero_or_between: [20, 200] } }, { facts: { zero_or_between: [5, 9] } }],
    });
    const index = 'p in products, t in weeks';
    for (const [text, range] of [
      ['make[p, t] is 0 or 20 to 200', [20, 200]],
      ['make[p, t] is 0 or lot[p] to most[p, t]', ['lot[p]', 'most[p, t]']],
      ['make[p, t] is 0 or at least lot[p]', ['lot[p]', null]],
      ['make[p, t] is 0 or at least lot[p] and at most 2 * (lot[p] + 3), integer', ['lot[p]', '2 * (lot[p] + 3)']],
    ] as const)
      expect(readStatement(`${text} for ${index}`).statement).toMatchObject({
        kind: 'family',
        name: 'make',
        index,
        facts: { zero_or_between: range },
      });
  });
});

describe('the guide', () => {
  it('solves a model whose variables are 0 or in a range, and reports which limits bind', async () => {
    const { room, text } = await after(
      'minimize cost: 2 x + 3 y; Need: x + y >= 210; x is 0 or 20 to 200; y is 0 or 30 to 90',
      FINISH,
    );
    expect(room.data('x')).toEqual({ name: 'x', zero_or_between: [20, 200] });
    expect(text).toContain('Solved: the objective is 450, with `x = 180`, `y = 30`.');
    expect((await room.say('which limits bind')).text).toContain('- `y is 0 or 30 to 90`: no room left');
    expect((await room.say('shadow price of Need')).text).toContain('There are no shadow prices');
    expect((await room.say('show')).text).toContain('Variable `x`: 0 or `20 to 200`');
  });

  it('solves a model in which each member has a different range', async () => {
    const { room, text } = await after(
      'goods: a, b, c; lot of goods: a 20, b 5, c 8; cap of goods: a 50, b 40, c 8; cost of goods: a 1, b 2, c 9',
      'make[g] is 0 or lot[g] to cap[g] for g in goods',
      'minimize total: sum g in goods: cost[g] * make[g]; Need: sum g in goods: make[g] >= 12',
      FINISH,
    );
    expect(room.data('make')).toEqual({ name: 'make', index: 'g in goods', zero_or_between: ['lot[g]', 'cap[g]'] });
    expect(text).toContain('Solved: the objective is 20, with `make = 20`');
  });

  it('requests a missing upper bound for an open range and accepts the bound', async () => {
    const { room, text } = await after('maximize gain: x; Hours: 2 x <= 70; x is 0 or at least 20', FINISH);
    expect(text).toContain('`x`: It is 0 or at least 20, so it needs an upper bound');
    expect((await room.say('x <= 30; solve')).text).toContain('Solved: the objective is 30');
    expect(room.data('x')).toMatchObject({ zero_or_between: [20, null], upper: 30 });
  });

  it('applies later bounds in addition to the range and never replaces the range silently', async () => {
    const { room, text } = await after(
      'maximize gain: x; Hours: x <= 500; x is 0 or 20 to 200',
      'x <= 100',
      'x is 0 or 30 to 400',
    );
    expect(text).toContain('a variable has a single range after `0 or`, for all its members');
    expect(room.data('x')).toMatchObject({ zero_or_between: [20, 200], upper: 100 });
    const { text: replaced } = await room.say('set x zero_or_between: 30 to 400');
    expect(replaced).toContain('0 or `30 to 400`');
    expect(replaced).toContain('0 or 20 to 200');
    await room.say('undo');
    expect(room.data('x')).toMatchObject({ zero_or_between: [20, 200] });
    await room.say('set x zero_or_between: none');
    expect(room.data('x')).not.toHaveProperty('zero_or_between');
  });

  it.each([
    ['for some members', 'make[g] is 0 or 20 to 200 for g in goods where g <> "a"', 'for all its members'],
    ['for a single member', 'make["a"] is 0 or 20 to 200', 'for all its members'],
    ['with a name', 'Lots: make[g] is 0 or 20 to 200 for g in goods', 'for all its members'],
    ['with several values', 'make[g] is 0 or 20 or 40 for g in goods', '20 or 40'],
    ['in percent', 'make[g] is 0 or 20% to 40% for g in goods', '20%'],
  ])('prevents a solve instead of ignoring an unusable range: %s', async (_, statement, told) => {
    const { room, text } = await after(
      'goods: a, b; make[g] for g in goods; maximize gain: sum g in goods: make[g]; Cap: make[g] <= 9 for g in goods',
      statement,
      FINISH,
    );
    expect(text).toContain(told);
    expect(text).toContain('The model cannot be solved yet');
    expect(room.data('make')).not.toHaveProperty('zero_or_between');
  });

  it('explains a conflict with the range', async () => {
    const { text } = await after('minimize cost: x; Low: x >= 3; High: x <= 15; x is 0 or 20 to 200', FINISH);
    expect(text).toContain('`x is 0 or 20 to 200`');
    expect(text).toContain('cannot hold together');
  });

  it.each([
    ['20 to 200', [20, 200]],
    ['at least cap - 5', ['cap - 5', null]],
  ])('moves the range of a misspelled variable to the intended variable: %s', async (text, range) => {
    const { room } = await after(
      'cap = 25; maximize gain: tables; tables <= 300; Hours: tables <= 250, hard',
      `tabels is 0 or ${text}`,
    );
    await room.choose('It is tables');
    expect(room.cards.filter(({ card_type }) => card_type === 'variable').map(({ label }) => label)).toEqual([
      'tables',
    ]);
    expect(room.data('tables')).toMatchObject({ zero_or_between: range });
  });
});
