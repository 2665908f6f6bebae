import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import type { Logger } from 'pino';
import { AppModule, type Surroundings } from './app.module.js';
import { configureHttp } from './platform/http/configure-http.js';
import { NestLogger, requestLogging } from './platform/logging/logger.js';
import { buildDocument } from './platform/openapi/document.js';

/**
 * The application as it serves, for the process and for tests alike. It is not listening yet.
 *
 * With `preview` nothing is instantiated, so that the OpenAPI document can be made without a database.
 */
export async function createApp(surroundings: Surroundings, { preview = false } = {}): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.in(surroundings), {
    bodyParser: false,
    logger: new NestLogger(surroundings.logger),
    preview,
    abortOnError: false,
  });
  configureApp(app, surroundings.logger);
  return app;
}

/** Prefix, logging, body reading, validation, errors and documentation. */
export function configureApp(app: NestExpressApplication, logger: Logger): void {
  app.use(requestLogging(logger));
  app.setGlobalPrefix('api/v1', { exclude: ['store/{*path}'] });
  configureHttp(app);
  const document = buildDocument(app);
  app
    .getHttpAdapter()
    .getInstance()
    .get('/', (_, response) => response.redirect('/docs'));
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: '/openapi.json',
    yamlDocumentUrl: '/openapi.yaml',
    customSiteTitle: 'Project Workspace Service',
    swaggerOptions: { persistAuthorization: true, tryItOutEnabled: true, displayRequestDuration: true },
  });
}
