import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ExpressAdapter, NestExpressApplication } from '@nestjs/platform-express';
import type { Application } from 'express';
import mime from 'mime-types';
import { PathNotFound } from '../common/errors/errors.js';
import { REVALIDATE, StaticContent } from '../common/http/static-content.js';

/** Build output for the page, next to the service's own `dist`. */
const FOLDER = fileURLToPath(new URL('../../../web/dist/', import.meta.url));
const ASSETS = 'assets/';
/** Caching for files whose names contain a hash of their contents. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Returns whether the page was built. A service can be installed without it. */
export const hasPage = (): boolean => existsSync(`${FOLDER}index.html`);

/** Serves the page at `/` and its files at `/assets/`. All files are small enough to be kept in memory. */
export function servePage(app: NestExpressApplication, { compression }: { compression: boolean }): void {
  const file = (path: string, caching: string): StaticContent => {
    const type = mime.contentType(path.slice(path.lastIndexOf('/') + 1)) || 'application/octet-stream';
    return new StaticContent(readFileSync(FOLDER + path), { type, caching, compression });
  };
  const index = file('index.html', REVALIDATE);
  const assets = new Map(readdirSync(FOLDER + ASSETS).map((name) => [name, file(ASSETS + name, IMMUTABLE)] as const));
  const server = (app.getHttpAdapter() as ExpressAdapter).getInstance<Application>();
  server.get('/', (request, response) => index.send(request, response));
  server.get('/assets/:name', (request, response, next) => {
    const asset = assets.get(String(request.params['name']));
    if (asset === undefined) next(new PathNotFound());
    else asset.send(request, response);
  });
}
