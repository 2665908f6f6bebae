import type { IncomingMessage, ServerResponse } from 'node:http';

/** Time for a client to read its response before the connection is closed with an unread body. */
const LINGER_MS = 2_000;
/**
 * Maximum size, in bytes, of a body that takes no noticeable memory or time. Unread bodies up to this size are discarded and the
 * connection is reused.
 */
export const SMALL_BODY = 16 * 1024;

/** Requests whose clients wait for `100 Continue`. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Records that a client has sent `Expect: 100-continue`. It gets `100 Continue` only when its body is about to be read. */
export function expectContinue(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

/** Sends `100 Continue` if the client waits for it. Must be called before a body is read. */
export function askForBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}

/** Returns the declared size of the request body, or undefined if the request does not declare it. */
export function declaredBytes({ headers }: IncomingMessage): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
}

/**
 * Stops reading a body that is still being received. Must be called before an error response is sent. Otherwise Node would read
 * the whole body. Closing the connection immediately is not an option either, because the client could lose the response.
 */
export function abandonBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || (declaredBytes(request) ?? Infinity) <= SMALL_BODY) return;
  const { socket } = request;
  response.setHeader('Connection', 'close');
  // Node discards the rest of an unread body. This read prevents that.
  request.read(0);
  request.pause();
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}
