import { dirname, relative, resolve } from 'node:path';
import { defineConfig } from 'rolldown';

const OUTPUT = 'dist/bundle';
/**
 * Packages of hundreds of small files, which would dominate the startup time. All other packages are loaded from node_modules.
 */
const PACKAGES =
  /^(@nestjs|class-transformer|class-validator|es-toolkit|libphonenumber-js|rxjs|typeorm|validator)(\/|$)/;
/** Modules that threads run. A solve starts a thread, so that the load time of the thread's modules counts for each solve. */
const THREADS = { 'solve-worker': 'dist/src/executions/solver/solve-worker.js' };
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
      const original = `new URL(${JSON.stringify(place)}, import.meta.url).href`;
      return code
        .replaceAll(/(new URL\('\.\/([\w-]+)\.js', )?import\.meta\.url/g, (text, start, name) =>
          name in THREADS ? text : (start ?? '') + original,
        )
        .replaceAll('import.meta.dirname', `(import.meta.dirname + ${folder})`);
    },
  },
};

const common = {
  platform: 'node',
  logLevel: 'warn',
  external: (id) => !isPath(id) && !PACKAGES.test(id),
  plugins: [inPlace],
  // Express recognizes error handlers by their number of parameters, even if some are unused.
  treeshake: false,
};
const output = { dir: resolve(OUTPUT), format: 'esm', keepNames: true, minify: false };

/**
 * Bundles the service into a few files: `dist/src/main.js` with the compiled modules, and the packages with many files. Each
 * thread has its own file, which shares no chunks with the service.
 */
export default defineConfig([
  { ...common, input: { main: 'dist/src/main.js' }, output: { ...output, cleanDir: true } },
  { ...common, input: THREADS, output },
]);
