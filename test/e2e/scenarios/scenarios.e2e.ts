import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type {
  ExecutionDetailResponse,
  ExecutionListResponse,
  ExecutionResponse,
} from '../../../src/executions/executions.dto.js';
import type { RunCardsResponse } from '../../../src/executions/runs.dto.js';
import type { ErrorEntry } from '../../../src/common/errors/errors.js';
import type { CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import type { Change } from '../../../packages/canvas/scenarios/change.js';
import type {
  ScenarioListResponse,
  ScenarioResponse,
  ScenarioSolveResponse,
} from '../../../src/scenarios/scenarios.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { useService } from '../../support/service.js';

const service = useService({ settings: { SOLVES_CONCURRENCY: '2', SOLVE_TIME_LIMIT_SECONDS: '5' } });
let client: Client;
let project: string;

beforeAll(async () => {
  client = (await service.session()).client;
});
beforeEach(async () => {
  project = (await makeProject(client)).id;
});

const PRODUCTS = ['product,price,region', 'oak chair,30,north', 'table,50,south', 'stool,10,north', ''].join('\n');

const upload = (path: string, text: string) =>
  makeFile(client, { source: 'workspace', project_id: project }, path, text);
const addCard = (card_type: string, label: string, data: object) =>
  client.post<CardResponse>(`/projects/${project}/cards`, { card_type, label, data });
/** Creates a model with 60 hours and three products, at most 40 of each. */
async function makeShop(): Promise<Wire<CardResponse>> {
  await upload('products.csv', PRODUCTS);
  await addCard('data', 'Products', { set: 'products', file_path: 'products.csv', key: ['product'] });
  await addCard('variable', 'make', { name: 'make', index: 'p in products', domain: 'continuous', upper: 40 });
  await addCard('objective', 'Profit', { sense: 'maximize', expression: 'sum p in products: price[p] * make[p]' });
  await addCard('constraint', 'Labour', { expression: 'sum p in products: make[p] <= hours', classification: 'hard' });
  const hours = await addCard('data', 'Hours', { values: { hours: 60 } });
  await eventually(
    () => client.get<{ cards: CardResponse[] }>(`/projects/${project}/cards`),
    ({ cards }) => cards.every(({ status }) => status === 'complete'),
    { until: 'the file has been read', deadlineMs: 60_000 },
  );
  return hours;
}
/** Best profit with 60 hours: 40 tables and 20 chairs. */
const PROFIT = 2_600;

const at = (): string => `/projects/${project}/scenarios`;
const create = (name: string, ...changes: Change[]) => client.post<ScenarioResponse>(at(), { name, changes });
const hours = (to: number): Change => ({ kind: 'value', target: 'hours', to });
const solve = (body: object) => client.post<ScenarioSolveResponse>(`${at()}/solve`, body);
const detail = (id: string) => client.get<ExecutionDetailResponse>(`/projects/${project}/solve/executions/${id}`);
const over = (id: string) =>
  eventually(
    () => detail(id),
    ({ status }) => ['succeeded', 'failed', 'canceled'].includes(status),
    { until: 'the execution is over', deadlineMs: 60_000 },
  );
const objectives = async (executions: Wire<ExecutionResponse>[]): Promise<(number | null | undefined)[]> => {
  const found: (number | null | undefined)[] = [];
  for (const { id } of executions) found.push((await over(id)).result?.objective_value);
  return found;
};
const started = async (): Promise<number> =>
  (await client.get<ExecutionListResponse>(`/projects/${project}/solve/executions`)).total;
const problems = async (method: string, path: string, body: object): Promise<[ErrorEntry['loc'], string][]> => {
  const answer = await client.send<{ detail: ErrorEntry[] }>(method, path, { body });
  expect(answer.status).toBe(422);
  return answer.body.detail.map(({ loc, msg }) => [loc, msg]);
};

describe('scenarios', () => {
  it('can be created, listed newest first, changed and deleted', async () => {
    await makeShop();
    const changes: Change[] = [
      { kind: 'value', target: 'hours', times: 1.5 },
      { kind: 'column', target: 'price', where: 'region = "north"', plus: 5 },
      { kind: 'cell', target: 'price', key: ['oak chair'], to: 31 },
      { kind: 'off', target: 'Labour' },
    ];
    const made = await client.post<ScenarioResponse>(at(), { name: 'Two shifts', description: 'More', changes });
    expect(made).toMatchObject({ project_id: project, name: 'Two shifts', description: 'More', changes });
    // The response keeps the order of the changes in the request.
    expect(JSON.stringify(made.changes)).toBe(JSON.stringify(changes));
    const other = await create('Fewer', hours(10));
    expect(await client.get(at(), { limit: 1 })).toEqual({ scenarios: [other], limit: 1, offset: 0, total: 2 });
    expect((await client.get<ScenarioListResponse>(at(), { offset: 1 })).scenarios).toEqual([made]);
    expect(await client.get(`${at()}/${made.id}`)).toEqual(made);

    const changed = await client.patch<ScenarioResponse>(`${at()}/${made.id}`, {
      description: null,
      changes: [hours(7)],
    });
    expect(changed).toMatchObject({ id: made.id, name: 'Two shifts', description: null, changes: [hours(7)] });
    expect(changed.updated_at > made.updated_at).toBe(true);
    expect(await client.patch(`${at()}/${made.id}`, { name: 'Three shifts' })).toMatchObject({
      name: 'Three shifts',
      changes: [hours(7)],
    });
    expect((await client.send('PATCH', `${at()}/${made.id}`, { body: { name: 'Fewer' } })).status).toBe(409);
    expect((await client.send('POST', at(), { body: { name: 'Fewer', changes: [] } })).status).toBe(409);
    await client.delete(`${at()}/${made.id}`);
    expect((await client.send('DELETE', `${at()}/${made.id}`)).status).toBe(404);
    expect((await client.send('GET', `${at()}/none`)).status).toBe(404);
    expect((await client.get<ScenarioListResponse>(at())).total).toBe(1);
  });

  it('are limited to 100 even if they are created concurrently, and mark their project as changed', async () => {
    const before = (await client.get<ProjectResponse>(`/projects/${project}`)).updated_at;
    const names = Array.from({ length: 105 }, (_, index) => `Scenario ${index}`);
    const statuses = await Promise.all(
      names.map(async (name) => (await client.send('POST', at(), { body: { name, changes: [] } })).status),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(100);
    expect(statuses.filter((status) => status === 409)).toHaveLength(5);
    expect((await client.get<ProjectResponse>(`/projects/${project}`)).updated_at > before).toBe(true);
  });

  it('are fully validated, and each problem is reported at its location', async () => {
    await makeShop();
    const wrong = [
      { kind: 'values', target: 'hours', to: 1 },
      { kind: 'value', target: '', to: 1 },
      { kind: 'value', target: 'hours', times: 'much' },
      { kind: 'value', target: 'hours', to: [3] },
      { kind: 'cell', target: 'price', key: [true], to: 1 },
      { kind: 'value', target: 'hours' },
      { kind: 'off', target: 'Labour', plus: 1 },
    ];
    const found = await problems('POST', at(), { name: '', changes: wrong });
    expect(found.map(([loc]) => loc.slice(1).join('.'))).toEqual([
      'name',
      'changes.0.kind',
      'changes.1.target',
      'changes.2.times',
      'changes.3.to',
      'changes.4.key.0',
      'changes.5',
      'changes.6.plus',
    ]);
    const many = Array.from({ length: 101 }, () => hours(1));
    expect(await problems('POST', at(), { name: 'Many', changes: many })).toMatchObject([
      [['body', 'changes'], expect.stringMatching(/at most 100/)],
    ]);
    const large = Array.from({ length: 100 }, () => ({ ...hours(1), target: 'x'.repeat(1_000) }));
    expect(await problems('POST', at(), { name: 'Large', changes: large })).toEqual([
      [['body', 'changes'], 'Value error, the JSON text must have at most 65536 bytes'],
    ]);
    const unfit: Change[] = [
      hours(1),
      { kind: 'column', target: 'prize', times: 2 },
      { kind: 'column', target: 'price', times: 2, where: 'colour = "red"' },
      { kind: 'file', target: 'products', to: 'nowhere.csv' },
    ];
    const expected = [
      [['body', 'changes', 1, 'target'], 'Value error, no column is called prize'],
      [
        ['body', 'changes', 2, 'where'],
        'Value error, nothing is called colour: the condition can use product, price, region of products, and texts in double quotes',
      ],
      [['body', 'changes', 3, 'to'], 'Value error, the workspace has no file nowhere.csv'],
    ];
    // The unknown name may be in a file that has not been read yet, so it is accepted.
    expect(await problems('POST', at(), { name: 'Unfit', changes: unfit.slice(0, 3) })).toEqual(expected.slice(0, 2));
    expect(await problems('POST', at(), { name: 'Unfit', changes: [hours(1), hours(2), hours(3), unfit[3]] })).toEqual(
      expected.slice(2),
    );
    const { id } = await create('Fit', hours(1));
    expect(await problems('PATCH', `${at()}/${id}`, { changes: unfit.slice(0, 2) })).toEqual(expected.slice(0, 1));
    expect(await client.get(`${at()}/${id}`)).toMatchObject({ changes: [hours(1)] });
  });
});

describe('a solve of scenarios', () => {
  it('applies each kind of change and leaves feasibility_result unchanged', async () => {
    await makeShop();
    await upload('other.csv', PRODUCTS.replace('50', '100'));
    const kinds: [Change[], number][] = [
      [[], PROFIT],
      [[hours(100)], 3_400],
      [[{ kind: 'bound', target: 'make.upper', times: 2 }], 3_000],
      [[{ kind: 'column', target: 'price', times: 2, where: 'region = "north"' }], 60 * 40 + 50 * 20],
      [[{ kind: 'cell', target: 'price', key: ['stool'], to: 1_000 }], 41_000],
      [[{ kind: 'off', target: 'Labour' }], 3_600],
      [[{ kind: 'add', target: 'make["oak chair"] <= 10' }], 2_400],
      [[{ kind: 'add', target: 'make[p] <= 15 for p in products where region[p] = "south"' }], 2_000],
      [[{ kind: 'file', target: 'products', to: 'other.csv' }], 4_600],
      [
        [
          { kind: 'file', target: 'products', to: 'other.csv' },
          hours(10),
          { kind: 'column', target: 'price', plus: 1 },
        ],
        1_010,
      ],
    ];
    const ids: string[] = [];
    for (const [index, [changes]] of kinds.entries()) ids.push((await create(`Kind ${index}`, ...changes)).id);
    const { executions } = await solve({ scenario_ids: ids });
    expect(executions.map(({ scenario_id }) => scenario_id)).toEqual(ids);
    expect(executions.map(({ name, objective_value }) => [name, objective_value])).toEqual(
      kinds.map((_, index) => [`Kind ${index}`, null]),
    );
    expect(await objectives(executions)).toEqual(kinds.map(([, profit]) => profit));
    const adjusted = async (kind: number) => {
      const path = `/projects/${project}/solve/executions/${executions[kind]?.id}/cards`;
      const { cards } = await client.get<RunCardsResponse>(path);
      return cards?.flatMap(({ label, adjustments }) => (adjustments === undefined ? [] : [[label, adjustments]]));
    };
    expect(await adjusted(1)).toEqual([]);
    expect(await adjusted(3)).toEqual([['Products', [{ column: 'price', where: 'region = "north"', times: 2 }]]]);
    expect(await adjusted(4)).toEqual([['Products', [{ column: 'price', key: ['stool'], to: 1_000 }]]]);
    expect((await client.get<ProjectResponse>(`/projects/${project}`)).completeness.feasibility_result).toBe(
      'unchecked',
    );
    const { executions: both } = await solve({ scenario_ids: [ids[1]], include_base: true });
    expect(both.map(({ scenario_id }) => scenario_id)).toEqual([null, ids[1]]);
    expect(await objectives(both)).toEqual([PROFIT, 3_400]);
    // With `include_base`, the canvas itself is also solved, which updates its feasibility.
    expect((await client.get<ProjectResponse>(`/projects/${project}`)).completeness.feasibility_result).toBe('pass');
    const { executions: none } = await solve({ scenario_ids: [(await create('None', hours(-1))).id] });
    expect((await over(none[0]?.id ?? '')).result?.status).toBe('infeasible');
    expect((await client.get<ProjectResponse>(`/projects/${project}`)).completeness.feasibility_result).toBe('pass');
  });

  it('uses the same snapshot for 20 scenarios while the canvas is edited, and counts as a single waiting solve', async () => {
    const card = await makeShop();
    const ids: string[] = [];
    for (let index = 0; index < 20; index += 1)
      ids.push((await create(`Up ${index}`, { kind: 'value', target: 'hours', plus: index })).id);
    let { version } = card;
    const edit = async (value: number): Promise<void> => {
      const data = { values: { hours: 20 + (value % 10) } };
      ({ version } = await client.patch<CardResponse>(`/projects/${project}/cards/${card.id}`, { version, data }));
      await upload('products.csv', PRODUCTS.replace('50', String(50 + (value % 10))));
    };
    // After this edit, there are not enough hours for 40 tables.
    await edit(0);
    const stopped = new AbortController();
    const edits = (async () => {
      for (let value = 1; !stopped.signal.aborted; value += 1) await edit(value);
    })();
    const executions = await solve({ scenario_ids: ids, include_base: true })
      .then((answer) => answer.executions)
      .finally(async () => {
        stopped.abort();
        await edits;
      });
    expect(executions).toHaveLength(21);
    expect(new Set(executions.map(({ created_at }) => created_at)).size).toBe(1);
    const found = await objectives(executions);
    const [base = NaN, first, second = NaN] = found as number[];
    // If all runs used the same snapshot, each additional hour adds the same profit until 40 tables are made.
    expect(first).toBe(base);
    const step = second - base;
    expect(step).toBeGreaterThanOrEqual(50);
    const made = base / step;
    expect(Number.isInteger(made)).toBe(true);
    expect(found.slice(1)).toEqual(
      ids.map((_, index) => Math.min(40, made + index) * step + Math.max(0, made + index - 40) * 30),
    );
  }, 90_000);

  it('starts all scenarios or none, and names the scenario that no longer fits the canvas', async () => {
    const card = await makeShop();
    const [one, two] = [await create('One', hours(10)), await create('Two shifts', { kind: 'off', target: 'Labour' })];
    const at422 = async (body: object) => await problems('POST', `${at()}/solve`, body);
    const none = '00000000-0000-4000-8000-000000000000';
    const unknown = 'Value error, the project has no such scenario';
    expect(await at422({ scenario_ids: [one.id, none, 'x', one.id] })).toEqual([
      [['body', 'scenario_ids', 1], unknown],
      [['body', 'scenario_ids', 2], unknown],
      [['body', 'scenario_ids', 3], 'Value error, the scenario is listed twice'],
    ]);
    expect(await at422({ scenario_ids: [] })).toEqual([
      [['body', 'scenario_ids'], 'Value error, at least one scenario is required'],
    ]);
    const { id: other } = await makeProject(client);
    const foreign = await client.post<ScenarioResponse>(`/projects/${other}/scenarios`, { name: 'Other', changes: [] });
    expect(await at422({ scenario_ids: [foreign.id] })).toEqual([[['body', 'scenario_ids', 0], unknown]]);
    await client.patch(`/projects/${project}/cards/${card.id}`, {
      version: card.version,
      data: { values: { workers: 3 } },
    });
    expect(await at422({ scenario_ids: [two.id, one.id], include_base: true })).toEqual([
      [
        ['body', 'scenario_ids', 1],
        'Value error, the scenario "One" no longer applies: change 1 (hours): no data card has a value called hours',
      ],
    ]);
    expect(await started()).toBe(0);
    const trees = await containers();
    expect(await at422({ scenario_ids: [two.id, one.id] })).toHaveLength(1);
    expect(await containers()).toBe(trees);
  });

  it('rejects a request whose scenarios exceed the total card size limit', async () => {
    const ids = [await create('One'), await create('Two'), await create('Three')].map(({ id }) => id);
    await query(
      `INSERT INTO cards (project_id, card_type, label, status, data)
       SELECT $1, 'data', 'Notes ' || i, 'complete', jsonb_build_object('description', repeat('x', 4000000))
         FROM generate_series(1, 6) i`,
      [project],
    );
    const large = 'Value error, the canvas is so large that at most 2 scenarios can be solved together';
    expect(await problems('POST', `${at()}/solve`, { scenario_ids: ids })).toEqual([[['body', 'scenario_ids'], large]]);
    const [one, two] = ids;
    expect(await problems('POST', `${at()}/solve`, { scenario_ids: [one, two], include_base: true })).toEqual([
      [
        ['body', 'scenario_ids'],
        'Value error, the canvas is so large that at most 1 scenario can be solved together with it',
      ],
    ]);
    expect(await started()).toBe(0);
    expect((await solve({ scenario_ids: [one!, two!] })).executions).toHaveLength(2);
  });

  it('names the scenario change that contradicts the data files', async () => {
    await makeShop();
    const { id } = await create('Typo', hours(30), { kind: 'cell', target: 'price', key: ['oak char'], to: 3 });
    const { executions } = await solve({ scenario_ids: [id] });
    expect(await over(executions[0]?.id ?? '')).toMatchObject({
      status: 'failed',
      error: {
        code: 'incomplete_model',
        message: 'Change 2 (price) of the scenario "Typo": products has no member "oak char"',
      },
    });
  });

  it('uses the snapshot in run mode, and keeps the id of a scenario that is deleted', async () => {
    const card = await makeShop();
    await client.patch(`/projects/${project}`, { workspace_mode: 'run' });
    await client.patch(`/projects/${project}/cards/${card.id}`, {
      version: card.version,
      data: { values: { hours: 1 } },
    });
    await upload('products.csv', PRODUCTS.replace('50', '500'));
    const { id } = await create('Double', { kind: 'value', target: 'hours', times: 2 });
    const { executions } = await solve({ scenario_ids: [id], include_base: true });
    await client.delete(`${at()}/${id}`);
    expect(await objectives(executions)).toEqual([PROFIT, 3_600]);
    expect((await detail(executions[1]?.id ?? '')).scenario_id).toBe(id);
    const path = `/projects/${project}/solve/executions`;
    const found = await client.get<ExecutionListResponse>(path, { scenario_id: id });
    expect(found.executions.map((one) => one.id)).toEqual([executions[1]?.id]);
  });

  it('can be started for a single scenario like any other run, with the same options', async () => {
    await makeShop();
    const scenario = await create('Fewer hours', hours(10));
    const path = `/projects/${project}/solve/executions`;
    const { id } = await client.post<ExecutionResponse>(path, { scenario_id: scenario.id, time_limit_seconds: 3 });
    expect(await over(id)).toMatchObject({
      scenario_id: scenario.id,
      name: 'Fewer hours',
      time_limit_seconds: 3,
      affects_checklist: false,
      result: { objective_value: 500 },
    });
    const shouted = await client.post<ExecutionResponse>(path, { scenario_id: scenario.id.toUpperCase() });
    expect((await detail(shouted.id)).scenario_id).toBe(scenario.id);
    const { executions } = await solve({ scenario_ids: [scenario.id], name: 'Ours', mip_gap: 0.1 });
    expect(await detail(executions[0]?.id ?? '')).toMatchObject({ name: 'Ours', mip_gap: 0.1 });
    const unknown = '01890000-0000-7000-8000-000000000000';
    expect(await problems('POST', path, { scenario_id: unknown })).toEqual([
      [['body', 'scenario_id'], 'Value error, the project has no such scenario'],
    ]);
    expect(await problems('POST', path, { scenario_id: unknown, input_file_ids: [], affects_checklist: true })).toEqual(
      [
        [['body', 'input_file_ids'], 'Value error, a scenario applies to the canvas, not to a model file'],
        [['body', 'affects_checklist'], 'Value error, a scenario cannot affect the checklist'],
      ],
    );
  });

  it('counts as one solve towards the limit of waiting solves', async () => {
    await makeShop();
    const ids: string[] = [];
    for (let index = 0; index < 12; index += 1) ids.push((await create(`S ${index}`, hours(index))).id);
    const batches = await Promise.all(Array.from({ length: 4 }, () => solve({ scenario_ids: ids })));
    // With a single worker, more than 20 of the 48 executions are waiting, but they belong to only a few solves.
    expect(batches.flatMap(({ executions }) => executions)).toHaveLength(48);
    for (const { executions } of batches)
      for (const { id } of executions) await client.send('POST', `/projects/${project}/solve/executions/${id}/cancel`);
  });
});

describe('scenarios in the chat with the guide', () => {
  /** Returns the guide's answer without its introduction, the checklist and the open question. */
  const say = async (content: string): Promise<string> => {
    await client.post(`/projects/${project}/chat`, { content });
    const { messages } = await idle(client, project);
    const paragraphs = (messages.at(-1)?.content ?? '').trim().split('\n\n');
    return paragraphs
      .filter((text) => !/^(?:I am|No instr|The workspace|At the top|Checklist|Files since|Still open)/.test(text))
      .join('\n\n');
  };

  it('can be created, shown, solved with the canvas, and removed', async () => {
    await makeShop();
    await upload('other.csv', PRODUCTS.replace('50', '100'));
    expect(await say('scenario "two shifts": hours x 2, price + 5 where region = "north", without Labour')).toBe(
      'Scenarios now:\n- Scenario `two shifts`: `hours x 2`, `price + 5 where region = "north"`, `without Labour`',
    );
    const said = [
      'scenario Two Shifts: make.upper = 50; scenario other: products from other.csv',
      'scenario other: price of "oak chair" = 31',
      'scenario wrong: hourz x 2',
      'scenario wrong: region x 2',
      'scenario unclear: make it better',
    ];
    expect(await say(said.join('\n'))).toBe(
      [
        'Scenarios now:',
        '- Scenario `two shifts`: `hours x 2`, `price + 5 where region = "north"`, `without Labour`, `make.upper = 50`',
        '- Scenario `other`: `products from other.csv`, `price["oak chair"] = 31`',
        '',
        'Not done:',
        '- Scenario `wrong`: no value or column is called `hourz`; the canvas has `hours`, `price`',
        '',
        'I could not use this:',
        '- `scenario unclear: make it better`: say what changes, as in `hours x 1.5`, `demand + 10 where region = "north"` or `without Overtime`',
      ].join('\n'),
    );
    expect(await say('scenario wrong: region x 2')).toBe(
      'Not done:\n- Scenario `wrong`: change 1 (region): region contains texts, and only numbers can be changed',
    );
    const { scenarios } = await client.get<ScenarioListResponse>(at());
    expect(scenarios.map(({ name }) => name)).toEqual(['other', 'two shifts']);
    expect(await say('solve scenarios')).toBe(
      [
        'Solved with the same state of the canvas:',
        '- The canvas: the objective is 2600',
        '- `two shifts`: the objective is 5000, 2400 more than for the canvas',
        '- `other`: the objective is 4620, 2020 more than for the canvas',
        '',
        'Said since the last solve, and not in this plan:',
        '- `scenario unclear: make it better`',
      ].join('\n'),
    );
    expect((await client.get<ProjectResponse>(`/projects/${project}`)).completeness.feasibility_result).toBe('pass');
    expect(await say('solve scenario none')).toBe(
      'The scenarios were not solved: There is no scenario "none"; the project has "two shifts", "other".',
    );
    expect(await say('remove scenario "two shifts"; show scenarios')).toBe(
      'Scenarios now:\n- Removed: scenario `two shifts`\n\nScenarios:\n- Scenario `other`: `products from other.csv`, `price["oak chair"] = 31`',
    );
  }, 60_000);

  it('are compared with the canvas, regardless of their names', async () => {
    await makeShop();
    await say('scenario base: hours x 2; scenario 10: Hours x 2; scenario 10: hours = 10 where region = "north"');
    expect(await say('scenario 10: Hours x 2')).toBe(
      'Not done:\n- Scenario `10`: no value or column is called `Hours`; the canvas has `hours`',
    );
    expect(await say('scenario 10: hours = 10 where region = "north"')).toBe(
      'Not done:\n- Scenario `10`: `hours` is a single number, so `where` cannot select members',
    );
    await say('scenario 10: hours = 10; solve scenarios');
    const [plans, differing] = (await say('compare')).split('\n\n');
    expect(plans).toBe(
      [
        'The newest plans:',
        '- The canvas: the objective is 2600',
        '- `base`: the objective is 3600, 1000 more than for the canvas',
        '- `10`: the objective is 500, 2100 less than for the canvas',
      ].join('\n'),
    );
    expect(differing).toContain('- `make[oak chair]`: `the canvas 20`, `base 40`, `10 0`');
  }, 60_000);
});

/** Returns the number of file trees. */
const containers = async (): Promise<number | undefined> =>
  (await query<{ count: number }>('SELECT count(*)::integer AS count FROM containers'))[0]?.count;

async function query<Row extends object>(statement: string, parameters: unknown[] = []): Promise<Row[]> {
  const database = new pg.Client(service.environment.databaseUrl);
  await database.connect();
  try {
    return (await database.query<Row>(statement, parameters)).rows;
  } finally {
    await database.end();
  }
}
