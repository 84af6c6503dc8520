import { PostgresLedgerTarget, toStorable } from '../ledger/postgres/carrying/ledger-target.ts';
import { SqliteLedgerSource } from '../ledger/sqlite/carrying/ledger-source.ts';
import { CARRIED_TABLES, RowsDigest, digestOf } from '../ledger/carried-tables.ts';
import type { CarriedName, CarriedTable } from '../ledger/carried-tables.ts';
import { readMailMemory, sharedMailName } from '../mail/index.ts';

// Carries the ledger of a directory into a PostgreSQL. The source is read as it was at the beginning and never changed.
// Rows are written some at a time, each time together with how far that is, so whatever was interrupted goes on from
// there. Then both sides make a digest of every row they have, and only when all are the same may a service start.

/** Where a ledger is, and where it is to be. */
export interface Move {
  /** The directory with `ledger.db`. */
  readonly from: string;
  readonly to: { readonly url: string; readonly schema: string };
  /** Of `hooks.mail`: what is known of its mailboxes is carried with the ledger. */
  readonly mailAccount?: string;
}

/** How far it is. */
export interface MoveProgress {
  readonly doing: 'carry' | 'compare';
  readonly table: CarriedName;
  readonly done: number;
  readonly of: number;
}

/** What was found on both sides of a table. */
export interface ComparedTable {
  readonly table: CarriedName;
  /** Rows of the source that belong to something. */
  readonly rows: number;
  /** Rows of the source that belong to what is gone, and were left out. */
  readonly leftOut: number;
  /** Rows with characters that PostgreSQL cannot hold (U+0000, halves of characters); they became U+FFFD. */
  readonly replaced: number;
  /** Rows of the target. */
  readonly carried: number;
  /** A digest of all rows, in hexadecimal. */
  readonly digest: string;
  readonly carriedDigest: string;
  readonly isSame: boolean;
}

/** What became of a move. */
export interface MoveResult {
  readonly to: string;
  /** When it was carried already, in ISO 8601; then nothing was done, and there are no tables. Null: it was not. */
  readonly carriedAt: string | null;
  /** True: it was begun earlier, and went on. */
  readonly isResumed: boolean;
  /** Attempts of the source that nobody ended; they wait for their next one. */
  readonly interrupted: number;
  /** True: what is known of mailboxes came along. */
  readonly hasMail: boolean;
  /** True: services on the target accept nothing until the operator lets them. */
  readonly isPaused: boolean;
  readonly tables: readonly ComparedTable[];
}

/** What a move would carry. */
export interface PlannedMove extends Omit<MoveResult, 'tables'> {
  readonly tables: readonly { readonly table: CarriedName; readonly rows: number }[];
}

/** Changes nothing. @throws Error with a sentence when it cannot be done */
export async function planMove(move: Move): Promise<PlannedMove> {
  const { from, to } = move;
  const mail = mailOf(move);
  using source = SqliteLedgerSource.open(from);
  await using target = await PostgresLedgerTarget.open(to);
  const ledger = { from, lastEvent: source.lastEvent };
  const common = await outlook(source, target, ledger, mail);
  if (common.carriedAt !== null) return { ...common, isResumed: false, tables: [] };
  const marker = await target.look(ledger);
  const tables = [...source.counts()].map(([table, rows]) => ({ table, rows }));
  return { ...common, isResumed: marker !== null, tables };
}

/**
 * Carries a ledger, or goes on with it.
 * @param now epoch milliseconds
 * @returns what both sides have; when a table differs, no service can start on the target
 * @throws Error with a sentence when it cannot be done; what was carried until then is gone on with
 */
export async function moveLedger(
  move: Move,
  now: number,
  tell: (progress: MoveProgress) => void,
): Promise<MoveResult> {
  const { from, to } = move;
  const mail = mailOf(move);
  using source = SqliteLedgerSource.open(from);
  await using target = await PostgresLedgerTarget.open(to);
  const { facts, lastEvent } = source;
  const ledger = { from, lastEvent };
  const common = await outlook(source, target, ledger, mail);
  if (common.carriedAt !== null) return { ...common, isResumed: false, tables: [] };
  const begun = await target.begin(ledger, now);
  const sides = { source, target, counts: source.counts(), at: begun.at, tell };
  await carry(sides, begun);
  const tables: ComparedTable[] = [];
  for (const table of CARRIED_TABLES) tables.push(await compare(sides, table));
  source.checkUnchanged();
  if (tables.every(({ isSame }) => isSame)) await target.finish(facts, mail);
  return { ...common, isResumed: begun.table !== null, tables };
}

/** What can be told of a move before it begins, and whether it was made already. */
async function outlook(
  source: SqliteLedgerSource,
  target: PostgresLedgerTarget,
  ledger: Parameters<PostgresLedgerTarget['carried']>[0],
  mail: readonly HeldValue[],
) {
  const found = await target.carried(ledger);
  return {
    to: target.name,
    carriedAt: found && new Date(found.at).toISOString(),
    interrupted: source.interrupted,
    isPaused: source.facts.isPaused,
    hasMail: mail.length > 0,
  };
}

/** What services on the target hold of mailboxes. @throws MailStoreHeld while somebody watches them */
function mailOf({ from, mailAccount }: Move): HeldValue[] {
  const value = mailAccount === undefined ? null : readMailMemory(from);
  if (mailAccount === undefined || value === null) return [];
  return [{ name: sharedMailName(mailAccount), value }];
}

interface HeldValue {
  readonly name: string;
  readonly value: string;
}

interface Sides {
  readonly source: SqliteLedgerSource;
  readonly target: PostgresLedgerTarget;
  readonly counts: ReadonlyMap<CarriedName, number>;
  /** When it was begun. */
  readonly at: number;
  readonly tell: (progress: MoveProgress) => void;
}

type Begun = Awaited<ReturnType<PostgresLedgerTarget['begin']>>;

async function carry({ source, target, counts, at, tell }: Sides, begun: Begun): Promise<void> {
  const first = Math.max(
    0,
    CARRIED_TABLES.findIndex(({ name }) => name === begun.table),
  );
  for (const table of CARRIED_TABLES.slice(first)) {
    const after = table.name === begun.table ? begun.after : null;
    let done = 0;
    for (const { rows, cursor } of source.steps(table, after, at)) {
      await target.write(table, rows.map(toStorable), cursor);
      done += rows.length;
      tell({ doing: 'carry', table: table.name, done, of: counts.get(table.name) ?? done });
    }
  }
}

async function compare(
  { source, target, counts, at, tell }: Sides,
  table: CarriedTable,
): Promise<ComparedTable> {
  const of = counts.get(table.name) ?? 0;
  tell({ doing: 'compare', table: table.name, done: 0, of });
  const [own, carried] = [new RowsDigest(), new RowsDigest()];
  let replaced = 0;
  for (const { rows } of source.steps(table, null, at)) {
    for (const row of rows) {
      const stored = toStorable(row);
      if (stored.some((value, place) => value !== row[place])) replaced += 1;
      own.add(digestOf(stored));
    }
  }
  for await (const digest of target.digests(table)) {
    carried.add(digest);
    if (carried.count % 1000 === 0) {
      tell({ doing: 'compare', table: table.name, done: carried.count, of });
    }
  }
  return {
    table: table.name,
    rows: own.count,
    leftOut: of - own.count,
    replaced,
    carried: carried.count,
    digest: own.hex,
    carriedDigest: carried.hex,
    isSame: own.count === carried.count && own.hex === carried.hex,
  };
}
