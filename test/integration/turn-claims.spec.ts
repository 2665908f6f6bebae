import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { TurnsRepository } from '../../src/chat/turns/turns.repository.js';
import { CLAIM } from '../../src/chat/turns/turns.sql.js';
import { useDatabase } from '../support/database.js';

const db = useDatabase();

/**
 * Adds dispatched turns for a company, each in a separate conversation. They are older than all turns that are added
 * later.
 */
const dispatch = async (company: string, count: number): Promise<void> => {
  await db.source.manager.query(
    `WITH company AS (INSERT INTO companies (id) VALUES ($1) ON CONFLICT DO NOTHING),
          author AS (
            INSERT INTO users (company_id, id, display_name) VALUES ($1, 'u', 'U') ON CONFLICT DO NOTHING
          ), place AS MATERIALIZED (SELECT uuidv7() AS workspace, uuidv7() AS config, uuidv7() AS skills),
          container AS (
            INSERT INTO containers (id, company_id, kind)
            SELECT c.id, $1, c.kind FROM place,
                   LATERAL (VALUES (workspace, 'workspace'), (config, 'agent_config'), (skills, 'project_skills')) c (id, kind)
          ), project AS (
            INSERT INTO projects (company_id, name, workspace_id, agent_config_id, project_skills_id, created_by)
            SELECT $1, 'P', workspace, config, skills, 'u' FROM place RETURNING id
          ), conversation AS (
            INSERT INTO conversations (project_id) SELECT id FROM project, generate_series(1, $2::integer) RETURNING id, project_id
          )
     INSERT INTO turns (conversation_id, project_id, company_id, user_id) SELECT id, project_id, $1, 'u' FROM conversation`,
    [company, count],
  );
};

const claim = async (
  turns: number,
  { ofCompany = turns, running = {} }: { ofCompany?: number; running?: Record<string, number> } = {},
): Promise<{ companies: Record<string, number>; moreWait: boolean; someLocked: boolean }> => {
  const repository = new TurnsRepository(db.source);
  const room = { turns, ofCompany, running: new Map(Object.entries(running)) };
  const { turns: claimed, ...rest } = await repository.claim(randomUUID(), 'guide', room);
  const companies: Record<string, number> = {};
  for (const { company_id } of claimed) companies[company_id] = (companies[company_id] ?? 0) + 1;
  return { companies, ...rest };
};

beforeEach(async () => {
  await db.source.manager.query(
    `UPDATE turns SET state = 'ended', outcome = 'stopped', owner = NULL, due_at = NULL, ended_at = now()`,
  );
});

describe('claiming turns', () => {
  it('alternates between companies, even if one of them has many older turns', async () => {
    await dispatch('many', 115);
    await dispatch('few', 3);
    await dispatch('one', 1);
    expect((await claim(10)).companies).toEqual({ many: 6, few: 3, one: 1 });
  });

  it('starts with the companies that have the fewest running turns', async () => {
    await dispatch('many', 10);
    await dispatch('few', 2);
    expect((await claim(3, { ofCompany: 10, running: { many: 5 } })).companies).toEqual({ few: 2, many: 1 });
  });

  it.each([
    [{}, 5],
    [{ many: 3 }, 2],
    [{ many: 5 }, 0],
    [{ many: 7 }, 0],
    [{ other: 5 }, 5],
  ])('leaves slots for other companies if the numbers of running turns are %j', async (running, taken) => {
    await dispatch('many', 10);
    expect(await claim(8, { ofCompany: 5, running })).toEqual({
      companies: taken === 0 ? {} : { many: taken },
      moreWait: true,
      someLocked: false,
    });
  });

  it('starts with the oldest turn of a company', async () => {
    await dispatch('many', 4);
    await db.source.manager.query(
      `UPDATE turns SET created_at = created_at - interval '1 h' WHERE id = (SELECT max(id::text)::uuid FROM turns)`,
    );
    const [newest] = await db.source.manager.query<[{ id: string }]>(`SELECT max(id::text) AS id FROM turns`);
    const room = { turns: 1, ofCompany: 1, running: new Map() };
    const { turns } = await new TurnsRepository(db.source).claim(randomUUID(), 'guide', room);
    expect(turns.map(({ id }) => id)).toEqual([newest.id]);
  });

  it('reads few database blocks, regardless of how many turns are waiting', async () => {
    for (const company of ['a', 'b', 'c']) await dispatch(company, 2_000);
    const rows = await db.source.manager.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }[]>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${CLAIM}`,
      [randomUUID(), 'guide', 8, ['a'], [2], 4],
    );
    const { Plan } = rows[0]!['QUERY PLAN'][0];
    expect(Plan['Actual Rows']).toBe(8);
    expect(Plan['Shared Hit Blocks']).toBeLessThan(1_000);
  });

  it('skips locked conversations and reports that their turns can be claimed later', async () => {
    await dispatch('many', 3);
    await db.database.transaction(async (tx) => {
      await tx.query(
        `SELECT FROM conversations c WHERE id IN (SELECT conversation_id FROM turns WHERE state = 'dispatched' LIMIT 2) FOR UPDATE`,
      );
      expect(await claim(3)).toEqual({ companies: { many: 1 }, moreWait: true, someLocked: true });
    });
    expect(await claim(1)).toEqual({ companies: { many: 1 }, moreWait: true, someLocked: false });
    expect(await claim(3)).toEqual({ companies: { many: 1 }, moreWait: false, someLocked: false });
    expect(await claim(3)).toEqual({ companies: {}, moreWait: false, someLocked: false });
  });
});
