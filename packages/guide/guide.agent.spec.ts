import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import type { EffectiveSkill } from '../../src/skills/skill.js';
import { ASK_USER_QUESTION } from '../conversation/index.js';

const skill = (name: string, scope: EffectiveSkill['scope']): EffectiveSkill => ({
  name,
  scope,
  description: '',
  files: new Map(),
  shadows: false,
});

const SMALL = 'maximize profit: 3x + 2y; labour: x + y <= 4, hard; x, y >= 0';

/** Sends the messages to a new room and returns it. */
async function after(...texts: string[]): Promise<Room> {
  const room = new Room();
  for (const text of texts) await room.say(text);
  return room;
}

describe('the guide', () => {
  it('introduces itself and the mounted skills once', async () => {
    const skills = [skill('shifts', 'deployment'), skill('demand', 'project')];
    const room = new Room();
    const { text } = await room.say('Hello', {}, { configuration: { instructions: '# Ask\n', skills } });
    expect(text).toContain('rule-based');
    expect(text).toContain('AGENTS.md, 6 characters');
    expect(text).toContain('2 skills: `shifts` (deployment), `demand` (project)');
    expect((await room.say('Hello')).text).not.toMatch(/rule-based|mounted/);
    expect((await new Room().say('Hello')).text).toContain('No instructions are mounted, and no skills');
  });

  it('reports every checklist item in its first answer, and then only the missing items', async () => {
    const room = new Room();
    const { text } = await room.say('kpi: on time');
    expect(text).toContain('Checklist, 1 of 8 met:');
    expect(text).toContain('- [x] The KPIs are defined');
    expect(text).toContain('- [ ] The data is available');
    expect((await room.say('data: in the formulas')).text).toContain('Checklist, 2 of 8 met; missing: an objective,');
    expect((await room.say('show')).text).toMatch(/- KPI `on time`\n.*- \[x\] The data is available/s);
  });

  it('ends its answer with an open question, and charges for the answer once', async () => {
    const { calls, credits, question } = await new Room().say('Hello');
    expect(calls).toMatchObject([{ tool: ASK_USER_QUESTION, status: 'completed', result: null }]);
    expect(question).toMatchObject({ header: 'Objective', multi_select: false });
    expect(credits).toBe(0.01);
  });

  it('lists changed files, files at the top level and missing attachments', async () => {
    const room = new Room();
    const { text } = await room.say(
      'Hello',
      { file_ids: ['a.csv', 'gone'] },
      {
        changes: [
          { kind: 'uploaded', path: 'a.csv' },
          { kind: 'deleted', path: 'b`.csv' },
        ],
        workspace: { directories: ['inputs'], files: [{ path: 'a.csv', size: 3 }], total: 12 },
        attachments: new Map([['a.csv', { path: 'a.csv', size: 3 }]]),
      },
    );
    expect(text).toContain('Files since my last answer: uploaded `a.csv`, deleted `` b`.csv ``.');
    expect(text).toContain('At the top of the workspace: `inputs/`, `a.csv` and 10 more.');
    expect(text).toContain('not in the workspace: `gone`.');
    expect((await new Room().say('Hello')).text).toContain('The workspace is empty.');
  });

  it.each([
    [['plan.lp'], ['To solve the model in `plan.lp`, start a run of the file.']],
    [['plan.MPS.gz'], ['To solve the model in `plan.MPS.gz`, start a run of the file.']],
    [['notes.pdf', 'photo.png'], ['I cannot read `notes.pdf`, `photo.png`, because I can read only tables.']],
    [
      ['no table.zip', 'b.LP'],
      ['I cannot read `no table.zip`', 'To solve the model in `b.LP`'],
    ],
  ])('explains what to do with the attached files %j if a message has no text', async (file_ids, words) => {
    const attachments = new Map(file_ids.map((path) => [path, { path, size: 3 }]));
    const { text } = await new Room().say('', { file_ids }, { attachments });
    for (const word of words) expect(text).toContain(word);
  });

  it('describes every table if a message has no text, but only the first table if it has text', async () => {
    const file_ids = ['a.csv', 'b.xlsx', 'c.parquet'];
    const attachments = new Map(file_ids.map((path) => [path, { path, size: 3 }]));
    const silent = await new Room().say('', { file_ids }, { attachments });
    expect(silent.calls.map(({ input }) => input['path']).filter((path) => path !== undefined)).toEqual(file_ids);
    const spoken = await new Room().say('Hello', { file_ids }, { attachments });
    expect(spoken.text).toContain('You can ask about `b.xlsx`, `c.parquet` in the same way.');
  });

  it('quotes statements that it does not understand and applies all others', async () => {
    const room = new Room();
    const { text } = await room.say('x integer\nwhat `is` this?\nlabour: x + <= 4; y binary\nremove z');
    expect(text).toContain('- `` what `is` this? ``\n');
    expect(text).toContain('- `labour: x + <= 4`: `<=` at character 5 is not expected here');
    expect(text).toContain('- `remove z`: nothing on the canvas is called `z`');
    expect(room.cards.map(({ label }) => label)).toEqual(['x', 'labour', 'y']);
  });
});

describe('the guide when it changes the canvas', () => {
  it('keeps a single card per name and asks for confirmation again after a change to an objective', async () => {
    const room = await after(SMALL, 'confirm');
    expect(room.data('profit')).toEqual({ sense: 'maximize', expression: '3x + 2y', confirmed: true });
    await room.say('maximize profit: 4x; LABOUR: x <= 3; x <= 2');
    expect(room.data('profit')).toEqual({ sense: 'maximize', expression: '4x' });
    expect(room.data('labour')).toEqual({ expression: 'x <= 3', classification: 'hard' });
    expect(room.data('x')).toEqual({ name: 'x', lower: 0, upper: 2 });
    expect(room.cards).toHaveLength(4);
  });

  it('rejects a variable with the name of another card', async () => {
    const room = await after(SMALL);
    const { text } = await room.say('profit >= 100; labour <= 50; z free');
    expect(text).toContain('`profit >= 100`: `profit` is the name of the objective, not a variable: write its formula');
    expect(text).toContain('`labour <= 50`: `labour` is the name of the constraint, not a variable: write its formula');
    expect(room.data('z')).toEqual({ name: 'z', free: true });
    await room.say('z >= -2');
    expect(room.data('z')).toEqual({ name: 'z', lower: -2 });
  });

  it('removes cards and values', async () => {
    const room = await after(SMALL, 'price = 3, cost = 2', 'remove labour\nremove price; drop the variable x');
    expect(room.cards.map(({ label }) => label)).toEqual(['profit', 'y', 'Values']);
    expect(room.data('Values')).toMatchObject({ values: { cost: 2 } });
    await room.say('remove cost');
    expect(room.data('Values')).toBeUndefined();
  });

  it('prefers an exact match over a match in a different case when removing a card', async () => {
    const room = await after('c integer; s integer', 'C = 4; S = 5; C: s <= C + S');
    const left = (): string[] => room.cards.map(({ label }) => label);
    await room.say('remove S');
    expect([left(), room.data('Values')?.['values']]).toEqual([['c', 's', 'C', 'Values'], { C: 4 }]);
    await room.say('remove C');
    expect([left(), room.data('Values')?.['values']]).toEqual([['c', 's', 'Values'], { C: 4 }]);
    await room.say('remove C');
    expect(left()).toEqual(['c', 's']);
    await room.say('remove C');
    expect(left()).toEqual(['s']);
  });

  it('accepts statements with the card type before the name', async () => {
    const room = await after('chairs integer; produce 5 chairs');
    await room.say('remove the requirement chairs');
    expect(room.cards.map(({ card_type }) => card_type)).toEqual(['variable']);
  });

  it('drops the statement that a list is empty when a card of that type is added', async () => {
    const room = await after(
      'kpi: none; requirement: none; data: in the formulas',
      'kpi: speed; produce 5 chairs; p = 1',
    );
    expect(room.cards.map(({ label }) => label)).toEqual(['speed', 'chairs', 'Values']);
    await room.say('kpi: none');
    expect(room.cards).toHaveLength(3);
  });

  it('accepts data only from existing files', async () => {
    const room = new Room();
    room.files = ['inputs/demand.csv', 'a/x.csv', 'b/x.csv'];
    const { text } = await room.say('data: demand.csv; data: gone.csv; data: x.csv');
    expect(room.data('inputs/demand.csv')).toEqual({ file_path: 'inputs/demand.csv' });
    expect(text).toContain('the workspace has no file `gone.csv`');
    expect(text).toContain('several files match this name: `a/x.csv`, `b/x.csv`');
    expect(room.cards).toHaveLength(1);
  });

  it('uses a single call per card and reports the statements beyond the per-turn limit', async () => {
    const room = new Room();
    const names = Array.from({ length: 60 }, (_, index) => `x${index}`);
    const { text, calls, question } = await room.say(names.map((name) => `${name} integer; ${name} <= 5`).join('\n'));
    expect(calls).toHaveLength(45);
    expect(room.cards).toHaveLength(44);
    expect(text).toContain('`x43 <= 5` and 32 statements after it are not done yet');
    expect(question).toBeDefined();
    await room.say(
      names
        .slice(44)
        .map((name) => `${name} integer`)
        .join('\n'),
    );
    expect(room.cards).toHaveLength(60);
    const classes = await room.say('all of it is hard');
    expect(classes.text).toContain('no constraint is called `all of it`');
  });

  it('reports a change that failed', async () => {
    const room = await after(SMALL);
    room.cards[0]!.version += 1;
    const stale = structuredClone(room.cards);
    stale[0]!.version -= 1;
    const { text } = await room.say('set profit label: gain; x integer', {}, { cards: stale });
    expect(text).toContain('Not done:\n- Objective `gain`');
    expect(room.data('x')).toMatchObject({ domain: 'integer' });
  });
});

describe('an answer', () => {
  it('can select several options, and all of them are applied', async () => {
    const room = await after(SMALL);
    await room.choose('Total cost', 'Delivery on time');
    expect(room.cards.slice(-2).map(({ label }) => label)).toEqual(['Total cost', 'Delivery on time']);
  });

  it.each<[string, string, string, Record<string, unknown>]>([
    ['maximize profit', 'profit = 3x + 2y', 'profit', { expression: '3x + 2y' }],
    ['maximize profit', '3x', 'profit', { expression: '3x' }],
    ['objective: 3x; x >= 0 integer', 'maximize', 'Objective', { sense: 'maximize' }],
    ['max 3x', 'whole numbers', 'x', { domain: 'integer' }],
    ['max 3x', 'x = 2', 'Values', { values: { x: 2 } }],
    ['max 3x; x integer; a: x <= 4', 'soft, penalty 7', 'a', { classification: 'soft', penalty: 7 }],
    ['max 3x; x integer; a: x <= 4 soft', '2.5', 'a', { penalty: 2.5 }],
    ['max 3x; x integer; a: x <= 4 hard', 'on time', 'on time', { description: 'on time' }],
    ['max 3x; x integer; a: x <= 4 hard; kpi: a', 'demand.csv', 'demand.csv', { file_path: 'demand.csv' }],
    ['max 3x; x integer; a: x <= 4 hard; kpi: a; p = 1', '5 beds', 'beds', { quantity: 5 }],
    ['maximize profit: 3x; minimize cost: x', '4', 'profit', { weight: 4 }],
  ])('may be free text after %j: %j', async (model, words, label, data) => {
    for (const give of [(room: Room) => room.answer({ other_text: words }), (room: Room) => room.say(words)]) {
      const room = new Room();
      room.files = ['demand.csv'];
      await room.say(model);
      await give(room);
      expect(room.data(label)).toMatchObject(data);
    }
  });

  it('is not inferred from another statement or a greeting', async () => {
    const room = await after(SMALL, 'x, y integer');
    await room.answer({ other_text: 'price = 3' });
    await room.say('Hello');
    expect(room.cards.map(({ card_type }) => card_type)).not.toContain('kpi');
    expect(room.data('Values')).toMatchObject({ values: { price: 3 } });
  });

  it('is never inferred from a scenario statement', async () => {
    const room = await after(SMALL, 'x, y integer');
    const { text } = await room.say('scenario more: price + 10%');
    expect(text).toContain('- `scenario more: price + 10%`: say what changes, as in `hours x 1.5`');
    expect(room.cards.map(({ card_type }) => card_type)).not.toContain('kpi');
  });

  it('is rejected if no question is open, and the guide asks its first question', async () => {
    const { text, question } = await new Room().say('', { answer: { selections: { '3': 'Anything' } } });
    expect(text).toContain('`Anything`: it does not answer an open question');
    expect(question?.header).toBe('Objective');
  });
});

describe('a solve', () => {
  it('does not start before the model is complete', async () => {
    const { text, calls } = await new Room().say('maximize profit: 3x + z\nx integer\nlimit: x * x <= 4\nsolve');
    expect(calls.map(({ tool }) => tool)).not.toContain('run_solve');
    expect(text).toContain('The model cannot be solved yet');
    expect(text).toContain('- `profit`: No variable or value on the canvas is called z');
  });

  it('remains valid until the model changes', async () => {
    const room = await after(`${SMALL}; x, y integer; kpi: none; data: in the formulas; requirement: none; confirm`);
    expect((await room.say('solve')).text).toContain('the objective is 12, with `x = 4`, `y = 0`');
    expect(room.checklist.overall).toBe('complete');
    expect((await room.say('kpi: speed; x in pieces')).question).toBeUndefined();
    const { text, question } = await room.say('labour: x + y <= 5');
    expect(text).toContain('missing: a feasible solve');
    expect(question).toMatchObject({ question: 'Shall I solve the model?' });
  });

  it('reports conflicting constraints or an unbounded objective', async () => {
    const room = await after(`${SMALL}; x, y integer; kpi: none; data: in the formulas; requirement: none`);
    const { text, question } = await room.say('orders: x >= 5, hard; solve');
    expect(text).toMatch(/The model has no solution: .*`labour`.*cannot hold together/);
    expect(question?.options.map(({ label }) => label)).toEqual([
      'labour may be broken',
      'orders may be broken',
      'Solve again',
      'Later',
    ]);
    expect((await room.choose('labour may be broken')).text).toContain('Broken at their price: `labour`');
    const endless = await room.say('remove labour; solve');
    expect(endless.text).toContain('There is no best plan. The objective can become');
    // No constraints conflict, so no option relaxes a constraint.
    expect(endless.question?.options.map(({ label }) => label)).toEqual(['Solve again', 'Later']);
  });

  it('reports a canvas change since the snapshot without offering the same solve again', async () => {
    const room = await after(`${SMALL}; x, y integer; kpi: none; data: in the formulas; requirement: none; confirm`);
    room.snapshot = structuredClone(room.cards);
    await room.say('labour: x + y <= 5');
    const { text, question } = await room.say('solve');
    expect(text).toContain('the objective is 12');
    expect(text).toContain('the snapshot is solved instead of the current canvas');
    expect(text).toContain('missing: a feasible solve');
    expect(question).toBeUndefined();
  });
});
