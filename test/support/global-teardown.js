import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { scanLogs } from './secret-scan.js';

/**
 * Stops the shared service and the run's database server, and waits until everything is cleaned up.
 *
 * @throws Error that fails the run if the shared service logged an error or did not stop cleanly, or if any service
 * logged a secret
 */
export default async function tearDown() {
  const { directory } = JSON.parse(process.env['TEST_RUN']);
  const server = globalThis.testServer;
  const ended = once(server, 'exit');
  const stopped = Promise.race([once(server, 'message'), ended.then(() => [['The test server has ended']])]);
  if (server.connected) server.send('stop the shared service');
  const [faults] = await stopped;
  const { problems } = scanLogs(join(directory, 'logs'));
  if (server.connected) server.disconnect();
  await ended;
  if (faults.length > 0) fail(`The shared service has failed:\n  ${faults.slice(0, 20).join('\n  ')}`);
  if (problems.length > 0) fail(`Secrets have reached the log:\n  ${problems.slice(0, 20).join('\n  ')}`);
}

/** Fails the run. Rerunning a test cannot fix this fault, so it is also added to the results. */
function fail(fault) {
  const path = process.env['TEST_RESULTS'];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify({ fault })}\n`);
  throw new Error(fault);
}
