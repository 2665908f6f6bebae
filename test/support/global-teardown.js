import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { scanLogs } from './secret-scan.js';

/**
 * Ends the shared service and the database server of the run and waits until everything is cleared up.
 *
 * @throws Error when the shared service has logged an error or not ended well, or when any service has logged a secret:
 *   the run has failed then.
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

/** Fails the run. No test that passes when it runs again makes up for it, so the fault is also among the results. */
function fail(fault) {
  const path = process.env['TEST_RESULTS'];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify({ fault })}\n`);
  throw new Error(fault);
}
