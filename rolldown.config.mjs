import { dirname, relative, resolve } from 'node:path';
import { defineConfig } from 'rolldown';

const OUTPUT = 'dist/bundle';
/**
 * Packages with hundreds of small files, which would dominate the startup time. All other packages are loaded from
 * node_modules.
 */
const PACKAGES =
  /^(@nestjs|class-transformer|class-validator|es-toolkit|libphonenumber-js|rxjs|typeorm|validator)(\/|$)/;
const isPath = (id) => /^[./]/.test(id);

/** Preserves the original locations of modules in the bundle, so that they still find their workers, migrations and the page. */
const inPlace = {
  name: 'in-place',
  transform: {
    filter: { id: /\/dist\/.+\.js$/, code: 'import.meta.' },
    handler: (code, id) => {
      if (/import\.meta\.(filename|main)/.test(code)) throw new Error(`${id} asks for what only a module has`);
      const place = relative(OUTPUT, id);
      const folder = JSON.stringify(`/${dirname(place)}`);
      return code
        .replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`)
        .replaceAll('import.meta.dirname', `(import.meta.dirname + ${folder})`);
    },
  },
};

/** Bundles the service into a few files: `dist/src/main.js` with the compiled modules, and the packages with many files. */
export default defineConfig({
  input: { main: 'dist/src/main.js' },
  platform: 'node',
  logLevel: 'warn',
  external: (id) => !isPath(id) && !PACKAGES.test(id),
  plugins: [inPlace],
  // Express recognizes error handlers by their number of parameters, even if some are unused.
  treeshake: false,
  output: { dir: resolve(OUTPUT), cleanDir: true, format: 'esm', keepNames: true, minify: false },
});
