import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';

/** Properties of database errors that contain parameter values of the statement. */
const VALUES = ['parameters', 'driverError', 'detail', 'where'].map((name) => `err.${name}`);

/**
 * Creates the JSON logger for a process. Lines contain no headers, bodies, query strings or row values, because these may hold
 * credentials or content.
 */
export function createLogger(level: string, output?: DestinationStream): Logger {
  const redact = { paths: VALUES, remove: true };
  return pino({ level, redact, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, output);
}

/** Forwards Nest's own log lines to the process's logger. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, ...details: unknown[]): void {
    const err = message instanceof Error ? message : undefined;
    const defined = details.filter((detail) => detail !== undefined);
    this.logger.error({ err, details: defined }, err?.message ?? String(message));
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  verbose(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }

  fatal(message: unknown, context?: string): void {
    this.logger.fatal({ context }, String(message));
  }
}
