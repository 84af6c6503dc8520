import { lstat, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface Occupied {
  readonly packages: number;
  /** On the disk, in whole blocks, hard links once, rounded up: the figure of `du -sm`. */
  readonly megabytes: number;
}

export async function occupied(project: string): Promise<Occupied> {
  const modules = join(project, 'node_modules');
  const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')) as {
    packages: object;
  };
  const blocks = new Map<number, number>();
  for (const entry of await readdir(modules, { recursive: true })) {
    const { ino, blocks: count } = await lstat(join(modules, entry));
    blocks.set(ino, count);
  }
  const total = [...blocks.values()].reduce((sum, count) => sum + count, 0);
  return {
    packages: Object.keys(lock.packages).length,
    megabytes: Math.ceil((total * 512) / 2 ** 20),
  };
}
