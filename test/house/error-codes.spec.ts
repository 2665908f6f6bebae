import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CODES, type ErrorCode, sentenceOf, statusOf } from '../../src/common/errors/codes.js';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const ALL: ErrorCode[] = Object.values(CODES).flat();

/** Sources that create errors, without the files that list or document the error codes. */
const sources = ['src', 'packages']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  )
  .filter(
    (path) =>
      path.endsWith('.ts') && !/\.spec\.ts$|\.controller\.ts$|errors\/codes\.ts$|^src\/common\/openapi\//.test(path),
  )
  .map((path) => [path, read(path)] as const);
const text = sources.map(([, source]) => source).join('\n');

/** Codes for requests that are rejected before they reach an operation, and for service faults. */
const OF_NO_OPERATION: ErrorCode[] = [
  'api_key_revoked',
  'expectation_failed',
  'head_too_large',
  'host_invalid',
  'internal_error',
  'method_not_allowed',
  'part_sent_again',
  'part_too_large',
  'range_not_satisfiable',
  'request_malformed',
  'request_refused',
  'request_too_slow',
  'url_expired',
  'url_signature_invalid',
  'url_too_long',
];

interface Response {
  description: string;
  content?: Record<string, { schema: { $ref?: string }; example?: unknown }>;
  'x-error-codes'?: ErrorCode[];
}
const document = JSON.parse(read('openapi.json')) as {
  paths: Record<string, Record<string, { responses: Record<string, Response & { $ref?: string }> }>>;
  components: { schemas: Record<string, { enum?: string[] }>; responses: Record<string, Response> };
};
const shared = ({ $ref }: { $ref?: string }): Response | undefined =>
  document.components.responses[$ref?.replace('#/components/responses/', '') ?? ''];
const responses = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    Object.entries(operation.responses).map(([status, response]) => ({
      path,
      method,
      status,
      response: shared(response) ?? response,
    })),
  ),
);

/** String literals in the sources as patterns. An interpolated value matches anything. */
const said = Array.from(text.matchAll(/(['`])((?:(?!\1).){7,}?)\1/g), ([, , literal = '']) => literal)
  .filter((literal) => literal.replace(/\$\{[^}]*\}/g, '').length >= 7)
  .map((literal) => new RegExp(`^${literal.replace(/[.*+?^()|[\]\\]/g, '\\$&').replace(/\$\{[^}]*\}/g, '.+')}$`));
const ofResources = CODES[404].map((code) => new RegExp(`^${sentenceOf(code)}$`));

describe('error codes', () => {
  it('are sorted, use snake_case and have a single status each', () => {
    for (const codes of Object.values(CODES)) expect(codes).toEqual([...codes].sort());
    expect(ALL.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
    expect(new Set(ALL).size).toBe(ALL.length);
    for (const [status, codes] of Object.entries(CODES))
      for (const code of codes) expect([code, statusOf(code)]).toEqual([code, Number(status)]);
  });

  it('are all used in the sources', () => {
    const named = new Set(
      CODES[404].filter((code) => text.includes(`'${sentenceOf(code).replace(/ not found$/, '')}'`)),
    );
    expect(ALL.filter((code) => !named.has(code as never) && !text.includes(`'${code}'`))).toEqual([]);
  });

  it('are not bypassed by error responses that are written by hand', () => {
    const byHand = sources.filter(
      ([path, source]) =>
        path !== 'src/common/errors/errors.ts' && /\{\s*"?detail"?\s*:|stringify\(\{ detail/.test(source),
    );
    expect(byHand.map(([path]) => path)).toEqual([]);
    const beside = sources.filter(
      ([path, source]) => !path.startsWith('src/common/errors/') && /new (?:Http|\w+)Exception\(/.test(source),
    );
    expect(beside.map(([path]) => path)).toEqual([]);
  });

  it('match the enum in openapi.json and the statuses of the responses that list them', () => {
    expect(document.components.schemas['ErrorCode']?.enum).toEqual([...ALL].sort());
    const documented = new Set<ErrorCode>();
    for (const { path, method, status, response } of responses) {
      const codes = response['x-error-codes'];
      const isError = response.content?.['application/json']?.schema.$ref === '#/components/schemas/ErrorResponse';
      expect([method, path, status, isError]).toEqual([method, path, status, codes !== undefined]);
      if (codes === undefined) {
        // 304 is not an error, and a 503 from the readiness check has the same format as its success response.
        expect(`${path} ${status}`).toMatch(/ 2..$| 304$| 422$|^\/health\/ready 503$/);
        continue;
      }
      expect(codes.length).toBeGreaterThan(0);
      for (const code of codes) {
        expect([method, path, code, statusOf(code)]).toEqual([method, path, code, Number(status)]);
        documented.add(code);
      }
    }
    expect(ALL.filter((code) => !documented.has(code)).sort()).toEqual(OF_NO_OPERATION);
  });

  it('are all listed in the descriptions of shared responses, with the first code as the example', () => {
    for (const [name, { description, content, ...response }] of Object.entries(document.components.responses)) {
      const codes = response['x-error-codes'] ?? [];
      const [first] = codes as [ErrorCode];
      expect(content?.['application/json']?.example).toEqual({ detail: sentenceOf(first), code: first });
      expect(Array.from(description.matchAll(/`(\w+)`/g), ([, code]) => code)).toEqual(codes);
      expect(name).toBe(codes.join('.'));
    }
  });

  it('have example messages that occur in the sources', () => {
    const wrong = ALL.filter((code) => ![...said, ...ofResources].some((pattern) => pattern.test(sentenceOf(code))));
    expect(wrong).toEqual([]);
  });

  it('match the list in docs/web-clients.md', () => {
    const [, section = ''] = read('docs/web-clients.md').split(/^## Error codes$/m);
    const rows = [...(section.split(/^## /m)[0] ?? '').matchAll(/^\| (\d{3})\s+\| (.*?)\s*\|$/gm)];
    const listed = Object.fromEntries(
      rows.map(([, status = '', codes = '']) => [status, Array.from(codes.matchAll(/`(\w+)`/g), ([, code]) => code)]),
    );
    expect(listed).toEqual(CODES);
  });
});
