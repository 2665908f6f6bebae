import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const START_MS = 60_000;
/** Startup timeout. Includes the time to create a database cluster. */
const FIRST_START_MS = 90_000;
const STOP_MS = 25_000;
const INFO_LEVEL = 30;
const ERROR_LEVEL = 50;

/** Program that `npm start` runs. */
const SERVICE = 'dist/bundle/main.js';
/** The same program as separate modules, so that a `preload` module can modify them. */
const MODULES = 'dist/src/main.js';
const CHANGES_MODULES = /\/(one-connection|slow-agent|soak-agent)\.js$/;

/** Starts the built service and waits until it is ready. */
export async function startProcess({ environment, settings = {}, preload = [], logFolder }) {
  const { databaseUrl, dataDir, secret } = environment;
  const child = spawn(
    process.execPath,
    [
      ...['test/support/die-with-parent.js', ...preload].flatMap((module) => ['--import', resolve(module)]),
      resolve(preload.some((module) => CHANGES_MODULES.test(module)) ? MODULES : SERVICE),
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        PORT: '0',
        HOST: '127.0.0.1',
        DATABASE_URL: databaseUrl,
        DATA_DIR: dataDir,
        AUTH_JWT_SECRET: secret,
        // The log is as verbose as possible, because it is searched for secrets when the run ends.
        LOG_LEVEL: 'trace',
        ...settings,
      },
    },
  );
  // A test process can exit even if it does not stop its service. The service then ends with its parent.
  child.unref();
  child.channel?.unref();
  const log = [];
  const url = await ready(child, log, logFolder, databaseUrl === '' ? FIRST_START_MS : START_MS);
  return { child, url, log };
}

/** Stops a process with the same signal as an operator would send, and returns its exit code. */
export async function stopProcess(child) {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  const [code, signal] = await ended;
  clearTimeout(patience);
  if (signal === 'SIGKILL') throw new Error(`The service did not stop within ${STOP_MS} ms`);
  return code;
}

/** Returns the errors in a log. Requests must not cause errors. */
export const errorsIn = (log) => log.filter(({ level }) => level >= ERROR_LEVEL);

/** Collects the log. Resolves to the URL from the line that reports the service as ready. */
async function ready(child, log, logFolder, patienceMs) {
  const complaints = text(child.stderr);
  const file = openSync(join(logFolder, `${child.pid}-${randomBytes(4).toString('hex')}.log`), 'a');
  child.stderr.on('data', (said) => writeSync(file, said));
  child.once('close', () => closeSync(file));
  return await new Promise((resolve, reject) => {
    const patience = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`The service was not ready within ${patienceMs} ms: ${JSON.stringify(log)}`));
    }, patienceMs);
    createInterface({ input: child.stdout }).on('line', (line) => {
      // Plain text, such as the start message of the embedded mode, is not part of the log.
      if (!line.startsWith('{')) return;
      writeSync(file, `${line}\n`);
      const entry = JSON.parse(line);
      // Tests only check lines from the info level upwards. The log file contains all lines.
      if (entry.level >= INFO_LEVEL) log.push(entry);
      if (entry.msg === 'ready') {
        clearTimeout(patience);
        resolve(entry.url);
      }
    });
    child.once('exit', (code) => {
      clearTimeout(patience);
      complaints.then(
        (said) => reject(new Error(`The service ended with code ${code}: ${said} ${JSON.stringify(log)}`)),
        reject,
      );
    });
  });
}
