import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { setUpCheckout } from './checkout.mjs';

/*
 * Runs the quick checks, two at a time, and prints the output of failed checks. Results are cached in `node_modules/.cache`, so
 * that a second run only checks changed files. The arguments are the titles of the checks to run. By default, all checks run.
 */

/** The native TypeScript compiler. ESLint and the generators use the package `typescript`, because they need its API. */
const TSC = 'node node_modules/@typescript/native/bin/tsc';
const CACHE = 'node_modules/.cache';
/** Commits up to and including this commit are not checked. A shallow clone does not contain it. */
const LAST_UNCHECKED = 'ca87aef653871ffdc66a1233b89230086842fceb';
const AT_ONCE = 2;
const CHECKS = {
  types: `${TSC} -p tsconfig.json --incremental --tsBuildInfoFile ${CACHE}/tsc/all`,
  lint: `eslint --cache --cache-location ${CACHE}/eslint/ .`,
  'types of the page': `${TSC} -p web/tsconfig.json --incremental --tsBuildInfoFile ${CACHE}/tsc/web`,
  format: `prettier --check --cache --cache-location ${CACHE}/prettier/checked --log-level warn .`,
  'import graph': `depcruise --cache ${CACHE}/depcruise --cache-strategy content --output-type err-long src packages test client/src web/src`,
  'regular expressions': 'npm run --silent patterns',
  'openapi.json (npm run openapi)': `node dist/src/openapi.js ${CACHE}/openapi.json && diff -u openapi.json ${CACHE}/openapi.json`,
  'commit subjects': `! git cat-file -e ${LAST_UNCHECKED} || commitlint --from ${LAST_UNCHECKED}`,
  'lists (npm run lists)': 'node scripts/lists.mjs --check',
};

/** Returns the exit code and the output of a command. */
function run(command) {
  return new Promise((resolve) => {
    const env = { ...process.env, PATH: `node_modules/.bin:${process.env.PATH}` };
    const child = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const pieces = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => pieces.push(piece));
    child.on('close', (code) => resolve({ code, output: Buffer.concat(pieces).toString() }));
  });
}

await setUpCheckout();
mkdirSync(CACHE, { recursive: true });
const titles = process.argv.slice(2);
const unknown = titles.filter((title) => !(title in CHECKS));
if (unknown.length > 0)
  throw new Error(`Unknown checks: ${unknown.join(', ')}. Checks: ${Object.keys(CHECKS).join(', ')}`);
const waiting = Object.entries(CHECKS).filter(([title]) => titles.length === 0 || titles.includes(title));
const total = waiting.length;
let failed = 0;
async function work() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [title, command] = next;
    const started = Date.now();
    const { code, output } = await run(command);
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${title}, ${((Date.now() - started) / 1000).toFixed(1)} s`);
    if (code === 0) continue;
    failed += 1;
    console.log(output);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work));
console.log(`${total - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
