import { defineConfig } from 'vite';

/** Address of the service while `npm run dev --workspace web` serves the page. */
const SERVICE = 'http://127.0.0.1:3000';

export default defineConfig({
  // Relative URLs allow the page to be served at any path.
  base: './',
  logLevel: 'warn',
  build: {
    target: 'es2023',
    // File names contain a hash, so browsers can cache them forever.
    assetsDir: 'assets',
    // The page's security policy forbids inline assets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Size in kB before compression. A test checks the size of the first view.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // Libraries use these directives for server-side rendering, which this page does not use.
      onLog: (level, log, tell) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
      },
    },
  },
  server: {
    proxy: Object.fromEntries(['/api', '/store', '/docs', '/openapi.json'].map((path) => [path, SERVICE])),
  },
});
