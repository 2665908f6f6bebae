import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { FileListResponse } from '../../../src/files/files.dto.js';
import type { CardListResponse } from '../../../src/projects/canvas/canvas.dto.js';
import { makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import { Client } from '../../support/client.js';
import { FakeProvider, type ModelReply } from '../../support/fake-provider.js';
import { removeEnvironment, Service } from '../../support/service.js';

const PROJECTS = 8;
const KILLS = 2;
const STEPS = 4;

let provider: FakeProvider;
let service: Service;
let database: pg.Client;

beforeAll(async () => {
  let made = 0;
  // Every call creates a different card or file, so that the test detects repeated effects.
  provider = await FakeProvider.start('openai', ({ messages }): ModelReply => {
    const steps = messages.filter(({ role }) => role === 'assistant').length;
    if (steps >= STEPS) return { text: ['Done.'], tokens: { input: 1, output: 1 } };
    const name = `made-${(made += 1)}`;
    return {
      text: ['Next. '],
      calls: [
        { tool: 'upsert_card', input: { card_type: 'kpi', label: name, data: { description: name } } },
        { tool: 'write_file', input: { path: name, content: name } },
      ],
    };
  });
  service = await start();
  database = new pg.Client(service.environment.databaseUrl);
  await database.connect();
}, 30_000);
afterAll(async () => {
  await database.end();
  await service.stop();
  await provider.stop();
  await removeEnvironment(service.environment);
}, 30_000);

const start = (environment?: Service['environment']): Promise<Service> =>
  Service.start({
    settings: { AGENT_PROVIDER: 'openai-compatible', AGENT_MODEL: 'fake', AGENT_BASE_URL: provider.url },
    ...(environment !== undefined && { environment }),
  });

it('applies and reports each effect of a tool exactly once while the process is killed at random times', async () => {
  const { client, token } = await service.session();
  const ids = await Promise.all(Array.from({ length: PROJECTS }, async () => (await makeProject(client)).id));
  await Promise.all(ids.map((id) => client.post(`/projects/${id}/chat`, { content: 'Work' })));
  for (let kill = 0; kill < KILLS; kill += 1) {
    await delay(100 + Math.random() * 400);
    await service.kill();
    // Expires the leases of the killed process, so that the test does not have to wait.
    await database.query(`UPDATE turns SET due_at = now() - interval '1 s' WHERE state <> 'ended'`);
    service = await start(service.environment);
    const again = new Client(service.url, token);
    await Promise.all(ids.map((id) => again.post(`/projects/${id}/chat`, { content: 'Go on' })));
  }
  const caller = new Client(service.url, token);
  const counts = { calls: 0, completed: 0, interrupted: 0, cards: 0, files: 0 };
  for (const id of ids) {
    const { messages } = await idle(caller, id);
    const calls = messages.flatMap(({ tool_calls }) => tool_calls ?? []);
    const completed = (tool: string, field: string): unknown[] =>
      calls.flatMap(({ tool: name, status, input }) =>
        name === tool && status === 'completed' ? [input?.[field]] : [],
      );
    const { cards } = await caller.get<CardListResponse>(`/projects/${id}/cards`);
    const { entries } = await caller.post<FileListResponse>('/files/list', { source: 'workspace', project_id: id });
    expect(cards.map(({ label }) => label).sort()).toEqual(completed('upsert_card', 'label').sort());
    expect(cards.every(({ version }) => version === 1)).toBe(true);
    expect(entries.map(({ path }) => path).sort()).toEqual(completed('write_file', 'path').sort());
    expect(messages.flatMap(({ affected_card_ids }) => affected_card_ids).sort()).toEqual(
      cards.map((card) => card.id).sort(),
    );
    expect(calls.filter(({ status }) => status === 'running')).toEqual([]);
    counts.calls += calls.length;
    counts.completed += calls.filter(({ status }) => status === 'completed').length;
    counts.interrupted += calls.filter(({ error_code }) => error_code === 'interrupted').length;
    counts.cards += cards.length;
    counts.files += entries.length;
  }
  process.stdout.write(`after ${KILLS} kills: ${JSON.stringify(counts)}\n`);
  expect(counts.completed).toBe(counts.cards + counts.files);
  expect(counts.completed).toBeGreaterThan(PROJECTS);
}, 60_000);
