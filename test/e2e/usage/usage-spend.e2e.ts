import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, type Logger as QueryLogger } from 'typeorm';
import type { ApiKeyCreateResponse } from '../../../src/auth/api-keys/api-keys.dto.js';
import { ProjectPurgeService } from '../../../src/projects/project-purge.service.js';
import { RollupsService } from '../../../src/usage/rollups.service.js';
import type { DayUsageListResponse, ProjectUsageListResponse } from '../../../src/usage/usage.dto.js';
import { makeProject } from '../../factories/make.js';
import { Client, type Wire } from '../../support/client.js';
import { idle } from '../../factories/turns.js';
import { eventually } from '../../support/eventually.js';
import { say, useScriptedService } from '../../support/scripted-agent.js';

const service = useScriptedService(async function* () {
  yield await Promise.resolve(say('Done.'));
  yield { type: 'usage', credits: 0.5 };
});

const DAY_MS = 86_400_000;
const random = (below: number): number => Math.floor(Math.random() * below);
const oneOf = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value;
const rows = async <Row extends object>(statement: string, parameters: unknown[] = []): Promise<Row[]> =>
  (await service.database.query<Row>(statement, parameters)).rows;

const GROUPS = { user: 'user_id', project: 'project_id', model: 'model' } as const;
type Group = keyof typeof GROUPS;
const MODELS = ['guide', 'highs', 'large "model", v2', null];
const DAYS = ['2024-02-29', '2026-02-28', '2026-03-01', '2026-03-31', '2026-04-01', '2026-04-02'];

let company: string;
let head: Client;
let member: Client;
let memberKey: Client;
let keyId: string;
let projects: string[];

beforeAll(async () => {
  const first = await service.session({ user: 'head' });
  ({ company, client: head } = first);
  member = (await service.session({ company, user: 'member', role: 'member' })).client;
  const key = await member.post<ApiKeyCreateResponse>('/api-keys', { name: 'Key' });
  keyId = key.id;
  memberKey = new Client(service.url, key.key);
  projects = [];
  for (const name of ['One, "two"', ' =3+4', 'Deleted', 'Removed'])
    projects.push((await makeProject(head, { name })).id);
  await head.delete(`/projects/${projects[3] ?? ''}`);
  await rows(`UPDATE projects SET deleted_at = now() - interval '2 days' WHERE id = $1`, [projects[3]]);
  await service.app.get(ProjectPurgeService).purge();
  await head.delete(`/projects/${projects[2] ?? ''}`);
  await service.session({ user: 'stranger' }).then(({ client }) => client.get('/projects'));
}, 60_000);

/** Returns a random time on these days, often at or close to midnight or noon. */
function moment(): Date {
  const midnight = Date.parse(oneOf(DAYS));
  return new Date(oneOf([midnight, midnight - 1, midnight + 1, midnight + DAY_MS / 2, midnight + random(DAY_MS)]));
}

async function spend(entries: number): Promise<void> {
  for (let left = entries; left > 0; left -= 1) {
    const who = oneOf([{ user: 'head' }, { user: 'member' }, { key: keyId }]) as { user?: string; key?: string };
    await rows(
      `INSERT INTO usage_ledger (company_id, project_id, user_id, api_key_id, source_type, source_id, model, credits, created_at)
       VALUES ($1, $2, $3, $4, 'turn', uuidv7(), $5, $6, $7)`,
      [
        company,
        oneOf(projects),
        who.user ?? null,
        who.key ?? null,
        oneOf(MODELS),
        oneOf([0, 1, random(1_000_000) / 1_000_000]),
        moment(),
      ],
    );
  }
}

type Query = Record<string, string | number>;
type Span = Partial<Record<'since' | 'until', string>>;
const span = (): Span => ({
  ...(random(3) > 0 && { since: moment().toISOString() }),
  ...(random(3) > 0 && { until: moment().toISOString() }),
});

/** Callers with an SQL condition for the ledger entries that they can see. */
const CALLERS = [
  { name: 'company', client: () => head, sees: 'true' },
  {
    name: 'member',
    client: () => member,
    sees: `user_id = 'member' AND project_id IN (SELECT id FROM projects WHERE deleted_at IS NULL)`,
  },
  {
    name: 'key of a member',
    client: () => memberKey,
    sees: 'api_key_id IS NOT NULL AND project_id IN (SELECT id FROM projects WHERE deleted_at IS NULL)',
  },
];

/** Returns the expected listing: the plain sums of the ledger. */
const plain = async (key: string, sees: string, { since, until }: Span, withDay: boolean): Promise<object[]> =>
  await rows(
    `SELECT ${withDay ? 'day::text,' : ''} key, sum(credits)::float8 AS credits
       FROM (SELECT (created_at AT TIME ZONE 'UTC')::date AS day, ${key} AS key, credits FROM usage_ledger
              WHERE company_id = $1 AND ${sees} AND created_at >= coalesce($2::timestamptz, '-infinity')
                AND created_at < coalesce($3::timestamptz, 'infinity')) l
      GROUP BY ${withDay ? 'day,' : ''} key HAVING sum(credits) > 0
      ORDER BY ${withDay ? 'day DESC,' : ''} sum(credits) DESC, key`,
    [company, since ?? null, until ?? null],
  );

const daysOf = (client: Client, query: Query) => client.get<DayUsageListResponse>('/usage/days', query);
const projectsOf = (client: Client, query: Query) => client.get<ProjectUsageListResponse>('/usage/projects', query);

async function csv(client: Client, path: string, query: Query): Promise<string[][]> {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const response = await fetch(`${service.url}/api/v1${path}?${text.toString()}`, {
    headers: { authorization: `Bearer ${client.token ?? ''}`, accept: 'text/csv' },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  return cellsOf(await response.text());
}

/** Returns the cells of a CSV file with quoting as in RFC 4180. */
const cellsOf = (text: string): string[][] =>
  [...text.matchAll(/((?:"(?:[^"]|"")*"|[^",\n]*))([,\n])/g)]
    .reduce<string[][]>(
      (lines, [, cell = '', end]) => {
        lines.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
        if (end === '\n') lines.push([]);
        return lines;
      },
      [[]],
    )
    .slice(0, -1);

async function compare(within: Span): Promise<void> {
  for (const { name, client, sees } of CALLERS) {
    for (const [group, column] of Object.entries(GROUPS) as [Group, (typeof GROUPS)[Group]][]) {
      const { days, total } = await daysOf(client(), { ...within, group_by: group, limit: 1000 });
      const expected = await plain(column, sees, within, true);
      const found = days.map((day) => ({ day: day.day, key: day[column], credits: day.totals.credits }));
      expect({ name, group, within, found, total }).toEqual({
        name,
        group,
        within,
        found: expected,
        total: expected.length,
      });
    }
    const { projects: listed, total } = await projectsOf(client(), { ...within, limit: 1000 });
    const expected = await plain('project_id', sees, within, false);
    const found = listed.map(({ project_id, totals }) => ({ key: project_id, credits: totals.credits }));
    expect({ name, within, found, total }).toEqual({ name, within, found: expected, total: expected.length });
  }
}

describe('usage by project and day', () => {
  it('matches the ledger totals for any time span and every caller while some entries are rolled up', async () => {
    const counts: { pending: number; days: number }[] = [];
    for (let round = 0; round < 12; round += 1) {
      await spend(12);
      // Rolls up only some entries, so that the others stay pending unless the service's own rollup runs now.
      if (round % 3 === 1) await service.app.get(RollupsService).rollUp(1 + random(20));
      counts.push(
        ...(await rows<{ pending: number; days: number }>(
          `SELECT (SELECT count(*)::integer FROM usage_pending) AS pending, (SELECT count(*)::integer FROM usage_day_sums) AS days`,
        )),
      );
      for (let times = 0; times < 3; times += 1) await compare(span());
      await compare({});
    }
    expect(counts.some(({ pending, days }) => pending > 0 && days > 20)).toBe(true);
  }, 120_000);

  it('is paged without gaps, has the exact total, and has the same rows in CSV', async () => {
    const within = { since: '2026-01-01T00:00:00.000Z', until: '2026-04-02T06:00:00.000Z' };
    for (const [group, column] of Object.entries(GROUPS) as [Group, (typeof GROUPS)[Group]][]) {
      const all = await daysOf(head, { ...within, group_by: group, limit: 1000 });
      expect(all.days.length).toBeGreaterThan(6);
      const paged: Wire<DayUsageListResponse>['days'] = [];
      for (let offset = 0; offset <= all.total; offset += 4) {
        const page = await daysOf(head, { ...within, group_by: group, limit: 4, offset });
        expect(page).toMatchObject({ ...within, limit: 4, offset, total: all.total });
        paged.push(...page.days);
      }
      expect(paged).toEqual(all.days);
      expect((await daysOf(head, { ...within, group_by: group, offset: all.total + 7 })).total).toBe(all.total);
      const query = { ...within, group_by: group, limit: 5, offset: 2 };
      expect(await csv(head, '/usage/days', query)).toEqual([
        ['day', column, 'credits'],
        ...all.days.slice(2, 7).map((day) => [day.day, day[column] ?? '', String(day.totals.credits)]),
      ]);
    }
    const { projects: listed, total } = await projectsOf(head, within);
    expect(total).toBe(4);
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(['One, "two"', ' =3+4', 'Deleted', null]));
    expect(await csv(head, '/usage/projects', within)).toEqual([
      ['project_id', 'name', 'credits'],
      ...listed.map(({ project_id, name, totals }) => [project_id, name ?? '', String(totals.credits)]),
    ]);
    expect((await projectsOf(member, within)).projects.map(({ name }) => name)).not.toContain('Deleted');
  }, 60_000);

  it('can be grouped by the models and solvers used', async () => {
    const { client, company: theirs } = await service.session({ user: 'head' });
    const { id } = await makeProject(client);
    await client.post(`/projects/${id}/chat`, { content: 'Hello' });
    await idle(client, id);
    await client.post(`/projects/${id}/cards`, {
      card_type: 'variable',
      label: 'x',
      data: { name: 'x', domain: 'continuous', upper: 4 },
    });
    await client.post(`/projects/${id}/cards`, {
      card_type: 'objective',
      label: 'o',
      data: { expression: 'x', sense: 'maximize' },
    });
    await client.post(`/projects/${id}/solve/executions`, {});
    const charges = await eventually(
      () =>
        rows<{ source_type: string; credits: number }>(
          'SELECT source_type, credits::float8 AS credits FROM usage_ledger WHERE company_id = $1 ORDER BY source_type DESC',
          [theirs],
        ),
      (charged) => charged.length === 2,
      { until: 'both are charged' },
    );
    const { days } = await daysOf(client, { group_by: 'model' });
    expect(days.map(({ model, totals }) => [model, totals.credits])).toEqual([
      ['guide', 0.5],
      ['highs', charges[1]?.credits],
    ]);
    const credits = expect.closeTo(0.5 + (charges[1]?.credits ?? 0), 6) as unknown;
    expect((await projectsOf(client, {})).projects).toMatchObject([{ project_id: id, totals: { credits } }]);
    expect((await daysOf(client, {})).days).toMatchObject([{ user_id: 'head', totals: { credits } }]);
  }, 30_000);

  it('rejects invalid parameter values', async () => {
    for (const [query, type] of [
      ['group_by=team', 'literal_error'],
      ['group_by=', 'literal_error'],
      ['limit=0', 'greater_than_equal'],
      ['limit=1001', 'less_than_equal'],
      ['offset=-1', 'greater_than_equal'],
      ['since=soon', 'datetime_from_date_parsing'],
    ]) {
      const { status, body } = await head.send('GET', `/usage/days?${query ?? ''}`);
      expect({ query, status, body }).toMatchObject({ query, status: 422, body: { detail: [{ type }] } });
    }
  });

  it('uses an index to read the sums, and reads only the partial half days at both ends of the span from the ledger', async () => {
    const { client, company: large } = await service.session({ user: 'head' });
    await client.get('/projects');
    // Adds a year of usage in another company.
    for (const [id, user] of [
      [large, 'head'],
      [company, 'member'],
    ]) {
      await rows(
        `INSERT INTO usage_ledger (company_id, project_id, user_id, source_type, source_id, model, credits, created_at)
         SELECT $1, ('00000000-0000-0000-0000-0000000000' || lpad((10 + i % 20)::text, 2, '0'))::uuid, $2, 'turn', uuidv7(),
                'guide', 1, timestamptz '2025-01-01 00:00:00Z' + make_interval(mins => 30 * i)
           FROM generate_series(0, 2 * 24 * 365 - 1) i`,
        [id, user],
      );
    }
    await service.app.get(RollupsService).rollUp();
    await service.database.query('VACUUM ANALYZE usage_ledger, usage_day_sums, usage_pending');
    const within = { since: '2025-06-02T22:00:00Z', until: '2025-06-10T01:00:00Z' };
    for (const [path, read, seen] of [
      ['/usage/days?group_by=project&', 6, 20 * 7],
      ['/usage/days?group_by=model&', 6, 20 * 7],
      ['/usage/projects?', 6, 20 * 7],
    ] as const) {
      const plan = await planOf(() => client.get(`${path}${new URLSearchParams(within).toString()}`));
      const of = (relation: string): number =>
        plan
          .filter((node) => node['Relation Name'] === relation)
          .reduce(
            (sum, node) => sum + node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
            0,
          );
      expect({ path, ledger: of('usage_ledger'), sums: of('usage_day_sums'), pending: of('usage_pending') }).toEqual({
        path,
        ledger: read,
        sums: seen,
        pending: 0,
      });
    }
  }, 60_000);
});

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Returns the plan nodes of the statement that reads a listing. */
async function planOf(work: () => Promise<unknown>): Promise<Plan[]> {
  const seen: [string, unknown[]][] = [];
  const source = service.app.get(DataSource);
  const { logger } = source;
  const listener: Partial<QueryLogger> = {
    logQuery: (statement, parameters: unknown[] = []) => void seen.push([statement, parameters]),
    logQueryError: () => undefined,
    logQuerySlow: () => undefined,
  };
  source.logger = listener as QueryLogger;
  await work();
  source.logger = logger;
  const [statement, parameters] = seen.find(([text]) => text.includes('usage_day_sums')) ?? ['', []];
  const [explained] = await rows<{ 'QUERY PLAN': { Plan: Plan }[] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
    parameters,
  );
  const plan = explained?.['QUERY PLAN'][0]?.Plan;
  if (plan === undefined) throw new Error('The statement has no plan');
  return nodesOf(plan);
}
