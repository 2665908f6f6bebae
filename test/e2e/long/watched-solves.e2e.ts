import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ExecutionDetailResponse, ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { RunLogResponse } from '../../../src/executions/runs.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { metrics } from '../../support/operators.js';
import { hardModel } from '../../support/models.js';
import { removeEnvironment, Service } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const RESTARTED = 'Restarted: the previous process stopped';

type Detail = Wire<ExecutionDetailResponse>;

/** Time in seconds for which each of two processes watches a solve. `npm run test:solving` takes a minute in total. */
const SECONDS = Number(process.env['SOLVE_SECONDS']);
const settings = { SOLVE_TIME_LIMIT_MAX_SECONDS: '600', METRICS: 'true' };

let service: Service;
let session: Session;
let client: Client;
let path: string;

beforeAll(async () => {
  service = await Service.start({ settings });
  session = await service.session();
  ({ client } = session);
  const { id } = await makeProject(client);
  path = `/projects/${id}/solve/executions`;
  await makeFile(client, { source: 'workspace', project_id: id }, 'hard.lp', hardModel());
});

afterAll(async () => {
  await service.stop();
  await removeEnvironment(service.environment);
});

const get = (id: string) => client.get<Detail>(`${path}/${id}`);
const linesOf = async (id: string) => (await client.get<RunLogResponse>(`${path}/${id}/log`)).lines;

/**
 * Watches a solve for SECONDS. Returns the number of progress changes and the longest event loop delay of the service
 * in milliseconds.
 */
async function watch(id: string): Promise<{ told: number; longestDelay: number }> {
  await eventually(
    () => get(id),
    ({ progress }) => progress?.phase === 'solving',
    { until: 'it is being solved' },
  );
  const seen: NonNullable<Detail['progress']>[] = [];
  let longestDelay = 0;
  const lag = async () => 1_000 * ((await metrics(service.url)).get('nodejs_eventloop_lag_max_seconds') ?? NaN);
  await lag();
  await eventually(
    async () => {
      longestDelay = Math.max(longestDelay, await lag());
      const { progress } = await get(id);
      if (progress !== null && progress.seconds !== seen.at(-1)?.seconds) seen.push(progress);
      return seen.at(-1)!.seconds - seen[0]!.seconds;
    },
    (seconds) => seconds >= SECONDS,
    { until: `it has told of ${SECONDS} seconds`, deadlineMs: 2_000 * SECONDS + 20_000 },
  );
  const searches = seen.filter(({ incumbent }) => incumbent !== null);
  expect(searches.length).toBeGreaterThan(0);
  for (const [at, { incumbent, bound, phase }] of searches.entries()) {
    const before = searches[at - 1];
    expect(phase).toBe('solving');
    expect(incumbent).toBeLessThanOrEqual(before?.incumbent ?? Infinity);
    expect(bound ?? -Infinity).toBeGreaterThanOrEqual(before?.bound ?? -Infinity);
  }
  return { told: seen.length, longestDelay };
}

it(
  'reports the progress of a solve every second, even after a restart, and cancels the solve within a second',
  async () => {
    const { id } = await client.post<ExecutionResponse>(path, { input_file_ids: ['hard.lp'], time_limit_seconds: 600 });
    const first = await watch(id);
    const before = await linesOf(id);
    const { url } = service;
    expect(await service.stop()).toBe(0);
    service = await Service.start({ environment: service.environment, settings });
    expect(service.url).not.toBe(url);
    const { user, company } = session;
    ({ client } = await service.session({ user, company }));
    // The service still reports the progress from the old process until the next process restarts the solve.
    await eventually(
      () => linesOf(id),
      (lines) => lines.includes(RESTARTED),
      { until: 'the next process has begun' },
    );
    const second = await watch(id);
    const lines = await linesOf(id);
    for (const [name, { told, longestDelay }] of Object.entries({ first, second })) {
      console.info(
        `${name} process: told ${told} times in ${SECONDS} s, event loop held for ${longestDelay.toFixed(1)} ms at most`,
      );
      // Timers are slightly late, and a busy machine may skip some of them.
      expect(told).toBeGreaterThanOrEqual(0.9 * SECONDS);
      expect(longestDelay).toBeLessThan(500);
    }
    const size = 'Variables: 60 (50 integer), constraints: 5, terms: 257';
    // A busy machine may take more than a second to read the model.
    const told = before.filter((line) => !/^\d+ s: reading/.test(line));
    expect(told.slice(0, 2)).toEqual(['Reading the model', size]);
    expect(lines.filter((line) => /^(?:Restarted|Variables)/.test(line)).slice(-2)).toEqual([RESTARTED, size]);
    const asked = performance.now();
    await client.post(`${path}/${id}/cancel`);
    expect((await get(id)).status).toBe('canceled');
    const took = performance.now() - asked;
    console.info(`canceled after ${took.toFixed(0)} ms`);
    expect(took).toBeLessThan(1_000);
    expect(await get(id)).toMatchObject({ progress: null, model: null, result: null, credits: expect.any(Number) });
    expect((await linesOf(id)).slice(0, lines.length)).toEqual(lines);
  },
  4_000 * SECONDS + 60_000,
);
