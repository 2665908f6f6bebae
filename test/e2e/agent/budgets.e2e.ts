import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { DataSource, type Logger as QueryLogger, type QueryRunner } from 'typeorm';
import pg from 'pg';
import { CountKeysTowardsUsers1760000000710 } from '../../../src/database/migrations/1760000000710-count-keys-towards-users.js';
import { ImagesService } from '../../../src/agent/images/images.service.js';
import { LlmAgent } from '../../../src/agent/llm/llm.agent.js';
import { ToolboxesService } from '../../../src/agent/tools/toolboxes.service.js';
import { Config } from '../../../src/config/config.js';
import type { ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import type { ExecutionDetailResponse, ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { ApiKeyCreateResponse } from '../../../src/auth/api-keys/api-keys.dto.js';
import { createLogger } from '../../../src/common/logging/logger.js';
import { ProjectPurgeService } from '../../../src/projects/project-purge.service.js';
import type { BudgetListResponse, BudgetResponse } from '../../../src/usage/budgets.dto.js';
import { BudgetsRepository } from '../../../src/usage/budgets.repository.js';
import { BudgetsService } from '../../../src/usage/budgets.service.js';
import { exhaustedBudget } from '../../../src/usage/budgets.sql.js';
import { RollupsService } from '../../../src/usage/rollups.service.js';
import type { ScenarioResponse } from '../../../src/scenarios/scenarios.dto.js';
import { makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import { Client, type Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { FakeProvider } from '../../support/fake-provider.js';
import { say, type Script, useGates, useScriptedService } from '../../support/scripted-agent.js';

const PRICE = 0.25;
/** Turn that costs PRICE credits and ends when `until` resolves. */
const charge = (until: Promise<void> = Promise.resolve()): Script =>
  async function* () {
    yield say('One');
    await until;
    yield { type: 'usage', credits: PRICE };
  };

let script: Script = charge();
const service = useScriptedService((context) => script(context));
const makeGate = useGates();

const rows = async <Row extends object>(statement: string, parameters: unknown[] = []): Promise<Row[]> =>
  (await service.database.query<Row>(statement, parameters)).rows;

type Budget = Wire<BudgetResponse>;
const company = { scope: 'company', period: 'month', action: 'block' } as const;
const put = (client: Client, limit_credits: number, more: object = {}): Promise<Budget> =>
  client.put<BudgetResponse>('/usage/budgets', { ...company, limit_credits, ...more });
const budgetsOf = async (client: Client): Promise<Budget[]> =>
  (await client.get<BudgetListResponse>('/usage/budgets')).budgets;
const post = (client: Client, project: string, body: object = { content: 'Hello' }) =>
  client.send('POST', `/projects/${project}/chat`, { body });
const solve = (client: Client, project: string) =>
  client.send('POST', `/projects/${project}/solve/executions`, { body: {} });

/** Creates a project with a solvable canvas. */
async function makeModel(client: Client): Promise<string> {
  const { id } = await makeProject(client);
  const at = `/projects/${id}/cards`;
  await client.post(at, { card_type: 'variable', label: 'x', data: { name: 'x', domain: 'continuous', upper: 4 } });
  await client.post(at, { card_type: 'objective', label: 'Much', data: { expression: 'x', sense: 'maximize' } });
  return id;
}

/** Adds spend to the ledger. */
async function spend(
  { company: id, user = 'head', key = null, project = null, at = null }: Record<string, string | null>,
  credits: number,
  database: Pick<pg.Client, 'query'> = service.database,
): Promise<void> {
  await database.query(
    `INSERT INTO usage_ledger (company_id, project_id, user_id, api_key_id, source_type, source_id, credits, created_at)
     VALUES ($1, coalesce($2, uuidv7()), $3, $4, 'turn', uuidv7(), $5, coalesce($6, now()))`,
    [id, project, key === null ? user : null, key, credits, at],
  );
}

/** Moves the recorded spend back by a day or a month, as if that time had passed. */
async function age(id: string, period: 'day' | 'month'): Promise<void> {
  const ago = `interval '1 ${period}'`;
  await rows(`UPDATE usage_budget_spend SET period_start = period_start - ${ago} WHERE budget_id = $1`, [id]);
  await rows(`UPDATE usage_budgets SET reached_period = reached_period - ${ago} WHERE id = $1`, [id]);
}

const over = (company_id: string) =>
  eventually(
    () =>
      rows(
        `SELECT id FROM turns WHERE company_id = $1 AND state <> 'ended'
          UNION ALL SELECT id FROM executions WHERE company_id = $1 AND status IN ('queued', 'running')`,
        [company_id],
      ),
    (active) => active.length === 0,
    { until: 'nothing runs', deadlineMs: 40_000 },
  );

describe('a blocking budget', () => {
  it('rejects work with 402 once spend reaches the limit, until the budget is raised or deleted, or its period ends', async () => {
    script = charge();
    const { client } = await service.session();
    const id = await makeModel(client);
    const { id: other } = await makeProject(client);
    const budget = await put(client, 2 * PRICE);
    expect(budget).toMatchObject({ subject_id: null, spent_credits: 0, reached_at: null });
    for (let posts = 0; posts < 2; posts += 1) {
      expect((await post(client, id)).status).toBe(202);
      await idle(client, id);
    }
    const [reached] = await budgetsOf(client);
    expect(reached).toMatchObject({ id: budget.id, spent_credits: 2 * PRICE });
    expect(Date.now() - Date.parse(reached?.reached_at ?? '')).toBeLessThan(30_000);

    const { id: scenario } = await client.post<ScenarioResponse>(`/projects/${id}/scenarios`, {
      name: 'As it is',
      changes: [],
    });
    const before = await stored(id, other);
    const refused = [
      await post(client, id),
      await post(client, other),
      await solve(client, id),
      await client.send('POST', `/projects/${id}/scenarios/solve`, { body: { scenario_ids: [scenario] } }),
    ];
    const sentence = `This company's monthly budget of ${2 * PRICE} credits is used up and resets at ${budget.period_ends_at ?? ''}`;
    for (const { status, body } of refused)
      expect([status, body]).toEqual([402, { detail: sentence, code: 'budget_exhausted' }]);
    expect(await stored(id, other)).toEqual(before);

    // Raising the limit of the same budget takes effect immediately.
    const raised = await put(client, 10);
    expect(raised).toMatchObject({ id: budget.id, reached_at: null, spent_credits: 2 * PRICE });
    const solved = await solve(client, id);
    expect(solved.status).toBe(201);
    await over((await me(client)).company_id);
    expect(await put(client, 0.5)).toMatchObject({ id: budget.id, reached_at: expect.any(String) as unknown });
    const { id: execution } = solved.body as ExecutionResponse;
    expect((await client.send('POST', `/projects/${id}/solve/executions/${execution}/repeat`)).status).toBe(402);
    // A `notice` budget only notifies.
    await put(client, 0.5, { action: 'notice' });
    expect((await post(client, id)).status).toBe(202);
    await idle(client, id);
    await put(client, 0.5);
    expect((await post(client, id)).status).toBe(402);
    // In the next month, the spend starts at zero.
    await age(budget.id, 'month');
    expect(await budgetsOf(client)).toMatchObject([{ spent_credits: 0, reached_at: null }]);
    expect((await post(client, id)).status).toBe(202);
    await idle(client, id);
    await put(client, 0);
    expect((await post(client, id)).status).toBe(402);
    await client.delete(`/usage/budgets/${budget.id}`);
    expect((await post(client, id)).status).toBe(202);
    await idle(client, id);
  }, 60_000);

  it('counts only the spend of its subject', async () => {
    script = charge();
    const { client: head, company: company_id } = await service.session({ user: 'head' });
    const { client: member } = await service.session({ company: company_id, user: 'member', role: 'member' });
    const { id } = await makeProject(head);
    const { id: elsewhere } = await makeProject(member);
    const key = await member.post<ApiKeyCreateResponse>('/api-keys', { name: 'Key' });
    const byKey = new Client(service.url, key.key);
    const statuses = async (): Promise<number[]> => {
      const answers = [];
      for (const [who, where] of [
        [head, id],
        [member, id],
        [byKey, id],
        [head, elsewhere],
        [member, elsewhere],
        [byKey, elsewhere],
      ] as const) {
        const { status } = await post(who, where);
        if (status === 202) await idle(who, where);
        answers.push(status);
      }
      return answers;
    };
    const cases = [
      // A user's budget also limits the API keys that the user created.
      [{ scope: 'user', subject_id: 'member' }, [202, 402, 402, 202, 402, 402]],
      [{ scope: 'api_key', subject_id: key.id.toUpperCase() }, [202, 202, 402, 202, 202, 402]],
      [{ scope: 'project', subject_id: id }, [402, 402, 402, 202, 202, 202]],
      [{ scope: 'company' }, [402, 402, 402, 402, 402, 402]],
    ] as const;
    for (const [subject, expected] of cases) {
      for (const period of ['day', 'month', 'total'] as const) {
        const budget = await put(head, 0, { ...subject, period });
        expect(await statuses()).toEqual(expected);
        const { detail } = (await post(expected[0] === 402 ? head : expected[1] === 402 ? member : byKey, id)).body as {
          detail: string;
        };
        expect(detail).toContain(
          { company: 'This company', user: 'This user', api_key: 'This API key', project: 'This project' }[
            subject.scope
          ],
        );
        expect(detail).toContain(budget.period_ends_at ?? 'does not reset');
        await head.delete(`/usage/budgets/${budget.id}`);
      }
    }
    expect(await statuses()).toEqual(Array(6).fill(202));
  }, 120_000);

  it('rejects further work once concurrent posts and solves reach its limit, and counts all of their spend', async () => {
    const gate = makeGate();
    script = charge(gate.passed);
    const { client, company: company_id } = await service.session();
    const models = await Promise.all(Array.from({ length: 25 }, () => makeModel(client)));
    const budget = await put(client, 1);
    // Running work is not stopped at the limit, so the total spend ends up far above it.
    const answers: Promise<{ kind: 'post' | 'solve'; status: number }>[] = [];
    for (const id of models) {
      answers.push(post(client, id).then(({ status }) => ({ kind: 'post', status })));
      answers.push(solve(client, id).then(({ status }) => ({ kind: 'solve', status })));
    }
    await pause(300);
    gate.open();
    const first = await Promise.all(answers);
    await over(company_id);
    const second = await Promise.all(
      models.flatMap((id) => [
        post(client, id).then(({ status }) => ({ kind: 'post', status })),
        solve(client, id).then(({ status }) => ({ kind: 'solve', status })),
      ]),
    );
    expect(second.map(({ status }) => status)).toEqual(second.map(() => 402));
    for (const { kind, status } of first) expect([kind === 'post' ? 202 : 201, 402, 429]).toContain(status);

    const [seen] = await rows<{ posts: number; turns: number; solves: number }>(
      `SELECT (SELECT count(*)::integer FROM messages m JOIN projects p ON p.id = m.project_id
                WHERE p.company_id = $1 AND m.role = 'user') AS posts,
              (SELECT count(*)::integer FROM turns WHERE company_id = $1 AND outcome IS NOT NULL) AS turns,
              (SELECT count(*)::integer FROM executions WHERE company_id = $1 AND status IN ('succeeded', 'failed')) AS solves`,
      [company_id],
    );
    const accepted = (kind: string): number =>
      first.filter((answer) => answer.kind === kind && answer.status < 300).length;
    expect(seen).toEqual({ posts: accepted('post'), turns: accepted('post'), solves: accepted('solve') });
    // Queued work that starts only after the limit was reached costs nothing and reports the budget.
    const [spent] = await rows<{ reached: number; later: number }>(
      `SELECT count(*) FILTER (WHERE l.created_at <= b.reached_at)::integer AS reached,
              count(*) FILTER (WHERE started > b.reached_at + interval '100 ms')::integer AS later
         FROM usage_budgets b, usage_ledger l
         LEFT JOIN LATERAL (SELECT started_at AS started FROM executions e WHERE e.id = l.source_id) e ON true
        WHERE b.id = $1 AND l.company_id = b.company_id`,
      [budget.id],
    );
    expect(spent?.later).toBe(0);
    const [ledger] = await rows<{ credits: number }>(
      'SELECT sum(credits)::float8 AS credits FROM usage_ledger WHERE company_id = $1',
      [company_id],
    );
    expect((await budgetsOf(client))[0]).toMatchObject({ spent_credits: ledger?.credits });
    const told = await rows<{ content: string }>(
      `SELECT m.content FROM messages m JOIN turns t ON t.id = m.turn_id
        WHERE t.company_id = $1 AND m.role = 'system' AND t.credits = 0`,
      [company_id],
    );
    for (const { content } of told)
      expect(content).toMatch(/^The agent stopped here\. This company's monthly budget of 1 credits is used up/);
    const failed = await rows<{ error: { code: string; message: string } }>(
      `SELECT error FROM executions WHERE company_id = $1 AND status = 'failed'`,
      [company_id],
    );
    for (const { error } of failed) {
      expect(error.code).toBe('budget_exhausted');
      expect(error.message).toContain("This company's monthly budget of 1 credits");
    }
  }, 90_000);

  it('ends waiting turns with a message and waiting solves with an error, without charging for them', async () => {
    const gate = makeGate();
    script = charge(gate.passed);
    const { client, company: company_id } = await service.session();
    const { id } = await makeProject(client);
    await put(client, PRICE);
    await post(client, id);
    await eventually(
      () => client.get<ConversationSyncResponse>(`/projects/${id}/chat/sync`),
      ({ turn }) => turn.state === 'streaming' && turn.message_id !== null,
      { until: 'it speaks' },
    );
    // This post waits for the turn after the running turn.
    expect((await post(client, id, { content: 'And now?', client_msg_id: 'second' })).status).toBe(202);
    gate.open();
    const { messages } = await idle(client, id);
    expect(messages.at(-1)).toMatchObject({
      role: 'system',
      content: expect.stringContaining(
        "The agent stopped here. This company's monthly budget of 0.25 credits",
      ) as unknown,
    });
    expect(await rows('SELECT FROM usage_ledger WHERE company_id = $1', [company_id])).toHaveLength(1);
    // A repeated post does not create a message, so it is still accepted.
    expect((await post(client, id, { content: 'And now?', client_msg_id: 'second' })).status).toBe(202);
    expect((await post(client, id, { content: 'Else?', client_msg_id: 'third' })).status).toBe(402);

    const model = await makeModel(client);
    const [queued] = await rows<{ id: string }>(
      `WITH counted AS (UPDATE projects SET active_solves = active_solves + 1 WHERE id = $1 RETURNING id, company_id)
       INSERT INTO executions (project_id, company_id, triggered_by, user_id, is_test, mip_gap, affects_checklist, cards)
       SELECT id, company_id, 'user:someone', (SELECT user_id FROM turns WHERE company_id = counted.company_id LIMIT 1),
              false, 0, true, '[]' FROM counted RETURNING id`,
      [model],
    );
    const at = `/projects/${model}/solve/executions/${queued?.id ?? ''}`;
    const error = {
      code: 'budget_exhausted',
      message: expect.stringContaining(
        "The model was not solved. This company's monthly budget of 0.25 credits",
      ) as unknown,
    };
    const ended = await eventually(
      () => client.get<ExecutionDetailResponse>(at),
      ({ status }) => status === 'failed',
      { until: 'it has ended' },
    );
    expect(ended).toMatchObject({ credits: 0, error });
  }, 60_000);

  it('ends a language model’s turn before its next step and keeps the text written so far', async () => {
    const { client, company: company_id } = await service.session({ user: 'head' });
    const { id } = await makeProject(client);
    await put(client, 1);
    const provider = await FakeProvider.start('openai', (_, asked) =>
      asked === 1 ? { text: ['Looking. '], calls: [{ tool: 'list_files', input: {} }] } : { text: ['Never said.'] },
    );
    const config = Object.assign(new Config(), {
      AGENT_PROVIDER: 'openai',
      AGENT_MODEL: 'fake',
      AGENT_BASE_URL: provider.url,
      AGENT_API_KEY: 'sk-fake-key',
      PRICE_INPUT_TOKENS: 1,
    });
    const agent = new LlmAgent(
      config,
      service.app.get(ToolboxesService),
      service.app.get(ImagesService),
      service.app.get(BudgetsService),
      createLogger('silent'),
    );
    script = async function* (context) {
      for await (const output of agent.run(context)) {
        // Other callers spend the rest of the budget while the tool is running.
        if (output.type === 'tool_started') await spend({ company: company_id }, 1);
        yield output;
      }
    };
    await post(client, id);
    const { messages } = await idle(client, id);
    await provider.stop();
    expect(messages.slice(1)).toMatchObject([
      { role: 'assistant', content: 'Looking. ', tool_calls: [{ tool: 'list_files', status: 'completed' }] },
      {
        role: 'system',
        content: expect.stringMatching(
          /^The agent stopped here\. This \w+'s monthly budget of 1 credits is used up and resets at .*Z\.$/,
        ) as unknown,
      },
    ]);
  }, 60_000);
});

describe('the budget of a user', () => {
  /** Creates a company-level user, two members, and two API keys of the first member. */
  const makeCompany = async () => {
    const { client: head, company: company_id } = await service.session({ user: 'head' });
    const [ada, bob] = await Promise.all(
      ['ada', 'bob'].map(async (user) => await service.session({ company: company_id, user, role: 'member' })),
    );
    if (ada === undefined || bob === undefined) throw new Error('There are no members');
    await Promise.all([ada.client.get('/me'), bob.client.get('/me')]);
    const makeKey = async (client: Client) => {
      const { id, key } = await client.post<ApiKeyCreateResponse>('/api-keys', { name: 'Program' });
      return { id, client: new Client(service.url, key) };
    };
    const keys = [await makeKey(ada.client), await makeKey(ada.client)] as const;
    return { head, company_id, ada: ada.client, bob: bob.client, keys, keyOfBob: await makeKey(bob.client) };
  };
  const ofAda = { scope: 'user', subject_id: 'ada' };
  const spentOf = async (head: Client): Promise<number | undefined> =>
    (await budgetsOf(head)).find(({ subject_id }) => subject_id === 'ada')?.spent_credits;

  it('blocks the user and all of their API keys after one of the keys uses it up', async () => {
    script = charge();
    const { head, ada, bob, keys, keyOfBob } = await makeCompany();
    const id = await makeModel(head);
    await put(head, PRICE, ofAda);
    expect((await post(keys[0].client, id)).status).toBe(202);
    await idle(head, id);
    expect(await spentOf(head)).toBe(PRICE);
    for (const client of [ada, keys[0].client, keys[1].client]) {
      expect((await post(client, id)).status).toBe(402);
      expect((await solve(client, id)).status).toBe(402);
    }
    for (const client of [head, bob, keyOfBob.client]) {
      expect((await post(client, id)).status).toBe(202);
      await idle(head, id);
    }
    expect(await spentOf(head)).toBe(PRICE);
  }, 60_000);

  it('blocks even a new API key of the user once it is used up', async () => {
    const { head, ada } = await makeCompany();
    const { id } = await makeProject(head);
    await put(head, 0, ofAda);
    const { key } = await ada.post<ApiKeyCreateResponse>('/api-keys', { name: 'Way out' });
    expect((await post(new Client(service.url, key), id)).status).toBe(402);
  });

  it('includes earlier spend by the user’s keys, including revoked keys', async () => {
    const { head, company_id, ada, keys, keyOfBob } = await makeCompany();
    await spend({ company: company_id, key: keys[0].id }, 1);
    await spend({ company: company_id, key: keys[1].id }, 2);
    await spend({ company: company_id, key: keyOfBob.id }, 4);
    await spend({ company: company_id, user: 'ada' }, 8);
    await service.app.get(RollupsService).rollUp(2);
    await ada.delete(`/api-keys/${keys[1].id}`);
    expect((await put(head, 50, ofAda)).spent_credits).toBe(11);
    await spend({ company: company_id, key: keys[1].id }, 16);
    expect(await spentOf(head)).toBe(27);
  });

  it('includes the current period’s spend by the user’s keys after an upgrade', async () => {
    const { head, company_id, keys, keyOfBob } = await makeCompany();
    const migration = new CountKeysTowardsUsers1760000000710();
    const runner = { query: async (text: string) => await service.database.query(text) } as QueryRunner;
    await service.database.query('BEGIN');
    await migration.down(runner);
    await service.database.query('COMMIT');
    const { id } = await put(head, 50, ofAda);
    await spend({ company: company_id, user: 'ada' }, 1);
    await spend({ company: company_id, key: keys[0].id }, 2);
    await spend({ company: company_id, key: keyOfBob.id }, 4);
    await service.app.get(RollupsService).rollUp(1);
    await spend({ company: company_id, key: keys[1].id }, 8);
    expect(await spentOf(head)).toBe(1);
    await service.database.query('BEGIN');
    await migration.up(runner);
    await service.database.query('COMMIT');
    expect(await spentOf(head)).toBe(11);
    await head.delete(`/usage/budgets/${id}`);
  });
});

describe('the budget counter', () => {
  it('matches the ledger at all times while entries are added and rolled up', async () => {
    const { client, company: company_id } = await service.session({ user: 'head' });
    await client.get('/projects');
    const { id: project } = await makeProject(client);
    const { id: key } = await client.post<ApiKeyCreateResponse>('/api-keys', { name: 'Key' });
    const subjects = [
      { scope: 'company' },
      { scope: 'user', subject_id: 'head' },
      { scope: 'api_key', subject_id: key },
      { scope: 'project', subject_id: project },
    ] as const;
    const writers = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const database = new pg.Client({ connectionString: connection() });
        await database.connect();
        return database;
      }),
    );
    const end = Date.now() + 4_000;
    const days = [0, 1, 40].map((back) => new Date(Date.now() - back * 86_400_000).toISOString());
    await Promise.all([
      ...writers.map(async (database) => {
        while (Date.now() < end) {
          await database.query('BEGIN');
          const at = Math.random() < 0.7 ? null : (days[Math.floor(Math.random() * 3)] as string);
          await spend(
            {
              company: company_id,
              key: Math.random() < 0.5 ? key : null,
              project: Math.random() < 0.5 ? project : null,
              at,
            },
            Math.round(Math.random() * 1e6) / 1e6,
            database,
          );
          if (Math.random() < 0.5) await pause(Math.random() * 20);
          await database.query(Math.random() < 0.1 ? 'ROLLBACK' : 'COMMIT');
        }
      }),
      (async () => {
        for (const period of ['day', 'month', 'total'] as const) {
          for (const subject of subjects) {
            await pause(100);
            await put(client, 50, { ...subject, period, action: 'notice' });
            await service.app.get(RollupsService).rollUp(7);
          }
        }
      })(),
    ]);
    await Promise.all(writers.map(async (database) => await database.end()));
    const budgets = await budgetsOf(client);
    expect(budgets).toHaveLength(12);
    for (const { scope, subject_id, period, spent_credits, reached_at } of budgets) {
      const [plain] = await rows<{ credits: number }>(
        `SELECT coalesce(sum(credits), 0)::float8 AS credits FROM usage_ledger
          WHERE company_id = $1 AND created_at >= budget_period_start($2, now())
            AND ($3 = 'company' OR CASE $3 WHEN 'user' THEN coalesce(user_id, (SELECT created_by FROM api_keys WHERE id = api_key_id))
                                    WHEN 'api_key' THEN api_key_id::text ELSE project_id::text END = $4)`,
        [company_id, period, scope, subject_id],
      );
      expect({ scope, period, credits: spent_credits }).toEqual({ scope, period, credits: plain?.credits });
      expect({ scope, period, isReached: reached_at !== null }).toEqual({
        scope,
        period,
        isReached: spent_credits >= 50,
      });
    }
    expect(budgets.some(({ reached_at }) => reached_at !== null)).toBe(true);
  }, 60_000);

  it('is marked as reached once per period, by the entry that reaches the limit, even if entries are concurrent', async () => {
    const { client, company: company_id } = await service.session({ user: 'head' });
    await client.get('/projects');
    const budget = await put(client, 1, { action: 'notice' });
    const noted = async () =>
      (await rows<{ at: Date | null }>('SELECT reached_at AS at FROM usage_budgets WHERE id = $1', [budget.id]))[0]?.at;
    const two = await Promise.all(
      [1, 2].map(async () => {
        const database = new pg.Client({ connectionString: connection() });
        await database.connect();
        return database;
      }),
    );
    for (const database of two) {
      await database.query('BEGIN');
      await spend({ company: company_id }, 0.6, database);
    }
    for (const database of two) await database.query('COMMIT');
    await Promise.all(two.map(async (database) => await database.end()));
    expect(await noted()).toBeNull();
    const [found] = await budgetsOf(client);
    expect(found?.reached_at).not.toBeNull();
    await pause(20);
    await service.app.get(BudgetsRepository).recordReached();
    const first = await noted();
    expect(first?.toISOString()).toBe(found?.reached_at);
    await spend({ company: company_id }, 0.6);
    await service.app.get(BudgetsRepository).recordReached();
    expect(await noted()).toEqual(first);
    await age(budget.id, 'month');
    expect(await budgetsOf(client)).toMatchObject([{ reached_at: null, spent_credits: 0 }]);
    await spend({ company: company_id }, 0.9);
    expect(await budgetsOf(client)).toMatchObject([{ reached_at: null, spent_credits: 0.9 }]);
    await spend({ company: company_id }, 0.1);
    expect((await noted())?.getTime()).toBeGreaterThan(first?.getTime() ?? Infinity);
    // Past periods are removed, and the current period is kept.
    await service.app.get(BudgetsRepository).forgetPeriods();
    expect(
      await rows('SELECT sum(credits)::float8 AS credits FROM usage_budget_spend WHERE budget_id = $1', [budget.id]),
    ).toEqual([{ credits: 1 }]);
  }, 30_000);

  it.each([
    ['day', '2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
    ['day', '2024-02-28T23:59:59.999Z', '2024-02-28T00:00:00.000Z', '2024-02-29T00:00:00.000Z'],
    ['month', '2024-02-29T23:59:59.999Z', '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['month', '2026-03-29T01:30:00.000Z', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ['day', '2026-03-29T01:30:00.000Z', '2026-03-29T00:00:00.000Z', '2026-03-30T00:00:00.000Z'],
    ['total', '2026-03-29T01:30:00.000Z', null, null],
  ])(
    'has the correct UTC period for a %s budget at %s, regardless of the session time zone',
    async (period, at, start, ends) => {
      for (const zone of ['UTC', 'Europe/Berlin', 'Pacific/Kiritimati', 'America/St_Johns']) {
        await rows(`SELECT set_config('timezone', $1, false)`, [zone]);
        const [found] = await rows<{ start: string | null; ends: string | null }>(
          `SELECT CASE WHEN isfinite(s) THEN iso_timestamp(s) END AS start, iso_timestamp(e) AS ends
           FROM (SELECT budget_period_start($1, $2) AS s, budget_period_end($1, $2) AS e) p`,
          [period, at],
        );
        expect({ zone, ...found }).toEqual({ zone, start, ends });
      }
      await rows(`SELECT set_config('timezone', 'UTC', false)`);
    },
  );
});

describe('budgets', () => {
  it('are rejected and not stored if they are invalid', async () => {
    const { client } = await service.session({ user: 'head' });
    const { client: stranger } = await service.session();
    const { id: theirs } = await makeProject(stranger);
    const valid = { ...company, limit_credits: 1 };
    const cases: [object, string, string][] = [
      [{ ...valid, scope: 'team' }, 'scope', 'literal_error'],
      [{ ...valid, period: 'week' }, 'period', 'literal_error'],
      [{ ...valid, action: 'stop' }, 'action', 'literal_error'],
      [{ ...valid, limit_credits: -0.000001 }, 'limit_credits', 'greater_than_equal'],
      [{ ...valid, limit_credits: 1_000_000_001 }, 'limit_credits', 'less_than_equal'],
      [{ ...valid, limit_credits: 0.1234567 }, 'limit_credits', 'value_error'],
      [{ ...valid, limit_credits: 'much' }, 'limit_credits', 'float_parsing'],
      [{ ...valid, subject_id: 'head' }, 'subject_id', 'value_error'],
      [{ ...valid, scope: 'user' }, 'subject_id', 'missing'],
      [{ ...valid, scope: 'user', subject_id: null }, 'subject_id', 'missing'],
      [{ ...valid, scope: 'user', subject_id: 'nobody' }, 'subject_id', 'value_error'],
      [{ ...valid, scope: 'user', subject_id: 'x'.repeat(256) }, 'subject_id', 'string_too_long'],
      [{ ...valid, scope: 'api_key', subject_id: 'no id' }, 'subject_id', 'value_error'],
      [{ ...valid, scope: 'project', subject_id: theirs }, 'subject_id', 'value_error'],
    ];
    for (const [body, field, type] of cases) {
      const answer = await client.send('PUT', '/usage/budgets', { body });
      expect({ body, status: answer.status, answer: answer.body }).toMatchObject({
        body,
        status: 422,
        answer: { detail: [{ type, loc: ['body', field] }] },
      });
    }
    expect(await budgetsOf(client)).toEqual([]);
    for (const limit of [0, 0.1, 0.3, 1_000_000_000, 999_999_999.999999]) {
      expect((await put(client, limit)).limit_credits).toBe(limit);
    }
  }, 30_000);

  it('are limited to 1,000 per company and are deleted with their project', async () => {
    const { client, company: company_id } = await service.session({ user: 'head' });
    const { id } = await makeProject(client);
    await put(client, 1, { scope: 'project', subject_id: id });
    await rows(
      `INSERT INTO usage_budgets (company_id, scope, subject_id, period, limit_credits, action)
       SELECT $1, 'user', 'u' || i, 'day', 1, 'notice' FROM generate_series(1, 999) i`,
      [company_id],
    );
    const full = await client.send('PUT', '/usage/budgets', { body: { ...company, limit_credits: 1 } });
    expect([full.status, full.body]).toEqual([
      409,
      { detail: 'A company can have at most 1000 budgets; delete one first', code: 'too_many_budgets' },
    ]);
    expect((await client.get<BudgetListResponse>('/usage/budgets', { limit: 1 })).total).toBe(1000);
    // Existing budgets can still be changed.
    expect(await put(client, 2, { scope: 'project', subject_id: id })).toMatchObject({ limit_credits: 2 });
    await client.delete(`/projects/${id}`);
    await rows(`UPDATE projects SET deleted_at = now() - interval '2 days' WHERE id = $1`, [id]);
    await service.app.get(ProjectPurgeService).purge();
    expect((await client.get<BudgetListResponse>('/usage/budgets', { limit: 1 })).total).toBe(999);
  }, 30_000);
});

describe('the budget check', () => {
  it('does not add a database statement to posting a message or starting a solve, whether or not budgets exist', async () => {
    script = charge();
    const { client, company: company_id } = await service.session({ user: 'head' });
    const id = await makeModel(client);
    for (const budgets of [false, true]) {
      if (budgets) await put(client, 1000);
      const posted = await transactionOf(() => post(client, id));
      // Statements: BEGIN, project lock, conversation lock, situation, cards, turn, message, event head lock, events and COMMIT.
      expect(posted).toHaveLength(10);
      expect(posted.filter((text) => text.includes('usage_budgets'))).toHaveLength(1);
      await over(company_id);
      const solved = await transactionOf(() => solve(client, id));
      // Statements: BEGIN, project lock, cards, advisory lock `solves:<company>`, queue, execution, project, event head lock,
      // events and COMMIT.
      expect(solved).toHaveLength(10);
      expect(solved.filter((text) => text.includes('usage_budgets'))).toHaveLength(1);
      await over(company_id);
    }
  }, 60_000);

  it('uses indexes to read only a few rows, even with many budgets and entries', async () => {
    const { client, company: company_id } = await service.session({ user: 'head' });
    await client.get('/projects');
    for (const period of ['day', 'month', 'total']) await put(client, 1_000_000, { period });
    await rows(
      `INSERT INTO usage_budgets (company_id, scope, subject_id, period, limit_credits, action)
       SELECT $1, 'user', 'u' || i, 'day', 1, 'block' FROM generate_series(1, 900) i`,
      [company_id],
    );
    await rows(
      `INSERT INTO usage_budget_spend (budget_id, period_start, shard, credits, last_at)
       SELECT id, CASE period WHEN 'total' THEN '-infinity' ELSE budget_period_start(period, now()) - make_interval(days => n) END, shard, 1, now()
         FROM usage_budgets, generate_series(0, 5) n, generate_series(0, 15) shard
        WHERE company_id = $1 AND (period <> 'total' OR n = 0)
       ON CONFLICT DO NOTHING`,
      [company_id],
    );
    await rows('VACUUM ANALYZE usage_budgets, usage_budget_spend');
    let seen = 0;
    const [statement] = await rows<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) SELECT ${exhaustedBudget({ company_id: `'${company_id}'`, user_id: `'u7'`, api_key_id: 'NULL', project_id: `'${company_id}'` })}`,
    );
    for (const node of nodesOf(statement?.['QUERY PLAN'][0]?.Plan)) {
      expect([node['Node Type'], node['Relation Name']]).not.toEqual(['Seq Scan', 'usage_budget_spend']);
      expect([node['Node Type'], node['Relation Name']]).not.toEqual(['Seq Scan', 'usage_budgets']);
      seen += node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
    }
    // Four budgets apply, and each has 16 rows of spend. Several plan nodes count the same rows.
    expect(seen).toBeLessThan(400);
  }, 60_000);
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

const nodesOf = (plan?: Plan): Plan[] => (plan === undefined ? [] : [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]);

/** Returns the statements of the first transaction in `work`, which are all statements on its connection. */
async function transactionOf(work: () => Promise<unknown>): Promise<string[]> {
  const seen: { text: string; runner: unknown }[] = [];
  const source = service.app.get(DataSource);
  const { logger } = source;
  const listener: Partial<QueryLogger> = {
    logQuery: (text, _, runner) => void seen.push({ text: text.trim(), runner }),
    logQueryError: () => undefined,
    logQuerySlow: () => undefined,
  };
  source.logger = listener as QueryLogger;
  await work();
  source.logger = logger;
  const lock = seen.find(({ text }) => /FROM projects p .*FOR NO KEY UPDATE OF p$/s.test(text));
  const own = seen.filter(({ runner }) => runner === lock?.runner).map(({ text }) => text);
  return own.slice(own.indexOf('START TRANSACTION'), own.indexOf('COMMIT') + 1);
}

/** Connection string of the service's database. */
function connection(): string {
  const { options } = service.app.get(DataSource);
  return (options as { url: string }).url;
}

/** Returns the rows that a post or a solve writes. */
async function stored(...projects: string[]): Promise<object[]> {
  return await rows(
    `SELECT p.id, p.updated_at, p.active_turns, p.active_solves,
            (SELECT count(*) FROM messages m WHERE m.project_id = p.id) AS messages,
            (SELECT count(*) FROM turns t WHERE t.project_id = p.id) AS turns,
            (SELECT count(*) FROM executions e WHERE e.project_id = p.id) AS executions,
            (SELECT count(*) FROM usage_ledger l WHERE l.project_id = p.id) AS charges
       FROM projects p WHERE p.id = ANY ($1) ORDER BY p.id`,
    [projects],
  );
}

const me = (client: Client) => client.get<{ company_id: string }>('/me');
