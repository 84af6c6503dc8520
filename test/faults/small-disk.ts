import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Shim } from './shim.ts';

/** In megabytes: enough that the service finds 64 MiB free, below which it is not ready. */
const SIZE = 128;

export interface SmallDisk extends Disposable {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  fill(): void;
  free(): void;
}

/** A file system of its own where this process may mount one, and a disk that only says that it is full elsewhere. */
export function smallDisk(scratch: string): SmallDisk {
  const dir = directoryIn(scratch);
  return mount(dir, SIZE) ? mounted(dir) : pretended(dir, scratch);
}

/** @param size in megabytes @throws Error where this process may not mount a file system */
export function mountedDisk(scratch: string, size: number): SmallDisk {
  const dir = directoryIn(scratch);
  if (mount(dir, size)) return mounted(dir);
  throw new Error(
    'this test mounts a file system: run it as root, in a container with CAP_SYS_ADMIN',
  );
}

function directoryIn(scratch: string): string {
  const dir = join(scratch, 'disk');
  mkdirSync(dir);
  return dir;
}

function mount(dir: string, size: number): boolean {
  const options = ['-t', 'tmpfs', '-o', `size=${size}m`, 'none', dir];
  return spawnSync('mount', options).status === 0;
}

function mounted(dir: string): SmallDisk {
  const ballast = join(dir, 'ballast');
  return {
    dir,
    env: {},
    fill: () => {
      const file = openSync(ballast, 'a');
      try {
        for (const block of [Buffer.alloc(1 << 20), Buffer.alloc(512)]) writeUntilFull(file, block);
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast),
    [Symbol.dispose]: () => void spawnSync('umount', ['--lazy', dir]),
  };
}

function pretended(dir: string, scratch: string): SmallDisk {
  const shim = new Shim(dir, scratch);
  return {
    dir,
    env: shim.env,
    fill: () => shim.fail('write', 'ENOSPC'),
    free: () => shim.heal(),
    [Symbol.dispose]: () => {},
  };
}

function writeUntilFull(file: number, block: Buffer): void {
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if (Object(error).code !== 'ENOSPC') throw error;
  }
}
