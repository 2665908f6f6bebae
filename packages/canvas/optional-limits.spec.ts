import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Dice } from '../../test/support/dice.js';
import { card } from '../../test/support/model-cards.js';
import { type Cell, fileStates, type Rows, SetTables } from '../../test/support/set-tables.js';
import { solveModel } from '../../test/support/solve-model.js';
import { type Highs, loadSolver } from '../solver/highs.js';
import { ModelProblem } from '../solver/model.js';
import { derive, judge } from './derivation.js';
import { readCanvas } from './model/canvas-reader.js';
import type { ModelCard } from './model/model-card.js';
import { applyChanges } from './scenarios/apply-changes.js';

const goods = (more: object = {}) =>
  card('data', 'Goods', {
    set: 'goods',
    file_path: 'goods.csv',
    key: ['item'],
    description: 'Goods',
    ...more,
  });
const ROWS: Rows = {
  columns: ['item', 'cap', 'least', 'price'],
  rows: [
    ['oak', 4, 1, 9],
    ['elm', null, null, 7],
    ['ash', null, 2, 5],
  ],
};
const make = (more: object = {}) =>
  card('variable', 'make', { name: 'make', index: 'p in goods', domain: 'continuous', unit: 't', ...more });
const goal = (expression = 'sum p in goods: price[p] * make[p]', sense = 'maximize') =>
  card('objective', 'Goal', { sense, expression, confirmed: true, description: 'Profit' });
const hard = (expression: string, index?: string, label = 'Limit') =>
  card('constraint', label, { expression, classification: 'hard', description: 'Limit', ...(index && { index }) });

const tables = new SetTables();
afterAll(() => tables.discard());
let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});
const modelOf = (cards: ModelCard[], rows = ROWS) => readCanvas(cards, new Map([['Goods', tables.of(rows)]]));
const solve = (cards: ModelCard[], rows = ROWS) => solveModel(highs, modelOf(cards, rows), 10);
const gapsOf = (cards: ModelCard[], label: string, rows = ROWS): string[] =>
  judge(cards, fileStates(cards[0]!, rows))[cards.findIndex((one) => one.label === label)]!.gaps.map(
    ({ severity, field, message }) => `${field} (${severity}): ${message}`,
  );
const total = hard('sum p in goods: make[p] <= 20', undefined, 'Total');

describe('an empty cell', () => {
  it('means that a variable has an infinite upper bound', () => {
    const cards = [goods(), make({ upper: 'cap[p]' }), total, goal()];
    expect(gapsOf(cards, 'make')).toEqual(['upper (info): 2 members have no bound, because their cap is empty']);
    expect(derive(cards, fileStates(cards[0]!, ROWS))).toMatchObject({
      data_available: true,
      all_variables_provided: true,
    });
    expect(modelOf(cards).variables.map(({ upper }) => upper)).toEqual([4, Infinity, Infinity]);
    expect(solve(cards).objective_value).toBeCloseTo(36 + 16 * 7, 9);
  });

  it('means that a variable has the usual lower bound', () => {
    const cards = [goods(), make({ lower: 'least[p]' }), goal('sum p in goods: make[p]', 'minimize')];
    expect(gapsOf(cards, 'make')).toEqual(['lower (info): 1 member has no bound, because its least is empty']);
    expect(modelOf(cards).variables.map(({ lower }) => lower)).toEqual([1, 0, 2]);
    const free = [goods(), make({ lower: 'least[p]', free: true }), goal('sum p in goods: make[p]', 'minimize')];
    expect(modelOf(free).variables.map(({ lower }) => lower)).toEqual([1, -Infinity, 2]);
  });

  it('does not limit the members of a constraint', () => {
    const cards = [goods(), make(), hard('make[p] <= cap[p]', 'p in goods'), total, goal()];
    expect(gapsOf(cards, 'Limit')).toEqual(['expression (info): 2 members have no limit, because their cap is empty']);
    expect(solve(cards).objective_value).toBeCloseTo(36 + 16 * 7, 9);
    expect(modelOf(cards).rows.map(({ name }) => name)).toEqual(['Limit[oak]', 'Total']);
    expect(solve(cards).constraints.map(({ name }) => name)).toEqual(['Limit[oak]', 'Total']);
  });

  it('does not limit its side of a chain', () => {
    const cards = [goods(), make(), hard('least[p] <= make[p] <= cap[p]', 'p in goods'), goal()];
    expect(modelOf(cards).rows.map(({ name, lower, upper }) => [name, lower, upper])).toEqual([
      ['Limit[oak]', 1, 4],
      ['Limit[ash]', 2, Infinity],
    ]);
    expect(gapsOf(cards, 'Limit')).toEqual([
      'expression (info): 1 member has no limit, because its least is empty',
      'expression (info): 2 members have no limit, because their cap is empty',
    ]);
  });

  it('does not determine the value of an equation', () => {
    const cards = [goods(), make(), hard('make[p] = cap[p]', 'p in goods'), total, goal()];
    expect(solve(cards).objective_value).toBeCloseTo(36 + 16 * 7, 9);
  });

  it('does not limit a constraint without an index', () => {
    const cards = [goods(), make(), hard('make["elm"] <= cap["elm"]'), total, goal()];
    expect(gapsOf(cards, 'Limit')).toEqual(['expression (info): It has no limit, because the cell of cap is empty']);
    expect(solve(cards).objective_value).toBeCloseTo(180, 9);
  });

  it('does not limit a soft constraint', () => {
    const soft = card('constraint', 'Limit', {
      expression: 'make[p] <= cap[p]',
      index: 'p in goods',
      classification: 'soft',
      penalty: 1,
    });
    const model = modelOf([goods(), make(), soft, total, goal()]);
    expect(model.variables.filter(({ isSlack }) => isSlack)).toHaveLength(1);
  });

  it('counts as the default of its data card', () => {
    const cards = [goods({ default: 3 }), make({ upper: 'cap[p]' }), goal()];
    expect(gapsOf(cards, 'make')).toEqual([]);
    expect(modelOf(cards).variables.map(({ upper }) => upper)).toEqual([4, 3, 3]);
  });

  it('becomes a bound in a scenario', () => {
    const cards = [goods(), make({ upper: 'cap[p]' }), total, goal()];
    const { cards: changed, problems } = applyChanges(cards, [{ kind: 'cell', target: 'cap', key: ['elm'], to: 5 }], {
      files: fileStates(cards[0]!, ROWS),
      name: 'Test',
    });
    expect(problems).toEqual([]);
    expect(modelOf(changed).variables.map(({ upper }) => upper)).toEqual([4, 5, Infinity]);
  });

  const FIRST = 'cap has no value for "elm"';

  it.each<[string, ModelCard[], string]>([
    ['a bound that computes with it', [make({ upper: '2 * cap[p]' })], 'make'],
    ['a bound with a function', [make({ upper: 'min(cap[p], 5)' })], 'make'],
    ['a bound with a choice', [make({ upper: 'if price[p] > 6 then cap[p] else 3' })], 'make'],
    ['a range', [make({ zero_or_between: ['1', 'cap[p]'] })], 'make'],
    ['a limit that computes with it', [make(), hard('make[p] <= cap[p] + 1', 'p in goods')], 'Limit'],
    ['a limit with a coefficient', [make(), hard('make[p] <= 2 cap[p]', 'p in goods')], 'Limit'],
    ['a coefficient', [make(), hard('cap[p] * make[p] <= 9', 'p in goods')], 'Limit'],
    ['a sum', [make(), hard('make["oak"] <= sum p in goods: cap[p]')], 'Limit'],
    ['a condition', [make(), hard('make[p] <= 3', 'p in goods where cap[p] > 2')], 'Limit'],
    ['an objective', [make(), goal('sum p in goods: cap[p] * make[p]')], 'Goal'],
    [
      'a computed number',
      [make(), card('data', 'Rate', { computed: { rate: 'cap[p]' }, index: 'p in goods' })],
      'Rate',
    ],
  ])('is reported in %s', (_, others, label) => {
    const cards = [goods(), ...others, ...(label === 'Goal' ? [] : [goal('sum p in goods: make[p]')])];
    const [gap = ''] = gapsOf(cards, label).filter((one) => one.includes('(blocking)'));
    expect(gap).toContain(FIRST);
    expect(() => modelOf(cards)).toThrow(ModelProblem);
  });

  it('does not prevent a solve, unlike a missing row', () => {
    const cards = [
      goods(),
      card('data', 'Others', { set: 'others', members: ['oak', 'pine'], description: 'Others' }),
      card('variable', 'make', {
        name: 'make',
        index: 'p in others',
        upper: 'cap[p]',
        domain: 'continuous',
        unit: 't',
      }),
      goal('sum p in others: make[p]'),
    ];
    expect(gapsOf(cards, 'make').join('\n')).toContain(
      'upper (blocking): cap has no value for "pine", which is not a member of goods',
    );
    expect(() => modelOf(cards)).toThrow('cap has no value for "pine", which is not a member of goods');
  });
});

describe('random models with empty cells', () => {
  it('have the optima of an enumeration', () => {
    const dice = new Dice(11);
    for (let round = 0; round < 100; round += 1) {
      const names = ['a', 'b', 'c'];
      const cellOf = (below: number): Cell => (dice.below(3) === 0 ? null : dice.below(below));
      const rows = names.map((name) => [name, cellOf(4), cellOf(2), dice.below(9) - 3]);
      const table: Rows = { columns: ['item', 'cap', 'least', 'price'], rows };
      const room = 1 + dice.below(8);
      const asBounds = dice.below(2) === 0;
      let best = -Infinity;
      for (let plan = 0; plan < 6 ** 3; plan += 1) {
        const amounts = names.map((_, at) => Math.floor(plan / 6 ** at) % 6);
        const isAllowed =
          amounts.reduce((sum, one) => sum + one, 0) <= room &&
          amounts.every((amount, at) => {
            const [, cap, least] = rows[at] as [string, number | null, number | null];
            return amount <= (cap ?? 5) && amount >= (least ?? 0) && amount <= 5;
          });
        if (isAllowed)
          best = Math.max(
            best,
            amounts.reduce((sum, one, at) => sum + one * Number(rows[at]![3]), 0),
          );
      }
      const cards = [
        goods(),
        asBounds ? make({ domain: 'integer', lower: 'least[p]', upper: 'cap[p]' }) : make({ domain: 'integer' }),
        ...(asBounds ? [] : [hard('least[p] <= make[p] <= cap[p]', 'p in goods', 'Caps')]),
        hard('make[p] <= 5', 'p in goods', 'Most'),
        hard(`sum p in goods: make[p] <= ${room}`),
        goal(),
      ];
      const { status, objective_value } = solve(cards, table);
      expect(status).toBe(best === -Infinity ? 'infeasible' : 'optimal');
      if (best > -Infinity) expect(objective_value).toBeCloseTo(best, 9);
    }
  });
});
