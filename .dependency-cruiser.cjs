/** Which room may import which (docs/architecture.md). Imports point right only; everything not listed is refused. */
const rooms = {
  ports: [],
  rejections: [],
  boundary: [],
  options: ['ports'],
  accept: ['ports', 'options', 'boundary', 'rejections'],
  work: ['ports', 'options', 'boundary'],
  ingest: ['ports', 'options', 'rejections'],
  http: ['ports', 'options', 'rejections', 'ingest', 'accept'],
  preview: ['ports', 'options', 'rejections', 'http', 'ingest', 'accept', 'work'],
};

const roomRules = Object.entries(rooms).map(([room, allowed]) => ({
  name: `${room}-imports-${allowed.join('-') || 'nothing'}`,
  severity: 'error',
  from: { path: `^src/hooks/${room}/` },
  to: {
    path: '^src/',
    pathNot: [
      ...[room, ...allowed].map((name) => `^src/hooks/${name}/`),
      // ingest hands its result to accept, so it knows the type that accept takes in.
      ...(room === 'ingest' ? ['^src/hooks/accept/hook-action\\.ts$'] : []),
    ],
  },
}));

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'adapters-import-ports',
      severity: 'error',
      from: { path: '^src/adapters/([^/]+)/' },
      to: { path: '^src/', pathNot: ['^src/hooks/ports/', '^src/adapters/$1/'] },
    },
    {
      name: 'hooks-know-no-outsiders',
      severity: 'error',
      from: { path: '^src/hooks/' },
      to: { path: '^src/', pathNot: '^src/hooks/' },
    },
    {
      name: 'outsiders-use-the-public-face',
      severity: 'error',
      from: { path: '^src/(standalone|ops|mail|cli|main|app)' },
      to: { path: '^src/hooks/', pathNot: '^src/hooks/index\\.ts$' },
    },
    {
      name: 'mail-knows-only-hooks',
      severity: 'error',
      from: { path: '^src/mail/' },
      to: { path: '^src/', pathNot: ['^src/mail/', '^src/hooks/index\\.ts$'] },
    },
    {
      name: 'mail-through-its-public-face',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/mail/' },
      to: { path: '^src/mail/', pathNot: '^src/mail/index\\.ts$' },
    },
    {
      name: 'cli-imports-standalone-mail-ops-and-the-public-face',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: {
        path: '^src/',
        pathNot: ['^src/(cli|standalone|mail)/', '^src/(hooks|ops)/index\\.ts$'],
      },
    },
    {
      name: 'nobody-imports-cli',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'only-composition-sees-adapters',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/adapters/', '^src/standalone/', '^src/(index|testing|app\\.module)\\.ts$'],
      },
      to: { path: '^src/adapters/' },
    },
    {
      name: 'no-unlisted-packages',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm-peer'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
  },
};
