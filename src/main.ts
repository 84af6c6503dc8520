import module from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { nodeRefusal } from './platform/node-version.ts';
import { StopRequest } from './platform/stop-request.ts';

const SMALL_MEMORY_BYTES = 512 * 1024 * 1024;

// V8 would rather grow than collect until a small container is killed (docs/design/ingress.md, Bytes in flight).
if ((process.constrainedMemory() || Infinity) < SMALL_MEMORY_BYTES) {
  setFlagsFromString('--optimize-for-size');
}

const refusal = nodeRefusal(process.versions.node);
if (refusal === undefined) {
  const stop = new StopRequest(process.env);
  // Halves the time of the second start. Beside the packages, never in a temporary directory that others can write to.
  module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'));
  // Not a static import: everything behind it is only read by a Node that is new enough.
  const { start } = await import('./service/start.ts');
  await start({ env: process.env, cwd: process.cwd(), stop });
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
