import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Runs once before the end-to-end tests, outside Jest's sandbox. Starts a single database server for all workers.
 *
 * The server runs in a separate process, which notices when this process ends and then cleans up after the run. It has
 * its own process group, so that Ctrl-C does not stop it before the run has ended.
 */
export default async function setUp() {
  if (!isBuilt()) throw new Error('The end-to-end tests drive the built service: run "npm run build" first.');
  const server = fork(join(import.meta.dirname, 'test-server.js'), { detached: true });
  const failed = once(server, 'exit').then(([code]) => {
    throw new Error(`The database server of the tests ended with code ${code}, its reason is above.`);
  });
  const [run] = await Promise.race([once(server, 'message'), failed]);
  process.env['TEST_RUN'] = JSON.stringify(run);
  globalThis.testServer = server;
}

/** Returns whether the bundle exists and is newer than the modules. */
function isBuilt() {
  const folder = join(import.meta.dirname, '../../dist');
  const bundle = join(folder, 'bundle/main.js');
  if (!existsSync(bundle)) return false;
  const { mtimeMs } = statSync(bundle);
  const modules = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.js'));
  return modules.every((name) => name.startsWith('bundle') || statSync(join(folder, name)).mtimeMs <= mtimeMs);
}
