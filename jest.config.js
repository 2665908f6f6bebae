import { availableParallelism } from 'node:os';

/** Relative specifiers end in `.js`, as Node requires, but refer to a `.ts` file in the sources. */
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
  // Nest reads decorator metadata when classes are declared, so every test file starts with this import.
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
 * Folders whose unit tests use the built modules. These tests share hundreds of modules, which each Jest process loads only once.
 * Other tests use fake timers or define their own Nest applications, so Jest has to load the modules itself.
 */
const BUILT = [
  ...['canvas', 'data-engine', 'embedded-postgres', 'guide', 'modelling', 'solver'].map((name) => `packages/${name}`),
  ...['agent', 'data-engine', 'tables'].map((name) => `src/${name}`),
  ...['corpus', 'data-engine', 'modelling', 'support'].map((name) => `test/${name}`),
];
/** The service's modules, without their tests. */
const MODULES = '(?<!/(client|web)/)(src|packages)/.+(?<!\\.spec)\\.ts';

/** Settings to load the modules that match a pattern with Node instead of Jest, once in each Jest process. */
const natively = (pattern) => ({
  testEnvironment: '<rootDir>/test/support/native-environment.js',
  transform: { [pattern]: '<rootDir>/test/support/native-transform.js', ...common.transform },
  transformIgnorePatterns: [`^(?!.*${pattern}).*/node_modules/`],
});

/** @type {import('jest').Config} */
export default {
  // Applies to all projects, because Jest ignores a project's own value. End-to-end tests share two cores with their server.
  testTimeout: 60_000,
  // Tests spend much of their time waiting for the service, for leases and for processes to start.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  testSequencer: '<rootDir>/test/support/end-to-end-first.js',
  projects: [
    {
      ...unit,
      // fast-check takes seconds to build its alphabets.
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
      // Loads the built application and its dependencies once in each Jest process.
      ...natively(
        `/(${MODULES}|client/dist/.+\\.js|test/support/contract\\.js|node_modules/(@nestjs|fast-check|jose|pg|typeorm)/.+\\.m?js)$`,
      ),
      testEnvironmentOptions: { classes: ['Date', 'Error'] },
      testMatch: ['<rootDir>/test/integration/**/*.spec.ts', '<rootDir>/test/e2e/**/*.e2e.ts'],
      // These tests take long, or they measure waiting times and need an otherwise idle machine. Each group has its own command:
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
    // This test checks the loaded entities, so it must not share them with other tests.
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
