import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Ending } from './service-process.ts';

/** The built command; `npm test` builds it first. */
export const HOOKS = fileURLToPath(new URL('../../dist/cli/hooks.js', import.meta.url));

export interface CliPlace {
  readonly cwd: string;
  /** Nothing else is in its environment but PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export async function hooksCommand(
  args: readonly string[],
  { cwd, env = {}, input = '' }: CliPlace,
): Promise<Ending> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [HOOKS, ...args], { cwd, env: { PATH, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  // A command that does not read its input may be gone before all of it is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}
