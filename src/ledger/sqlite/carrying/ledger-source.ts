import { DatabaseSync } from 'node:sqlite';
import type { AttemptNote } from '../../../hooks/ports/change.ts';
import type {
  CarriedFacts,
  CarriedName,
  CarriedRow,
  CarriedTable,
  CarriedValue,
} from '../../carried-tables.ts';
import { CERTIFICATE_KEYS, toCertificates } from '../../certificate-rows.ts';
import { CHANNEL_KEYS, toConditions } from '../../channel-rows.ts';
import { integer, optionalText, text } from '../../rows.ts';
import type { Row } from '../../rows.ts';
import { idOf } from '../id-keys.ts';
import { filesOf, sizeOf } from '../worker/file/data-directory.ts';
import { DirectoryInUse, DirectoryLock } from '../worker/file/directory-lock.ts';
import { checkEdition } from '../worker/file/migrate.ts';
import type { Edition } from '../worker/file/migrate.ts';
import { countRows, readRows } from './carried-rows.ts';
import type { Cursor } from './carried-rows.ts';

/** How long is waited for a service that writes. */
const BUSY_MS = 1000;
/** The rest of an id that is behind every other with the same key. */
const LAST_REST = 'ffff-ffffffffffff';
/** Fills up a step: rows, and UTF-16 code units of their texts. */
const STEP_ROWS = 1000;
const STEP_TEXT = 4_000_000;

/** Some rows of a table, and where to go on behind them. */
export interface CarriedStep {
  readonly rows: readonly CarriedRow[];
  readonly cursor: Cursor;
}

/**
 * The ledger of a directory, to be carried elsewhere: as it was when it was opened, whatever happens to it meanwhile. The
 * directory is held when nobody else has it, so that no service begins with it; nothing in the ledger is changed.
 */
export class SqliteLedgerSource {
  readonly #dir: string;
  /** Null: a service has the directory. */
  readonly #lock: DirectoryLock | null;
  readonly #db: DatabaseSync;

  private constructor(dir: string, lock: DirectoryLock | null, db: DatabaseSync) {
    this.#dir = dir;
    this.#lock = lock;
    this.#db = db;
  }

  /** @throws Error with a sentence that says what is wrong and what to do */
  static open(dir: string): SqliteLedgerSource {
    const { database, lock: lockFile } = filesOf(dir);
    if (sizeOf(database) === 0) throw new Error(`there is no ledger in ${dir}`);
    const lock = tryLock(lockFile);
    try {
      const db = new DatabaseSync(database, { readOnly: true, timeout: BUSY_MS });
      try {
        refuseOlder(checkEdition(db));
        db.exec('BEGIN');
        const source = new SqliteLedgerSource(dir, lock, db);
        source.#checkQuiet();
        return source;
      } catch (error) {
        db.close();
        throw error;
      }
    } catch (error) {
      lock?.release();
      throw new Error(`The ledger in ${dir} cannot be carried: ${sentenceOf(error)}`, {
        cause: error,
      });
    }
  }

  /** The last event; null: there is none. It tells this ledger, and this state of it, from others. */
  get lastEvent(): string | null {
    const row = this.#db.prepare('SELECT key, rest FROM events ORDER BY key DESC LIMIT 1').get();
    return row === undefined ? null : idOf(integer(row, 'key'), text(row, 'rest'));
  }

  get facts(): CarriedFacts {
    const forgotten = this.#meta('bodies_forgotten_to');
    const clock = this.#meta('clock');
    return {
      isPaused: this.#isPaused,
      bodiesForgottenTo: forgotten === null ? null : idOf(Number(forgotten), LAST_REST),
      believed: clock === null ? null : believedOf(clock),
      channels: toConditions(this.#metaLike(CHANNEL_KEYS)),
      certificates: toCertificates(this.#metaLike(CERTIFICATE_KEYS)),
    };
  }

  /** Of each table; some may belong to what is gone, and are left out. */
  counts(): ReadonlyMap<CarriedName, number> {
    return countRows(this.#db);
  }

  /** How many attempts nobody ended: the process before was killed. */
  get interrupted(): number {
    return this.#leased().length;
  }

  /**
   * The rows of a table behind a place, some at a time. Attempts that nobody ended are ended as the next start would do it.
   * @param now of that end, in epoch milliseconds; the same time gives the same rows
   */
  *steps(table: CarriedTable, after: Cursor | null, now: number): Generator<CarriedStep> {
    const end = this.#endings(table, now);
    let rows: CarriedRow[] = [];
    let size = 0;
    let last = after;
    for (const { row, cursor } of readRows(this.#db, table, after)) {
      rows.push(end(row));
      size += row.reduce<number>((sum, value) => sum + sizeOfValue(value), 0);
      last = cursor;
      if (rows.length < STEP_ROWS && size < STEP_TEXT) continue;
      yield { rows, cursor };
      rows = [];
      size = 0;
    }
    if (rows.length > 0 && last !== null) yield { rows, cursor: last };
  }

  /** Looks at the ledger as it is now. @throws Error when the service went on since it was opened */
  checkUnchanged(): void {
    const before = this.lastEvent;
    this.#db.exec('ROLLBACK; BEGIN');
    this.#checkQuiet();
    if (this.lastEvent !== before) {
      throw new Error(
        `The service that uses ${this.#dir} went on while its ledger was carried: stop it and begin anew`,
      );
    }
  }

  [Symbol.dispose](): void {
    this.#db.close();
    this.#lock?.release();
  }

  /** Of a service that runs, nothing may be under way: it would be done here and there. */
  #checkQuiet(): void {
    if (this.#lock !== null) return;
    if (!this.#isPaused) {
      throw new Error(
        'a service uses it, and what it accepts meanwhile would stay behind: stop it, or let it accept nothing ("hooks pause")',
      );
    }
    const count = this.interrupted;
    if (count === 0) return;
    throw new Error(
      `the service that uses it is paused, but ${count} of its runs or deliveries are still under way: wait until they have ended ("hooks status"), or stop it`,
    );
  }

  get #isPaused(): boolean {
    return this.#meta('paused') !== null;
  }

  #metaLike(keys: string): Row[] {
    return this.#db.prepare('SELECT key, value FROM meta WHERE key LIKE ?').all(keys);
  }

  #meta(key: string): string | null {
    const row = this.#db.prepare('SELECT value FROM meta WHERE key = ?').get(key);
    return row === undefined ? null : text(row, 'value');
  }

  #leased() {
    return this.#db.prepare(`SELECT kind, ref, attempt FROM work WHERE stage = 'leased'`).all();
  }

  /** What interruptions.ts would make of the rows. */
  #endings({ name, columns }: CarriedTable, now: number): (row: CarriedRow) => CarriedRow {
    const place = (column: string) => columns.findIndex(([known]) => known === column);
    const change = (row: CarriedRow, values: Readonly<Record<string, CarriedValue>>) =>
      row.map((value, at) => values[columns[at]![0]] ?? value);
    if (name === 'work') {
      const [stage, crashes] = [place('stage'), place('crashes')];
      return (row) =>
        row[stage] === 'leased'
          ? change(row, { stage: 'retrying', due_at: now, crashes: Number(row[crashes]) + 1 })
          : row;
    }
    if (name !== 'runs' && name !== 'deliveries') return (row) => row;
    const kind = name === 'runs' ? 'run' : 'delivery';
    const attempts = new Map(
      this.#leased()
        .filter((row) => text(row, 'kind') === kind)
        .map((row) => [optionalText(row, 'ref'), integer(row, 'attempt')]),
    );
    const notes = place('notes');
    return (row) => {
      const attempt = attempts.get(String(row[0]));
      if (attempt === undefined) return row;
      const outcome = kind === 'run' ? 'interrupted' : 'unknown';
      const note: AttemptNote = { at: now, attempt, outcome };
      const told: unknown = JSON.parse(String(row[notes]));
      const all = JSON.stringify([...(Array.isArray(told) ? told : []), note]);
      return change(row, { notes: all, ...(kind === 'run' && { status: 'queued' }) });
    };
  }
}

/** Only the newest tables are read here; an upgrade is for the service, which copies the file before. */
function refuseOlder({ number, newest }: Edition): void {
  if (number === newest) return;
  throw new Error(
    `its tables are of edition ${number}, and this build carries edition ${newest}: start the service with this build once, which upgrades them`,
  );
}

/** Null: another process has the directory. */
function tryLock(file: string): DirectoryLock | null {
  try {
    return DirectoryLock.takeNow(file);
  } catch (error) {
    if (error instanceof DirectoryInUse) return null;
    throw error;
  }
}

function believedOf(clock: string): number | null {
  const stored: unknown = JSON.parse(clock);
  if (typeof stored !== 'object' || stored === null || !('believed' in stored)) return null;
  return typeof stored.believed === 'number' ? stored.believed : null;
}

function sizeOfValue(value: CarriedValue): number {
  return typeof value === 'string' ? value.length : 0;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
