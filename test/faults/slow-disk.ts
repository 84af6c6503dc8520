import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.ts';
import { Shim } from './shim.ts';

const SOURCE = fileURLToPath(new URL('slow-disk.c', import.meta.url));
const PROGRAM = fileURLToPath(
  new URL('../../node_modules/.cache/faults/slow-disk', import.meta.url),
);

interface SlowDisk extends Disposable {
  readonly dir: string;
  readonly behind: string;
  readonly env: Readonly<Record<string, string>>;
  slowFsyncs(ms: number): void;
  /** Makes every write take so much longer, as when the system writes back what it held in memory. */
  slowWrites(ms: number): void;
}

/** A file system of its own where this process may mount one (FUSE), and a slow library below the process elsewhere. */
export async function slowDisk(scratch: string): Promise<SlowDisk> {
  const dir = join(scratch, 'slow');
  mkdirSync(dir);
  return existsSync('/dev/fuse') && build() ? mounted(dir, scratch) : pretended(dir, scratch);
}

async function mounted(dir: string, scratch: string): Promise<SlowDisk> {
  const [behind, control] = [join(scratch, 'behind'), join(scratch, 'slow-disk-control')];
  mkdirSync(behind);
  writeFileSync(control, Buffer.alloc(4096));
  const device = statSync(dir).dev;
  const disk = spawn(PROGRAM, [behind, control, dir], { stdio: 'ignore' });
  await eventually('the disk is mounted', () => hasEnded(disk) || statSync(dir).dev !== device);
  if (hasEnded(disk)) return pretended(dir, scratch);
  const file = openSync(control, 'r+');
  const set = (place: number, ms: number) =>
    void writeSync(file, Buffer.from(Int32Array.of(ms).buffer), 0, 4, place * 4);
  return {
    dir,
    behind,
    env: {},
    slowFsyncs: (ms) => set(0, ms),
    slowWrites: (ms) => set(1, ms),
    [Symbol.dispose]: () => void spawnSync('umount', ['--lazy', dir]),
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function pretended(dir: string, scratch: string): SlowDisk {
  const shim = new Shim(dir, scratch);
  return {
    dir,
    behind: dir,
    env: shim.env,
    slowFsyncs: (ms) => shim.slowDown(ms),
    slowWrites: (ms) => shim.slowWrites(ms),
    [Symbol.dispose]: () => {},
  };
}

/** False: it cannot be compiled here. */
function build(): boolean {
  mkdirSync(dirname(PROGRAM), { recursive: true });
  const flags = spawnSync('pkg-config', ['--cflags', '--libs', 'fuse3'], { encoding: 'utf8' });
  if (flags.status !== 0) return false;
  const words = flags.stdout.trim().split(/\s+/);
  execFileSync('gcc', ['-O1', '-Wall', '-o', PROGRAM, SOURCE, ...words]);
  return true;
}
