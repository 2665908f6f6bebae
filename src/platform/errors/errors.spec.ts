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
  parseId,
  TooLarge,
  TooManyRequests,
  Unavailable,
  UnsupportedMediaType,
} from './errors.js';

it.each<[DomainError, number, string, Record<string, string>]>([
  [new BadRequest('No.'), 400, 'No.', {}],
  [new NotAuthenticated('Not authenticated'), 401, 'Not authenticated', { 'WWW-Authenticate': 'Bearer' }],
  [new Forbidden('No.'), 403, 'No.', {}],
  [new NotFound('Project'), 404, 'Project not found', {}],
  [new MethodNotAllowed(['GET', 'PUT']), 405, 'Method Not Allowed', { Allow: 'GET, PUT' }],
  [new Conflict('No.'), 409, 'No.', {}],
  [new Gone('No.'), 410, 'No.', {}],
  [new TooLarge('No.'), 413, 'No.', {}],
  [new UnsupportedMediaType('No.'), 415, 'No.', {}],
  [new TooManyRequests('No.', 1.2), 429, 'No.', { 'Retry-After': '2' }],
  [new Unavailable(), 503, 'Service Unavailable', {}],
  [new InsufficientStorage('No.'), 507, 'No.', {}],
])('%s has its status, detail and headers', (error, status, detail, headers) => {
  expect(error).toBeInstanceOf(DomainError);
  expect(error).toMatchObject({ status, detail, headers, message: detail, name: error.constructor.name });
});

describe('Invalid', () => {
  it('carries entries with their keys in the documented order, and says in its message what is wrong', () => {
    const error = new Invalid([missing(['body', 'a'], {}), invalidValue(['body', 'b', 0], 'no good', 5)]);
    expect(error.status).toBe(422);
    expect(JSON.stringify(error.detail)).toBe(
      '[{"type":"missing","loc":["body","a"],"msg":"Field required","input":{}},' +
        '{"type":"value_error","loc":["body","b",0],"msg":"Value error, no good","input":5,"ctx":{"error":{}}}]',
    );
    expect(error.message).toBe('body.a: Field required; body.b.0: Value error, no good');
  });
});

describe('parseId', () => {
  it('takes ids in any case', () =>
    expect(parseId('0198A6F0-0000-7000-8000-00000000000A', 'Project')).toBe('0198a6f0-0000-7000-8000-00000000000a'));

  it.each(['', 'x', '0198a6f0-0000-7000-8000-00000000000', '0198a6f000007000800000000000000a', "' OR 1=1 --"])(
    'finds nothing under %j',
    (id) => expect(() => parseId(id, 'Project')).toThrow(new NotFound('Project')),
  );
});
