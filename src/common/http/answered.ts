import { ServerResponse } from 'node:http';

const LISTENER = Symbol('answered');

type Answering = ServerResponse & { [LISTENER]?: () => void };

/**
 * Tells when a handler, or what speaks for it, has its answer: it ends the response or pipes into it. Of a response whose
 * client has gone, Node tells neither. An interceptor would hear of a handler's end, at a price that every request pays.
 * One listener a response; it may be told twice.
 */
export function onceAnswered(response: Answering, listener: () => void): void {
  response[LISTENER] = listener;
  response.once('pipe', listener);
}

const nodeEnd = Reflect.get(ServerResponse.prototype, 'end') as (...parameters: unknown[]) => ServerResponse;

/** `end` of all responses. */
export function endAnswered(this: Answering, ...parameters: unknown[]): ServerResponse {
  this[LISTENER]?.();
  return nodeEnd.apply(this, parameters);
}
