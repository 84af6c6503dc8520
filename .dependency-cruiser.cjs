/** Which room may import which (docs/architecture.md). Imports point right only; everything not listed is refused. */
const rooms = {
  ports: [],
  boundary: [],
  options: ['ports'],
  actions: ['ports', 'options', 'boundary'],
  transforms: ['ports', 'options', 'actions'],
  senders: ['options'],
  mappings: ['ports', 'options', 'actions', 'transforms', 'senders'],
  work: ['ports', 'options', 'boundary'],
  http: ['ports', 'options', 'actions', 'mappings', 'transforms', 'senders'],
  handlers: ['ports', 'options', 'actions', 'mappings', 'transforms', 'http'],
  operating: ['ports', 'options', 'actions', 'mappings', 'transforms', 'http', 'work'],
};

/** What every room may import: what no kept library gives. */
const LEAF = '^src/platform/';

const roomRules = Object.entries(rooms).map(([room, allowed]) => ({
  name: `${room}-imports-${allowed.join('-') || 'nothing'}`,
  severity: 'error',
  from: { path: `^src/hooks/${room}/` },
  to: {
    path: '^src/',
    pathNot: [...[room, ...allowed].map((name) => `^src/hooks/${name}/`), LEAF],
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
      from: { path: '^src/adapters/([^/]+)/', pathNot: '^src/adapters/agents/' },
      to: {
        path: '^src/',
        pathNot: ['^src/hooks/ports/', '^src/adapters/$1/', '^src/platform/'],
      },
    },
    {
      name: 'ledger-imports-ports',
      severity: 'error',
      from: { path: '^src/ledger/' },
      to: { path: '^src/', pathNot: ['^src/hooks/ports/', '^src/ledger/', '^src/platform/'] },
    },
    {
      name: 'ledger-core-knows-no-driver',
      severity: 'error',
      from: { path: '^src/ledger/', pathNot: '^src/ledger/(sqlite|postgres)/' },
      to: { path: '^src/ledger/(sqlite|postgres)/' },
    },
    {
      name: 'ledger-drivers-know-not-each-other',
      severity: 'error',
      from: { path: '^src/ledger/(sqlite|postgres)/' },
      to: { path: '^src/ledger/(sqlite|postgres)/', pathNot: '^src/ledger/$1/' },
    },
    {
      // What comes back from a tool or a provider is foreign text, shown to an agent.
      name: 'agents-import-ports-boundary',
      severity: 'error',
      from: { path: '^src/adapters/agents/' },
      to: {
        path: '^src/',
        pathNot: ['^src/hooks/(ports|boundary)/', '^src/adapters/agents/', '^src/platform/'],
      },
    },
    {
      name: 'platform-is-a-leaf',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^src/', pathNot: '^src/platform/' },
    },
    {
      name: 'hooks-know-no-outsiders',
      severity: 'error',
      from: { path: '^src/hooks/' },
      to: { path: '^src/', pathNot: ['^src/hooks/', '^src/platform/'] },
    },
    {
      name: 'outsiders-use-the-public-face',
      severity: 'error',
      from: { path: '^src/(service|mail|cli|testing/|main)' },
      to: { path: '^src/hooks/', pathNot: '^src/hooks/index\\.ts$' },
    },
    {
      name: 'mail-knows-only-hooks',
      severity: 'error',
      from: { path: '^src/mail/' },
      to: { path: '^src/', pathNot: ['^src/mail/', '^src/hooks/index\\.ts$', '^src/platform/'] },
    },
    {
      name: 'mail-through-its-public-face',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/mail/' },
      to: { path: '^src/mail/', pathNot: '^src/mail/index\\.ts$' },
    },
    {
      name: 'cli-imports-service-mail-and-the-public-face',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: {
        path: '^src/',
        pathNot: ['^src/(cli|service|mail|platform)/', '^src/hooks/index\\.ts$'],
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
        pathNot: [
          '^src/(adapters|ledger)/',
          '^src/service/',
          '^src/(index|agents|channels|ledger|options|testing)\\.ts$',
        ],
      },
      to: { path: '^src/(adapters|ledger)/' },
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
