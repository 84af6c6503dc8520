// Before the first test: the threads of the SQLite ledger become one file. Tests start thousands of them, and from the
// sources each one reads some forty files, which takes twice as long.
import { mkdirSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const CACHE = new URL('../node_modules/.cache/', import.meta.url);

export default async function bundleLedgerThread() {
  mkdirSync(CACHE, { recursive: true });
  const draft = fileURLToPath(new URL(`ledger-thread-${process.pid}.mjs`, CACHE));
  const file = new URL('ledger-thread.mjs', CACHE);
  await build({
    entryPoints: [fileURLToPath(new URL('../src/ledger/sqlite/worker/worker.ts', import.meta.url))],
    outfile: draft,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'esnext',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  renameSync(draft, file);
  process.env.HOOKS_LEDGER_THREAD = file.href;
}
