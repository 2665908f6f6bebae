import { availableParallelism } from 'node:os';

/** Relative specifiers end in `.js`, as Node wants them, and name a `.ts` file in the sources. */
const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'] },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        sourceMaps: 'inline',
        jsc: {
          target: 'es2022',
          keepClassNames: true,
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
        module: { type: 'es6' },
      },
    ],
  },
  // Nest reads decorator metadata when classes are declared, so every test file starts with it.
  setupFiles: ['reflect-metadata'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  watchPathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
};

const endToEnd = {
  ...common,
  displayName: 'e2e',
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
};
const unit = { ...common, displayName: 'unit' };
const SCHEMA = '/test/integration/schema\\.spec\\.ts$';

/**
 * Folders whose unit tests use what was built, loaded once in each process of Jest: they share hundreds of modules. The others set
 * the clock of their modules or declare applications, for which Jest has to load both sides.
 */
const BUILT = [
  ...['canvas', 'data-engine', 'embedded-postgres', 'guide', 'modelling', 'solver'].map((name) => `packages/${name}`),
  ...['agent', 'data-engine', 'tables'].map((name) => `src/${name}`),
  ...['corpus', 'data-engine', 'modelling', 'support'].map((name) => `test/${name}`),
];
/** Modules of the service, without their tests. */
const MODULES = '(?<!/(client|web)/)(src|packages)/.+(?<!\\.spec)\\.ts';

/** What Node loads, and not Jest, in place of the modules that a pattern names: once in each process of Jest. */
const natively = (pattern) => ({
  testEnvironment: '<rootDir>/test/support/native-environment.js',
  transform: { [pattern]: '<rootDir>/test/support/native-transform.js', ...common.transform },
  transformIgnorePatterns: [`^(?!.*${pattern}).*/node_modules/`],
});

/** @type {import('jest').Config} */
export default {
  // Of all projects: Jest does not look at a project's own. End-to-end tests share two cores with the server they use.
  testTimeout: 30_000,
  // Much of a test's time is waiting for the service, for leases and for processes that start.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  testSequencer: '<rootDir>/test/support/end-to-end-first.js',
  projects: [
    {
      ...unit,
      // It takes seconds to make its alphabets.
      ...natively('/node_modules/fast-check/.+\\.js$'),
      testMatch: ['<rootDir>/{packages,src,test,web/src}/**/*.spec.ts'],
      testPathIgnorePatterns: ['test/integration', ...BUILT].map((folder) => `<rootDir>/${folder}/`),
    },
    {
      ...unit,
      ...natively(`/(${MODULES}|node_modules/(@nestjs|fast-check|pg|typeorm)/.+\\.m?js)$`),
      testMatch: BUILT.map((folder) => `<rootDir>/${folder}/**/*.spec.ts`),
    },
    {
      ...endToEnd,
      // The application and what it stands on are loaded once in each process of Jest, and are what was built.
      ...natively(
        `/(${MODULES}|client/dist/.+\\.js|test/support/contract\\.js|node_modules/(@nestjs|fast-check|jose|pg|typeorm)/.+\\.m?js)$`,
      ),
      testEnvironmentOptions: { classes: ['Date', 'Error'] },
      testMatch: ['<rootDir>/test/integration/**/*.spec.ts', '<rootDir>/test/e2e/**/*.e2e.ts'],
      // They take long, or measure how long others wait and need the machine to themselves. They have commands of their own:
      // `npm run test:extending`, `test:faults`, `test:hostile`, `test:operations`, `test:page`, `test:soak`, `test:events` and
      // `test:solving`. CI runs all of them, some in a short form.
      testPathIgnorePatterns: [
        SCHEMA,
        ...(process.env['EXTENDING'] === 'true' ? [] : ['/long/extending']),
        ...(process.env['FAULTS'] === undefined ? ['/long/faults'] : []),
        ...(process.env['HOSTILE_SECONDS'] === undefined ? ['/e2e/hostile/'] : []),
        ...(process.env['OPERATIONS'] === 'true' ? [] : ['/e2e/operations/']),
        ...(process.env['PAGE'] === 'true' ? [] : ['/e2e/page/']),
        ...(process.env['SOAK'] === undefined ? ['/long/.*-soak'] : []),
        ...(process.env['SOLVE_SECONDS'] === undefined ? ['/long/watched-solves'] : []),
      ],
    },
    // It looks at which entities are loaded, so it must not share them.
    {
      ...endToEnd,
      testEnvironment: '<rootDir>/test/support/native-environment.js',
      moduleNameMapper: {
        ...common.moduleNameMapper,
        '^@nestjs/throttler$': '<rootDir>/test/support/native-throttler.js',
      },
      testRegex: [SCHEMA],
    },
  ],
};
