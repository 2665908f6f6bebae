import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule, type AppOptions } from './app.module.js';
import { configureHttp } from './common/http/configure-http.js';
import { crossOrigin } from './common/http/cross-origin.js';
import { onlyMonitoring } from './common/http/only-monitoring.js';
import { securityHeaders } from './common/http/security-headers.js';
import { NestLogger } from './common/logging/logger.js';
import { requestLog } from './common/logging/request-log.js';
import { MetricsService } from './common/metrics/metrics.service.js';
import { requestMetrics } from './common/metrics/request-metrics.js';
import { buildDocument } from './common/openapi/document.js';
import { serveSwaggerUi } from './common/openapi/swagger-ui.js';
import { hasPage, servePage } from './web/built-page.js';

/**
 * Creates the application for the process and for tests. It is not listening yet.
 *
 * With `preview`, no providers are instantiated, so that the OpenAPI document can be built without a database.
 */
export async function createApp(options: AppOptions, { preview = false } = {}): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(options), {
    bodyParser: false,
    logger: new NestLogger(options.logger),
    preview,
    abortOnError: false,
  });
  configureApp(app, options, preview);
  return app;
}

/** Configures prefix, logging, metrics, security headers, body reading, validation, errors and documentation. */
function configureApp(app: NestExpressApplication, { config, logger }: AppOptions, preview: boolean): void {
  app.set('trust proxy', config.TRUSTED_PROXIES);
  app.use(requestLog(logger));
  if (!preview) app.use(requestMetrics(app.get(MetricsService)));
  app.use(
    securityHeaders({
      overTls: config.PUBLIC_URL?.startsWith('https:') === true,
      pageConnectOrigins: config.pageConnectOrigins,
    }),
  );
  app.enableCors(crossOrigin(config.corsOrigins));
  app.setGlobalPrefix('api/v1', { exclude: ['store/{*path}', 'health/{*path}', 'metrics', 'sign-in'] });
  configureHttp(app, { ...config.connectionLimits, compression: config.COMPRESSION });
  if (config.ROLE === 'worker') {
    app.use(onlyMonitoring);
    return;
  }
  // Built on the first request, so that it does not delay the start.
  const makeDocument = (): OpenAPIObject => {
    const document = buildDocument(app);
    if (config.embedded) document.info.description += TOKEN_NOTE;
    return document;
  };
  if (hasPage()) servePage(app, { compression: config.COMPRESSION });
  else
    app
      .getHttpAdapter()
      .getInstance()
      .get('/', (_, response) => response.redirect('/docs'));
  serveSwaggerUi(app, makeDocument, { compression: config.COMPRESSION });
}

/** Note for the user who started the service locally. It says where the tokens are, but does not reveal the path of the file. */
const TOKEN_NOTE = `

**Your tokens** are in the file whose path was printed when the service started. \`company\` is the token of Ada, who can do
everything. \`member\` is the token of Max, who cannot change company resources.`;
