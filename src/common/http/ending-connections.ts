import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Ongoing responses by server. */
const underWay = new WeakMap<Server, Set<ServerResponse>>();

/** Tracks a server's responses for {@link endConnections}. */
export function trackResponses(server: Server): void {
  const answers = new Set<ServerResponse>();
  underWay.set(server, answers);
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    answers.add(response);
    response.once('close', () => answers.delete(response));
  });
}

/** Adds `Connection: close` to all subsequent responses, so that clients send their next request to another process. */
export function endConnections(server: Server): void {
  const close = (response: ServerResponse): unknown =>
    response.headersSent ? response : response.setHeader('Connection', 'close');
  underWay.get(server)?.forEach(close);
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => close(response));
}
