import { once } from 'node:events';
import { Controller, Get, Module, Res } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { eventually } from '../../../test/support/eventually.js';
import { raw } from '../../../test/support/raw.js';
import { type RequestLine, type ServedModule, serveModule } from '../../../test/support/served-module.js';
import { Conflict, Unavailable } from '../errors/errors.js';
import { HttpModule } from '../http/http.module.js';

const INFO = 30;
const ERROR = 50;

@Controller('logged')
class LoggedController {
  @Get('conflict')
  conflict(): void {
    throw new Conflict('request_conflict', 'It exists already');
  }

  @Get('not-storable')
  notStorable(): void {
    throw Object.assign(new Error('secret value'), { code: '22P05' });
  }

  @Get('unavailable')
  unavailable(): void {
    throw new Unavailable();
  }

  @Get('cut')
  cut(@Res() response: Response): void {
    response.write('half');
    throw new Error('the rest is gone');
  }

  @Get('late')
  async late(@Res() response: Response): Promise<void> {
    response.end('all');
    await once(response, 'close');
    throw new Error('nobody waits any more');
  }
}

@Module({ imports: [HttpModule], controllers: [LoggedController] })
class TestModule {}

let app: ServedModule;
beforeAll(async () => {
  app = await serveModule(TestModule);
});
afterAll(() => app.close());

const linesOf = async (id: string): Promise<RequestLine[]> =>
  await eventually(
    async () => await Promise.resolve(app.log.filter(({ req }) => req?.id === id)),
    (lines) => lines.length > 0,
    { until: `there is a line of ${id}` },
  );

describe('requestLog', () => {
  it.each([
    ['conflict', 409, INFO, 'request completed', undefined],
    // The cause reveals more than the response may show, and clients can trigger the error at will.
    ['not-storable', 400, INFO, 'request errored', 'secret value'],
    ['unavailable', 503, ERROR, 'request errored', 'Service Unavailable'],
    ['nothing-here', 404, INFO, 'request completed', undefined],
  ])('logs the request %s with status %d at level %d', async (name, status, level, msg, message) => {
    const answer = await raw(`${app.url}/api/v1/logged/${name}?secret=1`, { headers: { 'x-request-id': name } });
    expect([answer.status, answer.headers['x-request-id']]).toEqual([status, name]);
    const [line, ...more] = await linesOf(name);
    expect(line).toMatchObject({ level, msg, req: { path: `/api/v1/logged/${name}` }, res: { status } });
    expect(line?.err?.message).toBe(message);
    expect(more).toEqual([]);
    expect(JSON.stringify(line)).not.toContain('secret=1');
  });

  it('logs why a response was cut off', async () => {
    await expect(raw(`${app.url}/api/v1/logged/cut`, { headers: { 'x-request-id': 'cut' } })).rejects.toThrow();
    const lines = await linesOf('cut');
    expect(lines).toMatchObject([{ level: ERROR, msg: 'request errored', err: { message: 'the rest is gone' } }]);
  });

  it('adds a second line for an error that occurs after the response', async () => {
    await raw(`${app.url}/api/v1/logged/late`, { headers: { 'x-request-id': 'late' } });
    expect(await linesOf('late')).toMatchObject([
      { level: ERROR, msg: 'request failed after its response', err: { message: 'nobody waits any more' } },
    ]);
  });

  it("generates a request id if the client's id is invalid", async () => {
    const { headers } = await raw(`${app.url}/api/v1/logged/conflict`, { headers: { 'x-request-id': 'a b' } });
    expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  });
});
