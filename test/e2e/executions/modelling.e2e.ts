import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { ChatMessageResponse } from '../../../src/chat/messages/message.dto.js';
import type { ExecutionListResponse } from '../../../src/executions/executions.dto.js';
import type { TableResponse } from '../../../src/tables/table.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { useSharedService } from '../../support/service.js';

type Message = Wire<ChatMessageResponse>;

interface Question {
  question: string;
  options: { label: string }[];
}

/** Line on the page. The user writes it or chooses it from options, or the guide writes it. */
interface Line {
  by: 'you' | 'you choose' | 'guide';
  text: string;
}

const service = useSharedService();
const page = new URL('../../../docs/modelling.md', import.meta.url);

/** Returns the conversations on the page by heading. */
async function readPage(): Promise<Map<string, Line[]>> {
  const sections = (await readFile(page, 'utf8')).split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const blocks = section.matchAll(/^```(?<by>you|you choose|guide)\n(?<text>.*?)\n?^```$/gms);
      const lines = Array.from(blocks, ({ groups }) => groups as unknown as Line);
      return [section.slice(0, section.indexOf('\n')), lines];
    }),
  );
}

/** Uploads the files of a section. */
async function makeFiles(client: Client, project_id: string, heading: string): Promise<void> {
  const sections = (await readFile(page, 'utf8')).split(/^## /m);
  const section = sections.find((one) => one.startsWith(`${heading}\n`)) ?? '';
  for (const [, path = '', content = ''] of section.matchAll(/^```csv (\S+)\n(.*?)^```$/gms))
    await makeFile(client, { source: 'workspace', project_id }, path, content);
}

/** Returns a message from the guide as shown on the page: the text, then the question with its options. */
function shown({ content, tool_calls }: Message): string {
  const asked = tool_calls?.find(({ tool }) => tool === 'ask_user_question');
  const [question] = (asked?.input as { questions: Question[] } | undefined)?.questions ?? [];
  const options = question?.options.map(({ label }) => `( ) ${label}`) ?? [];
  // The page omits execution ids.
  const text = content.trim().replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…');
  return [text, ...(question === undefined ? [] : [[question.question, ...options].join('\n')])].join('\n\n');
}

/** Posts the user's lines from the page and checks that the guide answers with its lines word for word. */
async function hold(client: Client, project: string, lines: Line[]): Promise<Message[]> {
  expect(lines.length).toBeGreaterThan(1);
  for (const { by, text } of lines) {
    if (by === 'guide') {
      const newest = (await idle(client, project)).messages.at(-1);
      expect(newest === undefined ? '' : shown(newest)).toBe(text);
    } else {
      const body =
        by === 'you' ? { content: text } : { content: '', answer: { selections: { '0': text.split('\n') } } };
      await client.post(`/projects/${project}/chat`, body);
    }
  }
  return (await idle(client, project)).messages;
}

it('solves a model that was written as statements, and explains a conflict, as in docs/modelling.md', async () => {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  const conversations = await readPage();
  const completeness = async () => (await client.get<ProjectResponse>(`/projects/${id}`)).completeness;
  const latest = async () => {
    const { executions } = await client.get<ExecutionListResponse>(`/projects/${id}/solve/executions`);
    return await client.get<Record<string, unknown>>(`/projects/${id}/solve/executions/${executions[0]?.id}`);
  };

  await hold(client, id, conversations.get('A whole conversation') ?? []);
  expect(await completeness()).toEqual({
    all_constraints_classified: true,
    all_variables_provided: true,
    data_available: true,
    kpis_defined: true,
    objective_drafted: true,
    objectives_defined: true,
    production_requirements_defined: true,
    feasibility_result: 'pass',
    overall: 'complete',
  });
  expect(await latest()).toMatchObject({
    status: 'succeeded',
    triggered_by: expect.stringMatching(/^agent:/),
    result: { status: 'optimal', objective_value: 550, variables: { chairs: 10, tables: 5 } },
  });

  const [orders = [], repair = []] = [[0, 2] as const, [2, 4] as const].map(([from, to]) =>
    conversations.get('When nothing fits')?.slice(from, to),
  );
  await hold(client, id, orders);
  expect(await completeness()).toMatchObject({ feasibility_result: 'fail', overall: 'incomplete' });
  expect(await latest()).toMatchObject({
    status: 'succeeded',
    result: { status: 'infeasible', conflict: expect.arrayContaining(['Wood', 'Orders']) },
  });
  await hold(client, id, repair);
  expect(await completeness()).toMatchObject({ feasibility_result: 'pass', overall: 'complete' });
  expect(await latest()).toMatchObject({ result: { objective_value: 240, variables: { chairs: 18, tables: 0 } } });
});

it('solves a model with data files, as in docs/modelling.md', async () => {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  await makeFiles(client, id, 'Data in files');
  const conversations = await readPage();
  await hold(client, id, conversations.get('Data in files') ?? []);
  const { completeness } = await client.get<ProjectResponse>(`/projects/${id}`);
  expect(completeness).toMatchObject({ feasibility_result: 'pass', overall: 'complete' });
});

it('solves a model with a wide table, as in docs/modelling.md', async () => {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  await makeFiles(client, id, 'Wide tables');
  const conversations = await readPage();
  await hold(client, id, conversations.get('Wide tables') ?? []);
  const { completeness } = await client.get<ProjectResponse>(`/projects/${id}`);
  expect(completeness).toMatchObject({ feasibility_result: 'pass', overall: 'complete' });
});

it('solves a model that spans several weeks and writes its result tables, as in docs/modelling.md', async () => {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  const conversations = await readPage();
  await hold(client, id, conversations.get('What repeats') ?? []);
  const { executions } = await client.get<ExecutionListResponse>(`/projects/${id}/solve/executions`);
  const execution = executions[0]?.id;
  expect(await client.get(`/projects/${id}/solve/executions/${execution}`)).toMatchObject({
    result: {
      status: 'optimal',
      objective_value: 450,
      variables: { make: 145, stock: 15 },
      constraints: [{ name: 'Balance[1]', slack: 0 }],
      table_paths: [
        `results/${execution}/make.csv`,
        `results/${execution}/stock.csv`,
        `results/${execution}/constraints.csv`,
      ],
    },
  });
  const table = async (name: string) =>
    (
      await client.post<TableResponse>('/files/table', {
        source: 'workspace',
        project_id: id,
        path: `results/${execution}/${name}.csv`,
      })
    ).rows;
  expect(await table('make')).toEqual([
    [1, 35, null],
    [2, 40, null],
    [3, 30, null],
    [4, 40, null],
  ]);
  expect(await table('stock')).toEqual([
    [1, 5, null],
    [2, 0, null],
    [3, 10, null],
    [4, 0, null],
  ]);
  expect((await table('constraints'))[1]).toEqual(['Balance', 2, -45, 0, null]);
});

it.each(['Goals', 'If you know AMPL, GAMS or Pyomo'])(
  'solves the model in the section %s of docs/modelling.md',
  async (heading) => {
    const { client } = await service.session();
    const { id } = await makeProject(client);
    const conversations = await readPage();
    await hold(client, id, conversations.get(heading) ?? []);
    const { executions } = await client.get<ExecutionListResponse>(`/projects/${id}/solve/executions`);
    expect(await client.get(`/projects/${id}/solve/executions/${executions[0]?.id}`)).toMatchObject({
      result: { status: 'optimal', objective_value: 550 },
    });
  },
);

it('proposes statements for sentences, as in docs/modelling.md', async () => {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  const conversations = await readPage();
  await hold(client, id, conversations.get('Plain words') ?? []);
});

it('solves a model with minimum orders, as in docs/modelling.md', async () => {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  const conversations = await readPage();
  await hold(client, id, conversations.get('Zero, or at least an amount') ?? []);
  const { executions } = await client.get<ExecutionListResponse>(`/projects/${id}/solve/executions`);
  expect(await client.get(`/projects/${id}/solve/executions/${executions[0]?.id}`)).toMatchObject({
    model: { variables: 2, integer_variables: 0, constraints: 1, terms: 2, helpers: 2 },
    result: {
      status: 'optimal',
      objective_value: 450,
      variables: { oak: 180, pine: 30 },
      message: null,
      notes: [expect.stringContaining('There are no shadow prices')],
    },
  });
});

it('solves a model with computed numbers, as in docs/modelling.md', async () => {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  const conversations = await readPage();
  await hold(client, id, conversations.get('Computed numbers') ?? []);
  const { executions } = await client.get<ExecutionListResponse>(`/projects/${id}/solve/executions`);
  expect(await client.get(`/projects/${id}/solve/executions/${executions[0]?.id}`)).toMatchObject({
    model: { variables: 3, constraints: 1 },
    result: { status: 'optimal', objective_value: 3760 },
  });
});

it('solves a model with sets from other sets, as in docs/modelling.md', async () => {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  const conversations = await readPage();
  await hold(client, id, conversations.get('Sets from other sets') ?? []);
  const { executions } = await client.get<ExecutionListResponse>(`/projects/${id}/solve/executions`);
  expect(await client.get(`/projects/${id}/solve/executions/${executions[0]?.id}`)).toMatchObject({
    model: { variables: 4, constraints: 2 },
    result: { status: 'optimal', objective_value: 2550 },
  });
});

it('reads the columns that only a subset, a penalty or a limit uses', async () => {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  const rows = [
    'from,to,km,most,price,kind',
    'a,u,50,4,1,road',
    'a,v,150,,2,road',
    'b,v,80,,3,road',
    'b,u,20,9,3,rail',
  ];
  await makeFile(client, { source: 'workspace', project_id: id }, 'lanes.csv', rows.join('\n'));
  const lines = [
    'lanes from lanes.csv key from, to',
    'near in lanes where km[o, d] <= 100 and kind[o, d] = "road"',
    'ship[o, d] continuous for (o, d) in near',
    'Most: ship[o, d] <= most[o, d] for (o, d) in near, hard',
    'Least: ship[o, d] >= 10 for (o, d) in near, soft, penalty price[o, d]',
    'Total: sum (o, d) in near: ship[o, d] <= 12, hard',
    'minimize cost: 0 ship["a", "u"]',
    'kpi: none; requirement: none; confirm; solve',
  ];
  await client.post(`/projects/${id}/chat`, { content: lines.join('\n') });
  await idle(client, id);
  const { executions } = await client.get<ExecutionListResponse>(`/projects/${id}/solve/executions`);
  expect(await client.get(`/projects/${id}/solve/executions/${executions[0]?.id}`)).toMatchObject({
    model: { variables: 2, constraints: 4 },
    result: { status: 'optimal', objective_value: 8, variables: { ship: 12 } },
  });
});

it('solves a model with constraints under a condition, as in docs/modelling.md', async () => {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  const conversations = await readPage();
  await hold(client, id, conversations.get('Constraints under a condition') ?? []);
  const { executions } = await client.get<ExecutionListResponse>(`/projects/${id}/solve/executions`);
  expect(await client.get(`/projects/${id}/solve/executions/${executions[0]?.id}`)).toMatchObject({
    model: { variables: 4, constraints: 3 },
    result: { status: 'optimal', objective_value: 40 },
  });
});

it('solves objectives by priority, as in docs/modelling.md', async () => {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  const conversations = await readPage();
  await hold(client, id, conversations.get('Objectives by priority') ?? []);
  const path = `/projects/${id}/solve/executions`;
  const { executions } = await client.get<ExecutionListResponse>(path);
  expect(await client.get(`${path}/${executions[0]?.id}`)).toMatchObject({
    objective_value: 9,
    result: {
      status: 'optimal',
      objective_value: 9,
      bound: 12,
      message: null,
      objectives: [
        { label: 'service', sense: 'maximize', value: 9, priority: 1 },
        { label: 'cost', sense: 'minimize', value: 9, priority: 2 },
      ],
      notes: [expect.stringContaining('There are no shadow prices')],
    },
  });
  const { lines } = await client.get<{ lines: string[] }>(`${path}/${executions[0]?.id}/log`);
  expect(lines).toContain('Searching the best plan for priority 2');
  expect((await client.get<ProjectResponse>(`/projects/${id}`)).objective_type).toBe('priorities');
});

it('returns the same solution for a model in statements and for a model file', async () => {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  const lp = 'Minimize\n cost: 4 a + 3 b\nSubject To\n need: 2 a + b >= 7\n ratio: a - b <= 1\nGeneral\n a b\nEnd\n';
  const file = await makeFile(client, { source: 'workspace', project_id: id }, 'small.lp', lp);
  const words =
    'Minimise cost = price*a + 3b; need: 2a + b ≥ 7; ratio: a ≤ b + 1; all constraints are hard; a, b integer';
  await client.post(`/projects/${id}/chat`, { content: `${words}\nprice = 4\nsolve` });
  await idle(client, id);
  const path = `/projects/${id}/solve/executions`;
  await client.post(path, { input_file_ids: [file.id] });
  const { executions } = await eventually(
    () => client.get<ExecutionListResponse>(path),
    ({ executions: all }) => all.length === 2 && all.every(({ status }) => status === 'succeeded'),
    { until: 'both are solved' },
  );
  const results = await Promise.all(executions.map((one) => client.get<{ result: object }>(`${path}/${one.id}`)));
  for (const { result } of results) {
    expect(result).toMatchObject({ objective_value: 17, variables: { a: 2, b: 3 } });
  }
});
