import { once } from 'node:events';
import { join } from 'node:path';
import { scanLogs } from './secret-scan.js';

/**
 * Ends the database server of the run and waits until it has cleared up.
 *
 * @throws Error when a service of the run has logged a secret: the run has failed then.
 */
export default async function tearDown() {
  const { directory } = JSON.parse(process.env['TEST_RUN']);
  const { problems } = scanLogs(join(directory, 'logs'));
  const server = globalThis.testServer;
  const ended = once(server, 'exit');
  server.disconnect();
  await ended;
  if (problems.length > 0) throw new Error(`Secrets have reached the log:\n  ${problems.slice(0, 20).join('\n  ')}`);
}
