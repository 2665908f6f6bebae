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
    ['text that the encoding does not have', query('22P05'), 400],
    ['bytes that are no text', query('22021'), 400],
    ['a number out of range', query('22003'), 400],
    ['a text that is too long', query('22001'), 400],
    ['a moment out of range', query('22008'), 400],
    ['a row that breaks a check', query('23514'), 400],
    ['an index row that is too large', query('54000'), 400],
    ['a row that exists already', query('23505'), 409],
    ['a row that is in use', query('23503'), 409],
    ['a deadlock that retries did not solve', query('40P01'), 503],
    ['a transaction that retries did not solve', query('40001'), 503],
    ['a connection that failed', query('08006'), 503],
    ['too many connections', query('53300'), 503],
    ['a server that shuts down', query('57P01'), 503],
    ['a server that starts', query('57P03'), 503],
    ['a statement that took too long', query('57014'), 503],
    ['a lock that took too long', query('55P03'), 503],
    ['a stand-by server', query('25006'), 503],
    ['a refused connection', coded('ECONNREFUSED'), 503],
    ['refused connections to every address', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 503],
    ['a reset connection', coded('ECONNRESET'), 503],
    ['a name that is not found', coded('ENOTFOUND'), 503],
    ['a time-out on the way', coded('ETIMEDOUT'), 503],
    ['a pool that is exhausted', new Error('timeout exceeded when trying to connect'), 503],
    ['a connection that broke', new Error('Connection terminated unexpectedly'), 503],
    ['a connection that was closed', new Error('Client was closed and is not queryable'), 503],
    [
      'a transaction whose connection broke before its next statement',
      new QueryRunnerProviderAlreadyReleasedError(),
      503,
    ],
    ['a transaction whose connection broke before its end', new QueryRunnerAlreadyReleasedError(), 503],
    ['a pool that was closed', new Error('Cannot use a pool after calling end on the pool'), 503],
    ['a data source that is closed', new CannotExecuteNotConnectedError(), 503],
    ['a fault that another error tells of', new Error('reading failed', { cause: coded('ECONNRESET') }), 503],
    ['a full disk', coded('ENOSPC'), 507],
  ])('reports %s without its details', (_, error, status) => {
    const answer = faultAnswer(error);
    expect(answer?.status).toBe(status);
    expect(answer?.detail).not.toContain('secret');
  });

  it.each<[string, unknown]>([
    ['a missing table', query('42P01')],
    ['a statement with a mistake', query('42601')],
    ['a missing file', coded('ENOENT')],
    ['a mistake of ours', new TypeError('x is not a function')],
    ['an error whose code only begins like one', coded('22')],
    ['no error', 'ECONNREFUSED'],
    ['nothing', undefined],
  ])('ignores %s', (_, error) => expect(faultAnswer(error)).toBeUndefined());
});
