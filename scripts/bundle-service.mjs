// The last step of the build: the service, the command and the ledger's thread become a few files, in place of what the
// compiler wrote for them. Finding and linking a thousand modules is what a start costs most, in time and in memory
// (docs/design/service.md). What hosts import stays file by file.
import { execFileSync } from 'node:child_process';
import { readFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

const DIST = resolve('dist');
const SERVICE = 'service/start.js';
/** By itself: esbuild would give it all of the service that is behind the indexes of rooms. */
const COMMAND = 'cli/run-cli.js';
/** By itself: what it shares with the service would make a file of every few lines that only the two have in common. */
const THREAD = 'ledger/sqlite/worker/worker.js';

/**
 * Packages stay outside, so that npm can patch them, but for two of which little is used: of the 320 files of
 * class-validator (with the phone numbers of the world) some twenty, of uuid two functions.
 */
const INSIDE = new Set(['class-validator', 'uuid']);
const { dependencies, peerDependencies } = JSON.parse(await readFile('package.json', 'utf8'));
const outside = Object.keys({ ...dependencies, ...peerDependencies });

/** Stands for the URL of dist while it is not known yet into which file a module goes. */
const DIST_URL = '__URL_OF_DIST__';

/** A module finds its threads, samples and packages from where it was, not from the file it went into. */
const keepPlaces = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const place = `new URL(${JSON.stringify(relative(DIST, path))}, ${DIST_URL}).href`;
      return { contents: text.replaceAll('import.meta.url', place) };
    });
  },
};

/**
 * `hooks start` runs the bundle of the service. `hooks preview --recent` has all of the hooks behind it, which no other
 * command is to read: it goes file by file, as a host does.
 */
const serviceIsThere = {
  name: 'service-is-there',
  setup({ onResolve }) {
    const index = join(DIST, 'service/index.js');
    onResolve({ filter: /^\.\/(?:start|event-trial)\.js$/ }, ({ importer, path }) =>
      importer === index ? { path: `../service/${path.slice(2)}`, external: true } : undefined,
    );
  },
};

/**
 * How esbuild keeps names, and the same for classes alone: an arrow function would be named anew whenever the function
 * around it runs, which was 3 % of what a request takes.
 */
const NAMES_ALL = 'var __name = (target, value) => ';
const NAMES_CLASSES = `${NAMES_ALL}!('prototype' in target) ? target : `;

const bundle = async (entry, { splitting, plugins = [] }) => {
  const { outputFiles } = await build({
    entryPoints: [join(DIST, entry)],
    outbase: DIST,
    outdir: DIST,
    // What is imported with its first use.
    splitting,
    chunkNames: 'parts/[hash]',
    bundle: true,
    external: outside.filter((name) => !INSIDE.has(name)),
    platform: 'node',
    format: 'esm',
    target: 'esnext',
    // Its ES modules: only from them can be left out what nobody imports.
    mainFields: ['module', 'main'],
    // Nest names classes in what it reports.
    keepNames: true,
    plugins: [keepPlaces, ...plugins],
    write: false,
  });
  return outputFiles;
};

const outputFiles = [
  ...(await bundle(SERVICE, { splitting: true })),
  ...(await bundle(COMMAND, { splitting: true, plugins: [serviceIsThere] })),
  ...(await bundle(THREAD, { splitting: false })),
];
await mkdir(join(DIST, 'parts'), { recursive: true });
if (!outputFiles.some(({ text }) => text.includes(NAMES_ALL))) {
  throw new Error('esbuild keeps names in another way now');
}
for (const { path, text } of outputFiles) {
  const dist = `new URL('${relative(dirname(path), DIST)}/', import.meta.url)`;
  await writeFile(path, text.replaceAll(DIST_URL, dist).replace(NAMES_ALL, NAMES_CLASSES));
}

// A ledger keeps the name of the build that made its tables (src/platform/package-version.ts).
const commit = commitOf();
if (commit !== null) await writeFile(join(DIST, 'build.json'), JSON.stringify({ commit }));

/** `commit bae2b81 of 2026-11-23`; null: this is no checkout of the project. */
function commitOf() {
  const git = (...args) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    if (git('rev-parse', '--show-prefix') !== '') return null;
    const commit = git('log', '-1', '--format=commit %h of %cs');
    const isChanged = git('status', '--porcelain', '--', 'src', 'package-lock.json') !== '';
    return isChanged ? `${commit}, with changes` : commit;
  } catch {
    return null;
  }
}
