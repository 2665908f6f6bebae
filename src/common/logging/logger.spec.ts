import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { createLogger } from './logger.js';

describe('createLogger', () => {
  it('logs the failed statement without its parameter values', () => {
    let line = '';
    const output = new Writable({
      write(text: Buffer, _, done) {
        line += text.toString();
        done();
      },
    });
    const told = {
      ...{ code: '23514', constraint: 'messages_content_check', table: 'messages' },
      ...{ detail: 'Failing row contains (what somebody wrote).', where: 'what somebody wrote' },
    };
    const fault = Object.assign(new Error('new row violates check constraint'), told);
    const statement = 'INSERT INTO messages (content) VALUES ($1)';
    createLogger('info', output).error(
      { err: new QueryFailedError(statement, ['what somebody wrote'], fault) },
      'failed',
    );
    expect(JSON.parse(line)).toMatchObject({
      msg: 'failed',
      err: { query: statement, code: '23514', constraint: 'messages_content_check', table: 'messages' },
    });
    expect(line).not.toContain('what somebody wrote');
  });
});
