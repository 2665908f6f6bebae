/** Import graph. A module may import from lower rows, but not from its neighbors in the same row. */
const rows = [
  ['web'],
  ['chat'],
  ['agent'],
  ['scenarios'],
  ['executions', 'skills'],
  ['usage', 'webhooks'],
  ['projects'],
  ['deployments'],
  ['tables'],
  ['files'],
  ['data-engine', 'events'],
  ['health'],
  ['auth', 'common', 'database', 'storage'],
  ['config'],
];
/** Folders that every module uses. They may import each other. */
const FOUNDATION = ['auth', 'common', 'database', 'storage'];

const packages = [
  'canvas',
  'conversation',
  'data-engine',
  'embedded-postgres',
  'guide',
  'json',
  'modelling',
  'paths',
  'solver',
];

/** Forbids imports from other modules in the same row and from modules in the rows above. */
const oneWay = rows.flatMap((row, index) =>
  row.map((name) => ({
    name: `one-way-${name}`,
    comment: `${name} imports from the rows below it only`,
    severity: 'error',
    from: { path: `^src/${name}/` },
    to: {
      path: rows
        .slice(0, index + 1)
        .flat()
        .filter((other) => other !== name && !(FOUNDATION.includes(name) && FOUNDATION.includes(other)))
        .map((other) => `^src/${other}/`)
        .concat('^src/(database/migrations|demo)/', '^src/[^/]+$'),
    },
  })),
);

/**
 * Import order of the folders inside each module: a folder may import only from the ones listed after it. `[^/]+$` matches
 * files outside the folders. `*.module.ts` is exempt.
 */
const folders = {
  chat: ['[^/]+$', 'stream/', 'turns/', 'conversations/', 'messages/'],
  files: ['maintenance/', 'uploads/', '[^/]+$', 'tree/', 'blobs/'],
};

const oneWayInside = Object.entries(folders).flatMap(([module, rows]) =>
  rows.slice(1).map((row, index) => ({
    name: `one-way-${module}-${/\w+(?=\/)/.exec(row)?.[0] ?? 'top'}`,
    comment: `Inside ${module}, imports go one way: ${rows.join(', ')}`,
    severity: 'error',
    from: { path: `^src/${module}/${row}`, pathNot: '\\.module\\.ts$' },
    to: { path: rows.slice(0, index + 1).map((above) => `^src/${module}/${above}`) },
  })),
);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...oneWay,
    ...oneWayInside,
    {
      name: 'no-cycles',
      comment: 'Cyclic imports of values fail when ES modules load',
      severity: 'error',
      from: { path: '^(src|packages|test|client|web)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    ...packages.map((name) => ({
      name: `package-${name}`,
      comment: `Whoever is outside of packages/${name} imports its index.ts; tests may look inside`,
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: `^packages/${name}/|\\.spec\\.ts$` },
      to: { path: `^packages/${name}/`, pathNot: `^packages/${name}/index\\.ts$` },
    })),
    {
      name: 'packages-stand-alone',
      comment: 'A package is plain TypeScript that knows nothing of the service',
      severity: 'error',
      from: { path: '^packages/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/|^node_modules/@nestjs/' },
    },
    {
      name: 'known-packages',
      comment: 'A new package is added to the list above first',
      severity: 'error',
      from: { path: '^(src|packages)/' },
      to: { path: '^packages/[^/]+/', pathNot: `^packages/(${packages.join('|')})/` },
    },
    {
      name: 'known-modules',
      comment: 'A new module takes its place in a row above first',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/[^/]+/', pathNot: `^src/(${rows.flat().join('|')}|demo)/` },
    },
    {
      name: 'migrations-stand-alone',
      comment: 'A migration must mean the same for ever, so it uses no code that changes',
      severity: 'error',
      from: { path: '^src/database/migrations/' },
      to: { path: '^src/' },
    },
    {
      name: 'statements-of-repositories',
      comment: 'Texts of statements are for the repository beside them; services call its methods',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.(repository|sql|spec)\\.ts$' },
      to: { path: '\\.sql\\.ts$' },
    },
    {
      name: 'no-tests-in-the-service',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(test|bench)/|\\.spec\\.ts$' },
    },
    {
      name: 'no-development-packages',
      comment: 'The service runs without development packages',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'client-stands-alone',
      comment: 'The client runs in browsers and is packed by itself',
      severity: 'error',
      from: { path: '^client/src/' },
      to: { pathNot: '^client/src/|^node_modules/openapi-fetch/' },
    },
    {
      name: 'no-client-in-the-service',
      severity: 'error',
      from: { path: '^(src|packages)/' },
      to: { path: '^(client|web)/' },
    },
    {
      name: 'page-knows-the-client-alone',
      comment: 'The page reaches the service by the client package, as any other page can',
      severity: 'error',
      from: { path: '^web/src/' },
      to: { path: '^(src|packages|test|bench|scripts)/|^client/src/' },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: { path: '^(src|packages|test|client/src|web/src)/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.cjs', '.mjs', '.json'],
    },
  },
};
