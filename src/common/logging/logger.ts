import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';

/** What an error of the database holds of the values that its statement was given. */
const VALUES = ['parameters', 'driverError', 'detail', 'where'].map((name) => `err.${name}`);

/** The JSON logger of one process. Lines carry no header, body, query or value of a row, where credentials and content travel. */
export function createLogger(level: string, output?: DestinationStream): Logger {
  const redact = { paths: VALUES, remove: true };
  return pino({ level, redact, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, output);
}

/** Hands Nest's own log lines to the process's logger. */
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
    const given = details.filter((detail) => detail !== undefined);
    this.logger.error({ err, details: given }, err?.message ?? String(message));
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
