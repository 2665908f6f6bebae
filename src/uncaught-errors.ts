import { NETWORK_CODES } from './common/errors/faults.js';

/** Faults of a single stream or connection, which is over with them; everything else is as it was. */
const STREAM_CODES = [
  ...['ERR_HTTP_HEADERS_SENT', 'ERR_STRING_TOO_LONG', 'ERR_STREAM_ALREADY_FINISHED', 'ERR_STREAM_DESTROYED'],
  ...['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE', 'ERR_STREAM_WRITE_AFTER_END'],
];

/**
 * Reports errors that nobody has caught. The process goes on after those that concern one connection alone; after any
 * other one it is in an unknown state.
 *
 * @returns rejects with the first error after which the process must be stopped
 */
export function watchUncaughtErrors(report: (error: Error, isFatal: boolean) => void): Promise<never> {
  return new Promise((_, reject) => {
    process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
      const isFatal = ![...STREAM_CODES, ...NETWORK_CODES].includes(error.code ?? '');
      report(error, isFatal);
      if (isFatal) reject(error);
    });
  });
}
