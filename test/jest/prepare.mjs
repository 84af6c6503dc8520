// Before the first test, what each of hundreds of files would otherwise do again:
// - The threads of the SQLite ledger become one file. Tests start thousands of them, and from the sources each one reads some
//   forty files, which takes twice as long.
// - The folders of senders become `src/senders.json`, as the build does it in dist: plain JSON takes a tenth of the time.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const CACHE = new URL('../../node_modules/.cache/', import.meta.url);
const SOURCES = new URL('../../src/', import.meta.url);

const OPTIONS = {
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'esnext',
  logLevel: 'warning',
};

/** @returns the URL of one file with everything of ours that a source imports */
async function bundle(source, name) {
  const draft = new URL(`${name}-${process.pid}.mjs`, CACHE);
  const file = new URL(`${name}.mjs`, CACHE);
  await build({
    ...OPTIONS,
    entryPoints: [fileURLToPath(new URL(source, SOURCES))],
    outfile: fileURLToPath(draft),
  });
  renameSync(draft, file);
  return file.href;
}

export default async function prepare() {
  mkdirSync(CACHE, { recursive: true });
  process.env.HOOKS_LEDGER_THREAD = await bundle('ledger/sqlite/worker/worker.ts', 'ledger-thread');
  const { readFolders } = await import(await bundle('hooks/senders/folders.ts', 'sender-folders'));
  const collected = new URL('senders.json', SOURCES);
  const folders = JSON.stringify(readFolders(new URL('senders/', SOURCES)));
  // Written anew, it would be a source that is newer than the build.
  if (existsSync(collected) && readFileSync(collected, 'utf8') === folders) return;
  const draft = new URL(`senders-${process.pid}.json`, CACHE);
  writeFileSync(draft, folders);
  renameSync(draft, collected);
}
