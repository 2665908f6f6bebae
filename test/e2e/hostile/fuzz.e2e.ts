import { randomBytes, randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ApiKeyCreateResponse } from '../../../src/auth/api-keys/api-keys.dto.js';
import { makeDeployment, makeFile, makeProject } from '../../factories/make.js';
import { eventually } from '../../support/eventually.js';
import { Fuzzer, type Party } from '../../support/fuzzer.js';
import { forgedToken, residentBytes } from '../../support/hostile.js';
import { KnownThings, type Thing } from '../../support/known-things.js';
import { metrics } from '../../support/operators.js';
import { removeEnvironment, Service } from '../../support/service.js';
import type { Session } from '../../support/session.js';

/** Duration of the test, by default ten minutes. */
const SECONDS = Number(process.env['HOSTILE_SECONDS'] ?? 600);
const seed = Number(process.env['HOSTILE_SEED'] ?? randomInt(2 ** 31));
const CONNECTIONS = 50;
/** Number of companies. Several companies are needed, because each has only a share of the concurrent requests. */
const COMPANIES = 6;
/** Minimum duration for a comparison of heap sizes. In shorter runs, the first half only fills caches. */
const LONG_ENOUGH_SECONDS = 120;
const MiB = 1024 ** 2;
const ERROR_LEVEL = 50;
/** Metrics that must be zero when no requests are in progress. */
const HELD = ['pws_requests_in_progress', 'pws_requests_waiting', 'pws_stream_readers', 'pws_body_bytes_held'];

let service: Service;
beforeAll(async () => {
  const settings = {
    // This is the service's default level, at which it logs every rejected request.
    LOG_LEVEL: 'info',
    TELL_HEAP_MS: String(Math.max(1_000, (SECONDS * 1000) / 60)),
    SOLVE_TIME_LIMIT_SECONDS: '2',
    METRICS: 'true',
  };
  service = await Service.start({ settings, preload: ['test/support/tell-heap.js'] });
}, 60_000);
afterAll(async () => {
  await service.kill();
  await removeEnvironment(service.environment);
}, 60_000);

/** Creates a company with every kind of resource. Returns the ids. */
async function furnish({ client }: Session): Promise<Thing[]> {
  const { handle } = await makeDeployment(client, {
    instructions: '# Any',
    skills: { s1: { 'SKILL.md': 'A skill.' } },
  });
  const things: Thing[] = [{ name: handle }, { name: handle, skill: 's1' }];
  for (let number = 0; number < 3; number += 1) {
    const { id: project_id } = await makeProject(client, { from_deployment: handle });
    const place = { source: 'workspace', project_id } as const;
    await makeFile(client, place, 'inputs/demand.csv', 'a;b\n1;2\n');
    await makeFile(client, place, 'models/plan.lp', 'max\n obj: 3 x + 2 y\nst\n c: x + y <= 4\nend\n');
    const at = `/projects/${project_id}`;
    const made = async (path: string, body?: unknown): Promise<string> =>
      (await client.post<{ id: string }>(at + path, body)).id;
    const card = { card_type: 'variable', label: 'Chairs', data: { name: 'x', lower: 0 } };
    things.push(
      { project_id },
      { project_id, skill: 's1' },
      { project_id, card_id: await made('/cards', card) },
      { project_id, conversation_id: await made('/conversations', {}) },
      { project_id, snapshot_id: await made('/snapshots') },
      { project_id, execution_id: await made('/solve/executions', { input_file_ids: ['models/plan.lp'] }) },
    );
  }
  return things;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

it(
  'handles random input without failures, restarts or memory growth',
  async () => {
    console.log(`HOSTILE_SEED=${seed}`);
    const owners = await Promise.all(Array.from({ length: COMPANIES }, () => service.session()));
    const forged = `Bearer ${await forgedToken()}`;
    const parties = await Promise.all(
      owners.map(async (owner, index): Promise<Party> => {
        const member = await service.session({ company: owner.company, role: 'member' });
        const { key } = await owner.client.post<ApiKeyCreateResponse>('/api-keys', { name: 'Fuzzer' });
        const stranger = owners[(index + 1) % COMPANIES] ?? owner;
        const bearers = { [owner.token]: 40, [member.token]: 30, [key]: 10, [stranger.token]: 10 };
        const callers = Object.entries(bearers).map(([token, weight]) => [`Bearer ${token}`, weight] as const);
        const others = { [forged]: 5, [`Bearer ${randomBytes(300).toString('base64url')}`]: 2, '': 3 };
        return {
          known: new KnownThings(await furnish(owner)),
          callers: { ...Object.fromEntries(callers), ...others },
        };
      }),
    );
    const fuzzer = new Fuzzer({
      ...{ url: service.url, seed, seconds: SECONDS, connections: CONNECTIONS, parties },
      isAlive: () => service.isAlive,
    });
    const { failures, ...report } = await fuzzer.run();
    const heap = service.log.flatMap(({ msg, heap_bytes }) => (msg === 'heap' ? [Number(heap_bytes) / MiB] : []));
    const standstills_ms = service.log.flatMap(({ msg, ms }) => (msg === 'standstill' ? [Number(ms)] : []));
    const quarter = Math.floor(heap.length / 4);
    const [second, last] = [median(heap.slice(quarter, 2 * quarter)), median(heap.slice(-quarter))];
    const errors = service.log.filter(({ level, route }) => level >= ERROR_LEVEL && route !== '/health/ready');
    const peak = service.isAlive ? Math.round((await residentBytes(service.pid)).peak / MiB) : undefined;
    const told = {
      standstills_ms,
      seed,
      ...report,
      heap_mib: heap.map(Math.round),
      second_quarter: second,
      last_quarter: last,
      peak_mib: peak,
    };
    process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
    for (const { what, request, answer, count } of failures) {
      process.stdout.write(`\n${what}, ${count} times\n  ${request}\n  ${answer}\n`);
    }
    for (const line of errors.slice(0, 20)) process.stdout.write(`${JSON.stringify(line)}\n`);
    expect(failures.map(({ what }) => what)).toEqual([]);
    expect(errors).toEqual([]);
    expect(service.isAlive).toBe(true);
    expect(standstills_ms).toEqual([]);
    const held = async (): Promise<[string, number | undefined][]> => {
      const values = await metrics(service.url);
      return HELD.map((name) => [name, values.get(name)]);
    };
    await eventually(held, (all) => all.every(([, value]) => value === 0), {
      until: 'nothing is held for connections that are gone',
      // The service checks streams every 15 s. It allows a reader 10 s to read and 5 s to receive the end.
      deadlineMs: 40_000,
    });
    if (SECONDS >= LONG_ENOUGH_SECONDS) expect(last).toBeLessThan(second * 1.1 + 10);
  },
  (SECONDS + 180) * 1000,
);
