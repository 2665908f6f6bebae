import net from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Module,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Req,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { raw, type RawRequest } from '../../../test/support/raw.js';
import { type ServedModule, serveModule } from '../../../test/support/served-module.js';
import { NotAuthenticated } from '../errors/errors.js';
import { IntegerField, StringField } from '../validation/fields.js';
import { BodyGuard } from './body.guard.js';
import { BodyLimit } from './body-reader.service.js';
import { HttpModule } from './http.module.js';
import { RoutingGuard } from './routing.guard.js';

class Thing {
  @StringField()
  content!: string;
}

class ThingQuery {
  @IntegerField({ default: 5, minimum: 1 })
  limit!: number;
}

@Controller('things')
class ThingsController {
  @Get()
  list(@Query() query: ThingQuery): unknown {
    return { limit: query.limit, text: 'é😀' };
  }

  @Post()
  create(@Body() body: Thing): unknown {
    return { length: body.content.length };
  }

  @Put(':id')
  @BodyLimit(3000)
  put(@Param('id') id: string, @Body() body: Thing): unknown {
    return { id, length: body.content.length };
  }

  @Patch(':id')
  patch(@Param('id') id: string): unknown {
    return { id };
  }

  @Get(':id/parts')
  parts(@Param('id') id: string): unknown {
    return { id };
  }

  @Post('upload')
  async upload(@Req() request: Request): Promise<unknown> {
    let size = 0;
    for await (const chunk of request) size += (chunk as Buffer).length;
    return { size };
  }
}

@Injectable()
class Authentication implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.switchToHttp().getRequest<Request>().headers.authorization === 'Bearer t') return true;
    throw new NotAuthenticated('not_authenticated');
  }
}

@Module({
  imports: [HttpModule],
  providers: [RoutingGuard, Authentication, BodyGuard].map((guard) => ({ provide: APP_GUARD, useClass: guard })),
  controllers: [ThingsController],
})
class TestModule {}

let app: ServedModule;
let base: string;
beforeAll(async () => {
  app = await serveModule(TestModule);
  base = app.url;
});
afterAll(() => app.close());

const authorization = 'Bearer t';

/** Returns the status and parsed body of an authenticated request. */
async function ask(method: string, path: string, { body, headers }: RawRequest = {}): Promise<[number, unknown]> {
  const answer = await raw(`${base}/api/v1${path}`, {
    method,
    headers: { authorization, ...headers },
    ...(body !== undefined && { body }),
  });
  return [answer.status, answer.text === '' ? '' : JSON.parse(answer.text)];
}

const post = (
  body: string | Uint8Array,
  type: string | null = 'application/json',
  headers = {},
): Promise<[number, unknown]> =>
  ask('POST', '/things', { body, headers: { ...(type !== null && { 'content-type': type }), ...headers } });

const notObject = (input: unknown): [number, unknown] => [
  422,
  {
    detail: [
      {
        type: 'model_attributes_type',
        loc: ['body'],
        msg: 'Input should be a valid dictionary or object to extract fields from',
        input,
      },
    ],
  },
];
const missingBody = [422, { detail: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }] }];
const jsonInvalid = (position: number, error: string): [number, unknown] => [
  422,
  { detail: [{ type: 'json_invalid', loc: ['body', position], msg: 'JSON decode error', input: {}, ctx: { error } }] },
];
const unreadable = [400, { detail: 'There was an error parsing the body', code: 'json_malformed' }];

describe('routing', () => {
  it.each([
    ['GET', '/nothing', 404, undefined],
    ['GET', '/Things', 404, undefined],
    ['GET', '', 404, undefined],
    ['GET', '/things//parts', 404, undefined],
    ['GET', '/things/%FF/parts', 404, undefined],
    ['GET', '/things/%/parts', 404, undefined],
    ['GET', '/things/a%2Fb/parts', 404, undefined],
    ['GET', '/things/a%2fb/parts', 404, undefined],
    ['GET', '/things/%00/parts', 404, undefined],
    ['OPTIONS', '/nothing', 404, undefined],
    ['DELETE', '/things', 405, 'GET, POST'],
    ['DELETE', '/things/', 405, 'GET, POST'],
    ['OPTIONS', '/things', 405, 'GET, POST'],
    ['TRACE', '/things', 405, 'GET, POST'],
    ['HEAD', '/things', 405, 'GET, POST'],
    ['HEAD', '/things/1', 405, 'PUT, PATCH'],
    ['GET', '/things/1', 405, 'PUT, PATCH'],
    ['GET', '/things/%C3%A9', 405, 'PUT, PATCH'],
  ])('responds to %s %s with %d before authentication', async (method, path, status, allow) => {
    const answer = await raw(`${base}/api/v1${path}`, { method, body: method === 'DELETE' ? '{bad' : '' });
    expect([answer.status, answer.headers.allow]).toEqual([status, allow]);
    const [detail, code] =
      status === 404 ? ['Not Found', 'path_not_found'] : ['Method Not Allowed', 'method_not_allowed'];
    if (method === 'HEAD') expect(answer.text).toBe('');
    else expect(JSON.parse(answer.text)).toEqual({ detail, code });
    expect(answer.headers['content-type']).toBe('application/json');
  });

  it('returns 404 outside the prefix', async () => {
    const { status, text } = await raw(`${base}/things`);
    expect([status, text]).toEqual([404, '{"detail":"Not Found","code":"path_not_found"}']);
  });

  it('accepts a trailing slash', async () =>
    expect(await ask('GET', '/things/?limit=7')).toEqual([200, { limit: 7, text: 'é😀' }]));

  it('decodes path parameters', async () =>
    expect(await ask('PATCH', '/things/a%20%C3%A9%25+b')).toEqual([200, { id: 'a é%+b' }]));

  it('sends JSON without a charset and does not escape non-ASCII characters', async () => {
    const { headers, text } = await raw(`${base}/api/v1/things`, { headers: { authorization } });
    expect(headers['content-type']).toBe('application/json');
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
    expect(text).toBe('{"limit":5,"text":"é😀"}');
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('x-powered-by');
  });
});

describe('a request body', () => {
  it.each(['application/json', 'APPLICATION/JSON', 'application/json; charset=latin1', 'application/problem+json'])(
    'is parsed as JSON for the type %s',
    async (type) => expect(await post('{"content":"é"}', type)).toEqual([201, { length: 1 }]),
  );

  it.each([
    'text/plain',
    'json',
    'application/jsonx',
    'application/x-www-form-urlencoded',
    'text/json',
    'application/+jso',
    null,
  ])('is not parsed for the type %s', async (type) =>
    expect(await post('{"content":"é"}', type)).toEqual(notObject('{"content":"é"}')),
  );

  it.each(['', 'null', ' null '])('is reported as missing if it is %j', async (body) =>
    expect(await post(body)).toEqual(missingBody),
  );

  it('is reported as missing if it is empty, regardless of its type', async () => {
    expect(await post('', 'text/plain')).toEqual(missingBody);
    expect(await post('', null)).toEqual(missingBody);
  });

  it.each([
    [' ', 1, 'Expecting value'],
    ['{"😀" 1}', 5, "Expecting ':' delimiter"],
    ['{"content":NaN}', 11, 'Expecting value'],
  ])('is rejected if it is %j, with an error at position %d', async (body, position, error) =>
    expect(await post(body)).toEqual(jsonInvalid(position, error)),
  );

  it.each([
    ['invalid UTF-8', Buffer.from('{"content":"\xff"}', 'latin1')],
    ['nested too deeply', '['.repeat(201)],
    ['with an integer that is too long', '9'.repeat(4301)],
    ['with too many values', `[${'0,'.repeat(20_000)}0]`],
  ])('is rejected as malformed: %s', async (_, body) => expect(await post(body)).toEqual(unreadable));

  it.each([
    ['UTF-8 with a byte order mark', Buffer.from('\ufeff{"content":"é"}')],
    ['UTF-16', Buffer.from('{"content":"é"}', 'utf16le')],
  ])('may be encoded as %s', async (_, body) => expect(await post(body)).toEqual([201, { length: 1 }]));

  it('is rejected with 415 if it is compressed', async () => {
    const [status] = await post(gzipSync('{"content":"é"}'), 'application/json', { 'content-encoding': 'gzip' });
    expect(status).toBe(415);
  });

  it('has a size limit that a handler can change', async () => {
    const of = (length: number): string => `{"content":"${'x'.repeat(length - 14)}"}`;
    expect(await post(of(1024 ** 2))).toEqual([201, { length: 1024 ** 2 - 14 }]);
    expect(await post(of(1024 ** 2 + 1))).toEqual([
      413,
      { detail: 'The request body must not exceed 1048576 bytes', code: 'body_too_large' },
    ]);
    const put = (body: string) => ask('PUT', '/things/1', { body, headers: { 'content-type': 'application/json' } });
    expect(await put(of(3000))).toEqual([200, { id: '1', length: 2986 }]);
    expect(await put(of(3001))).toEqual([
      413,
      { detail: 'The request body must not exceed 3000 bytes', code: 'body_too_large' },
    ]);
  });

  it('is rejected with 413 above the limit while the client is sending, with or without a declared length', async () => {
    const megabyte = Buffer.alloc(1024 ** 2, 'x');
    const headers = { 'content-type': 'application/json' };
    const chunked = () => Readable.from(Array.from({ length: 30 }, () => megabyte));
    expect((await ask('POST', '/things', { body: chunked(), headers }))[0]).toBe(413);
    const declared = { ...headers, 'content-length': 30 * 1024 ** 2 };
    expect((await ask('POST', '/things', { body: chunked(), headers: declared }))[0]).toBe(413);
  });

  it('is left unread for a handler that reads it itself', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = Buffer.alloc(2 * 1024 ** 2, '{');
    expect(await ask('POST', '/things/upload', { body, headers })).toEqual([201, { size: body.length }]);
    expect(await ask('PATCH', '/things/1', { body: '{bad', headers })).toEqual([200, { id: '1' }]);
  });

  it('neither logs an error nor affects other requests if it is incomplete', async () => {
    const socket = net.connect(Number(new URL(base).port), '127.0.0.1');
    const head =
      'POST /api/v1/things HTTP/1.1\r\nHost: x\r\nX-Request-Id: cut-off\r\nContent-Type: application/json\r\n';
    socket.write(`${head}Content-Length: 100\r\n\r\n{"con`);
    await delay(50);
    socket.destroy();
    await delay(50);
    expect(app.log.filter(({ req, level }) => req?.id === 'cut-off' && level >= 50)).toEqual([]);
    expect((await post('{"content":"é"}'))[0]).toBe(201);
  });
});
