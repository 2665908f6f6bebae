import { beforeAll, describe, expect, it } from '@jest/globals';
import type {
  ExecutionDetailResponse,
  ExecutionListResponse,
  ExecutionResponse,
} from '../../../src/executions/executions.dto.js';
import type { RunCardsResponse, RunValuesResponse } from '../../../src/executions/runs.dto.js';
import type { TableResponse } from '../../../src/tables/table.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { hardModel } from '../../support/models.js';
import { rowsOf } from '../../support/rows.js';
import { useService } from '../../support/service.js';

type Detail = Wire<ExecutionDetailResponse>;

const service = useService({ settings: { SOLVE_TIME_LIMIT_SECONDS: '5', SOLVE_TIME_LIMIT_MAX_SECONDS: '60' } });
let client: Client;

beforeAll(async () => {
  ({ client } = await service.session());
});

const query = (text: string, values: unknown[] = []) => rowsOf(service.environment, text, values);

const base = (project: string): string => `/projects/${project}/solve/executions`;
const start = (project: string, body: object = {}) => client.post<ExecutionResponse>(base(project), body);
const get = (project: string, id: string) => client.get<ExecutionDetailResponse>(`${base(project)}/${id}`);
const when = (project: string, id: string, until: string, isSo: (detail: Detail) => boolean): Promise<Detail> =>
  eventually(() => get(project, id), isSo, { until, deadlineMs: 60_000 });
const over = (project: string, id: string): Promise<Detail> =>
  when(project, id, 'the execution is over', ({ ended_at }) => ended_at !== null);
const solve = async (project: string, body: object = {}): Promise<Detail> =>
  await over(project, (await start(project, body)).id);
const values = (project: string, id: string, query_: string) =>
  client.get<RunValuesResponse>(`${base(project)}/${id}/values?${query_}`);
const put = (project: string, path: string, text: string) =>
  makeFile(client, { source: 'workspace', project_id: project }, path, text);
const addCard = (project: string, card_type: string, label: string, data: object) =>
  client.post(`/projects/${project}/cards`, { card_type, label, data });

async function refused(status: number, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await client.send<{ detail: unknown }>(method, path, { body });
  expect(answer.status).toBe(status);
  return answer.body.detail;
}

const PRODUCTS = 'product,price,hours\noak chair,30,2\n8:00,20,1\n"a, ""b""",0,1\n007,50,4\n';

/** Creates a plan with odd product names. Only chairs and 007 are profitable. */
async function makePlan(): Promise<string> {
  const { id: project } = await makeProject(client);
  await put(project, 'products.csv', PRODUCTS);
  await addCard(project, 'data', 'Products', { set: 'products', file_path: 'products.csv', key: ['product'] });
  await addCard(project, 'variable', 'Make', {
    name: 'make',
    index: 'p in products',
    domain: 'continuous',
    upper: 10,
  });
  await addCard(project, 'variable', 'Overtime', { name: 'overtime', domain: 'continuous', upper: 5 });
  await addCard(project, 'objective', 'Profit', {
    sense: 'maximize',
    expression: 'sum p in products: price[p] * make[p] - 1 overtime',
  });
  await addCard(project, 'constraint', 'Capacity', {
    expression: 'sum p in products: hours[p] * make[p] <= 30 + overtime',
    classification: 'hard',
  });
  await addCard(project, 'kpi', 'Hours', {
    description: 'hours',
    expression: 'sum p in products: hours[p] * make[p]',
    target: 30,
    unit: 'h',
  });
  return project;
}

describe('a run of the canvas', () => {
  let project: string;
  let run: Detail;

  beforeAll(async () => {
    project = await makePlan();
    run = await solve(project, { name: 'First', time_limit_seconds: 20, mip_gap: 0 });
  });

  it('reports its request, the size of the model and the quality of the plan', async () => {
    expect(run).toMatchObject({
      status: 'succeeded',
      name: 'First',
      scenario_id: null,
      time_limit_seconds: 20,
      mip_gap: 0,
      affects_checklist: true,
      model: { variables: 5, integer_variables: 0, constraints: 1, terms: 5 },
      progress: null,
    });
    // There are 30 hours plus 5 hours of overtime: 10 hours of 8:00 at 20, 20 hours of chairs at 15, and the last 5
    // hours of 007 at 12.5.
    expect(run.result).toMatchObject({
      status: 'optimal',
      objective_value: 557.5,
      bound: 557.5,
      gap: 0,
      variables: { make: 21.25, overtime: 5 },
      reduced_costs: { overtime: 11.5 },
      constraints: [{ name: 'Capacity', slack: 0, dual: 12.5 }],
      kpis: [{ label: 'Hours', value: 35, unit: 'h', target: 30 }],
      families: [{ name: 'make', keys: ['product'], size: 4 }],
    });
    const charged = await query('SELECT credits::float FROM usage_ledger WHERE source_id = $1', [run.id]);
    expect(charged).toEqual([{ credits: run.credits }]);
  });

  it('shows the members of a variable in pages, in the order of their set', async () => {
    const all = await values(project, run.id, 'family=make');
    expect(all).toEqual({
      values: [
        { keys: ['oak chair'], value: 10, reduced_cost: 5 },
        { keys: ['8:00'], value: 10, reduced_cost: 7.5 },
        { keys: ['a, "b"'], value: 0, reduced_cost: -12.5 },
        { keys: ['007'], value: 1.25, reduced_cost: 0 },
      ].map((value) => expect.objectContaining(value)),
      limit: 50,
      offset: 0,
      total: 4,
    });
    expect(await values(project, run.id, 'family=make&limit=1&offset=3')).toMatchObject({
      values: [all.values[3]],
      total: 4,
    });
    expect(await values(project, run.id, 'family=make&nonzero=true')).toMatchObject({
      values: [all.values[0], all.values[1], all.values[3]],
      total: 3,
    });
    expect(await values(project, run.id, 'family=overtime')).toMatchObject({
      values: [{ keys: [], value: 5, reduced_cost: 11.5 }],
      total: 1,
    });
    expect(await refused(422, 'GET', `${base(project)}/${run.id}/values?family=nothing`)).toMatchObject([
      { type: 'value_error', loc: ['query', 'family'], input: 'nothing' },
    ]);
    expect(await refused(422, 'GET', `${base(project)}/${run.id}/values`)).toMatchObject([
      { type: 'missing', loc: ['query', 'family'] },
    ]);
  });

  it('writes its tables to the workspace, where they can be queried', async () => {
    const table = await client.post<TableResponse>('/files/table', {
      source: 'workspace',
      project_id: project,
      path: `results/${run.id}/make.csv`,
    });
    expect(table.columns.map(({ name }) => name)).toEqual(['product', 'value', 'reduced_cost']);
    expect(table.total).toBe(4);
  });

  it('keeps the solved cards and files, so that they can be solved again', async () => {
    const path = `${base(project)}/${run.id}`;
    const before = await client.get<RunCardsResponse>(`${path}/cards`);
    expect(before.cards?.map(({ label }) => label)).toEqual([
      'Products',
      'Make',
      'Overtime',
      'Profit',
      'Capacity',
      'Hours',
    ]);
    await addCard(project, 'constraint', 'Less', { expression: 'overtime <= 1', classification: 'hard' });
    await put(project, 'products.csv', 'product,price,hours\nlamp,1,1\n');
    const { id } = await client.post<ExecutionResponse>(`${path}/repeat`);
    expect(id).not.toBe(run.id);
    const again = await over(project, id);
    expect(await over(project, run.id)).toEqual(run);
    expect(again).toMatchObject({ name: 'First', result: { objective_value: 557.5 }, model: run.model });
    expect((await client.get<RunCardsResponse>(`${base(project)}/${id}/cards`)).cards).toEqual(before.cards);
    expect((await values(project, id, 'family=make')).total).toBe(4);
    // The canvas has since changed, so its feasibility is unknown.
    expect((await client.get<ProjectResponse>(`/projects/${project}`)).completeness.feasibility_result).toBe(
      'unchecked',
    );
  });
});

describe('run options', () => {
  it.each<[string, Record<string, unknown>, string, string]>([
    ['an empty name', { name: '' }, 'name', 'string_too_short'],
    ['a blank name', { name: '  ' }, 'name', 'string_pattern_mismatch'],
    ['a name that is too long', { name: 'a'.repeat(201) }, 'name', 'string_too_long'],
    ['a time limit below the minimum', { time_limit_seconds: 0.5 }, 'time_limit_seconds', 'greater_than_equal'],
    ['a time limit above the maximum', { time_limit_seconds: 61 }, 'time_limit_seconds', 'less_than_equal'],
    ['a negative gap', { mip_gap: -0.1 }, 'mip_gap', 'greater_than_equal'],
    ['a gap above 1', { mip_gap: 1.1 }, 'mip_gap', 'less_than_equal'],
  ])('are rejected for %s', async (_, body, field, type) => {
    const { id: project } = await makeProject(client);
    expect(await refused(422, 'POST', base(project), body)).toMatchObject([
      { type, loc: ['body', field], input: Object.values(body)[0] },
    ]);
    expect(await client.get<ExecutionListResponse>(base(project))).toMatchObject({ total: 0 });
  });

  it('end the search at the given gap or time limit, after which the result reports the bound and the gap', async () => {
    const { id: project } = await makeProject(client);
    // The fixed cost of 100 dominates the objective, so a plan that misses its targets slightly has a small gap.
    const fixed = hardModel().replace('miss: ', 'miss: 100 one + ').replace('Subject To', 'Subject To\n paid: one = 1');
    await put(project, 'hard.lp', hardModel());
    await put(project, 'fixed.lp', fixed);
    const gapped = await solve(project, { input_file_ids: ['fixed.lp'], mip_gap: 0.5, time_limit_seconds: 60 });
    expect(gapped).toMatchObject({ status: 'succeeded', mip_gap: 0.5, result: { status: 'optimal', bound: 100 } });
    expect(gapped.result?.gap).toBeGreaterThan(0);
    expect(gapped.result?.gap).toBeLessThanOrEqual(0.5);
    expect(gapped.result?.message).toMatch(/^The search ended, at most \S+ % from the best possible$/);
    const before = performance.now();
    const timed = await solve(project, { input_file_ids: ['hard.lp'], time_limit_seconds: 1 });
    expect(performance.now() - before).toBeLessThan(10_000);
    expect(timed.result).toMatchObject({ status: 'time_limit', bound: 0 });
    expect(timed.result?.gap).toBeGreaterThan(0);
    expect(timed.result?.message).toMatch(/^The best values found in 1 s/);
  });

  it('let a run of a model file update the checklist if the file has not changed since the run started', async () => {
    const { id: project } = await makeProject(client);
    const feasibility = async () =>
      (await client.get<ProjectResponse>(`/projects/${project}`)).completeness.feasibility_result;
    await put(project, 'm.lp', 'max x st c: x <= 4 end');
    expect(await solve(project, { input_file_ids: ['m.lp'], affects_checklist: true, is_test: true })).toMatchObject({
      affects_checklist: false,
    });
    expect(await feasibility()).toBe('unchecked');
    await solve(project, { input_file_ids: ['m.lp'], affects_checklist: true });
    expect(await feasibility()).toBe('pass');
    await put(project, 'bad.lp', 'max x st c: x <= 4 d: x >= 5 end');
    const blockers = await Promise.all(
      [1, 2].map(async () => {
        await put(project, 'hard.lp', hardModel());
        return await start(project, { input_file_ids: ['hard.lp'], time_limit_seconds: 60 });
      }),
    );
    const { id } = await start(project, { input_file_ids: ['bad.lp'], affects_checklist: true });
    await put(project, 'bad.lp', 'max x st c: x <= 4 end');
    for (const blocker of blockers) await client.post(`${base(project)}/${blocker.id}/cancel`);
    expect((await over(project, id)).result?.status).toBe('infeasible');
    expect(await feasibility()).toBe('pass');
    expect(await solve(project, { affects_checklist: false })).toMatchObject({ affects_checklist: false });
  });
});

it('returns very large and very small values as numbers', async () => {
  const { id: project } = await makeProject(client);
  const sizes = { whole: 1e15, wider: 1.23e17, small: 1e-7, tenth: 0.1, nothing: 0 };
  await addCard(project, 'data', 'Sizes', { set: 'things', members: Object.keys(sizes), values: { most: sizes } });
  await addCard(project, 'variable', 'Take', {
    name: 'take',
    index: 'p in things',
    domain: 'continuous',
    upper: 'most[p]',
  });
  await addCard(project, 'objective', 'All', { sense: 'maximize', expression: 'sum p in things: take[p]' });
  const { id, result } = await solve(project);
  expect(result?.status).toBe('optimal');
  const figures = async (search: string) =>
    (await values(project, id, `family=take${search}`)).values.map(({ keys, value }) => [keys[0], value]);
  expect(await figures('')).toEqual(Object.entries(sizes));
  expect(await figures('&nonzero=true')).toEqual(Object.entries(sizes).slice(0, 4));
});

describe('a time limit', () => {
  const seconds = ({ started_at, ended_at }: Detail): number =>
    (Date.parse(ended_at ?? '') - Date.parse(started_at ?? '')) / 1000;

  it('is enforced during presolve, even though the solver does not check the time then', async () => {
    const { id: project } = await makeProject(client);
    await addCard(project, 'data', 'Parts', { set: 'parts', members: '1 to 20000' });
    await addCard(project, 'variable', 'Take', { name: 'take', index: 'p in parts', domain: 'binary' });
    await addCard(project, 'data', 'Room', { values: { room: 77_777.5 } });
    await addCard(project, 'objective', 'Worth', { sense: 'maximize', expression: 'sum p in parts: p * take[p]' });
    const expression = 'sum p in parts: 3 * p * take[p] <= room';
    await addCard(project, 'constraint', 'Room', { expression, classification: 'hard' });
    const run = await solve(project, { time_limit_seconds: 1 });
    console.info(`a limit of 1 s: ${seconds(run).toFixed(1)} s, ${run.result?.status ?? run.error?.code}`);
    expect(seconds(run)).toBeLessThan(8);
  });
});

describe('the runs of a project', () => {
  it('can be filtered by status, scenario, name and `is_test`', async () => {
    const { id: project } = await makeProject(client);
    await put(project, 'm.lp', 'max x st c: x <= 4 end');
    const model = { input_file_ids: ['m.lp'] };
    const named = await solve(project, { ...model, name: 'Überstunden 100 %' });
    const test = await solve(project, { ...model, is_test: true });
    const failed = await solve(project);
    const ids = async (filter: string) =>
      (await client.get<ExecutionListResponse>(`${base(project)}?${filter}`)).executions.map(({ id }) => id);
    expect(await ids('')).toEqual([failed.id, test.id, named.id]);
    expect(await ids('status=failed')).toEqual([failed.id]);
    expect(await ids('is_test=true')).toEqual([test.id]);
    expect(await ids('is_test=false&limit=1')).toEqual([failed.id]);
    expect(await ids(`q=${encodeURIComponent('ÜBERSTUNDEN 100 %')}`)).toEqual([named.id]);
    expect(await ids('q=nothing')).toEqual([]);
    expect(await ids('q=')).toEqual([failed.id, test.id, named.id]);
    const scenario = '01890000-0000-7000-8000-000000000000';
    await query('UPDATE executions SET scenario_id = $2 WHERE id = $1', [test.id, scenario]);
    expect(await ids(`scenario_id=${scenario}`)).toEqual([test.id]);
    await refused(422, 'GET', `${base(project)}?status=done`);
    expect(await ids('scenario_id=none')).toEqual([]);
  });

  it('have the same values in the list as when they are requested individually', async () => {
    const { id: project } = await makeProject(client);
    const files = {
      'best.lp': 'max x st c: x <= 4.25 end',
      'none.lp': 'max x st c: x <= 4 d: x >= 5 end',
      'endless.lp': 'max x st c: y <= 3 end',
      'zero.lp': 'min x st c: x >= 0 end',
      'broken.lp': 'no model',
      'hard.lp': hardModel(),
    };
    const started: string[] = [];
    for (const [path, text] of Object.entries(files)) {
      await put(project, path, text);
      const body = { input_file_ids: [path], name: path, time_limit_seconds: 1 };
      const created = await start(project, body);
      expect(created).toMatchObject({
        name: path,
        scenario_id: null,
        ended_at: null,
        objective_value: null,
        credits: null,
      });
      started.unshift(created.id);
    }
    await over(project, started[0]!);
    const { executions } = await client.get<ExecutionListResponse>(base(project));
    expect(executions.map(({ id }) => id)).toEqual(started);
    for (const row of executions) {
      const run = await get(project, row.id);
      expect(run).toMatchObject(row);
      expect(row.credits).toBeGreaterThan(0);
      const { status = null, objective_value = null, gap = null } = run.result ?? {};
      expect(row).toMatchObject({ outcome: status, objective_value, gap });
    }
    expect(executions.map(({ name, outcome, objective_value }) => [name, outcome, objective_value]).slice(1)).toEqual([
      ['broken.lp', null, null],
      ['zero.lp', 'optimal', 0],
      ['endless.lp', 'unbounded', null],
      ['none.lp', 'infeasible', null],
      ['best.lp', 'optimal', 4.25],
    ]);
    expect(executions[0]).toMatchObject({
      name: 'hard.lp',
      outcome: 'time_limit',
      objective_value: expect.any(Number),
    });
  });

  it('have no values if they have no plan', async () => {
    const { id: project } = await makeProject(client);
    const { id } = await solve(project);
    await refused(409, 'GET', `${base(project)}/${id}/values?family=x`);
  });
});
