import { type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Servers of a process that stops. */
const stopping = new WeakSet<object>();

/** From now on every answer says `Connection: close`, so that clients send their next request to another process. */
export function endConnections(server: Server): void {
  stopping.add(server);
}

const nodeWriteHead = Reflect.get(ServerResponse.prototype, 'writeHead') as (
  ...parameters: unknown[]
) => ServerResponse;

/** `writeHead` of all responses; Node calls it for every head. */
export function writeHead(this: ServerResponse, ...parameters: unknown[]): ServerResponse {
  const { server } = this.req.socket as Socket & { server?: object };
  if (server !== undefined && stopping.has(server)) this.shouldKeepAlive = false;
  return nodeWriteHead.apply(this, parameters);
}
