import type { Readable } from 'node:stream';
import { errorCode, errorMessage } from '../platform/errors.ts';
import { dump } from '../ledger/dump/dump.ts';
import { load, openDump } from '../ledger/dump/load.ts';
import { DumpError } from '../ledger/dump/dump-ledger.ts';
import type { HeldTexts, RowCounts, DumpLedger } from '../ledger/dump/dump-ledger.ts';
import { readMailMemory, sharedMailName, writeMailMemory } from '../mail/index.ts';

/** Characters that are written at a time. */
const CHUNK = 65_536;

export interface LedgerPlace {
  readonly store: {
    readonly dir: string;
    readonly postgres?: { readonly url: string; readonly schema: string };
  };
  readonly mail?: { readonly account: string } | undefined;
}

/** What was written or read of a ledger. */
export interface DumpedRows {
  /** Where it is, as `/var/lib/hooks` or `schema hooks of the database`. */
  readonly store: string;
  readonly rows: RowCounts;
}

type Write = (text: string) => Promise<unknown>;

/**
 * Writes the ledger as it is at one moment; services go on.
 * @param now epoch milliseconds
 * @throws Error with a sentence; what was written is torn
 */
export async function backUpLedger(
  place: LedgerPlace,
  now: number,
  write: Write,
): Promise<DumpedRows> {
  const rows: RowCounts = {};
  await readLedger(place, now, (ledger) => writeAll(dump(ledger, rows), write));
  return { store: nameOf(place), rows };
}

/**
 * Gives the ledger as it is at one moment; services go on.
 * @param now epoch milliseconds
 * @throws Error with a sentence
 */
export async function readLedger<T>(
  place: LedgerPlace,
  now: number,
  read: (ledger: DumpLedger) => Promise<T>,
): Promise<T> {
  const { dir, postgres } = place.store;
  if (postgres !== undefined) {
    const { readDatabase } = await import('../ledger/postgres/index.ts');
    return readDatabase(postgres, now, read);
  }
  const { readDirectory } = await filesOfLedger();
  const mail = mailOf(place);
  // Before the ledger: a message that comes meanwhile is known there, or is read once more and known by its key.
  const texts = await mail.read();
  const held = { ...mail, read: () => Promise.resolve(texts) };
  return readDirectory(dir, now, (ledger) => read({ ...ledger, held }));
}

/**
 * Fills the empty store of a configuration: all of it, or nothing.
 * @param now epoch milliseconds
 * @throws Error with a sentence
 */
export async function restoreLedger(
  place: LedgerPlace,
  now: number,
  from: Readable,
): Promise<DumpedRows> {
  try {
    const lines = await openDump(from.setEncoding('utf8'));
    return { store: nameOf(place), rows: await fill(place, now, lines) };
  } finally {
    from.destroy();
  }
}

async function fill(
  place: LedgerPlace,
  now: number,
  lines: AsyncIterator<string>,
): Promise<RowCounts> {
  const { dir, postgres } = place.store;
  if (postgres === undefined) {
    const { fillDirectory } = await filesOfLedger();
    return fillDirectory(dir, now, (ledger) => load({ ...ledger, held: mailOf(place) }, lines));
  }
  const { fillDatabase } = await import('../ledger/postgres/index.ts');
  return fillDatabase(postgres, now, (ledger) => load(ledger, lines));
}

async function filesOfLedger() {
  return (await import('../ledger/sqlite/index.ts')).ledgerFiles();
}

function nameOf({ store: { dir, postgres } }: LedgerPlace): string {
  return postgres === undefined ? dir : `the schema ${postgres.schema} of store.postgres`;
}

/** How far the configured mailbox was read stands in a file beside the ledger, and in PostgreSQL in a row. */
function mailOf({ store: { dir }, mail }: LedgerPlace): HeldTexts {
  const name = mail === undefined ? undefined : sharedMailName(mail.account);
  return {
    read: async () => {
      const value = name === undefined ? null : readMailMemory(dir);
      return name === undefined || value === null ? [] : [{ name, value }];
    },
    write: async (texts) => {
      if (name === undefined && texts.length > 0) {
        throw new DumpError(
          'it knows how far a mailbox was read, and hooks.mail is not configured here: configure it first, so that no message is sent twice',
        );
      }
      const own = texts.find((text) => text.name === name);
      if (own !== undefined) writeMailMemory(dir, own.value);
    },
  };
}

/** @throws DumpError when it cannot be written */
async function writeAll(lines: AsyncIterable<string>, write: Write): Promise<void> {
  const put = (text: string) =>
    write(text).catch((error: unknown) => {
      throw new DumpError(`it cannot be written: ${errorCode(error) ?? errorMessage(error)}`);
    });
  let text = '';
  for await (const line of lines) {
    text += line;
    if (text.length < CHUNK) continue;
    await put(text);
    text = '';
  }
  await put(text);
}
