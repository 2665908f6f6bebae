import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES } from '../../client/src/error-codes.js';
import { errorOf, ServiceError, TooManyRequestsError, ValidationError } from '../../client/src/errors.js';
import { CODES } from '../../src/common/errors/codes.js';

const answer = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(null, { status, headers });

describe('errorOf', () => {
  it('supports all statuses and codes of the service', () => expect(ERROR_CODES).toEqual(CODES));

  const all = Object.entries(CODES).flatMap(([status, codes]) => codes.map((code) => [Number(status), code] as const));
  it.each(all)('returns an instance of a specific error class for %d %s', (status, code) => {
    const error = errorOf(answer(status, { 'x-request-id': 'r-1' }), { detail: 'A sentence.', code });
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.constructor).not.toBe(ServiceError);
    expect(error.name).toBe(error.constructor.name);
    expect(error).toMatchObject({ status, code, detail: 'A sentence.', message: 'A sentence.', requestId: 'r-1' });
  });

  it('uses the same error class for several statuses only if they mean a bad request', () => {
    const classes = new Map<unknown, Set<number>>();
    for (const [status, code] of all) {
      const { constructor } = errorOf(answer(status), { detail: '', code });
      classes.set(constructor, (classes.get(constructor) ?? new Set()).add(status));
    }
    const shared = [...classes.values()].filter(({ size }) => size > 1).map((statuses) => [...statuses]);
    expect(shared).toEqual([[400, 405, 408, 414, 415, 416, 417, 431]]);
  });

  it('returns a ValidationError with the entries from the response', () => {
    const entries = [{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }];
    const error = errorOf(answer(422), { detail: entries });
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ status: 422, code: undefined, entries, detail: 'body.name: Field required' });
  });

  it.each([
    ['30', 30],
    ['', undefined],
    ['soon', undefined],
    ['-1', 0],
    [new Date(Date.now() - 1000).toUTCString(), 0],
  ])('reads the number of seconds to wait from the Retry-After header %j', (header, retryAfter) => {
    const error = errorOf(answer(429, { 'retry-after': header }), { detail: '', code: 'rate_limited' });
    expect(error).toBeInstanceOf(TooManyRequestsError);
    expect(error.retryAfter).toBe(retryAfter);
  });

  it.each([
    [502, '<html>'],
    [418, { detail: 'I am a teapot', code: 'of_a_later_version' }],
    [422, 'text'],
  ])('returns a ServiceError for an unexpected response with status %d', (status, body) => {
    const error = errorOf(answer(status), body);
    expect([error.constructor, error.status]).toEqual([ServiceError, status]);
    expect(error.message).not.toBe('');
  });
});
