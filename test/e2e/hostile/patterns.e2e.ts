import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeFile, makeProject } from '../../factories/make.js';
import type { ExecutionListResponse } from '../../../src/executions/executions.dto.js';
import { idle } from '../../factories/turns.js';
import { eventually } from '../../support/eventually.js';
import type { Client } from '../../support/client.js';
import { Bystander, expectUnharmed } from '../../support/hostile.js';
import { repeated } from '../../support/hostile-texts.js';
import { useServiceInTurn } from '../../support/service.js';

const service = useServiceInTurn();
let client: Client;
let project: string;

beforeAll(async () => {
  ({ client } = await service.session());
  project = (await makeProject(client)).id;
});

/** Runs an attack and checks that it does not affect another caller. */
async function attack<Result>(work: () => Promise<Result>): Promise<Result> {
  const bystander = await Bystander.start(service);
  const result = await work();
  await expectUnharmed(service, bystander);
  return result;
}

/** Returns the status, and the type and location of each error entry. */
async function refusal(method: string, path: string, options: Parameters<Client['send']>[2]): Promise<unknown> {
  const { status, body } = await client.send<{ detail: { type: string; loc: unknown[] }[] }>(method, path, options);
  return [status, ...body.detail.map(({ type, loc }) => `${type} ${loc.join('.')}`)];
}

const digits = (count: number): string => `${'1'.repeat(count)}x`;
/** Returns a string with many combining marks, whose Unicode normalization takes quadratic time. */
const marks = (count: number): string => `a${'\u0301\u0323'.repeat(count / 2)}`;

describe('strings that a regular expression could take minutes to match', () => {
  it('are rejected immediately as dates and numbers, in bodies, queries and uploads', async () => {
    const moment = 'datetime_from_date_parsing';
    const underscored = `${'1_'.repeat(2_000_000)}1`;
    const answers = await attack(() =>
      Promise.all([
        refusal('POST', '/api-keys', { body: { name: 'x', expires_at: digits(900_000) } }),
        refusal('POST', '/api-keys', { body: { name: 'x', expires_at: `2030-01-01T00:00:00.${'0'.repeat(900_000)}` } }),
        refusal('POST', '/api-keys', { body: { name: 'x', expires_at: ' '.repeat(900_000) } }),
        refusal('GET', '/usage/users', { query: { since: digits(3_000), until: '.1'.repeat(1_500) } }),
        refusal('GET', '/projects', { query: { limit: `1${'_1'.repeat(1_500)}_`, offset: '0'.repeat(5_000) } }),
        refusal('POST', '/files/list', {
          body: { source: 'workspace', project_id: project, limit: `1${'_1'.repeat(450_000)}`, offset: digits(90_000) },
        }),
        refusal('POST', '/files/upload/complete', {
          body: {
            source: 'workspace',
            project_id: project,
            upload_token: 'x',
            parts: [{ part_number: underscored, etag: '"' }],
          },
        }),
      ]),
    );
    expect(answers).toEqual([
      [422, `${moment} body.expires_at`],
      [422, `${moment} body.expires_at`],
      [422, `${moment} body.expires_at`],
      [422, `${moment} query.since`, `${moment} query.until`],
      [422, 'int_parsing query.limit', 'int_parsing_size query.offset'],
      // The response repeats the long value, so a second entry would exceed the maximum response size.
      [422, 'int_parsing_size body.limit'],
      [422, 'int_parsing_size body.parts.0.part_number'],
    ]);
  });

  it('are rejected immediately as paths', async () => {
    const place = { source: 'workspace', project_id: project };
    const answers = await attack(() =>
      Promise.all([
        refusal('POST', '/files/mkdir', { body: { ...place, path: marks(250_000) } }),
        refusal('POST', '/files/list', { body: { ...place, path: marks(250_000) } }),
        refusal('POST', '/files/upload/start', { body: { ...place, path: `b/${marks(250_000)}` } }),
        refusal('POST', '/files/content', { body: { ...place, path: '/'.repeat(900_000) } }),
        refusal('POST', '/files/batch-delete', {
          body: { ...place, paths: Array.from({ length: 150 }, () => marks(1_000)) },
        }),
        refusal('PUT', `/projects/${project}/skills/s`, {
          body: { files: { 'SKILL.md': 'x', [marks(1_000_000)]: '' } },
        }),
      ]),
    );
    expect(answers.map((answer) => (answer as unknown[])[0])).toEqual(Array(6).fill(422));
    expect(answers.slice(0, 4)).toEqual(Array(4).fill([422, 'value_error body.path']));
  });

  it('do not delay responses if they are path parameters or headers', async () => {
    const long = 'a'.repeat(6_000);
    const { status } = await attack(async () => {
      await client.send('GET', `/projects/${long}`);
      await client.send('GET', `/projects/${'0'.repeat(8)}-${long}/chat`);
      await client.send('GET', '/me', {
        headers: { 'x-request-id': `${long}!`, range: `bytes=${'1'.repeat(6_000)}x` },
      });
      await client.send('GET', '/me', { headers: { authorization: `Bearer ${' '.repeat(6_000)}x` } });
      const type = `application/${'+'.repeat(6_000)}jso`;
      return await client.send('POST', '/files/mkdir', { text: '{}', headers: { 'content-type': type } });
    });
    expect(status).toBe(422);
  });
});

describe('messages that could slow down the guide', () => {
  const statements = (shape: string, length: number, ends: [string, string] = ['', '']): string =>
    Array.from({ length: Math.floor(99_000 / length) }, () => repeated(shape, length, ends)).join('\n');

  it.each<[string, string]>([
    ['units in long statements', statements('in unit ', 19_000, ['x ', '=1'])],
    ['units in short statements', statements('in unit ', 1_900, ['x ', '=1'])],
    ['combining marks', marks(99_000)],
    ['parentheses and names', statements('2(x+', 1_900, ['c: ', '<=1'])],
    ['many names', Array.from({ length: 15_000 }, (_, index) => `${index.toString(36)}a`).join(', ')],
    ['white space and commas', statements(' , ', 1_900, ['x', 'in y'])],
    ['many short statements', 'x;'.repeat(49_000)],
  ])('are answered without delaying other callers: %s', async (_, content) => {
    const { id } = await makeProject(client);
    await attack(async () => {
      await client.post(`/projects/${id}/chat`, { content });
      await idle(client, id);
    });
    const { messages } = await client.get<{ messages: { role: string; content: string }[] }>(`/projects/${id}/chat`);
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: expect.stringContaining('Checklist') });
  });
});

it('reads hostile 8 MB model files without delaying other callers', async () => {
  const { id } = await makeProject(client);
  const place = { source: 'workspace' as const, project_id: id };
  const files = await Promise.all(
    ['1', '-', '\u00a0', 'such ', ' x\n', 'R1: '].map((shape, index) =>
      makeFile(
        client,
        place,
        `${index}.lp`,
        `Minimize\n x\nSubject To\n ${shape.repeat(8_000_000 / Buffer.byteLength(shape))}`,
      ),
    ),
  );
  const path = `/projects/${id}/solve/executions`;
  const executions = await attack(async () => {
    for (const file of files) await client.post(path, { input_file_ids: [file.id] });
    return await eventually(
      async () => (await client.get<ExecutionListResponse>(path)).executions,
      (all) => all.every(({ status }) => status === 'failed' || status === 'succeeded'),
      { until: 'all have ended' },
    );
  });
  expect(executions).toHaveLength(files.length);
});
