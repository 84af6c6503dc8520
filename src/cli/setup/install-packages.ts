import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Terminal } from '../terminal.ts';

function npmPlace(): readonly string[] | undefined {
  const own = fileURLToPath(new URL('../../../', import.meta.url)).replace(/[\\/]$/, '');
  const parent = dirname(own);
  if (basename(parent) !== 'node_modules') return ['--prefix', own, '--no-save'];
  const prefix = dirname(parent);
  if (!existsSync(join(prefix, 'package.json'))) return ['--global'];
  // Another package manager would lose what npm puts there.
  const isNpms = !['pnpm-lock.yaml', 'yarn.lock'].some((file) => existsSync(join(prefix, file)));
  return isNpms ? ['--prefix', prefix] : undefined;
}

/** `names`: with their ranges, `ai@^7.0.0`. npm's own words go to stderr. @returns false: a person has to do it */
export async function installPackages(
  names: readonly string[],
  { streams }: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  const place = npmPlace();
  if (place === undefined) return false;
  const isWindows = process.platform === 'win32';
  const args = ['install', '--no-audit', '--no-fund', ...place, ...names];
  const npm = spawn(isWindows ? 'npm.cmd' : 'npm', args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: isWindows,
    signal,
  });
  // stdout is for results.
  npm.stdout.pipe(streams.stderr, { end: false });
  npm.stderr.pipe(streams.stderr, { end: false });
  const ended = once(npm, 'close').then(([code]) => code === 0);
  return ended.catch(() => false);
}
