// A commit into a file that was removed or replaced is durable nowhere; one beside another writer relies on old rows.
import { readSync, renameSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { HeldFiles } from '../../protocol.ts';
import { markOf } from './data-directory.ts';
import type { FileMark, LedgerFiles } from './data-directory.ts';
import { StoreLost } from './store-trouble.ts';

/** SQLite's header: it differs between any two states of a database that differ in size or free pages. */
const HEADER_BYTES = 100;

/** Some file systems settle the time of a write late; a copy keeps the time of its original or has that of the copying. */
const SETTLES_MS = 5000;

const UNDEFINED_IF_ABSENT = { throwIfNoEntry: false } as const;

/** How the database of a lost ledger has to be closed. */
type Loss = 'moved' | 'replaced' | 'overwritten' | 'shared';

/** Compares the files with their paths: a few microseconds for each group. */
export class FileGuard {
  readonly #files: HeldFiles;
  readonly #opened: Readonly<Record<keyof LedgerFiles, FileMark>>;
  readonly #dataVersion: StatementSync;
  readonly #version: unknown;
  /** Of the database when we last wrote it. */
  #changedAt: number;
  #header: Buffer;
  #loss: Loss | null = null;

  /** @param db before it has written anything. @throws StoreLost when it is not what is held */
  constructor(db: DatabaseSync, files: HeldFiles) {
    this.#files = files;
    this.#dataVersion = db.prepare('PRAGMA data_version');
    this.#dataVersion.setReturnArrays(true);
    // Reading it opens the log.
    this.#version = this.#readVersion();
    this.#opened = { ...files.opened, log: markOf(files.log) };
    this.#changedAt = this.#look('database').mtimeMs;
    this.#header = this.#readHeader();
    this.#look('lock');
    this.#look('log');
  }

  /** Inside the group's transaction, before it writes: nobody else has written since. @throws StoreLost */
  checkUnchanged(): void {
    this.#look('lock');
    if (this.#readVersion() !== this.#version) {
      throw this.#lost(
        'shared',
        `another process wrote into ${this.#files.database}: stop that process`,
      );
    }
  }

  /**
   * After the commit, before anybody hears of it: it went into the files that the next start will find. Where they cannot
   * be looked at just now, what was committed counts: it is on disk, and the next group looks before it writes.
   * @param hasCheckpoint the database may have been written by a checkpoint of ours
   * @throws StoreLost
   */
  checkPresent(hasCheckpoint: boolean): void {
    try {
      const { mtimeMs } = this.#look('database');
      if (mtimeMs !== this.#changedAt) {
        if (hasCheckpoint) this.#noteChange(mtimeMs);
        else this.#checkHeader(mtimeMs);
      }
      this.#look('log');
    } catch (error) {
      if (error instanceof StoreLost) throw error;
    }
  }

  /** Nothing may lie beside a database it does not belong to: SQLite would play the log into the one in its place. */
  close(db: DatabaseSync): void {
    const { database, log } = this.#files;
    if (this.#loss === 'overwritten') {
      // SQLite moves nothing into a database that is not at its path.
      const aside = `${database}-aside`;
      renameSync(database, aside);
      db.close();
      renameSync(aside, database);
    } else {
      db.close();
    }
    const isLeft = this.#loss === 'overwritten' || this.#loss === 'replaced';
    if (isLeft && isSame(statOf(log), this.#opened.log)) renameSync(log, `${log}.left`);
  }

  /** @throws StoreLost when the path leads elsewhere */
  #look(name: keyof LedgerFiles): Stats {
    const file = this.#files[name];
    const stats = statOf(file);
    if (isSame(stats, this.#opened[name])) return stats;
    const what = stats === undefined ? 'was removed or moved' : 'was replaced';
    const loss = name !== 'database' ? 'shared' : stats === undefined ? 'moved' : 'replaced';
    throw this.#lost(
      loss,
      `${file} ${what} while the service used it: put back what was there and start the service again`,
    );
  }

  #noteChange(mtimeMs: number): void {
    this.#changedAt = mtimeMs;
    this.#header = this.#readHeader();
  }

  /** Somebody wrote into the file, past SQLite: a copy of another state, perhaps. */
  #checkHeader(mtimeMs: number): void {
    const isLate = Math.abs(mtimeMs - this.#changedAt) < SETTLES_MS;
    if (!isLate || !this.#readHeader().equals(this.#header)) {
      throw this.#lost(
        'overwritten',
        `${this.#files.database} was overwritten while the service used it: stop the service before you restore a backup, then start it again`,
      );
    }
    this.#changedAt = mtimeMs;
  }

  #readVersion(): unknown {
    const row: unknown = this.#dataVersion.get();
    return Array.isArray(row) ? row[0] : undefined;
  }

  #readHeader(): Buffer {
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(this.#files.descriptor, header, 0, HEADER_BYTES, 0);
    return header;
  }

  #lost(loss: Loss, sentence: string): StoreLost {
    this.#loss = loss;
    return new StoreLost(sentence);
  }
}

/** Undefined: there is none. A path that cannot be looked at right now is trouble, not a loss: it throws. */
function statOf(file: string): Stats | undefined {
  return statSync(file, UNDEFINED_IF_ABSENT);
}

function isSame(stats: Stats | undefined, opened: FileMark): stats is Stats {
  return stats?.dev === opened.device && stats.ino === opened.inode;
}
