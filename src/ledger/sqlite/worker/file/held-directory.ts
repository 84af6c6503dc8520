import { closeSync, openSync } from 'node:fs';
import type { HeldFiles } from '../../protocol.ts';
import { markOf, prepareDirectory, sizeOf } from './data-directory.ts';
import type { LedgerFiles } from './data-directory.ts';
import { lookBeforeOpening } from './database.ts';
import { DirectoryLock } from '../../../../platform/directory-lock.ts';

/** Held from before the ledger is opened until all is closed, also while a thread died: nobody comes in between. */
export class HeldDirectory {
  /** The tables have to be brought to this edition first, which may take long. */
  readonly hasOldTables: boolean;
  readonly files: HeldFiles;
  readonly #lock: DirectoryLock;

  private constructor(files: LedgerFiles, lock: DirectoryLock) {
    this.#lock = lock;
    const isNew = sizeOf(files.database) === 0;
    const { number, newest } = lookBeforeOpening(files.database);
    this.hasOldTables = number > 0 && number < newest;
    const opened = { database: markOf(files.database), lock: markOf(files.lock) };
    this.files = { ...files, isNew, opened, descriptor: openSync(files.database, 'r') };
  }

  /**
   * Makes what is not there, and takes the lock.
   * @param onHeld see {@link DirectoryLock.take}
   * @throws Error with a sentence that says what to do
   */
  static async hold(dir: string, onHeld?: () => void): Promise<HeldDirectory> {
    const files = prepareDirectory(dir);
    const lock = await DirectoryLock.take(files.lock, onHeld);
    try {
      return new HeldDirectory(files, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Once every connection is closed: this drops the locks of the process (POSIX). */
  release(): void {
    closeSync(this.files.descriptor);
    this.#lock.release();
  }
}
