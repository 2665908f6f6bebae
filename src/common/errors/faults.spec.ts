import { describe, expect, it } from '@jest/globals';
import {
  CannotExecuteNotConnectedError,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { faultAnswer } from './faults.js';

const coded = (code: string, message = 'secret detail'): Error => Object.assign(new Error(message), { code });
const query = (code: string): Error => new QueryFailedError('SELECT secret', [], coded(code));

describe('faultAnswer', () => {
  it.each<[string, Error, number]>([
    ['a character that the encoding cannot represent', query('22P05'), 400],
    ['an invalid byte sequence', query('22021'), 400],
    ['a number out of range', query('22003'), 400],
    ['a string that is too long', query('22001'), 400],
    ['a date or time out of range', query('22008'), 400],
    ['a violated check constraint', query('23514'), 400],
    ['an oversized index row', query('54000'), 400],
    ['a row that already exists', query('23505'), 409],
    ['a row that is still referenced', query('23503'), 409],
    ['a deadlock that persists after retries', query('40P01'), 503],
    ['a serialization failure that persists after retries', query('40001'), 503],
    ['a failed connection', query('08006'), 503],
    ['too many connections', query('53300'), 503],
    ['a server that is shutting down', query('57P01'), 503],
    ['a server that is starting up', query('57P03'), 503],
    ['a canceled statement', query('57014'), 503],
    ['a lock timeout', query('55P03'), 503],
    ['a read-only standby server', query('25006'), 503],
    ['a refused connection', coded('ECONNREFUSED'), 503],
    ['a connection that every address refused', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 503],
    ['a reset connection', coded('ECONNRESET'), 503],
    ['an unknown host name', coded('ENOTFOUND'), 503],
    ['a network timeout', coded('ETIMEDOUT'), 503],
    ['an exhausted connection pool', new Error('timeout exceeded when trying to connect'), 503],
    ['a connection that terminated', new Error('Connection terminated unexpectedly'), 503],
    ['a connection that was closed', new Error('Client was closed and is not queryable'), 503],
    [
      'a transaction whose connection broke before its next statement',
      new QueryRunnerProviderAlreadyReleasedError(),
      503,
    ],
    ['a transaction whose connection broke before its end', new QueryRunnerAlreadyReleasedError(), 503],
    ['a closed pool', new Error('Cannot use a pool after calling end on the pool'), 503],
    ['a closed data source', new CannotExecuteNotConnectedError(), 503],
    ['an error caused by a reset connection', new Error('reading failed', { cause: coded('ECONNRESET') }), 503],
    ['a full disk', coded('ENOSPC'), 507],
  ])('reports %s without its details', (_, error, status) => {
    const answer = faultAnswer(error);
    expect(answer?.status).toBe(status);
    expect(answer?.detail).not.toContain('secret');
  });

  it.each<[string, unknown]>([
    ['a missing table', query('42P01')],
    ['a statement with a syntax error', query('42601')],
    ['a missing file', coded('ENOENT')],
    ['a programming error', new TypeError('x is not a function')],
    ['an error with an incomplete SQLSTATE', coded('22')],
    ['a string', 'ECONNREFUSED'],
    ['undefined', undefined],
  ])('ignores %s', (_, error) => expect(faultAnswer(error)).toBeUndefined());
});
