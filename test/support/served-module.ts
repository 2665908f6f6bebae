import type { AddressInfo } from 'node:net';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';
import { configureHttp } from '../../src/common/http/configure-http.js';
import { endConnections } from '../../src/common/http/ending-connections.js';
import { requestLog } from '../../src/common/logging/request-log.js';

/** Entry of the request log. */
export interface RequestLine {
  level: number;
  msg?: string;
  req?: { id: string; path?: string };
  res?: { status: number | null };
  err?: { message: string };
}

export interface ServedModule {
  url: string;
  /** Request log so far. Later requests are appended. */
  log: readonly RequestLine[];
  /** Closes each connection with its next response, like a process that is stopping. */
  endConnections(): void;
  close(): Promise<void>;
}

/** Serves a module over HTTP as the application would, for tests that need no database. */
export async function serveModule(module: Type): Promise<ServedModule> {
  const log: RequestLine[] = [];
  const app = await NestFactory.create<NestExpressApplication>(module, { bodyParser: false, logger: false });
  app.use(requestLog(pino({}, { write: (line: string) => log.push(JSON.parse(line) as RequestLine) })));
  app.setGlobalPrefix('api/v1');
  configureHttp(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    log,
    endConnections: () => endConnections(app.getHttpServer()),
    close: () => app.close(),
  };
}
