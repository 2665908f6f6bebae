import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ExpressAdapter, NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Application, Response } from 'express';
import mime from 'mime-types';
import { StaticContent } from '../http/static-content.js';

const require = createRequire(import.meta.url);
/** Swagger UI, as the swagger module brings it. */
const FOLDER = dirname(
  require.resolve('swagger-ui-dist/package.json', { paths: [require.resolve('@nestjs/swagger/package.json')] }),
);
/** Pages that the swagger module writes. */
const WRITTEN = ['/openapi.json', '/openapi.yaml', '/docs', '/docs/swagger-ui-init.js'];
/** Files that the page at `/docs` loads. */
const ASSETS = ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css'];

/** Serves Swagger UI at `/docs` and the document beside it, compressed and with entity tags. */
export function serveSwaggerUi(
  app: NestExpressApplication,
  makeDocument: () => OpenAPIObject,
  { compression }: { compression: boolean },
): void {
  const server = (app.getHttpAdapter() as ExpressAdapter).getInstance<Application>();
  const contents = new Map<string, StaticContent>();
  for (const path of WRITTEN) {
    server.get(path, (request, response, next) => {
      // `/docs/` is another page than `/docs`.
      if (request.path !== path) return next();
      const kept = contents.get(path);
      if (kept !== undefined) return kept.send(request, response);
      response.send = (text: string): Response => {
        const content = new StaticContent(text, { type: String(response.getHeader('content-type')), compression });
        contents.set(path, content);
        content.send(request, response);
        return response;
      };
      next();
    });
  }
  for (const name of ASSETS) {
    server.get(`/docs/${name}`, (request, response) => {
      const content =
        contents.get(name) ??
        new StaticContent(readFileSync(join(FOLDER, name)), {
          type: mime.contentType(name) || 'application/octet-stream',
          compression,
        });
      contents.set(name, content);
      content.send(request, response);
    });
  }
  SwaggerModule.setup('docs', app, makeDocument, {
    jsonDocumentUrl: '/openapi.json',
    yamlDocumentUrl: '/openapi.yaml',
    customSiteTitle: 'Project Workspace Service',
    swaggerOptions: {
      tryItOutEnabled: true,
      displayRequestDuration: true,
      filter: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      plugins: [{ fn: { opsFilter: filterOperations } }],
    },
  });
}

/** Immutable.js collections as Swagger UI has them. */
interface Field {
  get(key: 'path' | 'method'): string;
  getIn(path: string[]): string | undefined;
}
interface Group {
  get(key: 'operations'): Operations;
  set(key: 'operations', value: Operations): Group;
}
interface Operations {
  size: number;
  filter(keep: (operation: Field) => boolean): Operations;
}
interface Groups {
  map(change: (group: Group, tag: string) => Group): Groups;
  filter(keep: (group: Group) => boolean): Groups;
}

/**
 * Keeps the operations whose path or summary contains a phrase, and whole groups whose name does. Runs in the browser: Swagger UI
 * gets the text of this function, so it uses nothing from outside and names no function.
 */
function filterOperations(groups: Groups, phrase: string): Groups {
  const wanted = phrase.trim().toLowerCase();
  return groups
    .map((group, tag) =>
      tag.toLowerCase().includes(wanted)
        ? group
        : group.set(
            'operations',
            group
              .get('operations')
              .filter((one) =>
                `${one.get('path')} ${one.getIn(['operation', 'summary']) ?? ''}`.toLowerCase().includes(wanted),
              ),
          ),
    )
    .filter((group) => group.get('operations').size > 0);
}
