import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Controller, Get, Module, Res } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { type ServedModule, serveModule } from '../../../test/support/served-module.js';
import { Conflict } from '../errors/errors.js';
import { HttpModule } from './http.module.js';

/** Resolves when the test calls `stop`. Until then, all routes except `quick` delay their responses. */
let stopped: Promise<void>;
let stop: () => void;

@Controller('ending')
class EndingController {
  @Get('slow')
  async slow(): Promise<object> {
    await stopped;
    return { slow: true };
  }

  @Get('refused')
  async refused(): Promise<never> {
    await stopped;
    throw new Conflict('request_conflict', 'It exists already');
  }

  @Get('piped')
  async piped(@Res() response: Response): Promise<void> {
    await stopped;
    Readable.from(['a', 'b']).pipe(response);
  }

  @Get('quick')
  quick(): object {
    return { quick: true };
  }
}

@Module({ imports: [HttpModule], controllers: [EndingController] })
class TestModule {}

let app: ServedModule;
beforeAll(async () => {
  stopped = new Promise((resolve) => {
    stop = resolve;
  });
  app = await serveModule(TestModule);
});
afterAll(() => app.close());

async function get(name: string): Promise<{ status: number | undefined; connection: string | undefined }> {
  const sent = request(`${app.url}/api/v1/ending/${name}`, { headers: { connection: 'keep-alive' } }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  await text(answer);
  return { status: answer.statusCode, connection: answer.headers.connection };
}

describe('endConnections', () => {
  it('keeps connections open until it is called and then closes each connection with its next response', async () => {
    expect(await get('quick')).toEqual({ status: 200, connection: 'keep-alive' });
    const underWay = ['slow', 'refused', 'piped'].map(get);
    // The three requests have arrived by now.
    await get('quick');
    app.endConnections();
    stop();
    expect(await Promise.all(underWay)).toEqual([
      { status: 200, connection: 'close' },
      { status: 409, connection: 'close' },
      { status: 200, connection: 'close' },
    ]);
    expect(await get('quick')).toEqual({ status: 200, connection: 'close' });
    expect(await get('nowhere')).toEqual({ status: 404, connection: 'close' });
  });
});
