import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * What end-to-end tests import from `src` and `packages` is the built module in `dist`, loaded by Node and not by Jest: they test what
 * is shipped, and the application is loaded once in each of Jest's processes and not once for every file. Packages whose
 * classes both sides know come the same way.
 */
const ROOT = join(import.meta.dirname, '../..');
const SOURCES = [join(ROOT, 'src/'), join(ROOT, 'packages/')];

/** The file that Node loads in place of one that a test imports. */
function loaded(path) {
  if (!SOURCES.some((folder) => path.startsWith(folder))) return path;
  return join(ROOT, 'dist', relative(ROOT, path).replace(/\.ts$/, '.js'));
}

export default {
  /** A module that passes on what the loaded one exports. */
  async processAsync(_source, path) {
    const url = pathToFileURL(loaded(path)).href;
    const names = Object.keys(await import(url));
    const lines = names.map((name) =>
      name === 'default' ? 'export default loaded.default;' : `export const ${name} = loaded.${name};`,
    );
    return { code: [`const loaded = await importNatively(${JSON.stringify(url)});`, ...lines].join('\n') };
  },

  /** All that the module's text is made of, for Jest keeps it over checkouts of the same path. */
  getCacheKey(_source, path) {
    const hash = createHash('sha256').update(`${path}\0`);
    for (const file of [loaded(path), import.meta.filename]) hash.update(`${file}\0`).update(readFileSync(file));
    return hash.digest('hex');
  },
};
