import { describe, expect, it } from '@jest/globals';
import {
  BadRequest,
  Conflict,
  DomainError,
  Forbidden,
  Gone,
  InsufficientStorage,
  Invalid,
  invalidValue,
  MethodNotAllowed,
  missing,
  NotAuthenticated,
  NotFound,
  PathNotFound,
  PaymentRequired,
  parseId,
  TooLarge,
  TooManyRequests,
  Unavailable,
  UnsupportedMediaType,
} from './errors.js';

it.each<[DomainError, number, string, string, Record<string, string>]>([
  [new BadRequest('json_malformed', 'No.'), 400, 'No.', 'json_malformed', {}],
  [
    new NotAuthenticated('not_authenticated'),
    401,
    'Not authenticated',
    'not_authenticated',
    { 'WWW-Authenticate': 'Bearer' },
  ],
  [new PaymentRequired('No.'), 402, 'No.', 'budget_exhausted', {}],
  [new Forbidden('user_required', 'No.'), 403, 'No.', 'user_required', {}],
  [new NotFound('Project'), 404, 'Project not found', 'project_not_found', {}],
  [new NotFound('File', 'a.csv'), 404, 'File a.csv not found', 'file_not_found', {}],
  [new PathNotFound(), 404, 'Not Found', 'path_not_found', {}],
  [new MethodNotAllowed(['GET', 'PUT']), 405, 'Method Not Allowed', 'method_not_allowed', { Allow: 'GET, PUT' }],
  [new Conflict('version_conflict', 'No.'), 409, 'No.', 'version_conflict', {}],
  [new Conflict('request_under_way', 'No.', 1), 409, 'No.', 'request_under_way', { 'Retry-After': '1' }],
  [new Gone('upload_expired', 'No.'), 410, 'No.', 'upload_expired', {}],
  [new TooLarge('body_too_large', 'No.'), 413, 'No.', 'body_too_large', {}],
  [new UnsupportedMediaType('body_compressed', 'No.'), 415, 'No.', 'body_compressed', {}],
  [new TooManyRequests('rate_limited', 'No.', 1.2), 429, 'No.', 'rate_limited', { 'Retry-After': '2' }],
  [new Unavailable(), 503, 'Service Unavailable', 'unavailable', {}],
  [new InsufficientStorage('disk_full', 'No.'), 507, 'No.', 'disk_full', {}],
])('gives %s its status, detail, code and headers', (error, status, detail, code, headers) => {
  expect(error).toBeInstanceOf(DomainError);
  expect(error).toMatchObject({ status, detail, code, headers, message: detail, name: error.constructor.name });
  expect(error.body()).toBe(JSON.stringify({ detail, code }));
});

describe('Invalid', () => {
  it('keeps the documented key order of its entries, and summarizes the entries in its message', () => {
    const error = new Invalid([missing(['body', 'a'], {}), invalidValue(['body', 'b', 0], 'no good', 5)]);
    expect(error.status).toBe(422);
    expect(JSON.stringify(error.detail)).toBe(
      '[{"type":"missing","loc":["body","a"],"msg":"Field required","input":{}},' +
        '{"type":"value_error","loc":["body","b",0],"msg":"Value error, no good","input":5,"ctx":{"error":{}}}]',
    );
    expect(error.body()).toBe(`{"detail":${JSON.stringify(error.detail)}}`);
    expect(error.message).toBe('body.a: Field required; body.b.0: Value error, no good');
  });
});

describe('parseId', () => {
  it('accepts an id in upper case and returns it in lower case', () =>
    expect(parseId('0198A6F0-0000-7000-8000-00000000000A', 'Project')).toBe('0198a6f0-0000-7000-8000-00000000000a'));

  it.each(['', 'x', '0198a6f0-0000-7000-8000-00000000000', '0198a6f000007000800000000000000a', "' OR 1=1 --"])(
    'rejects %j',
    (id) => expect(() => parseId(id, 'Project')).toThrow(new NotFound('Project')),
  );
});
