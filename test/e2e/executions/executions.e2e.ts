import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type {
  ExecutionDetailResponse,
  ExecutionListResponse,
  ExecutionResponse,
} from '../../../src/executions/executions.dto.js';
import type { FileContentResponse, FileListResponse } from '../../../src/files/files.dto.js';
import type { CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { ProjectResponse, ProjectSummaryListResponse } from '../../../src/projects/projects.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { metrics } from '../../support/operators.js';
import { hardModel } from '../../support/models.js';
import { rowsOf } from '../../support/rows.js';
import { useService } from '../../support/service.js';

type Detail = Wire<ExecutionDetailResponse>;

const service = useService({ settings: { SOLVE_TIME_LIMIT_SECONDS: '2', SOLVES_CONCURRENCY: '1', METRICS: 'true' } });
let client: Client;
let user: string;

beforeAll(async () => {
  ({ client, user } = await service.session());
});

const query = (text: string, values: unknown[] = []) => rowsOf(service.environment, text, values);

const newProject = async (): Promise<string> => (await makeProject(client)).id;
const upload = (project: string, path: string, content: string | Uint8Array) =>
  makeFile(client, { source: 'workspace', project_id: project }, path, content);
const start = (project: string, body: object = {}) =>
  client.post<ExecutionResponse>(`/projects/${project}/solve/executions`, body);
const at = (project: string, id: string): string => `/projects/${project}/solve/executions/${id}`;
const get = (project: string, id: string) => client.get<ExecutionDetailResponse>(at(project, id));
const when = (project: string, id: string, ...statuses: string[]): Promise<Detail> =>
  eventually(
    () => get(project, id),
    ({ status }) => statuses.includes(status),
    {
      until: `the execution is ${statuses.join(' or ')}`,
      deadlineMs: 20_000,
    },
  );
const over = (project: string, id: string) => when(project, id, 'succeeded', 'failed', 'canceled');
const solve = async (project: string, body: object = {}): Promise<Detail> =>
  await over(project, (await start(project, body)).id);
const solveText = async (project: string, text: string): Promise<Detail> => {
  const { id } = await upload(project, 'model.lp', text);
  return await solve(project, { input_file_ids: [id] });
};
const details = (project: string) => client.get<ProjectResponse>(`/projects/${project}`);
const files = async (project: string) =>
  (await client.post<FileListResponse>('/files/list', { source: 'workspace', project_id: project, recursive: true }))
    .entries;
const addCard = (project: string, card_type: string, label: string, data: object) =>
  client.post<CardResponse>(`/projects/${project}/cards`, { card_type, label, data });

/** Creates a workshop with an optimum of 20 chairs, 10 tables and a profit of 1,100. */
async function makeWorkshop(project: string): Promise<Wire<CardResponse>> {
  await addCard(project, 'variable', 'Chairs', { name: 'chairs', domain: 'integer' });
  await addCard(project, 'variable', 'Tables', { name: 'tables', domain: 'integer' });
  await addCard(project, 'data', 'Prices', { values: { chair_price: 30, table_price: 50 } });
  await addCard(project, 'objective', 'Profit', {
    sense: 'maximize',
    expression: 'chair_price * chairs + table_price * tables',
  });
  await addCard(project, 'constraint', 'Finishing', { expression: '2 chairs + tables <= 50', classification: 'hard' });
  return await addCard(project, 'constraint', 'Carpentry', {
    expression: 'chairs + 2 tables <= 40',
    classification: 'hard',
  });
}

const SMALL = 'Maximize\n profit: 3 x + 2 y\nSubject To\n room: x + y <= 4\nBounds\n x <= 3\nEnd\n';

const SMALL_MPS = [
  'OBJSENSE MAX',
  'ROWS',
  ' N profit',
  ' L room',
  'COLUMNS',
  ' x profit 3 room 1',
  ' y profit 2 room 1',
  'RHS',
  ' rhs room 4',
  'BOUNDS',
  ' UP bnd x 3',
  'ENDATA',
].join('\n');

describe('a solve of a model file', () => {
  it('returns values and slacks, writes them to the workspace, leaves the checklist unchanged, and is charged', async () => {
    const project = await newProject();
    await upload(project, 'models/Plan.LP', SMALL);
    const created = await start(project, { input_file_ids: ['models/Plan.LP'] });
    expect(created).toMatchObject({
      status: 'queued',
      triggered_by: `user:${user}`,
      input_file_ids: ['models/Plan.LP'],
      is_test: false,
      name: null,
      scenario_id: null,
      started_at: null,
      ended_at: null,
      outcome: null,
      objective_value: null,
      gap: null,
      credits: null,
    });
    const done = await over(project, created.id);
    const result = {
      status: 'optimal',
      objective_value: 11,
      bound: 11,
      gap: 0,
      variables: { x: 3, y: 1 },
      reduced_costs: { x: 1, y: 0 },
      constraints: [{ name: 'room', activity: 4, slack: 0, dual: 2 }],
      solve_ms: expect.any(Number),
      message: null,
      conflict: [],
    };
    const file_path = `results/${created.id}.json`;
    expect(done).toEqual({
      ...created,
      status: 'succeeded',
      outcome: 'optimal',
      objective_value: 11,
      gap: 0,
      result: { ...result, file_path },
      error: null,
      time_limit_seconds: 2,
      mip_gap: 0,
      affects_checklist: false,
      started_at: expect.any(String),
      ended_at: expect.any(String),
      credits: expect.any(Number),
      model: { variables: 2, integer_variables: 0, constraints: 1, terms: 2 },
      progress: null,
    });
    const { text } = await client.post<FileContentResponse>('/files/content', {
      source: 'workspace',
      project_id: project,
      path: file_path,
    });
    expect(JSON.parse(text ?? '')).toEqual({ execution_id: created.id, ...result });
    expect((await files(project)).find(({ path }) => path === file_path)).toMatchObject({ source: 'execution' });
    const { completeness, total_credits } = await details(project);
    expect(completeness.feasibility_result).toBe('unchecked');
    expect(total_credits).toBeGreaterThan(0);
    const rows = await query('SELECT credits::float FROM usage_ledger WHERE source_id = $1', [created.id]);
    expect(rows).toEqual([{ credits: total_credits }]);
    expect(done.credits).toBe(total_credits);
    const { executions } = await client.get<ExecutionListResponse>(`/projects/${project}/solve/executions`);
    expect(executions).toEqual([
      Object.fromEntries(Object.keys(created).map((key) => [key, done[key as keyof typeof done]])),
    ]);
  });

  it.each([
    ['plan.mps', SMALL_MPS],
    ['plan.mps.gz', gzipSync(SMALL_MPS)],
    ['plan.lp.gz', gzipSync(SMALL)],
  ])('solves the same model from %s', async (path, content) => {
    const project = await newProject();
    await upload(project, path, content);
    const { result } = await solve(project, { input_file_ids: [path] });
    expect(result).toMatchObject({ status: 'optimal', objective_value: 11, variables: { x: 3, y: 1 } });
  });

  it('rejects a small file that becomes too large when it is unpacked', async () => {
    const project = await newProject();
    await upload(project, 'plan.lp.gz', gzipSync(Buffer.alloc(64 * 1024 ** 2 + 1, ' ')));
    const { status, error } = await solve(project, { input_file_ids: ['plan.lp.gz'] });
    expect({ status, code: error?.code, message: error?.message }).toEqual({
      status: 'failed',
      code: 'model_too_large',
      message: expect.stringContaining('bytes when it is unpacked'),
    });
  });

  it('uses the file as it was when the solve started', async () => {
    const project = await newProject();
    const blocker = await newProject();
    await upload(blocker, 'hard.lp', hardModel());
    const before = await start(blocker, { input_file_ids: ['hard.lp'] });
    await upload(project, 'm.lp', SMALL);
    const { id } = await start(project, { input_file_ids: ['m.lp'] });
    await upload(project, 'm.lp', 'no model');
    await client.post(`${at(blocker, before.id)}/cancel`);
    expect((await over(project, id)).result?.objective_value).toBe(11);
    expect(
      (await over(project, (await client.post<ExecutionResponse>(`${at(project, id)}/repeat`)).id)).result,
    ).toMatchObject({
      objective_value: 11,
    });
  });

  it.each([
    ['not a model', 'hello world', 'invalid_model', 'Line 1, `hello`: a model must begin with Minimize or Maximize'],
    [
      'a syntax error',
      'min x\nst\n c1: x >= 1\n c2: x + >= 2\nend',
      'invalid_model',
      'Line 4, `>=`: a number or the name of a variable is expected here',
    ],
    ['not text', 'min \u0000', 'invalid_model', 'model.lp is not UTF-8 text'],
    ['a model without variables', 'min 3 st end', 'empty_model', 'The model has no variables'],
  ])('fails and reports why: %s', async (_, text, code, message) => {
    const project = await newProject();
    expect(await solveText(project, text)).toMatchObject({ status: 'failed', result: null, error: { code, message } });
    const { completeness, total_credits } = await details(project);
    expect(completeness.feasibility_result).toBe('unchecked');
    expect(total_credits).toBeGreaterThan(0);
  });

  it.each([
    [
      'infeasible',
      'min x + y st\n demand: x + y >= 10\n capacity: x + y <= 8\n other: x - y >= 2\nend',
      ['demand', 'capacity'],
      'demand, capacity',
    ],
    ['unbounded', 'max x - z st\n a: y <= 3\n b: z >= 1\nend', [], 'x can grow without limit'],
  ])('explains why a model is %s', async (status, text, conflict, part) => {
    const project = await newProject();
    const { result } = await solveText(project, text);
    expect(result).toMatchObject({
      status,
      objective_value: null,
      variables: {},
      constraints: [],
      conflict,
      message: expect.stringContaining(part),
    });
  });

  it.each([
    ['an unknown file', ['nothing.lp'], 0, 'Value error, the workspace has no such file'],
    ['an unknown id', ['0190f5d2-0000-7000-8000-000000000000'], 0, 'Value error, the workspace has no such file'],
    [
      'a file that is not a model',
      ['data.csv'],
      0,
      'Value error, the name of a model file must end with .lp, .mps, .lp.gz or .mps.gz',
    ],
    ['a file that is too large', ['large.lp'], 0, 'Value error, a model file can have at most 8388608 bytes'],
    ['several files', ['a.lp', 'b.lp'], undefined, 'List should have at most 1 item after validation, not 2'],
  ])('cannot be started with %s', async (_, input_file_ids, index, msg) => {
    const project = await newProject();
    await upload(project, 'data.csv', 'a,b');
    if (input_file_ids[0] === 'large.lp') await upload(project, 'large.lp', ' '.repeat(8 * 1024 ** 2 + 1));
    const { status, body } = await client.send('POST', `/projects/${project}/solve/executions`, {
      body: { input_file_ids },
    });
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'input_file_ids', ...(index === undefined ? [] : [index])], msg }] },
    });
    expect((await client.get<ExecutionListResponse>(`/projects/${project}/solve/executions`)).total).toBe(0);
  });

  it('keeps the result if the result file cannot be written', async () => {
    const project = await newProject();
    await upload(project, 'results', 'in the way');
    expect((await solveText(project, SMALL)).result).toMatchObject({ objective_value: 11, file_path: null });
  });
});

describe('a solve of the canvas', () => {
  it('sets the feasibility of the canvas until the model changes, unless it is a test', async () => {
    const project = await newProject();
    expect((await solve(project)).error).toEqual({
      code: 'incomplete_model',
      message: 'The canvas has no variables: a model needs at least one',
    });
    const card = await makeWorkshop(project);
    const test = await solve(project, { is_test: true });
    expect(test.result).toMatchObject({
      status: 'optimal',
      objective_value: 1100,
      variables: { chairs: 20, tables: 10 },
    });
    expect((await details(project)).completeness.feasibility_result).toBe('unchecked');
    await solve(project);
    expect((await details(project)).completeness.feasibility_result).toBe('pass');
    const edit = { version: card.version, data: { expression: 'chairs + 2 tables >= 400' } };
    await client.patch(`/projects/${project}/cards/${card.id}`, edit);
    expect((await details(project)).completeness.feasibility_result).toBe('unchecked');
    const { result } = await solve(project);
    expect(result?.conflict).toEqual(
      ['Finishing', 'Carpentry', 'chairs >= 0'].toSorted(
        (a, b) => (result?.conflict.indexOf(a) ?? 0) - (result?.conflict.indexOf(b) ?? 0),
      ),
    );
    expect((await details(project)).completeness.feasibility_result).toBe('fail');
  });

  it('updates the feasibility of the canvas, unlike a solve of a model file', async () => {
    const project = await newProject();
    await addCard(project, 'variable', 'X', { name: 'x', domain: 'continuous', free: true });
    await addCard(project, 'objective', 'Loss', { sense: 'minimize', expression: 'x' });
    expect((await solve(project)).result).toMatchObject({
      status: 'unbounded',
      message: expect.stringContaining('x can fall without limit'),
    });
    expect((await details(project)).completeness.feasibility_result).toBe('fail');
    await solveText(project, SMALL);
    expect((await details(project)).completeness.feasibility_result).toBe('fail');
    await addCard(project, 'constraint', 'Floor', { expression: 'x >= -3', classification: 'hard' });
    expect((await solve(project)).result).toMatchObject({ status: 'optimal', variables: { x: -3 } });
    await solveText(project, 'min x st a: x >= 2 b: x <= 1 end');
    expect((await details(project)).completeness.feasibility_result).toBe('pass');
  });

  it('leaves feasibility unchecked if the canvas has changed since the start', async () => {
    const [project, blocker] = [await newProject(), await newProject()];
    await upload(blocker, 'hard.lp', hardModel());
    const before = await start(blocker, { input_file_ids: ['hard.lp'] });
    await makeWorkshop(project);
    const { id } = await start(project);
    await addCard(project, 'constraint', 'New', { expression: 'chairs <= 1', classification: 'hard' });
    await client.post(`${at(blocker, before.id)}/cancel`);
    expect((await over(project, id)).result?.objective_value).toBe(1100);
    expect((await details(project)).completeness.feasibility_result).toBe('unchecked');
  });

  it('reads cards and files from the snapshot in run mode', async () => {
    const project = await newProject();
    const card = await makeWorkshop(project);
    const { id: file } = await upload(project, 'm.lp', SMALL);
    await client.patch(`/projects/${project}`, { workspace_mode: 'run' });
    await client.delete(`/projects/${project}/cards/${card.id}`);
    await client.post('/files/delete', { source: 'workspace', project_id: project, path: 'm.lp' });
    expect((await solve(project)).result?.objective_value).toBe(1100);
    expect((await details(project)).completeness.feasibility_result).toBe('unchecked');
    expect((await solve(project, { input_file_ids: [file] })).result?.objective_value).toBe(11);
  });
});

/** Returns the longest delay of the service's event loop since the last call, in milliseconds. */
const lag = async (): Promise<number> =>
  1_000 * ((await metrics(service.url)).get('nodejs_eventloop_lag_max_seconds') ?? NaN);

describe('a hard solve', () => {
  it('ends at its time limit with the best values found, shows the project as solving, and does not delay other requests', async () => {
    const project = await newProject();
    await upload(project, 'hard.lp', hardModel());
    const { id } = await start(project, { input_file_ids: ['hard.lp'] });
    await when(project, id, 'running');
    const { projects } = await client.get<ProjectSummaryListResponse>('/projects');
    expect(projects.find((one) => one.id === project)?.status).toBe('solving');
    const waits: number[] = [];
    const lags: number[] = [];
    const own = monitorEventLoopDelay({ resolution: 10 });
    own.enable();
    // Each read of the metrics resets the service's measurement of the event loop delay.
    await metrics(service.url);
    for (let status = 'running'; status === 'running';) {
      const before = performance.now();
      ({ status } = await get(project, id));
      waits.push(performance.now() - before);
      if (waits.length % 50 === 0) lags.push(await lag());
    }
    lags.push(await lag());
    own.disable();
    const sorted = waits.toSorted((a, b) => a - b);
    const [median = 0, worst = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    console.info(
      `${waits.length} requests during a solve: median ${median.toFixed(1)} ms, longest ${worst.toFixed(1)} ms; event loop of the service at most ${Math.max(...lags).toFixed(1)} ms, of the test p99 ${(own.percentile(99) / 1e6).toFixed(1)} ms`,
    );
    const { result } = await get(project, id);
    expect(result).toMatchObject({
      status: 'time_limit',
      message: expect.stringContaining('The best values found in 2 s'),
    });
    expect(result?.solve_ms).toBeGreaterThanOrEqual(2_000);
    expect(result?.solve_ms).toBeLessThan(6_000);
    // A request that waited for the solver would take about two seconds, like the solve. On an idle machine, the median
    // is 7 ms and the maximum is 80 ms.
    expect(median).toBeLessThan(100);
    expect(worst).toBeLessThan(1_000);
    expect(Math.max(...lags)).toBeLessThan(500);
    const { total_credits } = await details(project);
    expect(total_credits).toBeGreaterThanOrEqual(0.03);
  });

  it('alternates with solves of other companies and of the company’s other projects', async () => {
    const [mine, second] = [await newProject(), await newProject()];
    const { client: others } = await service.session();
    const { id: theirs } = await makeProject(others);
    await upload(mine, 'hard.lp', hardModel());
    for (const project of [mine, second]) await upload(project, 'm.lp', SMALL);
    await makeFile(others, { source: 'workspace', project_id: theirs }, 'm.lp', SMALL);
    const blocker = await start(mine, { input_file_ids: ['hard.lp'], time_limit_seconds: 60 });
    await when(mine, blocker.id, 'running');
    const small = { input_file_ids: ['m.lp'] };
    const first = await start(mine, small);
    const last = await start(mine, small);
    const beside = await start(second, small);
    const elsewhere = await others.post<ExecutionResponse>(`/projects/${theirs}/solve/executions`, small);
    await client.post(`${at(mine, blocker.id)}/cancel`);
    await over(mine, last.id);
    const begun = await query(
      `SELECT id FROM executions WHERE id = ANY ($1::uuid[]) AND status = 'succeeded' ORDER BY started_at`,
      [[first, last, beside, elsewhere].map(({ id }) => id)],
    );
    expect(begun.map(({ id }) => id)).toEqual([elsewhere.id, beside.id, first.id, last.id]);
  });

  describe('ended with keep_plan', () => {
    const keep = (project: string, id: string) =>
      client.post<ExecutionResponse>(`${at(project, id)}/cancel?keep_plan=true`);

    it('succeeds with its best plan, the bound and the gap', async () => {
      const project = await newProject();
      await upload(project, 'hard.lp', hardModel());
      const { id } = await start(project, { input_file_ids: ['hard.lp'] });
      const seen = await eventually(
        () => get(project, id),
        ({ progress }) => progress?.phase === 'solving' && progress.incumbent !== null && progress.bound !== null,
        { until: 'there is a plan', deadlineMs: 30_000 },
      );
      expect(await keep(project, id)).toMatchObject({ id, status: 'running' });
      const ended = await over(project, id);
      expect(ended).toMatchObject({
        status: 'succeeded',
        outcome: 'time_limit',
        credits: expect.any(Number),
        result: {
          status: 'time_limit',
          bound: expect.any(Number),
          message: expect.stringMatching(/^The best values found until the search was stopped/),
        },
      });
      expect(ended.result?.objective_value).toBeLessThanOrEqual(seen.progress!.incumbent!);
      expect(Object.keys(ended.result!.variables).length).toBeGreaterThan(50);
      expect((await client.send('POST', `${at(project, id)}/cancel?keep_plan=true`)).status).toBe(409);
    });

    it('is canceled if it is waiting or has no plan yet', async () => {
      const project = await newProject();
      // A linear program has no plan until it ends.
      await upload(project, 'hard.lp', hardModel(2_000, 300).replace(/Binary[^]*End/, 'End'));
      const { id } = await start(project, { input_file_ids: ['hard.lp'] });
      const waiting = await start(project, { input_file_ids: ['hard.lp'] });
      await when(project, id, 'running');
      expect(await keep(project, waiting.id)).toMatchObject({ status: 'canceled' });
      await keep(project, id);
      const { status, result, error } = await over(project, id);
      // A fast machine may finish earlier.
      if (status !== 'succeeded')
        expect({ status, result, error }).toEqual({ status: 'canceled', result: null, error: null });
    });

    it('returns the optimum if it finds the optimum first', async () => {
      const project = await newProject();
      await upload(project, 'easy.lp', 'max x st c: x <= 3 end');
      const { id } = await start(project, { input_file_ids: ['easy.lp'] });
      await client.send('POST', `${at(project, id)}/cancel?keep_plan=true`);
      const { status, outcome } = await over(project, id);
      if (status !== 'canceled') expect({ status, outcome }).toEqual({ status: 'succeeded', outcome: 'optimal' });
    });

    it('accepts only a boolean value of keep_plan', async () => {
      const project = await newProject();
      await upload(project, 'hard.lp', hardModel());
      const { id } = await start(project, { input_file_ids: ['hard.lp'] });
      expect((await client.send('POST', `${at(project, id)}/cancel?keep_plan=maybe`)).status).toBe(422);
      await client.post(`${at(project, id)}/cancel`);
    });
  });

  it('is canceled within a second and is charged once for its time', async () => {
    const project = await newProject();
    await upload(project, 'hard.lp', hardModel());
    const { id } = await start(project, { input_file_ids: ['hard.lp'] });
    await when(project, id, 'running');
    const waiting = await start(project, { input_file_ids: ['hard.lp'] });
    const before = performance.now();
    expect(await client.post<ExecutionResponse>(`${at(project, id)}/cancel`)).toMatchObject({
      status: 'canceled',
      started_at: expect.any(String),
      ended_at: expect.any(String),
      outcome: null,
      objective_value: null,
      credits: 0.01,
    });
    // The cancellation has freed the only solver thread of the process.
    await when(project, waiting.id, 'running');
    const took = performance.now() - before;
    console.info(`canceled, and the next one running, after ${took.toFixed(0)} ms`);
    expect(took).toBeLessThan(1_000);
    expect((await client.send('POST', `${at(project, id)}/cancel`)).status).toBe(409);
    await client.post(`${at(project, waiting.id)}/cancel`);
    const canceled = await get(project, id);
    expect(canceled).toMatchObject({ status: 'canceled', result: null, error: null });
    const rows = await query(
      'SELECT source_id, credits::float FROM usage_ledger WHERE project_id = $1 ORDER BY source_id',
      [project],
    );
    expect(rows).toEqual([
      { source_id: id, credits: 0.01 },
      { source_id: waiting.id, credits: 0.01 },
    ]);
    expect((await details(project)).total_credits).toBe(0.02);
    expect((await files(project)).map(({ path }) => path)).toEqual(['hard.lp']);
    const { projects } = await client.get<ProjectSummaryListResponse>('/projects');
    expect(projects.find((one) => one.id === project)?.status).toBe('idle');
  });
});

it('shows an execution only through its own project and only to callers from its company', async () => {
  const project = await newProject();
  const { id } = await start(project);
  const stranger = await service.session();
  for (const [method, path] of [
    ['GET', at(project, id)],
    ['POST', `${at(project, id)}/cancel`],
    ['GET', at(await newProject(), id)],
  ] as const) {
    const asking = path.includes(project) ? stranger.client : client;
    expect((await asking.send(method, path)).status).toBe(404);
  }
  expect((await stranger.client.send('POST', `/projects/${project}/solve/executions`, { body: {} })).status).toBe(404);
  await over(project, id);
});
