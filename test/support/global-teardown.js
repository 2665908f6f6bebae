import { once } from 'node:events';

/** Ends the database server of the run and waits until it has cleared up. */
export default async function tearDown() {
  const server = globalThis.testServer;
  const ended = once(server, 'exit');
  server.disconnect();
  await ended;
}
