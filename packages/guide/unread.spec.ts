import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const RIVER = [
  'boat, canoe integer',
  'minimize time: 20 boat + 40 canoe',
  'ducks: 10 boat + 8 canoe >= 300',
  'people: 4 boat + 3 canoe <= 500',
];
const FINISH = 'all constraints are hard; kpi: none; requirement: none';

/** Enters a model with the statements and asks for a solve twice. */
async function solved(...statements: string[]) {
  const room = new Room();
  const first = await room.say([...RIVER, ...statements, FINISH, 'confirm; solve'].join('\n'));
  const later = await room.say('solve');
  const calls = [...first.calls, ...later.calls];
  return { room, first, later, isSolved: calls.some(({ tool }) => tool === 'run_solve') };
}
const cardOf = (room: Room, label: string) => room.cards.find((card) => card.label === label);
const isBlocked = (room: Room, label: string): boolean =>
  cardOf(room, label)?.gaps.some(({ severity }) => severity === 'blocking') === true;

describe('a statement that cannot be parsed', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['share: canoe >= 60% * (boat + canoe)', 'share', { expression: 'canoe >= 60% * (boat + canoe)' }],
    ['share: canoe + boat at the most 40', 'share', { expression: 'canoe + boat at the most 40' }],
    ['share: canoe 3 boat', 'share', { expression: 'canoe 3 boat' }],
    ['share: canoe + boat', 'share', { expression: 'canoe + boat' }],
    ['share: canoe höchstens 40', 'share', { expression: 'canoe höchstens 40' }],
    ['share: 2 (canoe + boat <= 40', 'share', { expression: '2 (canoe + boat <= 40' }],
    ['share: canoe <= <= 40, hard', 'share', { expression: 'canoe <= <= 40', classification: 'hard' }],
    ['share (soft): canoe * * boat', 'share', { expression: 'canoe * * boat' }],
    ['canoe + * boat <= 40', 'canoe + * boat <= 40', { expression: 'canoe + * boat <= 40' }],
    ['subject to Share {t in T}: x[t] <= 4 +', 'subject to Share {t in T}: x[t] <= 4 +', {}],
    ['share: canoe <= 40 for t in', 'share', { expression: 'canoe <= 40', index: 't in' }],
    ['canoe intger', 'canoe intger', { expression: 'canoe intger' }],
    ['ducks are hrad', 'ducks are hrad', {}],
    ['ducs is soft, penalty 5', 'ducs is soft, penalty 5', {}],
    ['set ducks penalt: 5', 'set ducks penalt', {}],
    ['time <= 400', 'time <= 400', { expression: 'time <= 400' }],
    ['objective <= 400', 'objective <= 400', { expression: 'objective <= 400' }],
    ['Constraint 1 <= 7', 'Constraint 1 <= 7', { expression: 'Constraint 1 <= 7' }],
    ['maximise time 3 boat', 'maximise time 3 boat', { expression: 'maximise time 3 boat' }],
  ])('becomes a constraint that prevents a solve: %s', async (statement, label, data) => {
    const { room, first, later, isSolved } = await solved(statement);
    expect(cardOf(room, label)).toMatchObject({ card_type: 'constraint', data });
    expect(isSolved).toBe(false);
    for (const { text } of [first, later]) {
      expect(text).toContain('I do not understand this yet, so I cannot solve the model.');
      expect(text).toContain(`- \`${label}`);
    }
  });

  it.each(['share(t).. sum(p, x(p)) =l= 40', 'm.share = Constraint(expr=m.canoe <= 40)'])(
    'becomes a constraint that prevents a solve until its translation is stated: %s',
    async (statement) => {
      const { first, later, isSolved } = await solved(statement);
      expect(isSolved).toBe(false);
      for (const { text } of [first, later]) expect(text).toContain('are not stated yet');
    },
  );

  it.each<[string, string, Record<string, unknown>]>([
    ['maximize profit: 3 boat + + * canoe', 'profit', { sense: 'maximize', expression: '3 boat + + * canoe' }],
    ['minimse time: 20 boat', 'time', { sense: 'minimse', expression: '20 boat' }],
    ['maximiere time: 20 boat', 'time', { sense: 'maximiere', expression: '20 boat' }],
    ['objective time: 20 boat <= 4', 'time', { expression: '20 boat <= 4' }],
  ])('becomes an objective: %s', async (statement, label, data) => {
    const { room, later, isSolved } = await solved(statement);
    expect(cardOf(room, label)).toMatchObject({ card_type: 'objective', data });
    expect([isSolved, isBlocked(room, label)]).toEqual([false, true]);
    expect(later.text).toContain(`- \`${label}`);
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['variables raft, punt intger', 'punt', { name: 'punt', domain: 'intger' }],
    ['weeks: 1 to 4; row[t] intger for t in weeks', 'row', { name: 'row', index: 't in weeks', domain: 'intger' }],
    ['weeks: 1 to 4; row[t] integer for t weeks', 'row', { name: 'row', index: 't weeks', domain: 'integer' }],
  ])('becomes a variable: %s', async (statement, label, data) => {
    const { room, isSolved } = await solved(statement);
    expect(cardOf(room, label)).toMatchObject({ card_type: 'variable', data });
    expect([isSolved, isBlocked(room, label)]).toEqual([false, true]);
  });

  it.each([
    ['requirement: canoe >= 60% * boat', 'Requirement 1'],
    ['requirement Few: canoe[1 >= 2', 'Few'],
    ['produce 10 canos', 'Requirement 1'],
  ])('becomes a requirement that prevents a solve: %s', async (statement, label) => {
    const room = new Room();
    await room.say([...RIVER, FINISH.replace('; requirement: none', ''), statement].join('\n'));
    expect(cardOf(room, label)?.card_type).toBe('production_requirement');
    const { calls, text } = await room.say('confirm; solve');
    expect(calls.map(({ tool }) => tool)).not.toContain('run_solve');
    expect(text).toContain(`- \`${label}`);
  });

  it('can be repaired by name or by formula, or removed', async () => {
    const { room } = await solved(
      'share: canoe >= 60% * (boat + canoe)',
      'most: canoe at the most 90',
      'least: canoe >=',
      'weeks: 1 ot 4',
    );
    expect(cardOf(room, 'weeks')).toBeUndefined();
    await room.say('share: canoe >= 0.6 * (boat + canoe), hard');
    await room.say('set most expression: canoe <= 90');
    const { text } = await room.say('remove least; remove weeks: 1 ot 4; solve');
    expect(text).toContain('Solved: the objective is 1120');
    expect(text).not.toContain('do not understand');
  });

  it('can be replaced by a statement of another type with the same name', async () => {
    const room = new Room();
    await room.say('minimize cost: sum t in weeks: make[t]\nweeks: 1 ot 4\nprofit: 3 make + 2');
    expect(room.cards.map(({ card_type, label }) => [card_type, label])).toEqual([
      ['objective', 'cost'],
      ['constraint', 'weeks'],
      ['constraint', 'profit'],
    ]);
    await room.say('weeks: 1 to 4\nmaximize profit: 3 make + 2');
    expect(room.cards.map(({ card_type, label }) => [card_type, label])).toEqual([
      ['objective', 'cost'],
      ['data', 'weeks'],
      ['objective', 'profit'],
    ]);
  });

  it('does not change another card of the same name', async () => {
    const { room } = await solved('canoe: 0 ot 3');
    expect(cardOf(room, 'canoe: 0 ot 3')?.card_type).toBe('constraint');
    await room.say('remove canoe: 0 ot 3');
    expect(cardOf(room, 'canoe')?.card_type).toBe('variable');
    await room.say('weeks: 1 to 4\nweeks: 1 ot 5\nweeks: 1 to 5');
    expect(room.cards.filter(({ label }) => label.startsWith('weeks'))).toMatchObject([
      { data: { members: '1 to 5' } },
    ]);
  });

  it('is reported even if it results from an invalid `set` statement', async () => {
    const room = new Room();
    await room.say([...RIVER, FINISH].join('\n'));
    const { text } = await room.say(
      'set ducks expression: 3 boat +\nset people penalty: much\nset boat upper: many\nsolve',
    );
    expect(text).toContain('- `ducks: 3 boat +`: The formula ends too early');
    expect(text).toContain('penalty must be a number above 0');
    expect(text).toContain('upper must be a number');
    expect(text).not.toContain('Solved');
  });

  it('prevents a solve of the scenarios', async () => {
    const { room } = await solved('share: canoe >= 60%');
    const { calls, text } = await room.say('solve scenarios');
    expect(calls.map(({ tool }) => tool)).not.toContain('solve_scenarios');
    expect(text).toContain('The model cannot be solved yet:\n- `share`: `%` at character 12');
  });

  it('makes the guide ask about it before it asks whether constraints are hard', async () => {
    const room = new Room();
    const { question } = await room.say([...RIVER, 'share: canoe >= 60%'].join('\n'));
    expect(question).toMatchObject({
      question: '`share`: `%` at character 12 is not expected here. For example `boat + canoe <= 40`.',
      options: [{ label: 'Show me an example' }, { label: 'Remove share' }],
    });
  });

  it('is kept without preventing a solve if it is the formula of a KPI', async () => {
    const { room, isSolved } = await solved('kpi hours: 2 boat + * canoe');
    expect(room.data('hours')).toEqual({ description: 'hours', expression: '2 boat + * canoe' });
    expect(isSolved).toBe(true);
  });
});

describe('a sentence with a name and a number', () => {
  it.each([
    'canoe should stay below or equal to 3',
    'the sum of boat and canoe is at most 40',
    'each canoe needs 3 pots of glue, each boat 1, and there are 90 pots',
    'boat plus three times canoe not more than 90',
    'there must be three times as many boats as canoes',
    'canoes are kept within a total of 12 a day',
  ])('is never ignored by a solve: %s', async (text) => {
    const { room, isSolved } = await solved(text);
    expect(isSolved).toBe(false);
    expect(room.cards.filter(({ data }) => data['expression'] === text)).toHaveLength(1);
  });
});

describe('a limit on a misspelled variable', () => {
  it.each(['cano <= 3', 'canoes >= 4', 'boaat <= 12', 'canou < 3'])(
    'makes the guide ask about the name before a solve: %s',
    async (text) => {
      const { first, isSolved } = await solved(text);
      expect(isSolved).toBe(false);
      expect(first.question?.question).toContain('Did you mean');
    },
  );

  it('can be moved to the intended variable', async () => {
    const room = new Room();
    await room.say([...RIVER, 'cano <= 3', FINISH].join('\n'));
    await room.choose('It is canoe');
    expect(room.data('cano')).toBeUndefined();
    expect(room.data('canoe')).toMatchObject({ upper: 3 });
  });

  it('applies to another variable if the user confirms its name', async () => {
    const room = new Room();
    await room.say([...RIVER, 'cano <= 3', FINISH].join('\n'));
    const { calls } = await room.choose('cano is another variable');
    expect(room.data('cano')).toMatchObject({ upper: 3, domain: 'continuous' });
    expect(calls.map(({ tool }) => tool)).not.toContain('remove_card');
  });
});

describe('prose', () => {
  it.each([
    'The weather is nice today',
    'Thanks, the canoes look good to me',
    'We will meet the boat people on Monday',
    'Hello - I am new here',
    'I do not know what to write',
    'This is not what we had last year',
    'No idea, sorry',
  ])('is reported and does not prevent a solve: %s', async (text) => {
    const { room, first, isSolved } = await solved(text);
    expect(first.text).toContain('I could not use this:');
    expect(isSolved).toBe(true);
    expect(room.cards.map(({ card_type }) => card_type)).not.toContain('data');
  });
});

it.each([
  ['goods from goods.csv key product', 'the workspace has no file `goods.csv`'],
  ['colours: red, blue, red', 'the member red appears twice'],
  ['scenario more: better', 'say what changes'],
  ['price is 3', '`price is 3`: `is` at character 7 is not expected here'],
  ['stages: one to four', 'is not expected here'],
  ['items from Sheet1 key a', '`Sheet1` is not a file: name the file'],
  ['The weather is nice today', 'Rephrase it, or write `solve` without it'],
])('does not solve in the turn that rejects a statement: %s', async (statement, reason) => {
  const room = new Room();
  const { calls, text } = await room.say([...RIVER, FINISH, statement, 'confirm; solve'].join('\n'));
  expect(calls.map(({ tool }) => tool)).not.toContain('run_solve');
  expect(text).toMatch(/The model cannot be solved yet:\n- /);
  expect(text).toContain(reason);
});

it.each(['kpi: none', 'requirement: none'])(
  'prevents solves until ambiguous statements are removed, regardless of the open question: %s',
  async (closed) => {
    const room = new Room();
    await room.say([...RIVER, 'all constraints are hard; data: in the formulas', closed, 'confirm'].join('\n'));
    for (const statement of ['price is 3', 'stages: one to four', 'shifts are 2 or 3']) {
      const { text } = await room.say(statement);
      expect(text).toContain(`- \`${statement}\``);
      expect((await room.say('solve')).text).toContain('The model cannot be solved yet');
      await room.say(`remove ${statement}`);
    }
    expect((await room.say('solve')).text).toContain('Solved');
  },
);

it.each<[string, string]>([
  ['weeks: 1..12', '1 to 12'],
  ['weeks: 1 ... 12', '1 to 12'],
  ['days: 1-7', '1 to 7'],
  ['hours: 0 – 23', '0 to 23'],
])('parses a range of members: %s', async (statement, members) => {
  const room = new Room();
  await room.say(statement);
  expect(room.cards).toMatchObject([{ card_type: 'data', data: { members } }]);
});

it('applies a statement that depends on a later line of the same message', async () => {
  const room = new Room();
  const { text } = await room.say('set x upper: 9\nlabour is hard\nx in pieces\nlabour: x <= 4\nx integer');
  expect(room.data('x')).toEqual({ name: 'x', upper: 9, domain: 'integer', unit: 'pieces' });
  expect(room.data('labour')).toEqual({ expression: 'x <= 4', classification: 'hard' });
  expect(text).not.toContain('could not use');
});
