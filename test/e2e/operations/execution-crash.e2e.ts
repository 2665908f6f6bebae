import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ExecutionDetailResponse, ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { RunLogResponse } from '../../../src/executions/runs.dto.js';
import type { FileListResponse } from '../../../src/files/files.dto.js';
import type { ProjectSummaryListResponse } from '../../../src/projects/projects.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { hardModel } from '../../support/models.js';
import { rowsOf } from '../../support/rows.js';
import { removeEnvironment, Service } from '../../support/service.js';
import type { Session } from '../../support/session.js';

/** LONG keeps solves running until the process is killed. SHORT limits solves in the next process to a second. */
const LONG = { SOLVE_TIME_LIMIT_SECONDS: '60', SOLVES_CONCURRENCY: '2' };
const SHORT = { SOLVE_TIME_LIMIT_SECONDS: '1', SOLVES_CONCURRENCY: '1' };

let service: Service;
let session: Session;
let client: Client;
let project: string;
let path: string;

async function goOn(settings: Record<string, string>): Promise<void> {
  service = await Service.start({ environment: service.environment, settings });
  const { user, company } = session;
  ({ client } = await service.session({ user, company }));
}

const query = (text: string, values: unknown[] = []) => rowsOf(service.environment, text, values);

const start = () => client.post<ExecutionResponse>(path, { input_file_ids: ['hard.lp'] });
const when = (id: string, ...statuses: string[]) =>
  eventually(
    () => client.get<ExecutionDetailResponse>(`${path}/${id}`),
    ({ status }) => statuses.includes(status),
    { until: `the execution is ${statuses.join(' or ')}`, deadlineMs: 45_000 },
  );
const results = async () => {
  const place = { source: 'workspace', project_id: project, path: 'results' };
  return (await client.post<FileListResponse>('/files/list', place)).entries.map((entry) => entry.path);
};
const summary = async () =>
  (await client.get<ProjectSummaryListResponse>('/projects')).projects.find(({ id }) => id === project);

/** Checks that an ended execution was charged and counted exactly once. Returns its credits. */
async function expectOneEnd(id: string): Promise<number> {
  const charged = await query('SELECT credits::float FROM usage_ledger WHERE source_id = $1', [id]);
  expect(charged).toEqual([{ credits: expect.any(Number) }]);
  const [sums] = await query(
    `SELECT active_solves, total_credits::float AS total,
            (SELECT sum(credits)::float FROM usage_ledger WHERE project_id = p.id) AS ledger
       FROM projects p WHERE id = $1`,
    [project],
  );
  expect(sums?.['active_solves']).toBe(0);
  expect(sums?.['total']).toBe(sums?.['ledger']);
  expect((await summary())?.status).toBe('idle');
  return charged[0]?.['credits'] as number;
}

beforeAll(async () => {
  service = await Service.start({ settings: LONG });
  session = await service.session();
  ({ client } = session);
  project = (await makeProject(client)).id;
  path = `/projects/${project}/solve/executions`;
  await makeFile(client, { source: 'workspace', project_id: project }, 'hard.lp', hardModel());
});

afterAll(async () => {
  await service.stop();
  await removeEnvironment(service.environment);
});

describe('an execution whose process ends', () => {
  it('is resumed a limited number of times after kill -9, and ends, is charged and writes its file only once', async () => {
    const [{ id }, { id: tried }] = [await start(), await start()];
    await when(tried, 'running');
    await eventually(
      () => client.get<ExecutionDetailResponse>(`${path}/${id}`),
      ({ progress }) => progress?.phase === 'solving',
      { until: 'it tells that it is being solved', deadlineMs: 45_000 },
    );
    await service.kill();
    await query(`UPDATE executions SET attempts = 3, due_at = now() - interval '1 s' WHERE id = $1`, [tried]);
    await goOn(SHORT);
    const [left] = await query(
      `UPDATE executions SET due_at = least(due_at, now() + interval '3 s') WHERE id = $1
       RETURNING status, generation, extract(epoch FROM OLD.due_at - started_at)::float AS lease`,
      [id],
    );
    // The lease lasts for at least fifteen seconds after the start, and longer if it was renewed before the kill.
    expect(left).toMatchObject({ status: 'running', generation: 1 });
    expect(left?.['lease']).toBeGreaterThanOrEqual(15);
    expect(await when(tried, 'failed')).toMatchObject({ result: null, error: { code: 'interrupted' } });
    // The next process must not take over this execution before its lease expires.
    expect((await client.get<ExecutionDetailResponse>(`${path}/${id}`)).status).toBe('running');
    expect((await summary())?.status).toBe('solving');
    expect((await when(id, 'succeeded', 'failed')).result).toMatchObject({ status: 'time_limit' });
    expect(await query('SELECT attempts, generation FROM executions WHERE id = $1', [id])).toEqual([
      { attempts: 2, generation: 2 },
    ]);
    expect(await results()).toEqual([`results/${id}.json`]);
    const { lines } = await client.get<RunLogResponse>(`${path}/${id}/log`);
    expect(lines.filter((line) => /^(?:Reading|Restarted|Variables)/.test(line))).toEqual([
      'Reading the model',
      'Variables: 60 (50 integer), constraints: 5, terms: 257',
      'Restarted: the previous process stopped',
      'Variables: 60 (50 integer), constraints: 5, terms: 257',
    ]);
    expect(await expectOneEnd(id)).toBeGreaterThanOrEqual(0.02);
    await expectOneEnd(tried);
  }, 90_000);

  it('is handed over with its elapsed solve time as soon as its process is asked to stop', async () => {
    await service.stop();
    await goOn(LONG);
    const { id } = await start();
    await when(id, 'running');
    await query('SELECT pg_sleep(1.1)');
    const before = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - before).toBeLessThan(10_000);
    const [left] = await query('SELECT status, owner, attempts, spent_ms::int FROM executions WHERE id = $1', [id]);
    expect(left).toMatchObject({ status: 'running', owner: null, attempts: 0 });
    expect(left?.['spent_ms']).toBeGreaterThan(1_000);
    await goOn(SHORT);
    await when(id, 'succeeded');
    expect(await expectOneEnd(id)).toBeGreaterThanOrEqual(0.03);
  }, 60_000);
});

it('charges an execution up to its last lease renewal if it is canceled after its process has died', async () => {
  await service.stop();
  await goOn({ ROLE: 'api' });
  const { id } = await start();
  await query(
    `UPDATE executions SET status = 'running', owner = gen_random_uuid(), started_at = now() - interval '60 s',
            due_at = now() - interval '43.5 s' WHERE id = $1`,
    [id],
  );
  await client.post(`${path}/${id}/cancel`);
  // The solve started 60 s ago and its lease of 15 s expired 43.5 s ago, so the last renewal was after 1.5 s.
  expect(await expectOneEnd(id)).toBe(0.02);
}, 40_000);

it('limits the queue to 20 executions per company and does not charge for waiting time', async () => {
  const answers = await Promise.all(
    Array.from({ length: 22 }, () => client.send<ExecutionResponse>('POST', path, { body: {} })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array<number>(20).fill(201), 429, 429]);
  expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('10');
  const [before] = await query('SELECT total_credits::float, active_solves FROM projects WHERE id = $1', [project]);
  expect(before?.['active_solves']).toBe(20);
  for (const { status, body } of answers) if (status === 201) await client.post(`${path}/${body.id}/cancel`);
  const after = await query('SELECT total_credits::float, active_solves FROM projects WHERE id = $1', [project]);
  expect(after).toEqual([{ ...before, active_solves: 0 }]);
}, 40_000);
