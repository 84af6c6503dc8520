import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../src/cli/run-cli.ts';
import type { CliPlace } from './cli-process.ts';
import type { Ending } from './service-process.ts';

/** Runs `hooks …` in this process, without a terminal: the same as `hooksCommand`, without the start of a process. */
export async function hooksCall(
  args: readonly string[],
  { cwd, env = {}, input = '' }: CliPlace,
): Promise<Ending> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const said = Promise.all([text(stdout), text(stderr)]);
  const streams = { stdin: Readable.from([input]), stdout, stderr };
  const code = await runCli({ args, env, cwd, streams });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code, stdout: out, stderr: err };
}
