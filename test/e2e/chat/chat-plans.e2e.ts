import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource, type Logger as QueryLogger } from 'typeorm';
import { TurnReaperService } from '../../../src/chat/turns/turn-reaper.service.js';
import { makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import { ScriptedService } from '../../support/scripted-agent.js';
import { makeEnvironment, removeEnvironment, type ServiceEnvironment } from '../../support/service.js';
import { EventStream } from '../../support/stream.js';

const CONVERSATIONS = 1_000;
const MESSAGES_EACH = 20;
const GROWING = ['conversations', 'messages', 'turns', 'turn_events', 'workspace_changes'];

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Index Name'?: string;
  Plans?: Plan[];
}

let environment: ServiceEnvironment;
let service: ScriptedService;
let database: pg.Client;

beforeAll(async () => {
  environment = await makeEnvironment();
  service = await ScriptedService.start(environment, async function* () {
    yield { type: 'text', text: 'One' };
    const input = { questions: [{ question: 'Sure?', options: [{ label: 'Yes' }] }] };
    yield { type: 'tool_started', id: 'ask', tool: 'ask_user_question', input };
    await Promise.resolve();
    yield { type: 'tool_completed', id: 'ask', result: null };
  });
  database = new pg.Client(environment.databaseUrl);
  await database.connect();
});

afterAll(async () => {
  await service.stop();
  await database.end();
  await removeEnvironment(environment);
});

/** Returns the distinct statements that run during `work`. */
async function statementsOf(work: () => Promise<void>): Promise<Set<string>> {
  const seen = new Set<string>();
  const source = service.app.get(DataSource);
  const { logger } = source;
  const listener: Partial<QueryLogger> = {
    logQuery: (statement) => void seen.add(statement),
    logQueryError: () => undefined,
    logQuerySlow: () => undefined,
  };
  source.logger = listener as QueryLogger;
  await work();
  source.logger = logger;
  return seen;
}

/** Statement of the reaper, which reads all active turns. */
const REAPER = /FROM turns WHERE state = '\w+' AND due_at/;
/** Statement that claims turns, which reads all waiting turns. */
const CLAIM = /WITH RECURSIVE company AS /;

/** Returns the tables that a plan scans completely, or through an index without looking up specific rows. */
function scanned(plan: Plan, queue?: string): string[] {
  const { 'Node Type': type, 'Relation Name': relation, 'Index Cond': condition, Plans = [] } = plan;
  // An `IS NULL` condition selects too few rows to count as an index look-up.
  const compares = condition !== undefined && /[<=>]/.test(condition);
  const isLookUp = compares && (plan['Index Name'] !== 'turns_pkey' || condition.startsWith('(id = '));
  const isQueue = queue !== undefined && plan['Index Name'] === queue;
  const isWhole = type === 'Seq Scan' || (/^Index (Only )?Scan/.test(type) && !isLookUp && !isQueue);
  return [...(isWhole && relation !== undefined ? [relation] : []), ...Plans.flatMap((part) => scanned(part, queue))];
}

/** Creates many conversations with history and ended turns. */
async function fill(project_id: string, company_id: string, user_id: string): Promise<void> {
  const parameters = [project_id, company_id, user_id, CONVERSATIONS, MESSAGES_EACH];
  await database.query(
    `WITH made AS (
       INSERT INTO conversations (project_id, last_sequence) SELECT $1, $5 FROM generate_series(1, $4) RETURNING id, project_id
     ), answered AS (
       INSERT INTO turns (project_id, conversation_id, company_id, user_id, state, outcome, due_at, ended_at)
       SELECT project_id, id, $2, $3, 'ended', 'completed', NULL, now() FROM made RETURNING id, conversation_id, project_id
     ), happened AS (
       INSERT INTO turn_events (turn_id, seq, type, data) SELECT id, seq, 'text.delta', '{}' FROM answered, generate_series(0, 9) seq
     ), changed AS (
       INSERT INTO workspace_changes (project_id, conversation_id, turn_id, kind, path)
       SELECT project_id, conversation_id, id, 'uploaded', 'a.csv' FROM answered
     )
     INSERT INTO messages (project_id, conversation_id, sequence, role, content, turn_id, user_id)
     SELECT project_id, conversation_id, sequence, 'user', 'Hello', id, $3 FROM answered, generate_series(1, $5) sequence`,
    parameters,
  );
  // Makes PostgreSQL estimate only 10 distinct conversations, as if a few conversations dominated its sample of turns.
  await database.query('ALTER TABLE turns ALTER COLUMN conversation_id SET (n_distinct = 10)');
  await database.query('ANALYZE conversations, messages, turns, turn_events, workspace_changes');
}

describe('chat statements', () => {
  it('avoid full scans of growing tables', async () => {
    const { client, company, user, token } = await service.session();
    const { id } = await makeProject(client);
    await fill(id, company, user);
    const statements = await statementsOf(async () => {
      const chat = `/projects/${id}/chat`;
      const stream = await EventStream.open(service.url, token, id);
      await client.post(chat, { content: 'Hello', client_msg_id: 'a' });
      const { conversation_id } = await idle(client, id);
      await client.post(chat, { content: 'Yes', conversation_id, answer: { selections: { '0': 'Yes' } } });
      await idle(client, id, { conversation_id });
      await client.get(chat, { offset: 1 });
      await stream.ended(2);
      const resumed = await EventStream.open(service.url, token, id, {
        headers: { 'last-event-id': stream.events.find((event) => event.id !== undefined)?.id ?? '' },
      });
      await resumed.ended(2);
      stream.close();
      resumed.close();
      await service.app.get(TurnReaperService).recover();
    });

    const checked = [];
    for (const statement of statements) {
      if (!GROWING.some((table) => statement.includes(table)) || REAPER.test(statement)) continue;
      // Requests the generic plan, which the service forces for its prepared statements.
      const { rows } = await database.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `EXPLAIN (FORMAT JSON, GENERIC_PLAN) ${statement}`,
      );
      const queue = CLAIM.test(statement) ? 'turns_waiting_idx' : undefined;
      const tables = rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => scanned(Plan, queue)));
      checked.push({ statement, scanned: tables.filter((table) => GROWING.includes(table)) });
    }
    expect(checked.filter(({ scanned: tables }) => tables.length > 0)).toEqual([]);
    // More than 20 statements use a growing table. With a smaller count, the test has missed some of them.
    expect(checked.length).toBeGreaterThan(20);
  });
});
