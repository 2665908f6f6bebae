import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Logger as QueryLogger } from 'typeorm';
import { ConversationsRepository } from '../../src/chat/conversations/conversations.repository.js';
import { DeploymentsRepository } from '../../src/deployments/deployments.repository.js';
import { ExecutionViewsRepository } from '../../src/executions/execution-views.repository.js';
import { ExecutionsRepository } from '../../src/executions/executions.repository.js';
import { Principal } from '../../src/auth/principal.js';
import { ProjectReader } from '../../src/projects/project-access.js';
import { ProjectViewsRepository } from '../../src/projects/project-views.repository.js';
import { useDatabase } from '../support/database.js';

const COMPANIES = 20;
const PROJECTS = 20_000;
const DEPLOYMENTS = 4_000;
/** Number of conversations in the large project. Every other project has only its default conversation. */
const CONVERSATIONS = 300;
const RUNS = 10_000;
const company_id = 'company-1';
const page = { limit: 50, offset: 0 };
const db = useDatabase();
let project_id = '';
const SCENARIO = '01890000-0000-7000-8000-000000000000';

/** Creates several companies with the same number of projects and deployments. */
beforeAll(async () => {
  const { manager } = db.database;
  await manager.query(`INSERT INTO companies (id) SELECT 'company-' || i FROM generate_series(0, $1::integer - 1) i`, [
    COMPANIES,
  ]);
  await manager.query(
    `INSERT INTO users (company_id, id, display_name) SELECT id, 'user-' || i, 'User' FROM companies, generate_series(1, 50) i`,
  );
  await manager.query(
    `WITH made AS MATERIALIZED (
       SELECT i, 'company-' || i % $2::integer AS company_id, uuidv7() AS workspace, uuidv7() AS config, uuidv7() AS skills
         FROM generate_series(1, $1::integer) i
     ), container AS (
       INSERT INTO containers (id, company_id, kind)
       SELECT c.id, company_id, c.kind FROM made,
              LATERAL (VALUES (workspace, 'workspace'), (config, 'agent_config'), (skills, 'project_skills')) c (id, kind)
     )
     INSERT INTO projects (company_id, name, workspace_id, agent_config_id, project_skills_id, created_by, updated_at)
     SELECT company_id, 'Plan ' || i, workspace, config, skills, 'user-1', now() - (i || ' s')::interval FROM made`,
    [PROJECTS, COMPANIES],
  );
  [{ id: project_id } = { id: '' }] = await manager.query<{ id: string }[]>(
    `WITH made AS (INSERT INTO conversations (project_id, is_default) SELECT id, true FROM projects),
          one AS (SELECT id FROM projects WHERE company_id = $1 LIMIT 1)
     INSERT INTO conversations (project_id) SELECT id FROM one, generate_series(2, $2::integer) RETURNING project_id AS id`,
    [company_id, CONVERSATIONS],
  );
  await manager.query(
    `WITH made AS MATERIALIZED (
       SELECT i, 'company-' || i % $2::integer AS company_id, uuidv7() AS container_id FROM generate_series(1, $1::integer) i
     ), container AS (
       INSERT INTO containers (id, company_id, kind) SELECT container_id, company_id, 'deployment' FROM made
     )
     INSERT INTO deployments (company_id, name, handle, container_id) SELECT company_id, 'D ' || i, 'd-' || i, container_id FROM made`,
    [DEPLOYMENTS, COMPANIES],
  );
  // Some runs failed, are tests, belong to the scenario or have a name. A few hundred projects have a few runs each.
  await manager.query(
    `INSERT INTO executions (project_id, company_id, user_id, triggered_by, status, created_at, ended_at, due_at, is_test, name,
                             scenario_id, cards, result, error)
     SELECT project, $2, 'user-1', 'user:user-1', status, now() - (i || ' s')::interval, now(), NULL, i % 100 = 1,
            CASE WHEN i % 50 = 0 THEN 'Run ' || i END, CASE WHEN i % 100 = 3 THEN $4::uuid END, '[]',
            CASE status WHEN 'succeeded' THEN jsonb_build_object('variables', repeat('x', 1000)) END,
            CASE status WHEN 'failed' THEN '{}'::jsonb END
       FROM generate_series(1, $3::integer) i,
            LATERAL (SELECT CASE WHEN i % 100 = 2 THEN 'failed' ELSE 'succeeded' END AS status) s,
            LATERAL (SELECT $1::uuid AS project UNION ALL
                     (SELECT id FROM projects WHERE i <= 200 AND company_id = $2 AND id <> $1 ORDER BY id LIMIT 1 OFFSET i)) p`,
    [project_id, company_id, RUNS, SCENARIO],
  );
  await manager.query('VACUUM ANALYZE projects, users, conversations, deployments, executions');
}, 60_000);

/** Person whose role is looked up by the statements. */
const rights = { person_id: 'user-1', sees_all: null, access: 'write', project_ids: null } as const;
const reader = ProjectReader.of(Principal.agent(company_id, rights));

/** Returns the plans of the only statement that `work` runs: the plan for its parameters and the generic plan. */
async function plansOf(work: () => Promise<unknown>): Promise<string[]> {
  const { source } = db;
  const seen: [string, unknown[]][] = [];
  const { logger } = source;
  const listener: Partial<QueryLogger> = {
    logQuery: (statement, parameters: unknown[] = []) => void seen.push([statement, parameters]),
    logQueryError: () => undefined,
  };
  source.logger = listener as QueryLogger;
  await work();
  source.logger = logger;
  expect(seen).toHaveLength(1);
  const [[statement, parameters] = ['', []]] = seen;
  const plans = [
    await source.manager.query(`EXPLAIN (COSTS OFF) ${statement}`, parameters),
    await source.manager.query(`EXPLAIN (COSTS OFF, GENERIC_PLAN) ${statement}`),
  ] as { 'QUERY PLAN': string }[][];
  return plans.map((rows) => rows.map((row) => row['QUERY PLAN']).join('\n'));
}

/** Returns the plan without the final sort, which only processes the rows of the page. */
const belowSort = (plan: string): string => plan.replace(/^Sort\n {2}Sort Key: .*\n/, '');

describe('reads of projects', () => {
  it('use the listing index for the first page and sort only that page', async () => {
    for (const plan of await plansOf(() =>
      new ProjectViewsRepository(db.source).summaries(reader, { ...page, deleted: false }, 60),
    )) {
      expect(plan).toMatch(/Index Scan using projects_listing_idx/);
      expect(belowSort(plan)).not.toMatch(/Sort|Seq Scan on projects/);
    }
  });

  it('use the primary key for a single project', async () => {
    const id = '01234567-89ab-7def-8123-456789abcdef';
    for (const plan of await plansOf(() =>
      new ProjectViewsRepository(db.source).details(db.source.manager, reader, id).catch(() => undefined),
    )) {
      expect(plan).toMatch(/Index Scan using projects_pkey/);
      expect(plan).not.toMatch(/Seq Scan on projects/);
    }
  });
});

describe('listings with an offset', () => {
  it('use the listing index for deployments and sort only the page', async () => {
    const deployments = new DeploymentsRepository(db.source);
    for (const plan of await plansOf(() => deployments.page(company_id, page))) {
      expect(plan).toMatch(/Index Scan using deployments_listing_idx/);
      expect(belowSort(plan)).not.toMatch(/Sort|Seq Scan on deployments/);
    }
  });

  it('use an index to find the conversations of a project', async () => {
    const conversations = new ConversationsRepository(db.source);
    for (const plan of await plansOf(() => conversations.page(reader, project_id, page))) {
      // Conversations are sorted by their last change. An index on the last change would have to be updated with every
      // message.
      expect(plan).toMatch(/Index Cond: \(project_id = /);
      expect(plan).toMatch(/using conversations_walk_idx/);
      expect(plan).not.toMatch(/Seq Scan on (conversations|projects)/);
    }
  });
});

describe('listings with a cursor', () => {
  const walk = { ...page, cursor: '' };
  it.each<[string, RegExp, () => Promise<unknown>]>([
    [
      'projects',
      /Index Scan using projects_walk_idx/,
      () => new ProjectViewsRepository(db.source).summaries(reader, { ...walk, deleted: false }, 60),
    ],
    [
      'deployments',
      /Index Scan using deployments_listing_idx/,
      () => new DeploymentsRepository(db.source).page(company_id, walk),
    ],
    [
      'conversations',
      /Index Scan using conversations_walk_idx/,
      () => new ConversationsRepository(db.source).page(reader, project_id, walk),
    ],
    [
      'executions',
      /Index Scan using executions_listing_idx/,
      () => new ExecutionViewsRepository(db.source).page(reader, project_id, {}, walk),
    ],
  ])('use an index for %s and sort only the page', async (_, index, read) => {
    for (const plan of await plansOf(read)) {
      expect(plan).toMatch(index);
      expect(belowSort(plan)).not.toMatch(/Sort|Seq Scan on (projects|deployments|conversations|executions)/);
    }
  });
});

describe('run listings', () => {
  it.each([
    ['all runs', {}, 'executions_listing_idx', RUNS],
    ['failed runs', { status: 'failed' }, 'executions_status_idx', 100],
    ['test runs', { is_test: true }, 'executions_tests_idx', 100],
    ['runs of a scenario', { scenario_id: SCENARIO }, 'executions_scenario_idx', 100],
    ['runs with a name', { q: 'run 99' }, 'executions_names_idx', 2],
  ] as const)('use an index for %s and sort only the page', async (_, filter, index, total) => {
    const executions = new ExecutionViewsRepository(db.source);
    expect((await executions.page(reader, project_id, filter, page)).total).toBe(total);
    for (const plan of await plansOf(() => executions.page(reader, project_id, filter, page))) {
      expect(plan).toMatch(new RegExp(`Index (?:Only )?Scan using ${index}`));
      expect(plan).toMatch(/Index Scan using usage_ledger_source_key/);
      expect(belowSort(plan)).not.toMatch(/Sort|Seq Scan on (executions|usage_ledger)/);
    }
  });
});

it('uses indexes to claim the next solve in the queue', async () => {
  const executions = new ExecutionsRepository(db.source);
  await db.source.manager.query(
    `INSERT INTO executions (project_id, company_id, user_id, triggered_by, cards)
     SELECT p.id, p.company_id, 'user-1', 'user:user-1', '[]'
       FROM (SELECT *, row_number() OVER (PARTITION BY company_id) AS nth FROM projects) p, generate_series(1, 20)
      WHERE p.nth <= 20`,
  );
  await db.source.manager.query('UPDATE executions SET started_at = created_at WHERE ended_at IS NOT NULL');
  await db.source.manager.query('ANALYZE executions');
  for (const plan of await plansOf(() => executions.claim(SCENARIO))) {
    expect(plan).toMatch(/using executions_queued_idx/);
    expect(plan).toMatch(/using executions_company_turn_idx/);
    expect(plan).toMatch(/using executions_project_turn_idx/);
    expect(plan).not.toMatch(/Seq Scan on executions/);
  }
});
