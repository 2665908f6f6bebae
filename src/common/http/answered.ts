import { ServerResponse } from 'node:http';

const LISTENER = Symbol('answered');

type Answering = ServerResponse & { [LISTENER]?: () => void };

/**
 * Calls the listener when the handler or an error filter ends the response or pipes a stream into it. Node emits no event for
 * this if the client has disconnected. An interceptor could observe it, but would slow down every request. A response has a
 * single listener, which may be called twice.
 */
export function onceResponded(response: Answering, listener: () => void): void {
  response[LISTENER] = listener;
  response.once('pipe', listener);
}

const nodeEnd = Reflect.get(ServerResponse.prototype, 'end') as (...parameters: unknown[]) => ServerResponse;

/** Replaces the `end` method of all responses. */
export function endAnswered(this: Answering, ...parameters: unknown[]): ServerResponse {
  this[LISTENER]?.();
  return nodeEnd.apply(this, parameters);
}
