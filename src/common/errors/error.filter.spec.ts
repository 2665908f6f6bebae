import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, HttpException, Module, NotImplementedException, Res } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { raw } from '../../../test/support/raw.js';
import { type ServedModule, serveModule } from '../../../test/support/served-module.js';
import { HttpModule } from '../http/http.module.js';
import { Conflict, TooManyRequests } from './errors.js';

@Controller('errors')
class ErrorsController {
  @Get('conflict')
  conflict(): void {
    throw new Conflict('request_conflict', 'It exists already');
  }

  @Get('often')
  often(): void {
    throw new TooManyRequests('rate_limited', 'Too often', 30);
  }

  @Get('nest')
  nest(): void {
    throw new HttpException('I am a teapot', 418);
  }

  @Get('nest-5xx')
  notImplemented(): void {
    throw new NotImplementedException();
  }

  @Get('database')
  database(): void {
    throw Object.assign(new Error('secret host is down'), { code: 'ECONNREFUSED' });
  }

  @Get('bug')
  bug(@Res({ passthrough: true }) response: Response): void {
    response.setHeader('Content-Disposition', 'attachment');
    throw new TypeError('secret: x is not a function');
  }

  @Get('thrown-text')
  text(): void {
    // Some libraries throw values that are not errors.
    throw Object.create(null) as Error;
  }

  @Get('late')
  late(@Res() response: Response): void {
    response.write('half');
    throw new Error('secret: the rest is gone');
  }
}

@Module({ imports: [HttpModule], controllers: [ErrorsController] })
class TestModule {}

let app: ServedModule;
beforeAll(async () => {
  app = await serveModule(TestModule);
});
afterAll(() => app.close());

describe('ErrorFilter', () => {
  const fetchError = async (name: string) => {
    const { status, headers, text } = await raw(`${app.url}/api/v1/errors/${name}`, {
      headers: { 'x-request-id': name },
    });
    const logged = app.log.find(({ req }) => req?.id === name)?.err?.message;
    return { status, headers, text, logged };
  };

  it.each([
    ['conflict', 409, 'It exists already', 'request_conflict', undefined],
    ['often', 429, 'Too often', 'rate_limited', undefined],
    ['nest', 418, 'I am a teapot', 'request_refused', undefined],
    ['nest-5xx', 501, 'Not Implemented', 'internal_error', 'Not Implemented'],
    ['database', 503, 'Service Unavailable', 'unavailable', 'secret host is down'],
    ['bug', 500, 'Internal Server Error', 'internal_error', 'secret: x is not a function'],
    ['thrown-text', 500, 'Internal Server Error', 'internal_error', 'A value that is not an error was thrown'],
  ])('responds to the error `%s` with %d without leaking internals', async (name, status, detail, code, logged) => {
    const answer = await fetchError(name);
    expect(answer).toMatchObject({ status, text: JSON.stringify({ detail, code }), logged });
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': name });
    expect(answer.headers).not.toHaveProperty('content-disposition');
  });

  it('sends the headers of the error', async () =>
    expect((await fetchError('often')).headers['retry-after']).toBe('30'));

  it('closes the connection if the error occurs after the response has begun', async () => {
    await expect(raw(`${app.url}/api/v1/errors/late`, { headers: { 'x-request-id': 'late' } })).rejects.toThrow();
    await delay(20);
    expect(app.log.find(({ req }) => req?.id === 'late')?.err?.message).toBe('secret: the rest is gone');
  });
});
