import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Controller, Get, Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { raw } from '../../../test/support/raw.js';
import { type ServedModule, serveModule } from '../../../test/support/served-module.js';
import { CsvText } from './csv-text.js';
import { Tagged } from '../etag/tagged.js';
import { JsonText } from './json-text.js';

const TEXT = JSON.stringify({ text: 'ä message of many words. '.repeat(500) });
const TAG = 'abcdefghijklmnopqrstuv';

@Controller('answers')
class AnswersController {
  @Get('long')
  long(): Tagged<JsonText> {
    return Tagged.of(TAG, new JsonText(TEXT));
  }

  @Get('short')
  short(): Tagged<JsonText> {
    return Tagged.of(TAG, new JsonText(JSON.stringify('x'.repeat(1_022))));
  }

  @Get('plain')
  plain(): object {
    return { text: 'x'.repeat(1_100) };
  }

  @Get('csv')
  csv(): CsvText {
    return new CsvText([['title'], ['x'.repeat(5_000)]]);
  }
}

@Module({ controllers: [AnswersController] })
class AnswersModule {}

let served: ServedModule;
beforeAll(async () => {
  served = await serveModule(AnswersModule);
});
afterAll(async () => await served.close());

const get = (name: string, headers: Record<string, string>) => raw(`${served.url}/api/v1/answers/${name}`, { headers });

describe('response compression', () => {
  it.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['br;q=0.5, gzip;q=0.8', 'br', brotliDecompressSync],
    ['br;q=0, gzip;q=0.8', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
  ])('is used for JSON above 1 KiB if the client accepts %s', async (accepted, coding, decompress) => {
    const { headers, bytes } = await get('long', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(coding);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(headers['content-type']).toBe('application/json');
    expect(headers.vary).toBe('Accept-Encoding');
    expect(headers.etag).toBe(`"${TAG}-${coding}"`);
    expect(bytes.length).toBeLessThan(TEXT.length / 10);
    expect(decompress(bytes).toString()).toBe(TEXT);
  });

  it.each([undefined, '', 'identity', 'deflate', 'br;q=0, gzip;q=0', 'gzip;q=0', 'identity, br;q=0.1'])(
    'is not used for a client that accepts %j',
    async (accepted) => {
      const { headers, text } = await get('long', accepted === undefined ? {} : { 'accept-encoding': accepted });
      expect(headers).not.toHaveProperty('content-encoding');
      expect(headers).toMatchObject({ vary: 'Accept-Encoding', etag: `"${TAG}"` });
      expect(text).toBe(TEXT);
    },
  );

  it('is not used for short bodies or CSV', async () => {
    const accepting = { 'accept-encoding': 'br' };
    expect((await get('plain', accepting)).headers).toMatchObject({ 'content-encoding': 'br' });
    for (const name of ['short', 'csv']) {
      const { headers } = await get(name, accepting);
      expect(headers).not.toHaveProperty('content-encoding');
      expect(headers.vary).toBe('Accept-Encoding');
    }
  });

  it('does not prevent a 304 response to an ETag of any encoding', async () => {
    for (const tag of [`"${TAG}-br"`, `"${TAG}-gzip"`, `"${TAG}"`]) {
      const { status, headers, text } = await get('long', { 'accept-encoding': 'br', 'if-none-match': tag });
      expect({ status, etag: headers.etag, vary: headers.vary, text }).toEqual({
        status: 304,
        etag: tag,
        vary: 'Accept-Encoding',
        text: '',
      });
      expect(headers).not.toHaveProperty('content-encoding');
    }
  });

  it('survives clients that disconnect early', async () => {
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const controller = new AbortController();
        const asked = fetch(`${served.url}/api/v1/answers/long`, { signal: controller.signal });
        setImmediate(() => controller.abort());
        await asked.catch(() => undefined);
      }),
    );
    expect((await get('long', { 'accept-encoding': 'gzip' })).status).toBe(200);
    expect(served.log.filter(({ err }) => err !== undefined)).toEqual([]);
  });
});
