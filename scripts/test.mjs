import './node-version.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT, setUpCheckout } from './checkout.mjs';

/* `npm test`, with Jest's own arguments after `--`. */
await setUpCheckout();

// Jest runs ES modules only with this flag, which warns of itself once in every process.
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
const given = process.argv.slice(2);
// Tests that measure how long others wait have the machine to themselves.
const runs =
  given.length > 0
    ? [given]
    : [
        ['--testPathPatterns', '^(?!.*/e2e/hostile-)'],
        ['--testPathPatterns', '/e2e/hostile-', '--runInBand'],
      ];

let child;
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    isStopped = true;
    child?.kill(signal);
  });
}
for (const args of runs) {
  if (isStopped) break;
  child = spawn(process.execPath, [...flags, jest, ...args], { cwd: ROOT, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  process.exitCode = process.exitCode || (code ?? 1);
}
