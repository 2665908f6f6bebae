import { defineConfig } from 'vite';

/** What the service is reached by while `npm run dev --workspace web` serves the page itself. */
const SERVICE = 'http://127.0.0.1:3000';

export default defineConfig({
  // The page is served at any address: all that it loads is named from where it is.
  base: './',
  logLevel: 'warn',
  build: {
    target: 'es2023',
    // Names carry a hash, so that browsers keep these files for ever.
    assetsDir: 'assets',
    // Files in the page's own text would be against its security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // In kB before compression; a test looks at what the first view takes.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // Libraries say so for servers that render a part of a page; there is none.
      onLog: (level, log, tell) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
      },
    },
  },
  server: {
    proxy: Object.fromEntries(['/api', '/store', '/docs', '/openapi.json'].map((path) => [path, SERVICE])),
  },
});
