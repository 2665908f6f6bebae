import { once } from 'node:events';
import { type AddressInfo, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AppOptions } from './app.module.js';
import type { Config } from './config/config.js';
import { createApp } from './configure-app.js';
import { startMessage } from './demo/start-message.js';
import { type EmbeddedPostgres, EmbeddedPostgresError } from '../packages/embedded-postgres/index.js';
import { ListenError } from './failed-start.js';
import { HealthService } from './health/health.service.js';
import { endConnections } from './common/http/ending-connections.js';
import { MetricsService } from './common/metrics/metrics.service.js';
import { STOP_SIGNALS, type StopSignal } from './stop-signals.js';
import { watchUncaughtErrors } from './uncaught-errors.js';

/** Time for ongoing requests to finish after a stop signal. A second signal ends them immediately. */
const DRAIN_MS = 20_000;
/** Maximum time between duplicates of a signal. npm forwards a Ctrl-C that the service has already received itself. */
const SAME_SIGNAL_MS = 1_000;

/** Serves a migrated database until a stop signal. Resolves once every request has been answered. */
export async function serve(
  options: AppOptions,
  {
    server,
    stopping,
    onReady,
  }: { server: EmbeddedPostgres | undefined; stopping: Promise<StopSignal>; onReady: () => void },
): Promise<StopSignal> {
  const { config, logger } = options;
  const app = await createApp(options);
  const uncaught = app.get(MetricsService).counter({ name: 'pws_uncaught_errors_total', help: 'Uncaught errors' });
  const broken = watchUncaughtErrors((err, isFatal) => {
    uncaught.inc();
    logger[isFatal ? 'fatal' : 'error']({ err }, 'uncaught error');
  });
  // Reported at the `await` below.
  broken.catch(() => undefined);
  try {
    const url = await listen(app, config);
    const message = server === undefined ? '' : await startMessage(app, config, url, server.notes);
    onReady();
    process.stdout.write(message);
    logger.info({ url, role: config.ROLE }, 'ready');
    const signal = await Promise.race([stopping, broken, ...(server === undefined ? [] : [death(server, config)])]);
    logger.info({ signal }, 'stopping');
    app.get(HealthService).stopping();
    endConnections(app.getHttpServer());
    await pause(config.STOP_DELAY_SECONDS * 1000);
    return signal;
  } finally {
    boundDrain(app);
    await app.close();
  }
}

async function listen(app: NestExpressApplication, { PORT, HOST }: Config): Promise<string> {
  await app.init();
  const server = app.getHttpServer();
  try {
    // Nest's own method would also log an error.
    await once(server.listen(PORT, HOST), 'listening');
  } catch (error) {
    throw new ListenError(HOST, PORT, error as NodeJS.ErrnoException);
  }
  const { port } = server.address() as AddressInfo;
  const host = ['0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Prevents clients that stop reading or sending from delaying a stop. */
function boundDrain(app: NestExpressApplication): void {
  const began = performance.now();
  const cut = (): void => app.getHttpServer().closeAllConnections();
  setTimeout(cut, DRAIN_MS).unref();
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (performance.now() - began > SAME_SIGNAL_MS) cut();
    });
  }
}

/** Rejects if the embedded server ends unexpectedly, because the process cannot work without it. */
async function death(server: EmbeddedPostgres, { DATA_DIR }: Config): Promise<never> {
  await server.ended;
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL has stopped. See ${join(DATA_DIR, 'postgres.log')} for the reason.`,
  );
}
