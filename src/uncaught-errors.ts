import { Unavailable } from './common/errors/errors.js';
import { faultAnswer } from './common/errors/faults.js';

/** Faults that affect only a single stream or connection. */
const STREAM_CODES = [
  ...['ERR_HTTP_HEADERS_SENT', 'ERR_STRING_TOO_LONG', 'ERR_STREAM_ALREADY_FINISHED', 'ERR_STREAM_DESTROYED'],
  ...['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE', 'ERR_STREAM_WRITE_AFTER_END'],
];

/**
 * Reports uncaught errors. The process continues after errors that affect only a single connection, such as a fault of the
 * database or the file store. After any other error its state is unknown.
 *
 * @returns a promise that rejects with the first error that must stop the process
 */
export function watchUncaughtErrors(report: (error: Error, isFatal: boolean) => void): Promise<never> {
  return new Promise((_, reject) => {
    process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
      const isFatal = !STREAM_CODES.includes(error.code ?? '') && !(faultAnswer(error) instanceof Unavailable);
      report(error, isFatal);
      if (isFatal) reject(error);
    });
  });
}
