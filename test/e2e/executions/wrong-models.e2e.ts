import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { CardListResponse, CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { useSharedService } from '../../support/service.js';
import { CANVAS, CARDS, FILES, REQUESTS, SOLVES, STATEMENTS, UNREAD, WORKSPACE } from './wrong-models.table.js';

type Card = Wire<CardResponse>;

/** Maximum number of statements that a response quotes. */
const QUOTED = 5;

const service = useSharedService();
let client: Client;
let id: string;
/** Canvas without any problems. */
let canvas: Card[];

const cards = async (): Promise<Card[]> => (await client.get<CardListResponse>(`/projects/${id}/cards`)).cards;
const add = async (card_type: string, data: object, label = 'Wrong'): Promise<Card> =>
  await client.post<CardResponse>(`/projects/${id}/cards`, { card_type, label, data });
const remove = async (card: Card): Promise<void> => {
  await client.delete(`/projects/${id}/cards/${card.id}`);
};
const put = async (path: string, content: string | Uint8Array): Promise<void> => {
  await makeFile(client, { source: 'workspace', project_id: id }, path, content);
};
const told = ({ gaps }: Card): string[] =>
  gaps.map(({ severity, field, message }) => `${severity} ${field}: ${message}`);

/** Returns the changed gaps on all other cards by label, and checks that nothing else has changed in these cards. */
async function changedBeside(card?: Card): Promise<Record<string, string[]>> {
  const now = (await cards()).filter((one) => one.id !== card?.id);
  const plain = (one: Card) => ({ ...one, gaps: [], status: '' });
  expect(now.map(plain)).toEqual(canvas.map(plain));
  const changed = now.filter((one, at) => JSON.stringify(one) !== JSON.stringify(canvas[at]));
  return Object.fromEntries(changed.map((one) => [one.label, told(one)]));
}

beforeAll(async () => {
  ({ client } = await service.session());
  ({ id } = await makeProject(client));
  for (const [path, content] of Object.entries(WORKSPACE)) await put(path, content);
  for (const [label, card_type, data] of CANVAS) await add(card_type, data, label);
  canvas = await eventually(cards, (all) => all.every((card) => told(card).length === 0), {
    until: 'nothing is wrong with the canvas',
  });
});

it('checks more than 120 invalid inputs', () => {
  const tables = [CARDS, FILES, STATEMENTS, UNREAD, SOLVES, REQUESTS];
  expect(tables.flatMap((table) => Object.keys(table)).length).toBeGreaterThan(120);
});

describe('a card', () => {
  it.each(Object.entries(CARDS))('has gaps that report %s', async (_, { card_type, data, gaps, others = {} }) => {
    const card = await add(card_type, data);
    expect(told(card)).toEqual(gaps);
    expect(await changedBeside(card)).toEqual(others);
    await remove(card);
    expect(await cards()).toEqual(canvas);
  });
});

describe('a set in a file', () => {
  it.each(Object.entries(FILES))('has gaps that report %s', async (_, { path, content, data, gaps }) => {
    if (content !== undefined) await put(path, content);
    const card = await add('data', { set: 'goods', file_path: path, description: 'Goods', ...data });
    // Files are read outside of requests, so the gaps appear later.
    const own = async (): Promise<string[]> => (await cards()).filter(({ id: one }) => one === card.id).flatMap(told);
    await eventually(own, (found) => JSON.stringify(found) === JSON.stringify(gaps), {
      until: `the gaps are ${gaps.join()}`,
    });
    expect(await changedBeside(card)).toEqual({});
    await remove(card);
    expect(await cards()).toEqual(canvas);
  });
});

/** Splits a table into groups that fit into a response. */
const partsOf = <Value>(table: Record<string, Value>): [string, Value][][] => {
  const all = Object.entries(table);
  return Array.from({ length: Math.ceil(all.length / QUOTED) }, (_, at) => all.slice(at * QUOTED, (at + 1) * QUOTED));
};

/** Posts statements and returns the list that follows `words` in the response. */
async function say(statements: string[], words: string): Promise<string[]> {
  await client.post(`/projects/${id}/chat`, { content: statements.join('\n') });
  const content = (await idle(client, id)).messages.at(-1)?.content ?? '';
  const list = /^.*:\n(?<list>(?:- .*\n?)+)/.exec(content.slice(Math.max(0, content.indexOf(words))))?.groups?.['list'];
  return list?.trim().split('\n') ?? [];
}

describe('statements', () => {
  it.each(partsOf(UNREAD))('are stored as cards that report their problems: %s', async (...part) => {
    const open = await say(
      part.map(([statement]) => statement),
      'I do not understand this yet',
    );
    expect([...open].sort()).toEqual(part.map(([, [text, reason]]) => `- \`${text}\`: ${reason}`).sort());
    const made = (await cards()).filter((card) => !canvas.some((one) => one.id === card.id));
    expect(made.map(({ status }) => status)).toEqual(part.map(() => 'needs_input'));
    for (const card of made) await remove(card);
    expect(await cards()).toEqual(canvas);
  });

  it.each(partsOf(STATEMENTS))('are rejected with a reason: %s', async (...part) => {
    const refused = await say(
      part.map(([statement]) => statement),
      'I could not use this',
    );
    // The order does not matter: the guide lists statements last if a later line could have completed them.
    expect([...refused].sort()).toEqual(
      part.map(([statement, reason]) => `- \`${statement}\`${reason === '' ? '' : `: ${reason}`}`).sort(),
    );
    expect(await cards()).toEqual(canvas);
  });
});

it('names the card with an unreadable formula if a solve is started without the guide', async () => {
  const card = await add('constraint', { expression: 'x >= 60% * y' }, 'share');
  const { id: execution } = await client.post<ExecutionResponse>(`/projects/${id}/solve/executions`, {});
  const over = await eventually(
    () => client.get<{ status: string; error: unknown }>(`/projects/${id}/solve/executions/${execution}`),
    ({ status }) => !['queued', 'running'].includes(status),
    { until: 'the solve is over' },
  );
  expect(over.error).toMatchObject({
    message: 'The constraint card "share": `%` at character 8 is not expected here',
  });
  await remove(card);
});

it('reports why each solve fails and leaves the canvas unchanged', async () => {
  const started: [string, string, string][] = [];
  for (const [what, { card_type, data, error }] of Object.entries(SOLVES)) {
    const card = await add(card_type, data);
    const execution = await client.post<ExecutionResponse>(`/projects/${id}/solve/executions`, {});
    started.push([what, execution.id, error]);
    await remove(card);
  }
  for (const [what, execution, error] of started) {
    const over = await eventually(
      () => client.get<{ status: string; error: unknown }>(`/projects/${id}/solve/executions/${execution}`),
      ({ status }) => !['queued', 'running'].includes(status),
      { until: `the solve of ${what} is over` },
    );
    expect([what, (over.error as { message: string } | null)?.message]).toEqual([what, error]);
  }
  expect(await cards()).toEqual(canvas);
});

describe('a request', () => {
  it.each(Object.entries(REQUESTS))('is rejected for %s', async (_, { method, path, body, status, told: expected }) => {
    const x = canvas.find(({ label }) => label === 'x')?.id ?? '';
    const answer = await client.send<{ detail: unknown }>(method, `/projects/${id}/${path.replace('{x}', x)}`, {
      body,
    });
    const { detail } = answer.body;
    const entries = Array.isArray(detail)
      ? (detail as { loc: string[]; msg: string }[]).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
      : [String(detail)];
    expect([answer.status, entries]).toEqual([status, expected]);
    expect(await cards()).toEqual(canvas);
  });
});
