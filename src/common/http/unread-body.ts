import type { IncomingMessage, ServerResponse } from 'node:http';

/** Time for a client to read its answer before the connection is closed with its body unread. */
const LINGER_MS = 2_000;
/** Bodies up to this size, in bytes, take no noticeable memory or time: unread ones are dropped and the connection goes on. */
export const SMALL_BODY = 16 * 1024;

/** Requests whose clients wait to be asked for the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Notes that a client has sent `Expect: 100-continue`: it is asked for its body when somebody is about to read it. */
export function expectContinue(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

/** To be called before a body is read. */
export function askForBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}

/** Bytes that the body of a request has by its head; undefined when the head does not say. */
export function announcedBytes({ headers }: IncomingMessage): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
}

/**
 * To be called before a refusal is answered: a body that is still on its way is not read any further. Node would take all of
 * it off the line, and cutting the connection at once could cost the client its answer.
 */
export function leaveUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || (announcedBytes(request) ?? Infinity) <= SMALL_BODY) return;
  const { socket } = request;
  response.setHeader('Connection', 'close');
  // Node drops the rest of a body that nobody has begun to read.
  request.read(0);
  request.pause();
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}
