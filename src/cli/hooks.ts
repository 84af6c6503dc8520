#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';
import { nodeRefusal } from '../platform/node-version.ts';
import { StopRequest } from '../platform/stop-request.ts';

const refusal = nodeRefusal(
  process.versions.node,
  'install a newer Node, or use "npm run hooks --" in a checkout, which uses the Node that "npm ci" installs',
);
if (refusal === undefined) {
  // The service, as in main.ts. A command ends at a signal as any program does.
  const stop = process.argv[2] === 'start' ? new StopRequest(process.env) : undefined;
  module.enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compile'));
  // Not a static import: everything behind it is only read by a Node that is new enough.
  const { runCli } = await import('./run-cli.ts');
  const { env, stdin, stdout, stderr } = process;
  process.exitCode = await runCli({
    args: process.argv.slice(2),
    env,
    cwd: process.cwd(),
    streams: { stdin, stdout, stderr },
    stop,
  });
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
