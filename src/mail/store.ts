import { hash, randomUUID } from 'node:crypto';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCode } from '../platform/errors.ts';
import { getField } from '../platform/objects.ts';

/** How far a mailbox has been sent: everything up to `lastUid` is over. */
export interface Cursor {
  /** The mailbox's UIDVALIDITY: uids mean something under the same one only. */
  readonly uidValidity: string;
  readonly lastUid: number;
}

/** An outage of the credentials: from the first refusal to the next login. */
export interface Outage {
  readonly id: string;
  /** Whether the main session knows of it. */
  readonly isNotified: boolean;
}

/** What a watcher remembers over its restarts. */
export type MailMemory = Omit<MailStore, 'keep'>;

/** The same as one JSON text: what services on one database hold (SharedMailStore). */
export interface Kept {
  readonly cursors: Readonly<Record<string, Cursor>>;
  readonly outages: Readonly<Record<string, Outage>>;
  /** By the digest of the configured one; never more than one. */
  readonly refreshTokens: Readonly<Record<string, string>>;
}

/** Names of the files in the data directory. The lock is one of its own, so that a backup can read what is kept. */
const FILE = 'mail.sqlite';
const LOCK_FILE = 'mail.lock';
/** How long a reader waits for a writer, and the other way round. */
const BUSY_MS = 1000;

/** What SQLite says when somebody else holds the file. */
const SQLITE_BUSY = 5;

/** Another watcher holds the directory. */
export class MailStoreHeld extends Error {
  override readonly name = 'MailStoreHeld';

  constructor(dir: string) {
    super(
      `Another watcher reads the mail of ${dir} (a running service with hooks.mail, or "hooks mail run"); there can be only one. Stop it first.`,
    );
  }
}

/**
 * What a watcher remembers over its restarts: how far each mailbox was sent, whether the main session knows of an
 * outage, and the newest refresh token, which a provider may replace with every login. All of it is kept in one file
 * that it alone writes: the operating system frees the lock beside it when the process dies. Commits do not wait for the
 * disk: a cursor that a power cut takes back only repeats what the hook then knows already.
 */
export class MailStore {
  private constructor(
    private readonly db: DatabaseSync,
    private readonly lock: DatabaseSync,
  ) {}

  /** @throws MailStoreHeld; Error when the file cannot be used */
  static open(dir: string): MailStore {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const lock = hold(dir);
    const file = join(dir, FILE);
    createPrivately(file);
    const db = new DatabaseSync(file, { timeout: BUSY_MS });
    try {
      db.exec(
        'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF',
      );
      db.exec(`BEGIN EXCLUSIVE; ${TABLES}; COMMIT`);
      return new MailStore(db, lock);
    } catch (error) {
      db.close();
      lock.close();
      // Builds before the lock had a file of its own hold this one.
      if (isBusy(error)) throw new MailStoreHeld(dir);
      throw error;
    }
  }

  cursor(mailboxKey: string): Cursor | undefined {
    const row = this.db
      .prepare('SELECT uid_validity, last_uid FROM cursors WHERE mailbox = ?')
      .get(mailboxKey);
    if (row === undefined) return undefined;
    return { uidValidity: String(row['uid_validity']), lastUid: Number(row['last_uid']) };
  }

  saveCursor(mailboxKey: string, { uidValidity, lastUid }: Cursor): void {
    this.db
      .prepare('INSERT OR REPLACE INTO cursors (mailbox, uid_validity, last_uid) VALUES (?, ?, ?)')
      .run(mailboxKey, uidValidity, lastUid);
  }

  /** The outage that is under way; it begins now when there is none. */
  beginOutage(account: string): Outage {
    this.db
      .prepare('INSERT OR IGNORE INTO outages (account, id, told) VALUES (?, ?, 0)')
      .run(account, randomUUID());
    const row = this.db.prepare('SELECT id, told FROM outages WHERE account = ?').get(account);
    return { id: String(row?.['id']), isNotified: row?.['told'] === 1 };
  }

  markNotified(account: string): void {
    this.db.prepare('UPDATE outages SET told = 1 WHERE account = ?').run(account);
  }

  endOutage(account: string): void {
    this.db.prepare('DELETE FROM outages WHERE account = ?').run(account);
  }

  /** The newest refresh token that came of a configured one. */
  refreshToken(configured: string): string | undefined {
    const row = this.db
      .prepare('SELECT token FROM refresh_tokens WHERE configured = ?')
      .get(hash('sha256', configured, 'hex'));
    return row === undefined ? undefined : String(row['token']);
  }

  /** Only the newest is kept: those of other configured tokens are forgotten. */
  saveRefreshToken(configured: string, token: string): void {
    const key = hash('sha256', configured, 'hex');
    this.db
      .prepare('INSERT OR REPLACE INTO refresh_tokens (configured, token) VALUES (?, ?)')
      .run(key, token);
    this.db.prepare('DELETE FROM refresh_tokens WHERE configured <> ?').run(key);
  }

  /** Takes over all that another store remembers. */
  keep({ cursors, outages, refreshTokens }: Kept): void {
    for (const [mailbox, cursor] of Object.entries(cursors)) this.saveCursor(mailbox, cursor);
    const outage = this.db.prepare('INSERT OR REPLACE INTO outages VALUES (?, ?, ?)');
    for (const [account, { id, isNotified }] of Object.entries(outages)) {
      outage.run(account, id, Number(isNotified));
    }
    const token = this.db.prepare('INSERT OR REPLACE INTO refresh_tokens VALUES (?, ?)');
    for (const [configured, newest] of Object.entries(refreshTokens)) token.run(configured, newest);
  }

  close(): void {
    if (this.db.isOpen) this.db.close();
    if (this.lock.isOpen) this.lock.close();
  }
}

/** @returns what holds the directory until it is closed @throws MailStoreHeld */
function hold(dir: string): DatabaseSync {
  const file = join(dir, LOCK_FILE);
  createPrivately(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) throw new MailStoreHeld(dir);
    throw error;
  }
}

/** The files of version 1 have these names: `told` says whether the main session was notified. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS cursors (
    mailbox TEXT PRIMARY KEY, uid_validity TEXT NOT NULL, last_uid INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS outages (
    account TEXT PRIMARY KEY, id TEXT NOT NULL, told INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS refresh_tokens (
    configured TEXT PRIMARY KEY, token TEXT NOT NULL) STRICT`;

/** Never opens a file that is there: closing it would drop the locks that this process holds on it (POSIX). */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    chmodSync(file, 0o600);
  }
}

/** Somebody else holds the file. */
function isBusy(error: unknown): boolean {
  return getField(error, 'errcode') === SQLITE_BUSY;
}

/**
 * What a watcher remembers in a data directory, as the text that services on one database hold (SharedMailStore); null:
 * nothing. Changes nothing; a watcher goes on meanwhile.
 */
export function readMailMemory(dir: string): string | null {
  const file = join(dir, FILE);
  if (!existsSync(file)) return null;
  using db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  db.exec('BEGIN');
  return JSON.stringify(keptIn(db));
}

function keptIn(db: DatabaseSync): Kept {
  const byName = <T>(sql: string, valueOf: (row: unknown) => T) =>
    Object.fromEntries(
      db
        .prepare(sql)
        .all()
        .map((row) => [String(row['name']), valueOf(row)]),
    );
  const textIn = (row: unknown, column: string) => String(getField(row, column));
  return {
    cursors: byName('SELECT mailbox AS name, uid_validity, last_uid FROM cursors', (row) => ({
      uidValidity: textIn(row, 'uid_validity'),
      lastUid: Number(getField(row, 'last_uid')),
    })),
    outages: byName('SELECT account AS name, id, told FROM outages', (row) => ({
      id: textIn(row, 'id'),
      isNotified: getField(row, 'told') === 1,
    })),
    refreshTokens: byName('SELECT configured AS name, token FROM refresh_tokens', (row) =>
      textIn(row, 'token'),
    ),
  };
}
