import module from 'node:module';
import { join } from 'node:path';
import { nodeRefusal } from './platform/node-version.ts';

const refusal = nodeRefusal(process.versions.node);
if (refusal === undefined) {
  // Halves the time of the second start. Beside the packages, never in a temporary directory that others can write to.
  module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'));
  // Not a static import: everything behind it is only read by a Node that is new enough.
  const { start } = await import('./service/start.ts');
  await start({ env: process.env, cwd: process.cwd() });
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
