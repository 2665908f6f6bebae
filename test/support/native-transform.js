import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * Redirects imports from `src` and `packages` in end-to-end tests to the built modules in `dist`, which Node loads
 * instead of Jest. The tests then run the code that is shipped, and each Jest process loads the application only once.
 * Packages whose classes are used on both sides are loaded in the same way.
 */
const ROOT = join(import.meta.dirname, '../..');
const SOURCES = [join(ROOT, 'src/'), join(ROOT, 'packages/')];

/** Returns the file that Node loads in place of a file that a test imports. */
function loaded(path) {
  if (!SOURCES.some((folder) => path.startsWith(folder))) return path;
  return join(ROOT, 'dist', relative(ROOT, path).replace(/\.ts$/, '.js'));
}

export default {
  /** Returns a module that re-exports the loaded module. */
  async processAsync(_source, path) {
    const url = pathToFileURL(loaded(path)).href;
    const names = Object.keys(await import(url));
    const lines = names.map((name) =>
      name === 'default' ? 'export default loaded.default;' : `export const ${name} = loaded.${name};`,
    );
    return { code: [`const loaded = await importNatively(${JSON.stringify(url)});`, ...lines].join('\n') };
  },

  /** Hashes everything that affects the module text, because all checkouts at the same path share Jest's cache. */
  getCacheKey(_source, path) {
    const hash = createHash('sha256').update(`${path}\0`);
    for (const file of [loaded(path), import.meta.filename]) hash.update(`${file}\0`).update(readFileSync(file));
    return hash.digest('hex');
  },
};
