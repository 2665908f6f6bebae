import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import { BadRequest, DomainError } from '../errors/errors.js';
import { keyOfAddress } from '../throttling/limits.js';
import { declaredBytes, expectContinue, abandonBody } from './unread-body.js';

/** Maximum wait for the headers of a request. */
const HEAD_MS = 20_000;
/**
 * Maximum wait for a complete request. It is long because a large upload part on a slow line takes time. JSON bodies have a
 * shorter limit.
 */
const REQUEST_MS = 60 * 60_000;
/** Interval between Node's checks for late requests. */
const CHECK_MS = 1_000;
/**
 * Interval between checks of a client's progress. A client that reads nothing is disconnected at the second check, after 30
 * seconds.
 */
const PROGRESS_CHECK_MS = 15_000;
/** Time for a client to finish sending after it received the response. */
const LINGER_MS = 10_000;
/** Maximum length of path and query. The whole head is limited to 16 KiB, Node's default. */
const MAX_URL_LENGTH = 8 * 1024;
/** Name, IPv4 address or bracketed IPv6 address, with an optional port. The value becomes part of signed URLs. */
const HOST = /^(?:[\w.~-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Responses to requests that cannot be parsed, by the error code from Node's parser. */
const ANSWERS: Record<string, [string, DomainError]> = {
  HPE_HEADER_OVERFLOW: [
    'Request Header Fields Too Large',
    new DomainError('head_too_large', 'The request line and headers must not exceed 16384 bytes'),
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    'Request Timeout',
    new DomainError('request_too_slow', 'The request took too long to arrive'),
  ],
};
const UNREADABLE: [string, DomainError] = [
  'Bad Request',
  new BadRequest('request_malformed', 'The request is not valid HTTP'),
];

export interface ConnectionLimits {
  /** Maximum number of open connections. Additional connections are closed. */
  connections?: number;
  /** Maximum number of open connections per client address. */
  connectionsOfAddress?: number;
  /** Seconds that an idle connection stays open. Defaults to 65. */
  keepAliveSeconds?: number;
}

/** Limits connections. Requests that cannot be parsed get an error in the usual format. */
export function limitConnections(server: Server, limits: ConnectionLimits = {}): void {
  server.headersTimeout = HEAD_MS;
  server.requestTimeout = REQUEST_MS;
  server.timeout = PROGRESS_CHECK_MS;
  server.keepAliveTimeout = (limits.keepAliveSeconds ?? 65) * 1000;
  if (limits.connections !== undefined) server.maxConnections = limits.connections;
  // Sets options of `createServer` that Nest does not pass on.
  Object.assign(server, { connectionsCheckingInterval: CHECK_MS, requireHostHeader: false });
  if (limits.connectionsOfAddress !== undefined) limitAddresses(server, limits.connectionsOfAddress);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    expectContinue(request, response);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    abandonBody(request, response);
    const body = new DomainError('expectation_failed', 'The only supported expectation is 100-continue').body();
    response
      .writeHead(417, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
      .end(body);
  });
  server.on(
    'clientError',
    (error: NodeJS.ErrnoException, socket: Duplex & { _httpMessage?: { headersSent: boolean } }) => {
      // An error response cannot be sent in the middle of another response.
      if (!socket.writable || error.code === 'ECONNRESET' || socket._httpMessage?.headersSent === true) {
        socket.destroy();
        return;
      }
      const [reason, answer] = ANSWERS[error.code ?? ''] ?? UNREADABLE;
      const body = answer.body();
      const head = [
        `HTTP/1.1 ${answer.status} ${reason}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
      ];
      socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
    },
  );
}

/** Keeps a single address from taking all connections. */
function limitAddresses(server: Server, limit: number): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const key = keyOfAddress(socket.remoteAddress ?? '');
    const count = (open.get(key) ?? 0) + 1;
    open.set(key, count);
    socket.once('close', () => {
      const remaining = (open.get(key) ?? 0) - 1;
      if (remaining > 0) open.set(key, remaining);
      else open.delete(key);
    });
    if (count > limit) socket.destroy();
  });
}

/** Maximum number of pipelined requests per connection. */
const MAX_PIPELINED = 16;

const WAITING = Symbol('requests that wait');

/** Socket that counts its requests waiting for earlier responses. */
type ServedSocket = Socket & { [WAITING]?: number };

/**
 * Starts each pipelined request only when the responses before it have been sent. A queued response emits no event when its
 * connection closes, so its request must not start any work. The same applies to requests after the last response that the
 * connection can send.
 */
export const serveInTurn: RequestHandler = (request, response, next) => {
  const socket: ServedSocket = request.socket;
  const begin = (): void => {
    if (socket.writable && !response.closed) next();
  };
  if (response.socket !== null) {
    begin();
    return;
  }
  const waiting = (socket[WAITING] ?? 0) + 1;
  if (waiting > MAX_PIPELINED) {
    socket.destroy();
    return;
  }
  socket[WAITING] = waiting;
  response.once('socket', () => {
    socket[WAITING] = (socket[WAITING] ?? 1) - 1;
    // Node emits this event before it has finished assigning the socket.
    process.nextTick(begin);
  });
};

/**
 * Rejects overlong URLs and invalid `Host` headers. Disconnects clients that keep sending an unread body or stop reading their
 * response.
 */
export const limitRequests: RequestHandler = (request, response, next) => {
  if (declaredBytes(request) !== 0) {
    response.once('finish', () => {
      if (!request.complete) setTimeout(() => request.complete || request.socket.destroy(), LINGER_MS).unref();
    });
  }
  // The server's timeout passed without traffic. The client may simply be waiting for a slow response.
  response.on('timeout', () => {
    if (request.socket.writableLength > 0) request.socket.destroy();
  });
  if (request.url.length > MAX_URL_LENGTH)
    throw new DomainError('url_too_long', `The URL must not exceed ${MAX_URL_LENGTH} characters`);
  if (!hasHost(request)) throw new BadRequest('host_invalid', 'The Host header is missing, repeated or invalid');
  next();
};

/** HTTP/1.0, which some monitors use, does not require Host. */
const hasHost = ({ headersDistinct: { host: hosts = [] }, httpVersion }: IncomingMessage): boolean =>
  hosts.length === 0 ? httpVersion === '1.0' : hosts.length === 1 && HOST.test(hosts[0]!);
