import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';

/** Editors write in several steps: what comes within this time is one change. */
const SETTLE_MS = 100;

/**
 * Tells that one of the named files of a directory was written, replaced or removed. The directory is watched, not the
 * files: a watch on a file that an editor replaces by renaming would stay with the old one. Names that begin with `..`
 * count, too: a mounted volume (Kubernetes) swaps all its files by such a link.
 */
export class DirectoryWatch {
  #watcher: FSWatcher | undefined;
  #settling: NodeJS.Timeout | undefined;

  constructor(
    private readonly dir: string,
    private readonly names: readonly string[],
    private readonly changed: () => void,
  ) {}

  /** @param failed is told when the directory cannot be watched (any more). */
  start(failed: (error: Error) => void): void {
    try {
      this.#watcher = watch(this.dir, { persistent: false }, (_, name) => this.#notice(name));
      this.#watcher.on('error', failed);
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)));
    }
  }

  stop(): void {
    clearTimeout(this.#settling);
    this.#watcher?.close();
  }

  #notice(name: string | null): void {
    if (name !== null && !name.startsWith('..') && !this.names.includes(name)) return;
    clearTimeout(this.#settling);
    this.#settling = setTimeout(this.changed, SETTLE_MS).unref();
  }
}
