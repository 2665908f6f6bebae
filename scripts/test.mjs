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
const child = spawn(process.execPath, [...flags, jest, ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
const [code] = await once(child, 'exit');
process.exitCode = code ?? 1;
