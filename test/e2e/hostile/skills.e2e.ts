import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeDeployment, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import { fingerprint } from '../../support/fingerprint.js';
import { Bystander, expectUnharmed } from '../../support/hostile.js';
import { raw } from '../../support/raw.js';
import { useService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const MiB = 1024 ** 2;
const service = useService();
let session: Session;
let project: string;
let owners: string[];

beforeAll(async () => {
  session = await service.session();
  ({ id: project } = await makeProject(session.client));
  const { handle } = await makeDeployment(session.client);
  owners = [`/projects/${project}`, `/deployments/${handle}`];
});

interface Refusal {
  status: number;
  bytes: number;
  /** Validation errors in the response. Empty if the response's `detail` is a string. */
  detail: { type: string; loc: (string | number)[]; ctx?: unknown }[];
}

async function send(method: string, path: string, body: string): Promise<Refusal> {
  const headers = { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' };
  const { status, bytes, text } = await raw(`${service.url}/api/v1${path}`, { method, headers, body });
  const { detail } = JSON.parse(text) as { detail?: Refusal['detail'] | string };
  return { status, bytes: bytes.byteLength, detail: Array.isArray(detail) ? detail : [] };
}

/** Returns the JSON of a skill with up to `most` files that fit into `bytes` bytes. */
function skill(path: (index: number) => string, { most = Infinity, bytes = 8 * MiB, text = '' } = {}): string {
  const members: string[] = [];
  for (let length = 20, index = 0; index < most; index += 1) {
    const member = `${JSON.stringify(path(index))}:${JSON.stringify(text)}`;
    length += Buffer.byteLength(member) + 1;
    if (length > bytes) break;
    members.push(member);
  }
  return `{"files":{${members.join(',')}}}`;
}

const put = async (body: string, owner: string): Promise<Refusal> => await send('PUT', `${owner}/skills/s`, body);

/** Runs `work`, and checks that it changes no stored data and that another caller is served in the meantime. */
async function unharmed(work: () => Promise<void>): Promise<void> {
  const before = await fingerprint(service.environment);
  await work();
  expect(await fingerprint(service.environment)).toEqual(before);
  const bystander = await Bystander.start(service);
  await work();
  await expectUnharmed(service, bystander);
}

const tooLong = (loc: string[], limit: number, count: number, type = 'Dictionary') => ({
  type: 'too_long',
  loc,
  ctx: { field_type: type, max_length: limit, actual_length: count },
});

describe('a skill', () => {
  it.each<[string, (index: number) => string]>([
    ['paths outside the skill', (index) => `../${index}`],
    ['valid paths', (index) => `f${index}`],
    ['deep paths', (index) => `${'a/'.repeat(500)}${index}`],
    ['different spellings of the same paths', (index) => `${'/'.repeat(1 + (index % 2))}e\u0301${index >> 1}`],
  ])('is rejected immediately if its files fill the request body: %s', async (_, path) => {
    const body = skill(path);
    await unharmed(async () => {
      for (const owner of owners) {
        const { status, bytes } = await put(body, owner);
        // A body with too many values is rejected with 400 before it is parsed.
        expect([400, 422]).toContain(status);
        expect(bytes).toBeLessThan(body.length + 1_000);
      }
    });
  });

  it.each([201, 10_000, 30_000])('is rejected because of its number of files alone: %d', async (count) => {
    const body = skill((index) => `../${index}`, { most: count });
    await unharmed(async () => {
      for (const owner of owners) {
        const { status, detail, bytes } = await put(body, owner);
        expect(status).toBe(422);
        expect(detail).toMatchObject([tooLong(['body', 'files'], 200, count)]);
        expect(bytes).toBeLessThan(body.length + 1_000);
      }
    });
  });

  it('is rejected with errors for at most the first hundred of its 200 invalid files', async () => {
    for (const path of [(index: number) => `../${index}`, (index: number) => `${'a/'.repeat(512)}${index}`]) {
      const { status, detail } = await put(skill(path, { most: 200 }), owners[0] as string);
      expect(status).toBe(422);
      expect(detail.length).toBeGreaterThan(1);
      expect(detail.length).toBeLessThanOrEqual(100);
      expect(detail[0]).toMatchObject({ type: 'value_error', loc: ['body', 'files', path(0)] });
    }
    const text = 'x'.repeat(40_000);
    const body = skill((index) => `../${index}`, { most: 200, text });
    expect((await put(body, owners[0] as string)).bytes).toBeLessThan(200_000);
  });

  it('is rejected quickly if it is large and invalid for other reasons', async () => {
    const bodies = [
      `{"files":{"SKILL.md":${JSON.stringify(`---\n${'a: [\n'.repeat(10_000)}---\n`)}}}`,
      `{"files":{"SKILL.md":${JSON.stringify(`---${' '.repeat(2 * MiB)}x`)}}}`,
      `{"files":{"SKILL.md":${JSON.stringify('\u0001'.repeat(MiB))}}}`,
      `{"files":[${'0,'.repeat(30_000)}0]}`,
      `{"files":{"SKILL.md":{${Array.from({ length: 30_000 }, (_, index) => `"${index}":0`).join(',')}}}}`,
    ];
    await unharmed(async () => {
      for (const body of bodies) expect((await put(body, owners[0] as string)).status).toBe(422);
    });
  });
});

describe('an answer to a question', () => {
  const post = async (selections: string): Promise<Refusal> =>
    await send('POST', `/projects/${project}/chat`, `{"content":"","answer":{"selections":${selections}}}`);
  const members = (count: number, value: (index: number) => string): string =>
    `{${Array.from({ length: count }, (_, index) => `"${index}":${value(index)}`).join(',')}}`;
  const labels = (count: number): string => `[${Array.from({ length: count }, (_, index) => `"${index}"`).join(',')}]`;
  const at = ['body', 'answer', 'selections'];

  beforeAll(async () => {
    await session.client.post(`/projects/${project}/chat`, { content: 'Hello' });
    await idle(session.client, project);
  });

  it.each<[string, string, object[]]>([
    ['8,000 questions', members(8_000, () => '"a"'), [tooLong(at, 100, 8_000)]],
    ['101 questions', members(101, () => '"a"'), [tooLong(at, 100, 101)]],
    [
      '8,000 labels',
      `{"0":${labels(8_000)}}`,
      [{ type: 'string_type', loc: [...at, '0', 'str'] }, tooLong([...at, '0', 'list[str]'], 100, 8_000, 'List')],
    ],
    [
      'a long label',
      `{"0":"${'x'.repeat(1_001)}"}`,
      [
        { type: 'string_too_long', loc: [...at, '0', 'str'] },
        { type: 'list_type', loc: [...at, '0', 'list[str]'] },
      ],
    ],
  ])('is rejected with %s before its items are validated', async (_, selections, entries) => {
    await unharmed(async () => {
      const { status, detail, bytes } = await post(selections);
      expect(status).toBe(422);
      expect(detail).toMatchObject(entries);
      expect(bytes).toBeLessThan(3 * selections.length + 1_000);
    });
  });

  it('is rejected with errors for the first hundred of many invalid choices', async () => {
    await unharmed(async () => {
      for (const selections of [members(100, () => labels(100)), members(100, () => '"a"'), `{"0":${labels(100)}}`]) {
        const { status, detail } = await post(selections);
        expect([status, detail.length]).toEqual([422, 100]);
        expect(detail.every(({ type }) => type === 'value_error')).toBe(true);
      }
    });
  });

  it('is rejected if its text exceeds a limit', async () => {
    const answers: [string, string][] = [
      [`{"other_text":"${'x'.repeat(10_001)}"}`, 'string_too_long'],
      [`{"selections":${members(100, () => `"${'x'.repeat(1_000)}"`)}}`, 'value_error'],
    ];
    for (const [answer, type] of answers) {
      const { status, detail } = await send('POST', `/projects/${project}/chat`, `{"content":"","answer":${answer}}`);
      expect([status, ...detail.map((entry) => entry.type)]).toEqual([422, type]);
    }
  });
});

describe('the references in a message', () => {
  const post = async (field: string): Promise<Refusal> =>
    await send('POST', `/projects/${project}/chat`, `{"content":"",${field}}`);
  const references = (count: number, item: string): string => `[${Array(count).fill(item).join(',')}]`;
  const ref = (length: number): string => `{"id":"${'x'.repeat(length)}","type":"t"}`;

  it.each<[string, string, object]>([
    ['8,000 files', `"file_ids":${references(8_000, '"a"')}`, tooLong(['body', 'file_ids'], 1_000, 8_000, 'List')],
    [
      'a long file id',
      `"file_ids":["${'x'.repeat(1_025)}"]`,
      { type: 'string_too_long', loc: ['body', 'file_ids', 0] },
    ],
    [
      'long file ids in total',
      `"file_ids":${references(70, `"${'x'.repeat(1_000)}"`)}`,
      { type: 'value_error', loc: ['body', 'file_ids'] },
    ],
    [
      '3,000 context references',
      `"context":${references(3_000, ref(1))}`,
      tooLong(['body', 'context'], 1_000, 3_000, 'List'),
    ],
    [
      'long context references in total',
      `"context":${references(70, ref(1_000))}`,
      { type: 'value_error', loc: ['body', 'context'] },
    ],
    [
      'a long id in a context reference',
      `"context":[${ref(1_025)}]`,
      { type: 'string_too_long', loc: ['body', 'context', 0, 'id'] },
    ],
    [
      'a long client_msg_id',
      `"client_msg_id":"${'x'.repeat(100_001)}"`,
      { type: 'string_too_long', loc: ['body', 'client_msg_id'] },
    ],
  ])('are rejected if they exceed a limit: %s', async (_, field, entry) => {
    const { status, detail } = await post(field);
    expect(status).toBe(422);
    expect(detail).toMatchObject([entry]);
  });
});
