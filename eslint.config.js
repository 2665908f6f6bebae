import { readFileSync } from 'node:fs';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** ESLint's core rules that catch mistakes. TypeScript and prettier handle the rest. */
const core = {
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  'no-console': 'error',
  'no-constant-binary-expression': 'error',
  'no-empty': ['error', { allowEmptyCatch: false }],
  'no-fallthrough': 'error',
  'no-promise-executor-return': 'error',
  'no-self-compare': 'error',
  'no-unneeded-ternary': 'error',
  'no-unreachable-loop': 'error',
  'no-useless-rename': 'error',
  'no-var': 'error',
  'object-shorthand': 'error',
  'prefer-const': 'error',
};

const noEnvironment = {
  selector: "ImportSpecifier[imported.name='env']",
  message: 'Settings are read in src/config only; inject Config.',
};
const noForwardReference = {
  selector: "CallExpression[callee.name='forwardRef']",
  message: 'Modules import each other one way only.',
};
const checkedIds = readFileSync(new URL('src/database/checked-id.ts', import.meta.url), 'utf8').matchAll(
  /^export type (\w+) = CheckedId</gm,
);
const noCheckedCasts = {
  selector: `TSAsExpression > TSTypeReference[typeName.name=/^(${Array.from(checkedIds, ([, name]) => name).join('|')})$/]`,
  message: 'A checked id comes from the look-up that has proved it.',
};
const plainLimits = {
  selector: 'VariableDeclarator[id.name=/^(MOST|LONGEST|LARGEST|HIGHEST|SMALLEST|SHORTEST|LOWEST)(_|$)/]',
  message: 'Limits are called MAX_ and MIN_.',
};
const fewParameters = {
  selector: "MethodDefinition[kind='constructor'] > FunctionExpression[params.length>8]",
  message: 'A class takes at most 8 parameters; give a part of its work to another class.',
};
const everywhere = [plainLimits, fewParameters];
const sqlText = String.raw`/^\s*(SELECT\s|INSERT\s+INTO\s|UPDATE\s+\w+\s|DELETE\s+FROM\s|WITH\s+(RECURSIVE\s+)?\w+\s+AS\s|LOCK\s+TABLE\s)/`;
const noSql = [
  {
    selector: 'CallExpression:matches([callee.property.name=/^(query|createQueryBuilder)$/])',
    message: 'Statements run in *.repository.ts only; give the repository a method.',
  },
  {
    selector: `:matches(TemplateElement[value.raw=${sqlText}], Literal[value=${sqlText}])`,
    message: 'SQL stands in *.repository.ts and *.sql.ts only.',
  },
  {
    selector: 'ArrowFunctionExpression > Literal[value=/^\\w+\\(\\)$/]',
    message: 'SQL stands in *.repository.ts and *.sql.ts only.',
  },
];

const nodeGlobals = Object.fromEntries(
  [
    'AbortSignal',
    'Buffer',
    'URL',
    'clearTimeout',
    'console',
    'fetch',
    'globalThis',
    'performance',
    'process',
    'setImmediate',
    'setTimeout',
  ].map((name) => [name, 'readonly']),
);

export default defineConfig(
  { ignores: ['**/dist/', 'client/src/openapi.ts', 'coverage/', '**/node_modules/', '.data/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' }, rules: core },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unnecessary-condition': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // Nest modules, migrations, decorators and test doubles are intentionally empty or stateless classes.
      '@typescript-eslint/no-extraneous-class': 'off',
      'no-restricted-syntax': ['error', ...everywhere],
    },
  },
  {
    files: ['{src,packages}/**/*.ts'],
    ignores: ['src/config/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Settings are read in src/config only; inject Config.' },
      ],
      'no-restricted-syntax': ['error', ...everywhere, noEnvironment, noForwardReference, noCheckedCasts, ...noSql],
    },
  },
  {
    files: [
      'src/**/*.{repository,sql,entity}.ts',
      'src/database/**',
      'packages/embedded-postgres/**',
      // DuckDB SQL on files. It does not access the service's database.
      '{src/data-engine,src/tables,packages/data-engine}/**',
      'packages/guide/table-answers.ts',
      'src/**/*.spec.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', ...everywhere, noEnvironment, noForwardReference, noCheckedCasts] },
  },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    languageOptions: { globals: nodeGlobals },
    rules: { 'no-undef': 'error', 'no-unused-vars': 'error' },
  },
  // Programs that are run by hand print to the terminal, and some tests print their measurements.
  { files: ['scripts/**', 'bench/**', 'docker/**', 'test/**'], rules: { 'no-console': 'off' } },
);
