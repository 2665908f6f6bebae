import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentContext, AgentOutput } from '../../../src/agent/agent.js';
import { type Call, type Reply, ToolboxesService } from '../../../src/agent/tools/toolboxes.service.js';
import type { ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import { TurnReaperService } from '../../../src/chat/turns/turn-reaper.service.js';
import type { FileListResponse } from '../../../src/files/files.dto.js';
import type { CardListResponse } from '../../../src/projects/canvas/canvas.dto.js';
import { makeDeployment, makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { docxParts, makeArchive, makePdf, paragraph, pdfObjects, shown, xlsxParts } from '../../support/documents.js';
import { eventually } from '../../support/eventually.js';
import { type Script, useScriptedService } from '../../support/scripted-agent.js';

let script: Script;
const service = useScriptedService((context) => script(context));
let client: Client;
let project: string;

beforeAll(async () => {
  client = (await service.session()).client;
}, 30_000);
beforeEach(async () => {
  project = (await makeProject(client)).id;
});

/** Results of the calls in the last turn. */
let replies: Reply[] = [];

/** Agent that makes these calls in order. A call may depend on the results of earlier calls. */
const making = (...calls: (Call | ((replies: Reply[]) => Call))[]): Script =>
  async function* (context: AgentContext): AsyncGenerator<AgentOutput> {
    replies = [];
    const toolbox = service.app.get(ToolboxesService).open(context);
    for (const call of calls) replies.push(yield* toolbox.call(typeof call === 'function' ? call(replies) : call));
  };

const post = (content: string) => client.post(`/projects/${project}/chat`, { content });
async function play(calls: Parameters<typeof making>, content = 'Go on'): Promise<Wire<ConversationSyncResponse>> {
  script = making(...calls);
  await post(content);
  return await idle(client, project);
}
const results = (): unknown[] => replies.map((reply) => (reply.ok ? reply.result : reply.error_code));
const cards = async () => (await client.get<CardListResponse>(`/projects/${project}/cards`)).cards;
const upload = (path: string, content: string | Uint8Array) =>
  makeFile(client, { source: 'workspace', project_id: project }, path, content);
const files = async () => {
  const place = { source: 'workspace', project_id: project, recursive: true };
  return (await client.post<FileListResponse>('/files/list', place)).entries;
};

describe('table tools', () => {
  it('describe and query a table in the dialect given in the call', async () => {
    await upload('plan.csv', 'Plan\n\nitem;price\noak;1.250\npine;2.500\nTotal;3.750\n');
    const plan = { path: 'plan.csv', dialect: { decimal: '.' } };
    const wrong = { path: 'plan.csv', dialect: { header: false, header_row: 3 } };
    await play([
      { tool: 'describe_table', input: { path: 'plan.csv' } },
      { tool: 'query_tables', input: { tables: { plan }, sql: 'SELECT sum(price) FROM plan' } },
      { tool: 'describe_table', input: { path: 'plan.csv', dialect: { last_row: 99 } } },
      { tool: 'describe_table', input: wrong },
    ]);
    expect(results()).toMatchObject([
      {
        total: 2,
        dialect: { header_row: 3, uncertain: ['decimal'] },
        left_out: [{ kind: 'title' }, { kind: 'total' }],
      },
      { rows: [[3.75]] },
      'invalid_dialect',
      'invalid_input',
    ]);
  });

  it('describe columns by their unique names even if headers are repeated or missing', async () => {
    await upload('doubled.csv', 'item,,item\noak,1,2\n');
    await upload('bare.csv', '1.5,2.5\n3.5,4.5\n');
    await play(['doubled.csv', 'bare.csv'].map((path) => ({ tool: 'describe_table', input: { path } })));
    const column = (name: string, type: string, distinct: number) => ({ name, type, nulls: 0, distinct });
    expect(results().map((result) => (result as { columns: object[] }).columns)).toEqual([
      [column('item', 'text', 1), column('column_2', 'integer', 1), column('item_2', 'integer', 1)],
      [column('column_1', 'number', 2), column('column_2', 'number', 2)],
    ]);
  });
});

describe('file tools', () => {
  it('list files in pages and read text in parts without splitting a character', async () => {
    const text = '\u20ac'.repeat(15_000);
    await upload('long.txt', text);
    await upload('in/a.csv', 'a');
    await upload('picture.png', new Uint8Array([137, 80, 0, 1]));
    await upload('latin.txt', new Uint8Array([0x67, 0x72, 0xf6, 0xdf]));
    const part = (offset: number): Call => ({ tool: 'read_file', input: { path: 'long.txt', offset } });
    const next = (from: Reply[]): number =>
      (from.at(-1) as Extract<Reply, { ok: true }> & { result: { next_offset: number } }).result.next_offset;
    await play([
      part(0),
      (from) => part(next(from)),
      part(1),
      { tool: 'read_file', input: { path: 'picture.png' } },
      { tool: 'read_file', input: { path: 'latin.txt' } },
      { tool: 'read_file', input: { path: 'nothing.txt' } },
      { tool: 'list_files', input: {} },
      { tool: 'list_files', input: { directory: 'nowhere' } },
    ]);
    const [first, second, inside, ...rest] = results() as { text: string; next_offset: number | null }[];
    expect([first?.text, second?.text].join('')).toBe(text);
    expect(second?.next_offset).toBeNull();
    expect(inside?.text).toMatch(/^\u20ac+$/);
    expect(rest).toEqual([
      'not_text',
      'not_text',
      'not_found',
      {
        directories: ['in'],
        files: ['latin.txt', 'long.txt', 'picture.png'].map((path) =>
          expect.objectContaining({ path, source: 'upload' }),
        ),
        total: 4,
        next_offset: null,
      },
      'not_found',
    ]);
  });

  it('read the text of documents by page, by sheet and in parts', async () => {
    const words = 'Öfen und Stühle '.repeat(3_000);
    const pages = ['First page', 'Second page', 'Third page'].map((line) => shown([[line]]));
    await upload('report.pdf', makePdf(pdfObjects(pages)));
    await upload('scan.pdf', makePdf(pdfObjects(['0 0 9 9 re f'])));
    await upload('long.docx', makeArchive(docxParts(paragraph(words))));
    await upload('costs.xlsx', makeArchive(xlsxParts({ Costs: [['Öl', 1]], Lanes: [['a', 'b']] })));
    await upload('broken.docx', 'no archive');
    await upload('plain.txt', 'plain');
    const reading = (path: string, more = {}): Call => ({ tool: 'read_file', input: { path, ...more } });
    await play([
      reading('report.pdf', { pages: '2-3' }),
      reading('report.pdf', { pages: '1' }),
      reading('report.pdf', { pages: '4' }),
      reading('report.pdf', { pages: '3-2' }),
      reading('scan.pdf'),
      reading('costs.xlsx', { sheet: 'Lanes' }),
      reading('costs.xlsx', { sheet: 'None' }),
      reading('broken.docx'),
      reading('plain.txt', { pages: '1' }),
      reading('long.docx'),
      (from) =>
        reading('long.docx', { offset: (from.at(-1) as { result: { next_offset: number } }).result.next_offset }),
    ]);
    const [range, page, beyond, wrong, scan, sheet, unknown, broken, plain, first, second] = results();
    expect(range).toMatchObject({
      text: '--- page 2 ---\nSecond page\n--- page 3 ---\nThird page\n',
      next_offset: null,
      pages: 3,
    });
    expect(page).toMatchObject({ text: '--- page 1 ---\nFirst page\n' });
    expect(scan).toMatchObject({ text: '', pages: 1, note: expect.stringContaining('no text') });
    expect(sheet).toMatchObject({ text: '--- sheet Lanes ---\na\tb\n', sheets: ['Costs', 'Lanes'] });
    expect([beyond, wrong, unknown, broken, plain]).toEqual([
      'unreadable',
      'invalid_input',
      'unknown_sheet',
      'unreadable',
      'invalid_input',
    ]);
    const parts = [first, second] as { text: string; next_offset: number | null }[];
    expect(parts.map(({ text }) => text).join('')).toBe(`${words}\n`);
    expect(parts[1]?.next_offset).toBeNull();
  });

  it('write the agent’s files and overwrite people’s files only if a message names them', async () => {
    await upload('mine.csv', 'mine');
    const write = (path: string, content: string): Call => ({ tool: 'write_file', input: { path, content } });
    await play([write('new/plan.md', 'x'.repeat(5_000)), write('new/plan.md', 'short'), write('mine.csv', 'theirs')]);
    expect(results()).toEqual([
      { path: 'new/plan.md', size: 5_000, replaced: false },
      { path: 'new/plan.md', size: 5, replaced: true },
      'forbidden',
    ]);
    const { messages } = await client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`);
    const [long, , refused] = messages.at(-1)?.tool_calls ?? [];
    expect(long?.input).toEqual({ path: 'new/plan.md', content: 'x'.repeat(2_000), content_cut: true });
    expect(refused).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('uploaded by a user'),
      error_code: 'forbidden',
      error_details: { path: 'mine.csv' },
    });
    expect((await files()).map(({ path, source, size }) => [path, source, size])).toEqual([
      ['mine.csv', 'upload', 4],
      ['new/plan.md', 'agent', 5],
    ]);
    await play([write('mine.csv', 'as told')], 'Put the totals into mine.csv, please');
    expect(results()).toEqual([{ path: 'mine.csv', size: 7, replaced: true }]);
    await play([write('mine.csv', 'again')]);
    expect(results()).toEqual(['forbidden']);
  });

  it('read the skills mounted for the turn', async () => {
    const skills = { rules: { 'SKILL.md': 'Ten hours.', 'more/table.md': 'A table.' } };
    const { handle } = await makeDeployment(client, { skills });
    project = (await makeProject(client, { from_deployment: handle })).id;
    const read = (skill: string, file?: string): Call => ({ tool: 'read_skill', input: { skill, file } });
    await play([read('rules'), read('rules', 'more/table.md'), read('rules', 'none'), read('others')]);
    expect(results()).toMatchObject([{ text: 'Ten hours.' }, { text: 'A table.' }, 'not_found', 'not_found']);
  });
});

describe('card tools', () => {
  it('create, change and remove cards, and list them in the message', async () => {
    const card = (label: string, data: object, more: object = {}): Call => ({
      tool: 'upsert_card',
      input: { card_type: 'variable', label, data, ...more },
    });
    const idOf = (from: Reply[]): string => (from[0] as unknown as { result: { card_id: string } }).result.card_id;
    const { messages } = await play([
      card('Chairs', { name: 'x' }),
      card('chairs', { domain: 'integer' }),
      card('Tables', { name: 'x', domain: 'integer' }),
      (from) => ({ tool: 'upsert_card', input: { card_id: idOf(from), data: { unit: 'pieces' }, version: 1 } }),
      (from) => ({ tool: 'remove_card', input: { card_id: idOf(from) } }),
      (from) => ({ tool: 'remove_card', input: { card_id: idOf(from) } }),
      { tool: 'upsert_card', input: { label: 'No type' } },
    ]);
    expect(results()).toMatchObject([
      { version: 1, status: 'complete', checklist: { all_variables_provided: true } },
      { version: 2, status: 'complete', checklist: { all_variables_provided: true } },
      { version: 1, status: 'needs_input', gaps: [expect.anything(), { field: 'name' }] },
      'conflict',
      { label: 'chairs' },
      'not_found',
      'invalid_input',
    ]);
    const [left, ...others] = await cards();
    // The remaining card is validated without the removed card.
    expect([left?.label, left?.status, others]).toEqual(['Tables', 'complete', []]);
    const removed = (replies[0] as unknown as { result: { card_id: string } }).result.card_id;
    expect(messages.at(-1)?.affected_card_ids).toEqual([removed, left?.id]);
  });
});

describe('a change made by a tool', () => {
  it('is not applied if the turn has moved to another process', async () => {
    const call: Call = { tool: 'upsert_card', input: { card_type: 'kpi', label: 'Late' } };
    let turn = '';
    script = async function* (context: AgentContext): AsyncGenerator<AgentOutput> {
      turn = context.turn_id;
      for await (const output of service.app.get(ToolboxesService).open(context).call(call)) {
        if (output.type === 'tool_effect') {
          await service.database.query('UPDATE turns SET generation = generation + 1 WHERE id = $1', [turn]);
        }
        yield output;
      }
    };
    await post('Go on');
    const read = () => client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`);
    await eventually(read, ({ messages }) => messages.at(-1)?.tool_calls?.length === 1, { until: 'the call runs' });
    await service.database.query(`UPDATE turns SET due_at = now() - interval '1 s' WHERE id = $1`, [turn]);
    await eventually(
      async () => {
        await service.app.get(TurnReaperService).recover();
        return await read();
      },
      (sync) => sync.turn.state === 'idle',
      { until: 'the turn is ended by another process' },
    );
    const { messages } = await read();
    expect(messages.find(({ role }) => role === 'assistant')?.tool_calls).toMatchObject([
      { status: 'failed', error_code: 'interrupted' },
    ]);
    expect(await cards()).toEqual([]);
  });

  it('is rolled back if its call fails, and is applied once if its transaction is retried', async () => {
    const { messages } = await play([
      { tool: 'write_file', input: { path: 'a', content: '1' } },
      { tool: 'write_file', input: { path: 'a/b', content: '2' } },
    ]);
    expect(messages.at(-1)?.tool_calls?.map(({ status }) => status)).toEqual(['completed', 'failed']);
    expect((await files()).map(({ path }) => path)).toEqual(['a']);
    const call: Call = { tool: 'upsert_card', input: { card_type: 'kpi', label: 'Once' } };
    let runs = 0;
    script = async function* (context: AgentContext): AsyncGenerator<AgentOutput> {
      for await (const output of service.app.get(ToolboxesService).open(context).call(call)) {
        if (output.type !== 'tool_effect') yield output;
        else {
          yield {
            ...output,
            apply: async (tx, locked) => {
              const events = await output.apply(tx, locked);
              runs += 1;
              if (runs === 1) await tx.query("DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$");
              return events;
            },
          };
        }
      }
    };
    await post('Once more');
    const after = await idle(client, project);
    expect([runs, (await cards()).map(({ label, version }) => [label, version])]).toEqual([2, [['Once', 1]]]);
    expect(after.messages.at(-1)?.tool_calls?.map(({ status }) => status)).toEqual(['completed']);
  });

  it('stays within its project while turns run in six projects in parallel', async () => {
    const projects = await Promise.all(Array.from({ length: 6 }, async () => (await makeProject(client)).id));
    script = (context) =>
      making({ tool: 'write_file', input: { path: 'own.txt', content: context.project_id } })(context);
    await Promise.all(projects.map((id) => client.post(`/projects/${id}/chat`, { content: 'Write' })));
    await Promise.all(projects.map((id) => idle(client, id)));
    const texts = projects.map((project_id) =>
      client.post('/files/content', { source: 'workspace', project_id, path: 'own.txt' }),
    );
    expect(await Promise.all(texts)).toMatchObject(projects.map((text) => ({ text })));
  });
});
