import { errorMessage } from '../../../platform/errors.ts';
import type { DatabaseSync } from 'node:sqlite';
import { text } from '../../rows.ts';
import type {
  AllCalls,
  HeldFiles,
  ReaderThreadCalls,
  WriterCalls,
  WriterStart,
} from '../protocol.ts';
import { searchFileOf } from '../search-file.ts';
import { SqliteTx } from '../statements.ts';
import {
  openForCheckpoints,
  openForReading,
  openForWriting,
  openInMemory,
  takeInventory,
} from './file/database.ts';
import { storeTrouble } from './file/store-trouble.ts';
import { createReaderHandlers, createWriterHandlers } from './handlers.ts';
import { InlineHost } from './inline-host.ts';

/**
 * The host that writes into files, and what it found.
 * @throws Error with a sentence that says what to do when the ledger cannot be used.
 */
export async function openWriter(files: HeldFiles, start: WriterStart) {
  const { db, begun, ...opened } = await openForWriting(files, (made) => beginWriter(made, start));
  const host = new InlineHost<WriterCalls>({ db, ...begun, ...opened });
  return { host, found: takeInventory(db, files.isNew) };
}

export async function openMemory(start: WriterStart): Promise<InlineHost<AllCalls>> {
  const { db, begun } = await openInMemory((made) => beginWriter(made, start));
  const reader = createReaderHandlers(db, begun.tx, null);
  const handlers = { ...begun.handlers, ...reader.handlers };
  return new InlineHost<AllCalls>({ db, ...begun, handlers, close: () => reader.close() });
}

async function beginWriter(db: DatabaseSync, start: WriterStart) {
  const tx = new SqliteTx(db);
  return { tx, ...(await createWriterHandlers(db, tx, start)) };
}

export function openReader(dir: string): InlineHost<ReaderThreadCalls> {
  const db = openForReading(dir);
  const tx = new SqliteTx(db);
  const reader = createReaderHandlers(db, tx, searchFileOf(dir));
  let checkpoints: DatabaseSync | null = null;
  const checkpoint = () => {
    checkpoints ??= openForCheckpoints(dir);
    checkpoints.exec('PRAGMA wal_checkpoint(PASSIVE)');
    return null;
  };
  const close = () => {
    reader.close();
    checkpoints?.close();
  };
  const handlers = { ...reader.handlers, checkpoint };
  return new InlineHost<ReaderThreadCalls>({ db, tx, handlers, close });
}

/** What is wrong with the first table that is not sound; null: nothing. By table, or reading would hold the log up. */
export function findDamage(dir: string): string | null {
  const db = openForReading(dir);
  try {
    const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
    for (const table of tables) {
      const name = text(table, 'name').replaceAll("'", "''");
      const found = text(db.prepare(`PRAGMA quick_check('${name}')`).get()!, 'quick_check');
      if (found !== 'ok') return `table ${name}: ${found.split('\n').at(-1)}`;
    }
    return null;
  } catch (error) {
    return storeTrouble(error) ?? 'it cannot be read';
  } finally {
    db.close();
  }
}

/** Why a ledger could not be opened, in a sentence without its beginning. */
export function refusalOf(error: unknown): string {
  return storeTrouble(error) ?? errorMessage(error);
}
