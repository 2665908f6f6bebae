import './node-version.mjs';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { check } from 'recheck';
import ts from 'typescript';
import { ROOT, setUpCheckout } from './checkout.mjs';

/*
 * `npm run patterns`: fails if a regular expression in src, packages or scripts can take more than linear time for some input.
 * Expressions that are built from constants are checked after their module has been loaded.
 */

/**
 * Patterns that the check must report, to prove that it works. They are quadratic, quadratic only at the end of the input, and
 * exponential.
 */
const PLANTED = ['/^[+-]?(?:\\d+\\.?\\d*|\\.\\d+)$/', '/\\/+$/', '/^(a|a)*$/'];
/** Timeout for checking a pattern. recheck takes some seconds for patterns with many words. */
const TIMEOUT_MS = 120_000;
const AT_ONCE = 2;
/** Version of this check and of recheck, under which results are cached. */
const VERSION = createHash('sha256')
  .update(readFileSync(import.meta.filename))
  .update(readFileSync(join(ROOT, 'node_modules/recheck/package.json')))
  .digest('hex');
/** Cache of patterns that are known to be linear. */
const CACHE = join(ROOT, 'node_modules/.cache/patterns.json');
/**
 * Input length with which patterns are tested if recheck only suspects a problem. For input of this length, quadratic patterns
 * take much longer than `MAX_MS`.
 */
const TRIED_CHARACTERS = 20_000;
const MAX_MS = 100;

/** Returns the literal patterns in a source file, and the positions (line:column) at which the file builds patterns. */
function patternsIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const literals = [];
  const building = [];
  const placeOf = (node) => {
    const { line, character } = source.getLineAndCharacterOfPosition(node.getStart());
    return { line: line + 1, column: character + 1 };
  };
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const place = `${file}:${placeOf(node).line}`;
      literals.push({ place, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
      const { line, column } = placeOf(node);
      building.push(`${line}:${column}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { literals, building };
}

/** Returns the patterns that a module builds while it is loaded, and the positions of code that may build patterns later. */
async function builtBy(file) {
  const compiled = `dist/${file.replace(/\.ts$/, '.js')}`;
  const { building } = patternsIn(compiled, readFileSync(join(ROOT, compiled), 'utf8'));
  if (building.length === 0) return { built: [], late: [] };
  const built = [];
  const seen = new Set();
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, args, newTarget) {
      const pattern = Reflect.construct(target, args, newTarget);
      const [, place] = /\?patterns:(\d+:\d+)/.exec(new Error().stack?.split('\n')[2] ?? '') ?? [];
      if (place !== undefined) built.push({ place: file, source: pattern.source, flags: pattern.flags });
      seen.add(place);
      return pattern;
    },
  });
  try {
    // With a query in the specifier, Node loads the module again even if it is already loaded.
    await import(`../${compiled}?patterns`);
  } finally {
    globalThis.RegExp = original;
  }
  return { built, late: building.filter((place) => !seen.has(place)) };
}

/** Returns a message about a pattern's problem, or undefined if the pattern is linear. */
async function problemOf({ place, source, flags }) {
  const { status, complexity, error, attack, checker } = await check(source, flags, { timeout: TIMEOUT_MS });
  if (status === 'safe') return undefined;
  const isSuspected = checker === 'fuzz' && complexity?.type === 'polynomial';
  if (isSuspected && millisecondsOf(new RegExp(source, flags), attack) < MAX_MS) return undefined;
  const what = status === 'vulnerable' ? complexity.summary : `not known to be linear (${error?.kind})`;
  return `${place}: /${source}/${flags} is ${what}${attack === undefined ? '' : `, as for ${attack.pattern}`}`;
}

/** Returns the processor time, in milliseconds, that a pattern takes for the input that recheck reports as slow. */
function millisecondsOf(pattern, { pumps, suffix }) {
  const parts = pumps.map(({ prefix, pump }) => prefix + pump.repeat(Math.ceil(TRIED_CHARACTERS / pump.length)));
  const text = parts.join('') + suffix;
  const before = process.cpuUsage();
  pattern.exec(text);
  return process.cpuUsage(before).user / 1000;
}

async function problemsOf(patterns, linear = new Set()) {
  const problems = [];
  const waiting = patterns.filter((pattern) => !linear.has(nameOf(pattern)));
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const problem = await problemOf(next);
      if (problem === undefined) linear.add(nameOf(next));
      else problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return problems;
}

const nameOf = ({ source, flags }) => `/${source}/${flags}`;

/** Returns the patterns that an earlier run of the same version found to be linear. */
function linearBefore() {
  try {
    const { version, linear } = JSON.parse(readFileSync(CACHE, 'utf8'));
    return new Set(version === VERSION ? linear : []);
  } catch (error) {
    if (error.code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
    return new Set();
  }
}

await setUpCheckout();

const planted = patternsIn('planted.ts', `export default [${PLANTED.join(', ')}];`).literals;
if ((await problemsOf(planted)).length !== PLANTED.length) throw new Error('The check misses a planted pattern');

const files = ts.sys
  .readDirectory(ROOT, ['.ts', '.mjs'], ['**/*.spec.ts'], ['src/**/*', 'packages/**/*', 'scripts/**/*'])
  .map((file) => relative(ROOT, file));
const patterns = [];
const problems = [];
for (const file of files) {
  patterns.push(...patternsIn(file, readFileSync(join(ROOT, file), 'utf8')).literals);
  if (file.startsWith('scripts/')) continue;
  const { built, late } = await builtBy(file);
  patterns.push(...built);
  if (late.length > 0)
    problems.push(`${file}: a pattern is built after the module is loaded, from a text that cannot be checked`);
}
const linear = linearBefore();
problems.push(...(await problemsOf(patterns, linear)));
mkdirSync(dirname(CACHE), { recursive: true });
writeFileSync(
  CACHE,
  JSON.stringify({ version: VERSION, linear: patterns.map(nameOf).filter((name) => linear.has(name)) }),
);
for (const problem of problems) console.error(problem);
console.log(`${patterns.length} regular expressions, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
