import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import { DomainError } from '../errors/errors.js';

/** Longest wait for the head of a request. */
const HEAD_MS = 20_000;
/** Longest wait for all of a request: a large part on a slow line takes its time. Bodies of JSON have less. */
const REQUEST_MS = 60 * 60_000;
/** What a client gets to finish sending after it was answered. */
const LINGER_MS = 10_000;
/** Longest path and query. The head altogether has at most 16 KiB, which is Node's default. */
const URL_LENGTH = 8 * 1024;

/** What is told of a request that is no request, by the code of the error that Node's parser gives. */
const ANSWERS: Record<string, [number, string, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The head of the request may have at most 16384 bytes'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request took too long'],
};
const UNREADABLE: [number, string, string] = [400, 'Bad Request', 'The request is not valid HTTP'];

/** Bounds what a connection may take, and answers what never becomes a request in the form of all errors. */
export function limitConnections(server: Server): void {
  server.headersTimeout = HEAD_MS;
  server.requestTimeout = REQUEST_MS;
  server.on(
    'clientError',
    (error: NodeJS.ErrnoException, socket: Duplex & { _httpMessage?: { headersSent: boolean } }) => {
      // In the middle of an answer there is no room for another.
      if (!socket.writable || error.code === 'ECONNRESET' || socket._httpMessage?.headersSent === true) {
        socket.destroy();
        return;
      }
      const [status, reason, detail] = ANSWERS[error.code ?? ''] ?? UNREADABLE;
      const body = JSON.stringify({ detail });
      const head = [
        `HTTP/1.1 ${status} ${reason}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
      ];
      socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
    },
  );
}

/** Refuses URLs that are too long, and hangs up on clients that go on sending what nobody reads. */
export const limitRequests: RequestHandler = (request, response, next) => {
  if (hasBody(request)) {
    response.once('finish', () => {
      if (!request.complete) setTimeout(() => request.complete || request.socket.destroy(), LINGER_MS).unref();
    });
  }
  if (request.url.length > URL_LENGTH) throw new DomainError(414, `The URL may have at most ${URL_LENGTH} characters`);
  next();
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
