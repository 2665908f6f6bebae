import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { requests } from '../../conformance/requests.js';
import { makeDeployment, makeFile, makeProject } from '../../factories/make.js';
import { operations } from '../../interface/interface.js';
import { committedContract } from '../../support/contract.js';
import { raw } from '../../support/raw.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const RUNS = 60;

const service = useSharedService();
let session: Session;
let names: Record<string, string>;

beforeAll(async () => {
  session = await service.session();
  const { handle } = await makeDeployment(session.client, {
    instructions: '# Any',
    skills: { s1: { 'SKILL.md': 'A skill.' } },
  });
  const { id } = await makeProject(session.client, { from_deployment: handle });
  await makeFile(session.client, { source: 'workspace', project_id: id }, 'a', 'Text.');
  names = { project_id: id, skill: 's1', name: handle };
});

/** Arbitrary values mixed with values that are meaningful to some operation. */
const value = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      ...[
        'workspace',
        'deployment',
        'snapshot',
        'define',
        'run',
        'a',
        '..',
        '/',
        'SKILL.md',
        '\0',
        '\ud800',
        '{project_id}',
        '{name}',
      ],
      ...[
        0,
        -1,
        1e21,
        2 ** 53,
        true,
        null,
        [],
        {},
        '9'.repeat(40),
        'x'.repeat(3000),
        { 'SKILL.md': '---\nname: s1\n---\n' },
      ],
      ...[
        [{ source_path: 'a', dest_path: 'b' }],
        [{ etag: '', part_number: -1 }],
        { selections: { 0: 'a' } },
        ['a', 'a', '\0'],
      ],
    ),
  },
);

// `.` and `..` are excluded, because the client would resolve them itself.
const pathParameter = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
      .filter((text) => !/^\.{1,2}$/.test(text))
      .map((text) => encodeURIComponent(text.toWellFormed())),
  },
  { weight: 1, arbitrary: fc.constantFrom('%', '%FF', '%00', '%2F', '0', 'x'.repeat(5000)) },
);

/** Returns request bodies: mostly objects with the field names of the request, sometimes any JSON or invalid JSON. */
function bodies(fields: string[], valid: Record<string, unknown>): fc.Arbitrary<string | Uint8Array> {
  const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...fields) }, { weight: 1, arbitrary: fc.string() });
  const changed = fc.dictionary(name, value, { maxKeys: 4 }).map((changes) => JSON.stringify({ ...valid, ...changes }));
  const whole = fc.dictionary(name, value, { maxKeys: 8 }).map((object) => JSON.stringify(object));
  return fc.oneof(
    { weight: 6, arbitrary: changed },
    { weight: 3, arbitrary: whole },
    { weight: 1, arbitrary: value.map((any) => JSON.stringify(any)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    { weight: 1, arbitrary: fc.uint8Array() },
  );
}

function queries(fields: string[]): fc.Arbitrary<string> {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', '0', '-1', '5', '1e9', '9'.repeat(40), '2024-01-01', '0001-01-01T00:00+14:00'),
  );
  const encoded = fc.oneof(
    text.map((one) => encodeURIComponent(one.toWellFormed())),
    fc.constantFrom('%', '%FF', '%00', '+', '&', '='),
  );
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...fields) },
    { weight: 1, arbitrary: fc.constantFrom('__proto__', 'limit[]', 'q', '%FF', '') },
  );
  return fc
    .array(fc.tuple(name, encoded), { maxLength: 5 })
    .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'));
}

const contentTypes = fc.oneof(
  { weight: 8, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16'),
  },
);

const fill = (text: string): string =>
  text.replace(/\{(project_id|skill|name)\}/g, (_, name: string) => names[name] ?? '');

/** Checks that a 422 body has exactly the documented shape. */
function expectEntries(text: string): void {
  const { detail, ...rest } = JSON.parse(text) as { detail: Record<string, unknown>[] };
  expect(rest).toEqual({});
  expect(detail.length).toBeGreaterThan(0);
  for (const entry of detail) {
    const { type, loc, msg, ctx } = entry;
    expect(Object.keys(entry)).toEqual(['type', 'loc', 'msg', 'input', ...('ctx' in entry ? ['ctx'] : [])]);
    expect(type).toMatch(/^[a-z_]+$/);
    expect(msg).toMatch(
      /^(Field required|JSON decode error|(Input|String|List) should |Unable to parse |Value error, )/,
    );
    expect(['body', 'query', 'path']).toContain((loc as unknown[])[0]);
    for (const step of loc as unknown[]) expect(typeof step === 'string' || Number.isSafeInteger(step)).toBe(true);
    if ('ctx' in entry) expect(Object.keys(ctx as object).length).toBeGreaterThan(0);
  }
}

describe('random input', () => {
  it.each(operations)(
    'never causes a 500 in $name, and is rejected in the documented format',
    async ({ name, method, path: template }) => {
      const request = requests.find(({ operation }) => operation === name);
      const fields = Object.keys(request?.fields ?? {});
      const input = fc.record({
        parameters: fc.array(pathParameter, { minLength: 2, maxLength: 2 }),
        query: request?.part === 'query' ? queries(fields) : fc.constant(''),
        body: request?.part === 'body' ? bodies(fields, request.valid) : fc.constant(undefined),
        type: contentTypes,
      });
      await fc.assert(
        fc.asyncProperty(input, async ({ parameters, query, body, type }) => {
          const given = [...parameters];
          const path = fill(template.replace(/\{\w+\}/g, (parameter) => given.shift() ?? parameter));
          const url = `${service.url}${path}${query && `?${query}`}`;
          const answer = await raw(url, {
            method: method.toUpperCase(),
            headers: { authorization: `Bearer ${session.token}`, ...(body !== undefined && { 'content-type': type }) },
            ...(body !== undefined && { body: typeof body === 'string' ? fill(body) : body }),
          });
          expect(answer.status).toBeLessThan(500);
          if (answer.status === 422) expectEntries(answer.text);
          if (answer.status === 414) {
            // The status 414 is documented once for all operations.
            expect(new URL(url).href.length).toBeGreaterThan(8 * 1024);
            return;
          }
          const contentType = answer.headers['content-type'] ?? null;
          committedContract().check({ method, path, status: answer.status, contentType, text: answer.text });
        }),
        { numRuns: RUNS },
      );
    },
  );
});
