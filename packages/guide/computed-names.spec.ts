import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { type FileFacts, fileKey } from '../canvas/data-file.js';
import { readStatement } from './grammar.js';

const GOODS = 'goods: oak, elm, ash; price of goods: oak 9, elm 7, ash 5; cost of goods: oak 4, elm 3, ash 6';
const MARGIN = 'margin[g] = price[g] - cost[g] for g in goods';
const MAKE = 'make[g] integer for g in goods; make[g] <= 10 for g in goods';
const PROFIT = 'maximize profit: sum g in goods: margin[g] * make[g]';
const LABOUR = 'Labour: sum g in goods: make[g] <= 12';
const FINISH = 'all constraints are hard; kpi: none; requirement: none; data: in the formulas; confirm; solve';
const MARGIN_CARD = { computed: { margin: 'price[g] - cost[g]' }, index: 'g in goods' };

/** Sends the messages to a new room. Returns the room and the guide's last answer. */
async function after(...texts: string[]) {
  const room = new Room();
  let last = await room.say('Hello');
  for (const text of texts) last = await room.say(text);
  return { room, text: last.text, question: last.question };
}

/** Returns the labels of the cards of a type. */
const labelsOf = (room: Room, type: string): string[] =>
  room.cards.flatMap(({ card_type, label }) => (card_type === type ? [label] : []));

describe('a statement that begins with `compute`', () => {
  it.each<[string, object]>([
    ['compute horizon = 3 * batch', { name: 'horizon', expression: '3 * batch' }],
    ['compute the horizon = 3 batch', { name: 'horizon', expression: '3 batch' }],
    ['Compute horizon == 7', { name: 'horizon', expression: '7' }],
    ['compute top = max g in goods: price[g]', { name: 'top', expression: 'max g in goods: price[g]' }],
    [
      `compute ${MARGIN} where price[g] > 3`,
      { name: 'margin', expression: 'price[g] - cost[g]', index: 'g in goods where price[g] > 3' },
    ],
    [
      'compute need[g, t] = rate[g] * t for g in goods, t in weeks',
      { name: 'need', expression: 'rate[g] * t', index: 'g in goods, t in weeks' },
    ],
    [
      'compute fee[g] = if kind[g] = "hard" then 1 else 2 for g in goods',
      { name: 'fee', expression: 'if kind[g] = "hard" then 1 else 2', index: 'g in goods' },
    ],
    [
      'compute load[g] = sum t in weeks: use[g, t] for g in goods',
      { name: 'load', expression: 'sum t in weeks: use[g, t]', index: 'g in goods' },
    ],
  ])('is a definition: %s', (text, definition) => {
    expect(readStatement(text).statement).toMatchObject({ kind: 'definition', ...definition });
  });

  it.each([
    ['compute margin[g] = price[g] - cost[g]', 'it does not say for which members'],
    ['compute margin = price[g] - cost[g] for g in goods', 'has no index names'],
    ['compute margin[h] = price[g] for g in goods', 'write `margin[g]`'],
    ['compute margin[g] = price[g] for g in goods, t in weeks', 'write `margin[g, t]`'],
    ['compute margin["oak"] = 3 for g in goods', 'must be different index names'],
    ['compute margin[g - 1] = 3 for g in goods', 'must be different index names'],
    ['compute margin[g] <= price[g] for g in goods', 'needs `=`'],
    ['compute a = b = c', 'a single `=`'],
    ['compute a = 3 *', 'ends too early'],
    ['compute margin[g] = 3 for g of goods', 'write `in`'],
  ])('is rejected with an explanation: %s', (text, reason) => {
    const { statement, ...rest } = readStatement(text);
    expect(statement).toBeUndefined();
    expect('reason' in rest ? rest.reason?.toLowerCase() : '').toContain(reason.toLowerCase());
  });

  it.each<[string, string]>([
    ['compute integer', 'variables'],
    ['compute >= 4', 'relation'],
    ['compute = 3', 'relation'],
    ['compute capacity: x + y <= 40', 'relation'],
  ])('keeps its meaning if `compute` is a name: %s', (text, kind) => {
    expect(readStatement(text).statement?.kind).toBe(kind);
  });
});

describe('an equation', () => {
  const LINES = [GOODS, MARGIN, MAKE, PROFIT, LABOUR, FINISH];
  it.each<[string, string[]]>([
    ['after the set and before the objective', LINES],
    ['before the set', [MARGIN, GOODS, MAKE, PROFIT, LABOUR, FINISH]],
    ['after the objective', [GOODS, MAKE, PROFIT, LABOUR, MARGIN, FINISH]],
    ['before the variables', [MARGIN, PROFIT, MAKE, LABOUR, GOODS, FINISH]],
    ['last', [PROFIT, LABOUR, MAKE, GOODS, FINISH, MARGIN]],
    [
      'last, with an objective whose factors are in the other order',
      [PROFIT.replace('margin[g] * make[g]', 'make[g] * margin[g]'), LABOUR, GOODS, MAKE, FINISH, MARGIN],
    ],
    ['with `compute`, first', [`compute ${MARGIN}`, PROFIT, LABOUR, MAKE, GOODS, FINISH]],
    ['with `compute`, last', [PROFIT, LABOUR, MAKE, GOODS, FINISH, `compute ${MARGIN}`]],
  ])('defines a column in a message: %s', async (_, lines) => {
    const { room, text } = await after(lines.join('\n'));
    expect(room.data('margin')).toEqual(MARGIN_CARD);
    expect(labelsOf(room, 'variable')).toEqual(['make']);
    expect(labelsOf(room, 'constraint')).toEqual(['Labour']);
    expect(text).toContain('Data `margin`: `margin = price[g] - cost[g] for g in goods`');
    expect(text).toContain('Solved: the objective is 58');
  });

  it('defines a column in a message after the other statements', async () => {
    const { room, text } = await after(...[GOODS, MAKE, PROFIT, LABOUR, MARGIN, FINISH]);
    expect(room.data('margin')).toEqual(MARGIN_CARD);
    expect(text).toContain('Solved: the objective is 58');
  });

  it('defines a constant that limits a plan', async () => {
    const { room, text } = await after(
      'horizon = 3 * batch\nmaximize gain: 2 x\nHours: x <= horizon\nx >= 0\nbatch = 4',
      FINISH,
    );
    expect(room.data('horizon')).toEqual({ computed: { horizon: '3 * batch' } });
    expect(labelsOf(room, 'variable')).toEqual(['x']);
    expect(text).toContain('Solved: the objective is 24');
  });

  it.each<[string, string, object]>([
    ['a chain in any order', 'c = 2 * b; b = a + 1; a = 3', { b: 'a + 1', c: '2 * b' }],
    ['a list', 'a = 3; b = 2 * a, c = 3 * a', { b: '2 * a', c: '3 * a' }],
    ['a function', 'a = 3; b = max(a, 2)', { b: 'max(a, 2)' }],
    ['a total', `${GOODS}; top = max g in goods: price[g]`, { top: 'max g in goods: price[g]' }],
    ['a choice', 'a = 3; b = if a > 2 then 1 else 0', { b: 'if a > 2 then 1 else 0' }],
    ['a number for each member', `${GOODS}; start[g] = 3 for g in goods`, { start: '3' }],
    ['two equals signs', 'a = 3; b == 2 * a', { b: '2 * a' }],
  ])('can contain %s', async (_, text, computed) => {
    const { room } = await after(text);
    expect(Object.assign({}, ...room.cards.map(({ data }) => data['computed']))).toEqual(computed);
    expect(room.cards.flatMap(({ gaps }) => gaps.filter(({ severity }) => severity === 'blocking'))).toEqual([]);
  });

  it.each([
    ['after the set', 'products from data/products.csv key product; MARGIN'],
    ['before the set', 'MARGIN; products from data/products.csv key product'],
  ])('defines a column of a set in a file: %s', async (_, text) => {
    const room = new Room();
    room.files = ['data/products.csv'];
    const columns: FileFacts['columns'] = [
      { name: 'product', type: 'text', values: ['oak', 'elm'] },
      { name: 'price', type: 'number', cells: [9, 7] },
      { name: 'Unit cost', type: 'number', cells: [4, 3] },
    ];
    const file = { path: 'data/products.csv', key: ['product'], isDistinct: false, names: {} };
    room.fileStates = new Map([[fileKey(file), { rows: 2, columns }]]);
    const margin = 'margin[p] = price[p] - Unit_cost[p] for p in products';
    await room.say(`${text.replace('MARGIN', margin)}; maximize profit: sum p in products: margin[p] * make[p]`);
    expect(room.data('margin')).toEqual({ computed: { margin: 'price[p] - Unit_cost[p]' }, index: 'p in products' });
    expect(labelsOf(room, 'variable')).toEqual([]);
    expect((await room.say('price[p] = 2 * Unit_cost[p] for p in products; solve')).text).toContain(
      '`price` is a column of products: use a new name',
    );
    expect((await room.say('compute price[p] = 2 * Unit_cost[p] for p in products')).text).toContain(
      '`price` is a column of products: use a new name',
    );
    expect(labelsOf(room, 'variable')).toEqual([]);
  });

  it('may continue on the next lines', async () => {
    const { room } = await after(GOODS, 'compute margin[g] = price[g]\n- cost[g]\nfor g in goods\nwhere price[g] > 5');
    expect(room.data('margin')).toEqual({ ...MARGIN_CARD, index: 'g in goods where price[g] > 5' });
  });

  it('may be one of many', async () => {
    const lines = Array.from({ length: 900 }, (_, at) => `n${at} = n${at + 1} + 1`).join('; ');
    const { room } = await after(`${lines}; n900 = 4`);
    expect(room.cards.filter(({ data }) => data['computed'] !== undefined).length).toBeGreaterThan(30);
  });

  it('defines a column over two sets with a condition', async () => {
    const { room } = await after(
      `${GOODS}; weeks: 1 to 3`,
      'need[g, t] = price[g] * t for g in goods, t in weeks where t > 1',
    );
    expect(room.data('need')).toEqual({
      computed: { need: 'price[g] * t' },
      index: 'g in goods, t in weeks where t > 1',
    });
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['a value', 'price = 3', { values: { price: 3 } }],
    ['a value that is calculated', 'price = 2 * 3', { values: { price: 6 } }],
  ])('with a number is still %s', async (_, text, data) => {
    const { room } = await after(text);
    expect(room.data('Values')).toMatchObject(data);
  });

  it.each<[string, string[], string]>([
    ['the name is a variable', ['batch = 4; x >= 0', 'x = 3 * batch'], 'x = 3 * batch'],
    ['the message declares the name later', ['batch = 4', 'x = 3 * batch; x >= 0'], 'x = 3 * batch'],
    ['the formula contains a variable', ['y >= 0', 'x = 3 * y'], 'x = 3 * y'],
    ['the message declares a variable of the formula later', ['x = 3 * y; y >= 0'], 'x = 3 * y'],
    [
      'an objective uses its names',
      ['total = tables + chairs; maximize gain: 3 tables + 2 chairs'],
      'total = tables + chairs',
    ],
    ['the name is an objective', ['maximize gain; gain = 3 tables + 2 chairs'], 'gain = 3 tables + 2 chairs'],
    ['the name is a value', ['batch = 4; lot = 2', 'batch = 3 * lot'], 'batch = 3 * lot'],
    ['the formula contains the name', ['lot = 2', 'x = 2 * x + lot'], 'x = 2 * x + lot'],
    ['equations depend on each other', ['x = y + 1; y = x + 2'], 'x = y + 1'],
    ['it has a name', ['batch = 4', 'Balance: x = 3 * batch'], 'x = 3 * batch'],
    ['it has a class', ['batch = 4', 'x = 3 * batch, hard'], 'x = 3 * batch'],
  ])('is a constraint if %s', async (_, texts, expression) => {
    const { room } = await after(...texts);
    expect(room.cards.flatMap(({ data }) => data['computed'] ?? [])).toEqual([]);
    const constraints = room.cards.filter(({ card_type }) => card_type === 'constraint');
    expect(constraints.map(({ data }) => data['expression'])).toContain(expression);
  });

  it('sets a variable of each member if the variable exists', async () => {
    const { room } = await after(GOODS, 'make[g] for g in goods', 'make[g] = 3 for g in goods');
    expect(room.data('make')).toMatchObject({ lower: 3, upper: 3 });
    const { room: later } = await after(`${GOODS}; make[g] = 3 for g in goods; make[g] integer for g in goods`);
    expect(later.data('make')).toMatchObject({ name: 'make', lower: 3, upper: 3, domain: 'integer' });
  });

  it('is a balance if it refers to its own earlier members', async () => {
    const { room } = await after(
      'weeks: 1 to 3; stock[t] >= 0 for t in weeks',
      'stock[t] = stock[t - 1] + 3 for t in weeks',
    );
    expect(room.cards.flatMap(({ data }) => data['computed'] ?? [])).toEqual([]);
  });
});

describe('a definition on the canvas', () => {
  it('is replaced by another definition of the name, and undone', async () => {
    const { room } = await after(GOODS, MARGIN);
    const { id } = room.cards.find(({ label }) => label === 'margin')!;
    const { text } = await room.say('margin[g] = price[g] - 2 * cost[g] for g in goods');
    expect(room.data('margin')).toEqual({ ...MARGIN_CARD, computed: { margin: 'price[g] - 2 * cost[g]' } });
    expect(room.cards.find(({ label }) => label === 'margin')!.id).toBe(id);
    expect(text).toContain('This replaces `margin = price[g] - cost[g] for g in goods`');
    await room.say('undo');
    expect(room.data('margin')).toEqual(MARGIN_CARD);
    await room.say('margin[g] = 4 for g in goods where price[g] > 6');
    expect(room.data('margin')).toEqual({ computed: { margin: '4' }, index: 'g in goods where price[g] > 6' });
  });

  it('is undone', async () => {
    const { room } = await after(GOODS, MARGIN);
    expect((await room.say('undo')).text).toContain(
      'Removed: Data `margin`: `margin = price[g] - cost[g] for g in goods`',
    );
    expect(room.data('margin')).toBeUndefined();
  });

  it('is removed by its name', async () => {
    const { room } = await after(GOODS, MARGIN, 'remove margin');
    expect(room.data('margin')).toBeUndefined();
    room.cards.push({
      ...room.cards[0]!,
      id: 'both',
      label: 'Computed',
      data: { computed: { low: '3', high: 'low + 4' } },
    });
    await room.say('remove high');
    expect(room.data('Computed')).toEqual({ computed: { low: '3' } });
    await room.say('low = 2 * 3 + base');
    expect(room.data('Computed')).toEqual({ computed: { low: '2 * 3 + base' } });
    await room.say('remove low');
    expect(room.data('Computed')).toBeUndefined();
  });

  it('becomes a value if the name gets a number', async () => {
    const { room } = await after('batch = 4; horizon = 3 * batch', 'horizon = 20');
    expect(room.data('horizon')).toBeUndefined();
    expect(room.data('Values')).toMatchObject({ values: { batch: 4, horizon: 20 } });
  });

  it.each([
    ['horizon >= 4', '`horizon` is computed'],
    ['horizon integer', '`horizon` is computed'],
    ['margin[g] integer for g in goods', '`margin` is computed'],
    ['margin of goods: oak 1, elm 2, ash 3', '`margin` is computed'],
  ])('is not changed by another kind of statement: %s', async (statement, told) => {
    const { room } = await after(`${GOODS}; batch = 4; horizon = 3 * batch`, MARGIN);
    expect((await room.say(`${statement}; solve`)).text).toContain(told);
    expect(room.data('margin')).toEqual(MARGIN_CARD);
    expect(room.data('horizon')).toEqual({ computed: { horizon: '3 * batch' } });
    expect(room.data('goods')).not.toMatchObject({ values: { margin: {} } });
  });

  it('asks for the numbers that its formula needs', async () => {
    const { room, question } = await after('maximize gain: 2 x; Hours: x <= horizon; x >= 0', 'horizon = 3 * batch');
    expect(question?.question).toContain('What is `batch`? A number is needed here');
    expect((await room.say('4')).text).toContain('batch = 4');
    expect(room.data('horizon')).toEqual({ computed: { horizon: '3 * batch' } });
  });

  it('is offered for a misspelled name', async () => {
    const { question } = await after(
      GOODS,
      MARGIN,
      'maximize profit: sum g in goods: margn[g] * make[g]; make[g] for g in goods',
    );
    expect(question?.options.map(({ label }) => label)).toContain('margn is the computed number margin');
  });

  it('becomes an equation if the plan decides a name in its formula', async () => {
    const { room } = await after('total = tables + chairs');
    expect(room.data('total')).toEqual({ computed: { total: 'tables + chairs' } });
    await room.say('tables, chairs >= 0 integer');
    expect(room.data('total')).toBeUndefined();
    expect(room.data('Constraint 1')).toEqual({ expression: 'total = tables + chairs' });
  });

  it('becomes an equation if an option makes its input a variable', async () => {
    const { room } = await after('maximize gain: 2 x; Hours: x <= cap; x >= 0', 'cap = 3 * lines');
    await room.choose('The plan decides it');
    expect(room.data('cap')).toBeUndefined();
    expect(room.data('Constraint 2')).toMatchObject({ expression: 'cap = 3 * lines' });
  });

  it('does not change KPIs and requirements', async () => {
    const { room } = await after(`${GOODS}; ${MARGIN}; ${MAKE}; ${PROFIT}; ${LABOUR}`);
    await room.say(
      'kpi margin: sum g in goods: margin[g] * make[g]; requirement: make["oak"] = 2; all constraints are hard',
    );
    expect(room.cards.filter(({ card_type }) => card_type === 'kpi').map(({ data }) => data['expression'])).toEqual([
      'sum g in goods: margin[g] * make[g]',
    ]);
    expect(labelsOf(room, 'production_requirement')).toHaveLength(1);
    expect(room.data('margin')).toBeDefined();
  });
});

describe('a definition that cannot be used', () => {
  it.each([
    ['a variable in the formula', 'compute double = 2 * x', '`x` is a variable'],
    ['a variable for each member', 'compute load[g] = 2 * make[g] for g in goods', '`make` is a variable'],
    ['the name of a variable', 'compute x = 3 * batch', '`x` is a variable'],
    ['the name of a column', 'compute price[g] = 2 * cost[g] for g in goods', '`price` is a column of goods'],
    ['the name of a value', 'compute batch = 3 * 4', '`batch` is a value'],
    ['the name of a set', 'compute goods = 3', '`goods` is a set'],
    ['its own name', 'compute rate = 2 * rate', 'contains `rate` itself'],
    ['no index', 'compute margin[g] = price[g] - cost[g]', 'it does not say for which members'],
    ['another index name', 'compute margin[h] = price[g] for g in goods', 'write `margin[g]`'],
    ['a relation', 'compute margin[g] >= price[g] for g in goods', 'needs `=`'],
  ])('stays on the canvas and prevents a solve: %s', async (_, statement, told) => {
    const { room, text } = await after(`${GOODS}; ${MAKE}; batch = 4; x >= 0`, statement, FINISH);
    expect(text).toContain('The model cannot be solved yet');
    expect(text).toContain(told);
    expect(text).toContain(statement);
    const card = room.cards.find(({ data }) => data['expression'] === statement);
    expect((await room.say(`remove ${card?.label}`)).text).toContain('Removed');
  });

  it('is replaced by a definition that can be used', async () => {
    const { room } = await after(`${GOODS}; x >= 0`, 'compute rate = 2 * x', 'compute rate = 3');
    expect(room.data('rate')).toEqual({ computed: { rate: '3' } });
    expect(labelsOf(room, 'constraint')).toEqual([]);
  });
});

describe('questions about computed numbers', () => {
  const CANVAS = `${GOODS}; ${MARGIN}; batch = 4; horizon = 3 * batch`;
  it.each([
    ['what is margin?', ['`margin = price[g] - cost[g] for g in goods`', '`oak` 5, `elm` 4, `ash` -1']],
    ['what is horizon?', ['`horizon = 3 * batch`', 'Its value is 12']],
    ['show margin', ['`margin` is computed']],
  ])('are answered without a run: %s', async (question, told) => {
    const { text } = await after(CANVAS, question);
    for (const one of told) expect(text).toContain(one);
    expect(text).not.toContain('has not been solved');
  });

  it('are answered after a run, also for a single member', async () => {
    const { room } = await after(CANVAS, `${MAKE}; ${PROFIT}; ${LABOUR}`, FINISH);
    expect((await room.say('what is margin of elm?')).text).toContain(
      '`margin[elm]` is 4, a value computed from the data',
    );
    expect((await room.say('what is the margin and horizon?')).text).toContain('`horizon = 3 * batch`');
  });

  it.each([
    'what if margin + 10 %',
    'what if margin rises by 10 %',
    'what if margin of oak = 3',
    'what if margin of oak is 3',
    'scenario "more": margin x 1.1',
    'scenario "more": margin of oak = 3',
  ])('name the inputs if a change is wanted: %s', async (question) => {
    const { room } = await after(CANVAS, `${MAKE}; ${PROFIT}; ${LABOUR}`, FINISH);
    const { text, calls } = await room.say(question);
    expect(text).toContain('`margin` is computed from other numbers: change `price`, `cost` instead');
    expect(calls.map(({ tool }) => tool)).not.toContain('upsert_scenario');
  });
});
