import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ExpressAdapter, NestExpressApplication } from '@nestjs/platform-express';
import type { Application, Request, Response } from 'express';
import mime from 'mime-types';
import { codingFor, compressed, MIN_COMPRESSED_BYTES, varyByCoding } from '../platform/http/compression.js';
import { type Coding, tagHeader } from '../platform/http/entity-tags/entity-tag.js';
import { tellFailure } from '../platform/logging/request-log.js';

/** Where the build leaves the page: beside the service's own `dist`. */
const FOLDER = fileURLToPath(new URL('../../web/dist/', import.meta.url));
const ASSETS = 'assets/';
/** Files whose names change with what is in them. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** Asked for each time, and not sent again while it is the same. */
const ASKED_FOR = 'no-cache';

/** Whether the page has been built: a service can also be installed without it. */
export const hasPage = (): boolean => existsSync(`${FOLDER}index.html`);

/** Serves the page at `/` and what it loads at `/assets/`: a few files, which are kept in memory. */
export function servePage(app: NestExpressApplication, { compression }: { compression: boolean }): void {
  const choose = compression ? codingFor : () => undefined;
  const index = new PageFile('index.html', ASKED_FOR);
  const assets = new Map(
    readdirSync(FOLDER + ASSETS).map((name) => [name, new PageFile(ASSETS + name, FOR_EVER)] as const),
  );
  const server = (app.getHttpAdapter() as ExpressAdapter).getInstance<Application>();
  server.get('/', (request, response) => index.send(request, response, choose));
  server.get('/assets/:name', (request, response, next) => {
    const file = assets.get(String(request.params['name']));
    if (file === undefined) next();
    else file.send(request, response, choose);
  });
}

/** A file of the page, and how it looks in each coding that somebody has asked for. */
class PageFile {
  private readonly bytes: Buffer;
  private readonly type: string;
  private readonly tag: string;
  private readonly coded = new Map<Coding, Promise<Buffer>>();

  constructor(
    path: string,
    private readonly caching: string,
  ) {
    this.bytes = readFileSync(FOLDER + path);
    this.type = mime.contentType(path.slice(path.lastIndexOf('/') + 1)) || 'application/octet-stream';
    this.tag = createHash('sha256').update(this.bytes).digest('base64url').slice(0, 22);
  }

  send(request: Request, response: Response, choose: (request: Request) => Coding | undefined): void {
    const coding = this.bytes.length > MIN_COMPRESSED_BYTES ? choose(request) : undefined;
    varyByCoding(response);
    response.setHeader('Cache-Control', this.caching);
    response.setHeader('ETag', tagHeader(this.tag, coding));
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    response.setHeader('Content-Type', this.type);
    if (coding !== undefined) response.setHeader('Content-Encoding', coding);
    this.in(coding).then(
      (bytes) => {
        response.setHeader('Content-Length', bytes.length);
        response.end(bytes);
      },
      (error: Error) => {
        tellFailure(response, error);
        response.destroy();
      },
    );
  }

  private async in(coding: Coding | undefined): Promise<Buffer> {
    if (coding === undefined) return this.bytes;
    const known = this.coded.get(coding) ?? compressed(this.bytes, coding);
    this.coded.set(coding, known);
    return await known;
  }
}
