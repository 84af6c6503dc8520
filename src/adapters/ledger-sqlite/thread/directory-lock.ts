import { DatabaseSync } from 'node:sqlite';
import { troubleOf } from './failure.ts';

/**
 * Holds a directory for this process. The lock is the operating system's on an open file: it ends with the process,
 * kill -9 included, so that nothing is ever left to clean up.
 */
export class DirectoryLock {
  readonly #db: DatabaseSync;

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { timeout: 0 });
    try {
      this.#db.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      this.#db.close();
      if (!troubleOf(error)?.includes('another process')) throw error;
      throw new Error(
        'another process uses it: stop that process first, or give this one a directory of its own',
        { cause: error },
      );
    }
  }

  release(): void {
    this.#db.close();
  }
}
