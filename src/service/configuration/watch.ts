import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../platform/errors.ts';
import { DOTENV_FILE, GATEWAY_FILE } from './files.ts';
import { FRAGMENTS_DIR, isFragment } from './fragments.ts';

/** Editors write in several steps: what comes within this time is one change. */
const SETTLE_MS = 100;

/** Files of the configuration directory itself. */
const FILES = [GATEWAY_FILE, DOTENV_FILE];

/**
 * Directories are watched: a watch on a file that an editor replaces would stay with the old one. Names with `..`
 * count, too: Kubernetes swaps a volume by such a link.
 */
export class ConfigurationWatch {
  #watcher: FSWatcher | undefined;
  #fragments: FSWatcher | undefined;
  #settling: NodeJS.Timeout | undefined;

  constructor(
    private readonly dir: string,
    private readonly changed: () => void,
  ) {}

  /** @param failed is called when a directory cannot be watched (any more). */
  start(failed: (error: Error) => void): void {
    const notice = (name: string): void => {
      const isSwapped = name.startsWith('..');
      // The folder may be new, or another one than before: a watch would stay with the old one.
      if (isSwapped || name === FRAGMENTS_DIR) this.#watchFragments(failed);
      else if (!FILES.includes(name)) return;
      this.#settle();
    };
    try {
      this.#watcher = watched(this.dir, notice, failed);
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)));
    }
    this.#watchFragments(failed);
  }

  stop(): void {
    clearTimeout(this.#settling);
    this.#watcher?.close();
    this.#fragments?.close();
  }

  #watchFragments(failed: (error: Error) => void): void {
    this.#fragments?.close();
    this.#fragments = undefined;
    const notice = (name: string): void => {
      if (name.startsWith('..') || isFragment(name)) this.#settle();
    };
    try {
      this.#fragments = watched(join(this.dir, FRAGMENTS_DIR), notice, failed);
    } catch (error) {
      // The folder need not exist: the directory around it tells when it is made.
      if (errorCode(error) === 'ENOENT') return;
      failed(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(this.changed, SETTLE_MS).unref();
  }
}

/** Where the system does not say which name it was, it may have been any: `..` stands for that. */
function watched(
  dir: string,
  notice: (name: string) => void,
  failed: (error: Error) => void,
): FSWatcher {
  const watcher = watch(dir, { persistent: false }, (_, name) => notice(name ?? '..'));
  watcher.on('error', failed);
  return watcher;
}
