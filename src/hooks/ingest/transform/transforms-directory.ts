import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Problem, ResolvedHooksOptions } from '../../options/index.ts';

/** A reference that must not be followed; the message continues "the file …" and names no place of the machine. */
export class OutsideDirectory extends Error {
  override readonly name = 'OutsideDirectory';
}

/** True: `path` is `root` itself or something below it. Both absolute and without `..`. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Where a reference written by a person leads, by its text alone.
 * @throws OutsideDirectory for everything that is not a relative path below `root`.
 */
export function below(root: string, from: string, reference: string): string {
  if (/^~|^[\\/]|^[A-Za-z][A-Za-z0-9+.-]*:|\\|\0/u.test(reference)) {
    throw new OutsideDirectory('must be a relative path inside the transforms directory');
  }
  const path = resolve(from, reference);
  if (!isInside(root, path)) throw new OutsideDirectory('leads out of the transforms directory');
  return path;
}

/**
 * The directory that transforms are loaded from, by its real path.
 * @returns what is wrong with `hooks.transformsDir` instead, or that the directory is missing.
 */
export async function transformsDirectory({
  hooks,
  configDir,
}: Pick<ResolvedHooksOptions, 'hooks' | 'configDir'>): Promise<string | Problem> {
  const key = 'hooks.transformsDir';
  const root = join(configDir, 'transforms');
  const given = hooks.transformsDir?.trim() ?? '';
  const dir = resolve(root, given);
  if (/^~|^[A-Za-z][A-Za-z0-9+.-]*:|\\|\0/u.test(given) || !isInside(root, dir)) {
    const message = 'must stay inside the directory transforms of the configuration directory';
    return { key, message };
  }
  try {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(dir)]);
    if (isInside(realRoot, real)) return real;
    return { key, message: 'is a link that leads out of the transforms directory' };
  } catch {
    const message = `names no directory; create ${join('transforms', given)} in the configuration directory`;
    return { key, message };
  }
}
