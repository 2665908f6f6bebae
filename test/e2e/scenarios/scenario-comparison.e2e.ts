import { beforeAll, describe, expect, it } from '@jest/globals';
import Glpk, { type LP } from 'glpk.js/node';
import type { ExecutionDetailResponse, ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { Change } from '../../../packages/canvas/scenarios/change.js';
import type { ScenarioComparisonResponse } from '../../../src/scenarios/scenario-comparison.dto.js';
import type { ScenarioResponse, ScenarioSolveResponse } from '../../../src/scenarios/scenarios.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { useService } from '../../support/service.js';

const service = useService();
let client: Client;
let token: string;

beforeAll(async () => {
  ({ client, token } = await service.session());
});

/* Plan over products and weeks with scarce hours. Products can be stored until the next week. */

const PRODUCTS = [
  { product: 'oak chair', price: 30, hours: 2 },
  { product: '8:00', price: 20, hours: 1 },
  { product: 'table, "large"', price: 70, hours: 4 },
];
const DEMAND = PRODUCTS.map(({ product }, at) => [1, 2, 3].map((week) => ({ product, week, demand: 5 * (at + week) })));
const OVERTIME_COST = 8;
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const CARDS: [string, string, object][] = [
  ['data', 'Products', { set: 'products', file_path: 'products.csv', key: ['product'] }],
  ['data', 'Demand', { set: 'orders', file_path: 'demand.csv', key: ['product', 'week'] }],
  ['data', 'Weeks', { set: 'weeks', members: '1 to 3' }],
  ['data', 'Capacity', { values: { capacity: 40 } }],
  ['variable', 'Make', { name: 'make', index: 'p in products, t in weeks', domain: 'continuous' }],
  ['variable', 'Overtime', { name: 'overtime', domain: 'continuous', upper: 30 }],
  [
    'objective',
    'Profit',
    {
      sense: 'maximize',
      expression: `sum p in products, t in weeks: price[p] * make[p, t] - ${OVERTIME_COST} overtime`,
    },
  ],
  [
    'constraint',
    'Hours',
    {
      expression: 'sum p in products: hours[p] * make[p, t] <= capacity + overtime',
      index: 't in weeks',
      classification: 'hard',
    },
  ],
  [
    'constraint',
    'Sales',
    { expression: 'make[p, t] <= demand[p, t]', index: 'p in products, t in weeks', classification: 'hard' },
  ],
  ['kpi', 'Hours used', { expression: 'sum p in products, t in weeks: hours[p] * make[p, t]', description: 'hours' }],
];

/** Input values that scenarios change. */
interface Figures {
  capacity: number;
  /** Factor for each product. */
  demand: Record<string, number>;
  overtime: number;
}
const BASE: Figures = { capacity: 40, demand: {}, overtime: 30 };

/** Scenarios as changes for the API, as chat statements, and as input for another solver. */
const SCENARIOS: { name: string; changes: Change[]; said: string; figures: Figures }[] = [
  {
    name: 'two shifts',
    changes: [{ kind: 'value', target: 'capacity', times: 1.5 }],
    said: 'capacity x 1.5',
    figures: { ...BASE, capacity: 60 },
  },
  {
    name: 'early demand',
    changes: [{ kind: 'column', target: 'demand', where: 'product = "8:00"', times: 2 }],
    said: 'demand x 2 where product = "8:00"',
    figures: { ...BASE, demand: { '8:00': 2 } },
  },
  {
    name: 'no overtime',
    changes: [{ kind: 'bound', target: 'overtime.upper', to: 0 }],
    said: 'overtime.upper = 0',
    figures: { ...BASE, overtime: 0 },
  },
];

/** Solves the same plan using GLPK. */
async function byGlpk({ capacity, demand, overtime }: Figures): Promise<{ profit: number; hours: number }> {
  const glpk = await Glpk();
  const orders = DEMAND.flat();
  const weeks = [1, 2, 3];
  const name = (product: string, week: number): string =>
    `${PRODUCTS.findIndex((one) => one.product === product)}_${week}`;
  const of = (product: string) => PRODUCTS.find((one) => one.product === product)!;
  const problem: LP = {
    name: 'plan',
    objective: {
      direction: glpk.GLP_MAX,
      name: 'profit',
      vars: [
        ...orders.map(({ product, week }) => ({ name: name(product, week), coef: of(product).price })),
        { name: 'overtime', coef: -OVERTIME_COST },
      ],
    },
    subjectTo: weeks.map((week) => ({
      name: `hours${week}`,
      vars: [
        ...PRODUCTS.map(({ product, hours }) => ({ name: name(product, week), coef: hours })),
        { name: 'overtime', coef: -1 },
      ],
      bnds: { type: glpk.GLP_UP, lb: 0, ub: capacity },
    })),
    bounds: [
      ...orders.map(({ product, week, demand: most }) => ({
        name: name(product, week),
        type: glpk.GLP_DB,
        lb: 0,
        ub: most * (demand[product] ?? 1),
      })),
      { name: 'overtime', type: overtime === 0 ? glpk.GLP_FX : glpk.GLP_DB, lb: 0, ub: overtime },
    ],
  };
  const { z, vars } = glpk.solve(problem, { msglev: glpk.GLP_MSG_OFF, presol: false }).result;
  const hours = orders.reduce(
    (sum, { product, week }) => sum + of(product).hours * (vars[name(product, week)] ?? 0),
    0,
  );
  return { profit: z, hours };
}

async function makePlan(): Promise<string> {
  const { id: project } = await makeProject(client);
  const upload = (path: string, lines: string[]) =>
    makeFile(client, { source: 'workspace', project_id: project }, path, `${lines.join('\n')}\n`);
  await upload('products.csv', [
    'product,price,hours',
    ...PRODUCTS.map(({ product, price, hours }) => [quoted(product), price, hours].join(',')),
  ]);
  await upload('demand.csv', [
    'product,week,demand',
    ...DEMAND.flat().map(({ product, week, demand }) => [quoted(product), week, demand].join(',')),
  ]);
  for (const [card_type, label, data] of CARDS)
    await client.post<CardResponse>(`/projects/${project}/cards`, { card_type, label, data });
  await eventually(
    () => client.get<{ cards: CardResponse[] }>(`/projects/${project}/cards`),
    ({ cards }) => cards.every(({ gaps }) => gaps.every(({ severity }) => severity !== 'blocking')),
    { until: 'the files have been read', deadlineMs: 60_000 },
  );
  return project;
}

const compare = (project: string, query: Record<string, string> = {}) =>
  client.get<ScenarioComparisonResponse>(`/projects/${project}/scenarios/compare`, query);
const over = async (project: string, executions: { id: string }[]): Promise<void> => {
  for (const { id } of executions)
    await eventually(
      () => client.get<ExecutionDetailResponse>(`/projects/${project}/solve/executions/${id}`),
      ({ ended_at }) => ended_at !== null,
      { until: 'the execution is over', deadlineMs: 60_000 },
    );
};

/** Removes ids and times, which differ between two projects, from a comparison. */
const plain = ({ base, scenarios, differing }: Wire<ScenarioComparisonResponse>) => ({
  base: base && { ...base, execution_id: '', ended_at: '' },
  scenarios: scenarios.map((one) => ({ ...one, scenario_id: '', execution_id: '', ended_at: '' })),
  differing: differing.map(({ family, keys, values }) => {
    const names = new Map(scenarios.map(({ scenario_id, name }) => [scenario_id, name]));
    return {
      family,
      keys,
      values: Object.fromEntries(Object.entries(values).map(([id, v]) => [names.get(id) ?? id, v])),
    };
  }),
});

describe('a comparison of scenarios', () => {
  let project: string;
  let compared: Wire<ScenarioComparisonResponse>;

  beforeAll(async () => {
    project = await makePlan();
    const ids: string[] = [];
    for (const { name, changes } of SCENARIOS)
      ids.push((await client.post<ScenarioResponse>(`/projects/${project}/scenarios`, { name, changes })).id);
    const body = { scenario_ids: ids, include_base: true };
    const { executions } = await client.post<ScenarioSolveResponse>(`/projects/${project}/scenarios/solve`, body);
    await over(project, executions);
    compared = await compare(project);
  }, 120_000);

  it('contains the same numbers as another solver computes', async () => {
    const base = await byGlpk(BASE);
    expect(compared.base?.status).toBe('optimal');
    expect(compared.base?.objective_value).toBeCloseTo(base.profit, 6);
    for (const [at, { name, figures }] of SCENARIOS.entries()) {
      const { profit, hours } = await byGlpk(figures);
      const scenario = compared.scenarios[at]!;
      expect(scenario.name).toBe(name);
      expect(scenario.objective_value).toBeCloseTo(profit, 6);
      expect(scenario.difference).toBeCloseTo(profit - base.profit, 6);
      expect(scenario.kpis).toHaveLength(1);
      expect(scenario.kpis[0]!.value).toBeCloseTo(hours, 6);
      expect(scenario.kpis[0]!.difference).toBeCloseTo(hours - base.hours, 6);
    }
  });

  it('lists the differences, largest first', () => {
    const { differing } = compared;
    const spreads = differing.map(
      ({ values }) => Math.max(...Object.values(values)) - Math.min(...Object.values(values)),
    );
    expect(spreads.length).toBeGreaterThan(3);
    expect(spreads).toEqual(spreads.toSorted((one, other) => other - one));
    expect(Math.min(...spreads)).toBeGreaterThan(0);
    for (const { family, keys, values } of differing) {
      expect(Object.keys(values)).toHaveLength(4);
      expect(keys).toHaveLength(family === 'overtime' ? 0 : 2);
    }
    const places = differing.map(({ family, keys }) => [family, ...keys].join('|'));
    expect(new Set(places).size).toBe(places.length);
    expect(places).toContain('overtime');
    expect(places.some((place) => place.startsWith('make|oak chair|'))).toBe(true);
  });

  it('is available in CSV format', async () => {
    const response = await fetch(`${service.url}/api/v1/projects/${project}/scenarios/compare`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/csv' },
    });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines[0]).toBe('scenario,status,objective_value,difference,Hours used,Hours used difference');
    expect(lines.map((line) => line.split(',')[0])).toEqual(['scenario', 'base', ...SCENARIOS.map(({ name }) => name)]);
    const [, , objective] = (lines[1] ?? '').split(',');
    expect(Number(objective)).toBe(compared.base?.objective_value);
  });

  it('can be filtered by scenario, and reports unknown ids', async () => {
    const [first, , third] = compared.scenarios;
    const some = await compare(project, { ids: `${third!.scenario_id},${first!.scenario_id}` });
    expect(some.scenarios).toEqual([third, first]);
    const same = `${first!.scenario_id},${first!.scenario_id.toUpperCase()}`;
    const alone = await compare(project, { ids: first!.scenario_id });
    expect(await compare(project, { ids: same })).toEqual(alone);
    const { status, body } = await client.send('GET', `/projects/${project}/scenarios/compare`, {
      query: { ids: 'none' },
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ loc: ['query', 'ids'], input: 'none' }] });
  });

  it('has the same result if only the chat is used', async () => {
    const other = await makePlan();
    const say = async (content: string): Promise<string> => {
      await client.post(`/projects/${other}/chat`, { content });
      return (await idle(client, other)).messages.at(-1)?.content ?? '';
    };
    for (const { name, said } of SCENARIOS) await say(`scenario "${name}": ${said}`);
    const answer = await say('solve scenarios; compare');
    const { executions } = await client.get<{ executions: ExecutionResponse[] }>(`/projects/${other}/solve/executions`);
    expect(executions).toHaveLength(4);
    expect(plain(await compare(other))).toEqual(plain(compared));
    const told = answer.slice(answer.indexOf('The newest plans:'));
    const { base, scenarios } = compared;
    expect(told).toContain(`The canvas: the objective is ${base?.objective_value}`);
    for (const { name, objective_value } of scenarios)
      expect(told).toContain(`\`${name}\`: the objective is ${objective_value}`);
    expect(told).toMatch(/The (?:largest )?differences:/);
  }, 120_000);

  it('uses the newest run of each scenario, and is empty before the first run', async () => {
    const other = await makePlan();
    const { id } = await client.post<ScenarioResponse>(`/projects/${other}/scenarios`, {
      name: 'less',
      changes: [{ kind: 'value', target: 'capacity', to: 10 }],
    });
    expect(await compare(other)).toMatchObject({
      base: null,
      scenarios: [{ scenario_id: id, status: null, execution_id: null, difference: null, kpis: [] }],
      differing: [],
    });
    const path = `/projects/${other}/solve/executions`;
    for (const to of [10, -100]) {
      await client.patch(`/projects/${other}/scenarios/${id}`, {
        changes: [{ kind: 'value', target: 'capacity', to }],
      });
      await over(other, [await client.post<ExecutionResponse>(path, { scenario_id: id })]);
    }
    // A run of a model file does not count as a run of the canvas.
    await makeFile(client, { source: 'workspace', project_id: other }, 'm.lp', 'max x st c: x <= 4 end');
    await over(other, [await client.post<ExecutionResponse>(path, { input_file_ids: ['m.lp'] })]);
    expect(await compare(other)).toMatchObject({
      base: null,
      scenarios: [{ status: 'infeasible', objective_value: null, difference: null }],
    });
    // A run without input files does count as a run of the canvas.
    const base = await client.post<ExecutionResponse>(path, { input_file_ids: [] });
    await over(other, [base]);
    expect((await compare(other)).base).toMatchObject({ execution_id: base.id, status: 'optimal' });
  }, 60_000);

  it('treats members that are missing from a plan as 0', async () => {
    const { id: other } = await makeProject(client);
    const at = `/projects/${other}`;
    const make = (card_type: string, label: string, data: object) =>
      client.post<CardResponse>(`${at}/cards`, { card_type, label, data });
    await make('data', 'Figures', { values: { limit: 4 } });
    await make('variable', 'X', { name: 'x', domain: 'continuous', upper: 4 });
    const objective = await make('objective', 'Most', { sense: 'maximize', expression: 'x' });
    await over(other, [await client.post<ExecutionResponse>(`${at}/solve/executions`, {})]);
    await make('data', 'Weeks', { set: 'weeks', members: '1 to 2' });
    await make('variable', 'Y', { name: 'y', index: 't in weeks', domain: 'continuous', upper: 't * limit' });
    await client.patch(`${at}/cards/${objective.id}`, {
      version: objective.version,
      data: { sense: 'maximize', expression: 'x + sum t in weeks: y[t]' },
    });
    const { id } = await client.post<ScenarioResponse>(`${at}/scenarios`, { name: 'As it is', changes: [] });
    await over(other, [await client.post<ExecutionResponse>(`${at}/solve/executions`, { scenario_id: id })]);
    expect((await compare(other)).differing).toEqual([
      { family: 'y', keys: ['2'], values: { [id]: 8 } },
      { family: 'y', keys: ['1'], values: { [id]: 4 } },
    ]);
  }, 60_000);

  it('shows KPIs with the same label side by side in their original order', async () => {
    const { id: other } = await makeProject(client);
    const at = `/projects/${other}`;
    const make = (card_type: string, label: string, data: object) =>
      client.post<CardResponse>(`${at}/cards`, { card_type, label, data });
    await make('variable', 'X', { name: 'x', domain: 'continuous', upper: 4 });
    await make('objective', 'Most', { sense: 'maximize', expression: 'x' });
    await make('kpi', 'Rate', { description: 'Rate', expression: 'x' });
    await make('kpi', 'Rate', { description: 'Rate', expression: '10 x' });
    const more = await client.post<ScenarioResponse>(`${at}/scenarios`, {
      name: 'More',
      changes: [{ kind: 'bound', target: 'x.upper', to: 5 }],
    });
    const { executions } = await client.post<ScenarioSolveResponse>(`${at}/scenarios/solve`, {
      scenario_ids: [more.id],
      include_base: true,
    });
    await over(other, executions);
    expect((await compare(other)).scenarios[0]?.kpis).toEqual([
      { label: 'Rate', value: 5, difference: 1 },
      { label: 'Rate', value: 50, difference: 10 },
    ]);
    const response = await fetch(`${service.url}/api/v1${at}/scenarios/compare`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/csv' },
    });
    expect((await response.text()).split('\n')).toEqual([
      'scenario,status,objective_value,difference,Rate,Rate difference,Rate,Rate difference',
      'base,optimal,4,,4,,40,',
      'More,optimal,5,1,5,1,50,10',
      '',
    ]);
  }, 60_000);
});
