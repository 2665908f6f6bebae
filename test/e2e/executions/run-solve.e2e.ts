import type { ProjectId } from '../../../src/database/checked-id.js';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentContext, AgentOutput } from '../../../src/agent/agent.js';
import { type Reply, ToolboxesService } from '../../../src/agent/tools/toolboxes.service.js';
import type { ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import { ExecutionCancellationsService } from '../../../src/executions/execution-cancellations.service.js';
import type { ExecutionListResponse } from '../../../src/executions/executions.dto.js';
import { DatabaseService } from '../../../src/database/database.service.js';
import { makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { hardModel } from '../../support/models.js';
import { type Script, useScriptedService } from '../../support/scripted-agent.js';
import type { Session } from '../../support/session.js';

const SMALL = 'max 3 x + 2 y st\n room: x + y <= 4\nbounds\n x <= 3\nend';

let script: Script;
const service = useScriptedService((context) => script(context));
let session: Session;
let client: Client;
let project: string;
let replies: Reply[] = [];

/** Agent that runs solves one after another. */
const solving = (...inputs: object[]): Script =>
  async function* (context: AgentContext): AsyncGenerator<AgentOutput> {
    replies = [];
    const toolbox = service.app.get(ToolboxesService).open(context);
    for (const input of inputs) replies.push(yield* toolbox.call({ tool: 'run_solve', input }));
  };
const post = (content = 'Solve it') => client.post(`/projects/${project}/chat`, { content });
const executions = () => client.get<ExecutionListResponse>(`/projects/${project}/solve/executions`);
const upload = (path: string, text: string) =>
  makeFile(client, { source: 'workspace', project_id: project }, path, text);

beforeAll(async () => {
  session = await service.session();
  ({ client } = session);
}, 30_000);
beforeEach(async () => {
  project = (await makeProject(client)).id;
});

describe('run_solve', () => {
  it('returns the result, runs at most three times in a turn, and charges the person who posted the message', async () => {
    await upload('m.lp', SMALL);
    const file = { model_file: 'm.lp' };
    script = solving({}, { model_file: 'none.lp' }, file, { ...file, is_test: true }, file);
    await post();
    const { messages } = await idle(client, project);
    expect(replies).toMatchObject([
      { ok: true, result: { status: 'failed', result: null, error: { code: 'incomplete_model' } } },
      { ok: false, error_code: 'invalid_input' },
      {
        ok: true,
        result: {
          status: 'succeeded',
          result: { objective_value: 11, variables: { x: 3, y: 1 } },
          feasibility_result: 'unchecked',
        },
      },
      { ok: true, result: { status: 'succeeded' } },
      { ok: false, error_code: 'limit_reached' },
    ]);
    const turn = messages.at(-1)?.tool_calls?.[0]?.turn_id;
    const listed = (await executions()).executions;
    expect(listed.map(({ triggered_by }) => triggered_by)).toEqual(Array(3).fill(`agent:${turn}`));
    const { rows } = await service.database.query(
      `SELECT user_id FROM usage_ledger WHERE project_id = $1 AND source_type = 'execution'`,
      [project],
    );
    expect(rows).toEqual(Array(3).fill({ user_id: session.user }));
  });

  it('cancels its running solve if its turn is stopped', async () => {
    await upload('hard.lp', hardModel());
    script = solving({ model_file: 'hard.lp' });
    await post();
    const statuses = async () => (await executions()).executions.map(({ status }) => status);
    await eventually(statuses, ([status]) => status === 'running', { until: 'the solve runs' });
    await client.post(`/projects/${project}/chat/stop`, {});
    await eventually(statuses, ([status]) => status === 'canceled', { until: 'the solve is canceled' });
    const { messages } = await client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`);
    expect(messages.at(-1)?.tool_calls).toMatchObject([{ tool: 'run_solve', status: 'failed', error_code: 'stopped' }]);
  });

  it('does not start a solve in a turn that has moved to another process', async () => {
    await upload('m.lp', SMALL);
    const solve = solving({ model_file: 'm.lp' });
    script = async function* (context) {
      yield { type: 'text', text: 'I begin.' };
      await eventually(
        async () => (await client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`)).turn.message_id,
        (id) => id !== null,
        { until: 'the text is stored' },
      );
      await service.database.query('UPDATE turns SET generation = generation + 1 WHERE id = $1', [context.turn_id]);
      yield* solve(context);
    };
    await post();
    await eventually(
      () => service.database.query(`SELECT id FROM turns WHERE project_id = $1 AND generation > 1`, [project]),
      ({ rows }) => rows.length > 0,
      { until: 'the turn has been taken away' },
    );
    await client.post(`/projects/${project}/chat/stop`, {});
    await idle(client, project);
    expect((await executions()).total).toBe(0);
  });
});

describe('scenario tools', () => {
  const calling = (...calls: [tool: string, input: object][]): Script =>
    async function* (context: AgentContext): AsyncGenerator<AgentOutput> {
      replies = [];
      const toolbox = service.app.get(ToolboxesService).open(context);
      for (const [tool, input] of calls) replies.push(yield* toolbox.call({ tool, input }));
    };
  const addCard = (card_type: string, label: string, data: object) =>
    client.post(`/projects/${project}/cards`, { card_type, label, data });

  it('create, list, solve and remove scenarios, explain failures, and count a solve of several scenarios once', async () => {
    await addCard('data', 'Figures', { values: { most: 3 } });
    await addCard('variable', 'x', { name: 'x', domain: 'continuous' });
    await addCard('objective', 'Goal', { sense: 'maximize', expression: 'x' });
    await addCard('constraint', 'Room', { expression: 'x <= most', classification: 'hard' });
    const change = (target: string) => ({ kind: 'value', target, times: 2 });
    script = calling(
      ['solve_scenarios', {}],
      ['upsert_scenario', { name: 'More', changes: [change('mist')] }],
      ['upsert_scenario', { name: 'More', changes: [{ kind: 'value', target: 'most' }] }],
      ['upsert_scenario', { name: 'More', changes: [change('most')] }],
      ['upsert_scenario', { name: 'more', changes: [change('most')], append: true }],
      ['upsert_scenario', { name: 'Free', changes: [{ kind: 'off', target: 'Room' }], description: 'No room' }],
      ['list_scenarios', {}],
      ['solve_scenarios', {}],
      ['solve_scenarios', { names: ['More', 'more'], include_base: false, is_test: true }],
      ['solve_scenarios', { names: ['none'] }],
      ['run_solve', {}],
      ['run_solve', {}],
      ['remove_scenario', { name: 'FREE' }],
      ['remove_scenario', { name: 'Free' }],
    );
    await post();
    await idle(client, project);
    const more = { name: 'More', description: null, changes: [change('most'), change('most')] };
    const free = { name: 'Free', description: 'No room', changes: [{ kind: 'off', target: 'Room' }] };
    expect(replies).toMatchObject([
      { error_code: 'not_found', error: 'There are no scenarios yet' },
      { error_code: 'invalid_input', error: 'change 1 (mist): no data card has a value called mist' },
      { error_code: 'invalid_input', error: 'change 1 (most): exactly one of `times`, `plus` and `to` is required' },
      { result: { ...more, changes: [change('most')] } },
      { result: more },
      { result: free },
      { result: { scenarios: [more, free] } },
      {
        result: {
          runs: [
            { scenario: null, outcome: 'optimal', objective_value: 3 },
            { scenario: 'More', outcome: 'optimal', objective_value: 12, difference: 9 },
            { scenario: 'Free', outcome: 'unbounded', objective_value: null },
          ],
          feasibility_result: 'pass',
        },
      },
      { result: { runs: [{ scenario: 'More', objective_value: 12 }], feasibility_result: 'pass' } },
      { error_code: 'not_found', error: 'There is no scenario "none"; the project has "More", "Free"' },
      { ok: true },
      { error_code: 'limit_reached' },
      { result: { name: 'Free' } },
      { error_code: 'not_found' },
    ]);
  });
});

it('cancels all executions of a project in a single call', async () => {
  await upload('hard.lp', hardModel());
  const body = { input_file_ids: ['hard.lp'] };
  for (let count = 0; count < 3; count += 1) await client.post(`/projects/${project}/solve/executions`, body);
  await eventually(executions, ({ executions: all }) => all.some(({ status }) => status === 'running'), {
    until: 'one runs',
  });
  await service.app.get(DatabaseService).transaction(async (tx) => {
    await tx.query('SELECT id FROM projects WHERE id = $1 FOR NO KEY UPDATE', [project]);
    await service.app.get(ExecutionCancellationsService).cancelAll(tx, project as ProjectId);
  });
  expect((await executions()).executions.map(({ status }) => status)).toEqual(Array(3).fill('canceled'));
  const { rows } = await service.database.query('SELECT active_solves FROM projects WHERE id = $1', [project]);
  expect(rows).toEqual([{ active_solves: 0 }]);
});
