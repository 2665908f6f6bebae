import './node-version.mjs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT, setUpCheckout } from './checkout.mjs';

/* `npm run dev`: compiles files when they are saved, and restarts the service. */
await setUpCheckout();

const tsc = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
const commands = [
  [tsc, '-p', 'tsconfig.build.json', '--watch', '--preserveWatchOutput', '--noEmitOnError'],
  ['--watch', '--watch-preserve-output', join(ROOT, 'dist/src/main.js')],
];
const children = commands.map((args) => spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }));
const stop = (signal) => children.forEach((child) => child.kill(signal));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
for (const child of children) child.on('exit', () => stop('SIGTERM'));
