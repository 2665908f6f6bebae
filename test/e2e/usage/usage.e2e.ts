import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { DataSource, type Logger as QueryLogger } from 'typeorm';
import { AgentFailure } from '../../../src/agent/agent.js';
import { TurnReaperService } from '../../../src/chat/turns/turn-reaper.service.js';
import type { ApiKeyCreateResponse } from '../../../src/auth/api-keys/api-keys.dto.js';
import { RollupsService } from '../../../src/usage/rollups.service.js';
import { rollUpPage } from '../../../src/usage/usage.sql.js';
import type { ApiKeyUsageListResponse, UserUsageListResponse } from '../../../src/usage/usage.dto.js';
import { makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { type Script, useScriptedService } from '../../support/scripted-agent.js';

const service = useScriptedService((context) => script(context));
let script: Script;

const random = (below: number): number => Math.floor(Math.random() * below);
const rows = async <Row extends object>(statement: string, parameters: unknown[] = []): Promise<Row[]> =>
  (await service.database.query<Row>(statement, parameters)).rows;
const usersOf = (client: Client, query = {}) => client.get<UserUsageListResponse>('/usage/users', query);
const keysOf = (client: Client, query = {}) => client.get<ApiKeyUsageListResponse>('/usage/api-keys', query);

async function makeKey(client: Client, role: 'member' | 'company'): Promise<{ id: string; client: Client }> {
  const { id, key } = await client.post<ApiKeyCreateResponse>('/api-keys', { name: `Key of role ${role}`, role });
  return { id, client: new Client(service.url, key) };
}

/** Creates a company with two users and a key for each of them. */
async function makeCompany() {
  const head = await service.session({ user: 'head' });
  const member = await service.session({ company: head.company, user: 'member', role: 'member' });
  // A user is known after their first request.
  await member.client.get('/projects');
  return {
    company: head.company,
    head: head.client,
    member: member.client,
    headKey: await makeKey(head.client, 'company'),
    memberKey: await makeKey(member.client, 'member'),
  };
}

/** Returns a company's spend in the ledger, by spender. */
const plainSums = (company: string) =>
  rows<{ user_id: string | null; api_key_id: string | null; credits: number }>(
    `SELECT user_id, api_key_id, sum(credits)::float8 AS credits FROM usage_ledger WHERE company_id = $1
      GROUP BY user_id, api_key_id ORDER BY sum(credits) DESC`,
    [company],
  );

/** Adds spend to the ledger at a given time. */
async function spend(company: string, spender: { user_id?: string; api_key_id?: string }, credits: number, at: string) {
  await service.database.query(
    `INSERT INTO usage_ledger (company_id, project_id, user_id, api_key_id, source_type, source_id, credits, created_at)
     VALUES ($1, uuidv7(), $2, $3, 'turn', uuidv7(), $4, $5)`,
    [company, spender.user_id ?? null, spender.api_key_id ?? null, credits, at],
  );
}

describe('the cost of turns', () => {
  let played = 0;
  /** Speaks, fails, or blocks before or after its first word, at random. */
  const chance: Script = async function* ({ signal }) {
    const stands = (): Promise<void> => pause(60_000, undefined, { signal });
    const [behaviour, cost] = [(played += 1) % 6, (1 + random(2_000_000)) / 1_000_000];
    if (behaviour === 0) await stands();
    await pause(random(30), undefined, { signal });
    yield { type: 'text', text: 'One' };
    yield { type: 'usage', credits: cost };
    if (behaviour === 1) throw new AgentFailure('It failed.');
    await pause(random(200), undefined, { signal });
    yield { type: 'text', text: ' two' };
    if (behaviour === 2) await stands();
    yield { type: 'usage', credits: cost / 2 };
  };

  it('is counted exactly once in all listings, for all authors and outcomes and for deleted projects', async () => {
    script = chance;
    const { company, head, member, headKey, memberKey } = await makeCompany();
    const authors = [head, member, headKey.client, memberKey.client];
    const projects: string[] = [];
    for (let number = 0; number < 10; number += 1) projects.push((await makeProject(head)).id);
    const alive = new Set(projects);
    const reaper = service.app.get(TurnReaperService);
    /** Returns whether turns with costs have ended with every outcome, and a turn was retried. */
    const allHappened = async (): Promise<boolean> => {
      const [seen] = await rows<{ outcomes: number; retried: number }>(
        `SELECT count(DISTINCT outcome) FILTER (WHERE credits > 0)::integer AS outcomes,
                count(*) FILTER (WHERE outcome = 'completed' AND attempts > 1)::integer AS retried FROM turns`,
      );
      return seen !== undefined && seen.outcomes === 4 && seen.retried > 0;
    };
    const deadline = Date.now() + 30_000;
    let over = false;
    const takeAway = async (condition = 'random() < 0.3'): Promise<void> => {
      await service.database.query(
        `UPDATE turns SET due_at = now() - interval '1 s' WHERE state = 'streaming' AND ${condition}`,
      );
      await reaper.recover();
    };
    await Promise.all([
      ...projects.map(async (project) => {
        while (!over && alive.has(project)) {
          const author = authors[random(authors.length)] as Client;
          const { status } = await author.send('POST', `/projects/${project}/chat`, { body: { content: 'Hello' } });
          expect([202, 429, alive.has(project) ? 202 : 404]).toContain(status);
          await pause(random(250));
          if (random(6) === 0) await head.send('POST', `/projects/${project}/chat/stop`, { body: {} });
        }
      }),
      (async () => {
        while (!over) {
          await pause(300);
          await takeAway();
          await service.app.get(RollupsService).rollUp();
          over = (alive.size === projects.length - 3 && (await allHappened())) || Date.now() > deadline;
        }
      })(),
      ...projects.slice(0, 3).map(async (project) => {
        await pause(500 + random(1_500));
        alive.delete(project);
        await head.delete(`/projects/${project}`);
      }),
    ]);
    // Blocked turns are taken over and retried until all of them have ended.
    script = async function* () {
      yield await Promise.resolve({ type: 'text', text: 'The end.' } as const);
    };
    await eventually(
      async () => {
        await takeAway('true');
        return await rows(`SELECT FROM turns WHERE state <> 'ended'`);
      },
      (active) => active.length === 0,
      { until: 'every turn has ended' },
    );

    expect(
      await rows(
        `SELECT t.id FROM turns t FULL JOIN usage_ledger l ON l.source_id = t.id
          WHERE (t.user_id, t.api_key_id, t.project_id, t.credits)
                IS DISTINCT FROM (coalesce(l.user_id, t.user_id), coalesce(l.api_key_id, t.api_key_id), coalesce(l.project_id, t.project_id),
                                  coalesce(l.credits, 0))`,
      ),
    ).toEqual([]);
    expect(
      await rows(
        `SELECT id FROM projects p
          WHERE total_credits <> (SELECT coalesce(sum(credits), 0) FROM usage_ledger WHERE project_id = p.id)`,
      ),
    ).toEqual([]);
    const [total] = await rows<{ credits: number }>(
      'SELECT sum(total_credits)::float8 AS credits FROM projects WHERE company_id = $1',
      [company],
    );
    const [{ users }, { api_keys }] = [await usersOf(head), await keysOf(head)];
    const sum = [...users, ...api_keys].reduce((reached, { totals }) => reached + totals.credits, 0);
    expect(sum).toBeCloseTo(total?.credits ?? 0, 6);
    const sums = await plainSums(company);
    expect(users.map(({ user_id, totals }) => [user_id, totals.credits])).toEqual(
      sums.flatMap(({ user_id, credits }) => (user_id === null ? [] : [[user_id, credits]])),
    );
    expect(api_keys.map(({ api_key_id, totals }) => [api_key_id, totals.credits])).toEqual(
      sums.flatMap(({ api_key_id, credits }) => (api_key_id === null ? [] : [[api_key_id, credits]])),
    );
    expect(await allHappened()).toBe(true);
  }, 60_000);

  it('is charged once even if the turn was attempted three times', async () => {
    const { company, memberKey } = await makeCompany();
    const { id } = await makeProject(memberKey.client);
    let attempts = 0;
    script = async function* ({ signal }) {
      attempts += 1;
      yield { type: 'usage', credits: 0.5 };
      if (attempts < 3) await pause(60_000, undefined, { signal });
      yield { type: 'text', text: 'At last.' };
    };
    await memberKey.client.post(`/projects/${id}/chat`, { content: 'Hello' });
    for (const attempt of [1, 2]) {
      await eventually(
        () => Promise.resolve(attempts),
        (made) => made === attempt,
        { until: `attempt ${attempt} runs` },
      );
      await service.database.query(`UPDATE turns SET due_at = now() - interval '1 s' WHERE project_id = $1`, [id]);
      await service.app.get(TurnReaperService).recover();
    }
    await idle(memberKey.client, id);
    expect(await plainSums(company)).toEqual([{ user_id: null, api_key_id: memberKey.id, credits: 0.5 }]);
    expect((await keysOf(memberKey.client)).api_keys).toMatchObject([{ totals: { credits: 0.5 } }]);
  });
});

describe('a usage listing', () => {
  it('is ordered by spend and then by id, and is paged with the total number of rows', async () => {
    const { company, head } = await makeCompany();
    await service.database.query(
      `INSERT INTO users (company_id, id, display_name) SELECT $1, 'u' || i, 'User ' || i FROM generate_series(0, 8) i`,
      [company],
    );
    // Each sum occurs for three spenders, and one spender has no spend.
    for (const [index, credits] of [2, 1, 3, 1, 3, 2, 2, 3].entries()) {
      await spend(company, { user_id: `u${index}` }, credits, '2026-03-01T12:00:00Z');
      if (index === 4) await service.app.get(RollupsService).rollUp();
    }
    const order = ['u2', 'u4', 'u7', 'u0', 'u5', 'u6', 'u1', 'u3'];
    const pages = [];
    for (const offset of [0, 3, 6, 9]) pages.push(await usersOf(head, { limit: 3, offset }));
    expect(pages.flatMap(({ users }) => users.map(({ user_id }) => user_id))).toEqual(order);
    expect(pages.map(({ users, limit, offset, total }) => [users.length, limit, offset, total])).toEqual([
      [3, 3, 0, 8],
      [3, 3, 3, 8],
      [2, 3, 6, 8],
      [0, 3, 9, 8],
    ]);
    expect(pages[0]?.users[0]).toEqual({ user_id: 'u2', display_name: 'User 2', email: null, totals: { credits: 3 } });
  });

  it('includes the start of the span, excludes its end, and returns both times', async () => {
    const { company, head, memberKey } = await makeCompany();
    const times = [
      '2026-03-01T23:59:59.999Z',
      '2026-03-02T00:00:00.000Z',
      '2026-03-02T00:00:00.001Z',
      '2026-03-03T12:00:00.000Z',
      '2026-03-05T00:00:00.000Z',
    ];
    for (const [index, at] of times.entries()) {
      await spend(company, { user_id: 'head' }, 2 ** index, at);
      await spend(company, { api_key_id: memberKey.id }, 2 ** index, at);
    }
    const cases: [string | undefined, string | undefined, number][] = [
      [undefined, undefined, 31],
      [times[1], undefined, 30],
      [times[2], undefined, 28],
      [undefined, times[1], 1],
      [undefined, times[2], 3],
      [times[1], times[4], 14],
      [times[0], times[3], 7],
      [times[3], times[4], 8],
      [times[2], times[2], 0],
      [times[4], times[0], 0],
      ['2026-03-01T20:00:00-04:00', '2026-03-03T08:00:00-04:00', 6],
    ];
    for (const rolledUp of [false, true]) {
      if (rolledUp) await service.app.get(RollupsService).rollUp();
      for (const [since, until, credits] of cases) {
        const query = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
        const [inUsers, inKeys] = [await usersOf(head, query), await keysOf(head, query)];
        expect({ query, users: inUsers.users.map(({ totals }) => totals.credits), total: inUsers.total }).toEqual({
          query,
          users: credits === 0 ? [] : [credits],
          total: credits === 0 ? 0 : 1,
        });
        expect(inKeys.api_keys.map(({ totals }) => totals.credits)).toEqual(credits === 0 ? [] : [credits]);
        const asTime = (text?: string): string | undefined => text && new Date(text).toISOString();
        for (const answer of [inUsers, inKeys]) {
          expect([answer.since, answer.until]).toEqual([asTime(since), asTime(until)]);
        }
      }
    }
  });

  it('contains only the spend of the calling member or key, except for company-level callers', async () => {
    const { company, head, member, headKey, memberKey } = await makeCompany();
    const other = await makeKey(member, 'member');
    const unused = await makeKey(member, 'member');
    const at = new Date().toISOString();
    await spend(company, { user_id: 'head' }, 1, at);
    await spend(company, { user_id: 'member' }, 2, at);
    await spend(company, { api_key_id: headKey.id }, 3, at);
    await spend(company, { api_key_id: memberKey.id }, 4, at);
    await spend(company, { api_key_id: other.id }, 5, at);
    await head.delete(`/api-keys/${other.id}`);
    const seen = async (client: Client): Promise<object> => {
      const [{ users, ...inUsers }, { api_keys, ...inKeys }] = [await usersOf(client), await keysOf(client)];
      expect([inUsers.total, inKeys.total]).toEqual([users.length, api_keys.length]);
      return [users.map(({ user_id }) => user_id), api_keys.map(({ api_key_id }) => api_key_id)];
    };
    const everything = [
      ['member', 'head'],
      [other.id, memberKey.id, headKey.id],
    ];
    expect(await seen(head)).toEqual(everything);
    expect(await seen(headKey.client)).toEqual(everything);
    expect(await seen(member)).toEqual([['member'], [other.id, memberKey.id]]);
    expect(await seen(memberKey.client)).toEqual([[], [memberKey.id]]);
    expect(await seen(unused.client)).toEqual([[], []]);
    const stranger = await service.session();
    expect(await seen(stranger.client)).toEqual([[], []]);
    const { api_keys } = await keysOf(memberKey.client);
    expect(api_keys).toEqual([
      {
        api_key_id: memberKey.id,
        name: 'Key of role member',
        prefix: expect.stringMatching(/^[0-9a-f]{12}$/),
        totals: { credits: 4 },
      },
    ]);
  });

  it('reads from the ledger only the partial half days at both ends of the span', async () => {
    const { company, head, member } = await makeCompany();
    await service.database.query(
      `INSERT INTO usage_ledger (company_id, project_id, user_id, source_type, source_id, credits, created_at)
       SELECT $1, uuidv7(), (ARRAY['head', 'member'])[1 + i % 2], 'turn', uuidv7(), 1,
              timestamptz '2026-01-01 00:00:00Z' + make_interval(mins => i)
         FROM generate_series(0, 60 * 24 * 12 - 1) i`,
      [company],
    );
    await service.app.get(RollupsService).rollUp();
    await service.database.query('VACUUM ANALYZE usage_ledger, usage_spenders, usage_months, usage_pending');
    const minutes = async (client: Client, query: object): Promise<{ read: number; credits: number }> => {
      const { plan, credits } = await explain(client, query);
      const ofLedger = nodesOf(plan).filter((node) => node['Relation Name'] === 'usage_ledger');
      return { read: ofLedger.reduce((sum, node) => sum + rowsSeen(node), 0), credits };
    };
    const span = { since: '2026-01-05T23:00:00Z', until: '2026-01-10T00:30:00Z' };
    expect(await minutes(head, {})).toEqual({ read: 0, credits: 60 * 24 * 12 });
    expect(await minutes(head, { since: '2026-01-05T00:00:00Z' })).toEqual({ read: 0, credits: 60 * 24 * 8 });
    expect(await minutes(head, span)).toEqual({ read: 90, credits: 60 * 24 * 4 + 90 });
    expect(await minutes(member, span)).toEqual({ read: 45, credits: (60 * 24 * 4 + 90) / 2 });
    const halfDays = { since: '2026-01-05T12:00:00Z', until: '2026-01-10T12:00:00Z' };
    expect(await minutes(head, halfDays)).toEqual({ read: 0, credits: 60 * 24 * 5 });
    // If the part of a half day outside the span is shorter, the statement reads that part instead.
    const nearlyWhole = { since: '2026-01-05T01:00:00Z', until: '2026-01-10T23:30:00Z' };
    expect(await minutes(head, nearlyWhole)).toEqual({ read: 90, credits: 60 * 24 * 6 - 90 });
  });

  it('reads a single row per spender for each end of the span, even if the planner has no statistics for the month', async () => {
    const { company, head } = await makeCompany();
    const spenders = 400;
    await service.database.query(
      `INSERT INTO users (company_id, id, display_name) SELECT $1, 'u' || i, 'User' FROM generate_series(1, $2) i`,
      [company, spenders],
    );
    const spendIn = async (month: string, some: number): Promise<void> => {
      await service.database.query(
        `INSERT INTO usage_ledger (company_id, project_id, user_id, source_type, source_id, credits, created_at)
         SELECT $1, uuidv7(), 'u' || i, 'turn', uuidv7(), 1, $2::date + make_interval(days => i % 28)
           FROM generate_series(1, $3) i`,
        [company, month, some],
      );
      await service.app.get(RollupsService).rollUp();
    };
    for (let month = 1; month <= 5; month += 1) await spendIn(`2026-0${month}-01`, spenders);
    await service.database.query('VACUUM ANALYZE usage_ledger, usage_spenders, usage_months, usage_pending');
    // Half of the spenders have no row for June, so the statement must use their row for May.
    await spendIn('2026-06-01', spenders / 2);
    for (const month of ['05', '06']) {
      const [since, until] = [`2026-${month}-08T00:00:00Z`, `2026-${month}-15T00:00:00Z`];
      const { plan, credits } = await explain(head, { since, until, limit: 1000 });
      const some = month === '05' ? spenders : spenders / 2;
      expect(credits).toBe([...Array(some).keys()].filter((i) => (i + 1) % 28 >= 7 && (i + 1) % 28 < 14).length);
      const nodes = nodesOf(plan);
      const ofMonths = nodes.filter((node) => node['Relation Name'] === 'usage_months');
      expect(ofMonths.reduce((sum, node) => sum + rowsSeen(node), 0)).toBe(2 * spenders);
      // Each spender has a total and two monthly rows.
      expect(Math.max(...nodes.map(rowsSeen))).toBeLessThanOrEqual(3 * spenders);
    }
  });

  it('is updated with a single scan of the pending rows, even if the statistics show an empty queue', async () => {
    const { company } = await makeCompany();
    const entries = 1000;
    const insert = async (query: (statement: string, parameters: unknown[]) => Promise<unknown>): Promise<void> => {
      await query(
        `INSERT INTO usage_ledger (company_id, project_id, user_id, source_type, source_id, credits)
         SELECT $1, uuidv7(), 'head', 'turn', uuidv7(), 1 FROM generate_series(1, $2)`,
        [company, entries],
      );
    };
    await insert(async (...statement) => await service.database.query(...statement));
    await service.app.get(RollupsService).rollUp();
    await service.database.query('VACUUM (ANALYZE, TRUNCATE false) usage_pending');
    // Uses a single transaction, so that the service's own rollup cannot see the new rows.
    const plan = await service.app.get(DataSource).transaction(async (tx) => {
      await insert(async (...statement): Promise<unknown> => await tx.query(...statement));
      const [explained]: { 'QUERY PLAN': { Plan: Plan }[] }[] = await tx.query(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${rollUpPage('users')}`,
        [entries],
      );
      return explained?.['QUERY PLAN'][0]?.Plan;
    });
    const seen = nodesOf(plan as Plan)
      .filter((node) => node['Relation Name'] === 'usage_pending')
      .map(rowsSeen);
    expect(seen.reduce((sum, read) => sum + read, 0)).toBeGreaterThanOrEqual(2 * entries);
    expect(Math.max(...seen)).toBe(entries);
  });
});

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Plan[];
}

/** Returns the plan of a listing and the total spend of the spenders on its page. */
async function explain(client: Client, query: object): Promise<{ plan: Plan; credits: number }> {
  let credits = 0;
  const [statement, parameters] = await listingOf(async () => {
    const { users } = await usersOf(client, query);
    credits = users.reduce((sum, { totals }) => sum + totals.credits, 0);
  });
  const [explained] = await rows<{ 'QUERY PLAN': { Plan: Plan }[] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
    parameters,
  );
  const plan = explained?.['QUERY PLAN'][0]?.Plan;
  if (plan === undefined) throw new Error('The statement has no plan');
  return { plan, credits };
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Returns the number of rows that a plan node has read in all of its loops. */
const rowsSeen = (node: Plan): number =>
  node['Actual Loops'] *
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0));

/** Returns the statement that reads a listing, with its parameters. */
async function listingOf(work: () => Promise<void>): Promise<[string, unknown[]]> {
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
  const listing = seen.find(([statement]) => statement.includes('usage_ledger'));
  if (listing === undefined) throw new Error('No statement names the ledger');
  return listing;
}
