import { dirname, relative, resolve } from 'node:path';
import { defineConfig } from 'rolldown';

const OUTPUT = 'dist/bundle';
/** Packages of hundreds of small files, which take a start longer than everything else; others are loaded as they are. */
const PACKAGES =
  /^(@nestjs|class-transformer|class-validator|es-toolkit|libphonenumber-js|rxjs|typeorm|validator)(\/|$)/;
const isPath = (id) => /^[./]/.test(id);

/** What modules say of their own place is still true in the bundle: workers, migrations and the page are found where they are. */
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

/** The service in a few files: `dist/src/main.js` with what is compiled, and the packages that are many files. */
export default defineConfig({
  input: { main: 'dist/src/main.js' },
  platform: 'node',
  logLevel: 'warn',
  external: (id) => !isPath(id) && !PACKAGES.test(id),
  plugins: [inPlace],
  // Express tells what handles errors by its number of parameters, used or not.
  treeshake: false,
  output: { dir: resolve(OUTPUT), cleanDir: true, format: 'esm', keepNames: true, minify: false },
});
