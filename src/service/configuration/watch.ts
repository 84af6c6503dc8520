import { globSync, readlinkSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { basename, dirname, join, parse, resolve, sep } from 'node:path';
import { errorCode } from '../../platform/errors.ts';
import { DOTENV_FILE, GATEWAY_FILE } from './files.ts';
import { FRAGMENTS_DIR, isFragment } from './fragments.ts';

/** Editors write in several steps: what comes within this time is one change. */
const SETTLE_MS = 100;

const FRAGMENTS = join(FRAGMENTS_DIR, '*.json5');
/** Those that may not be there yet, among them the fragments to come. */
const FILES = [GATEWAY_FILE, DOTENV_FILE, FRAGMENTS_DIR, FRAGMENTS];

/** Links that lead to links; the system follows as many. */
const MOST_LINKS = 40;

/**
 * Directories are watched: a watch on a file that an editor replaces would stay with the old one. Of a link its own
 * directory is watched, and that of what it leads to.
 */
export class ConfigurationWatch {
  #watchers: readonly FSWatcher[] = [];
  #settling: NodeJS.Timeout | undefined;

  constructor(
    private readonly dir: string,
    private readonly changed: () => void,
  ) {}

  /** @param failed is called when a directory cannot be watched (any more). */
  start(failed: (error: Error) => void): void {
    this.#close();
    this.#watchers = [...watchedNames(this.dir)].flatMap(([dir, names]) => {
      try {
        const watcher = watch(dir, { persistent: false }, (event, name) => {
          // Where the system does not say which name it was, it may have been any.
          if (name !== null && !names.has(name) && !isFragment(name)) return;
          // Links may lead elsewhere now, and folders be others: a watch would stay with the old ones.
          if (event === 'rename') this.start(failed);
          this.#settle();
        });
        return [watcher.on('error', failed)];
      } catch (error) {
        // What does not exist is made in a directory that is watched.
        if (errorCode(error) !== 'ENOENT') {
          failed(error instanceof Error ? error : new Error(String(error)));
        }
        return [];
      }
    });
  }

  stop(): void {
    clearTimeout(this.#settling);
    this.#close();
  }

  #close(): void {
    for (const watcher of this.#watchers) watcher.close();
  }

  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(this.changed, SETTLE_MS).unref();
  }
}

/** The directories to watch, each with the names that count there; fragments count in all of them. */
function watchedNames(dir: string): ReadonlyMap<string, ReadonlySet<string>> {
  const files = [...FILES, ...globSync(FRAGMENTS, { cwd: dir })];
  const paths = files.flatMap((file) => placesOf(resolve(dir, file)));
  const found = Map.groupBy(paths, (path) => dirname(path));
  // Some systems would report all that happens anywhere, and nobody swaps links there.
  if (resolve(dir) !== parse(dir).root) found.delete(parse(dir).root);
  return new Map(
    [...found].map(([folder, inside]) => [folder, new Set(inside.map((path) => basename(path)))]),
  );
}

/** Every link on the way to a file, and where they lead in the end. @param path absolute */
function placesOf(path: string, most = MOST_LINKS): string[] {
  const { root } = parse(path);
  const steps = path.slice(root.length).split(sep);
  let at = root;
  for (const [index, step] of steps.entries()) {
    const next = join(at, step);
    const target = most > 0 ? linkTarget(next) : undefined;
    if (target !== undefined) {
      return [next, ...placesOf(resolve(at, target, ...steps.slice(index + 1)), most - 1)];
    }
    at = next;
  }
  return [at];
}

/** Undefined: it is none, or not there. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
