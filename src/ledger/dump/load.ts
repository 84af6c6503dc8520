// Fills an empty ledger from a dump (dump.ts), in the transaction of whoever gives it: all of the rows are written, or none.
import { getText, isRecord, parseJson } from '../../platform/objects.ts';
import { writeMeta } from '../records/meta.ts';
import { text } from '../rows.ts';
import { ownKey } from '../tx.ts';
import type { NewRow, Tx } from '../tx.ts';
import { DUMP_FORMAT } from './dump.ts';
import { DumpError } from './dump-ledger.ts';
import type { HeldText, RowCounts, DumpLedger } from './dump-ledger.ts';
import { DUMPED_TABLES, DUMP_EDITION, OLDEST_DUMP_EDITION } from './tables.ts';
import type { DumpedTable } from './tables.ts';

/** Rows and characters that are written at a time. */
const LOT = 500;
const CHARACTERS_OF_LOT = 4_000_000;

/** A table of dumps of earlier builds that nothing reads. */
const UNREAD = 'activity';

const TORN = 'is torn: copy it once more, or take another backup';

/**
 * Reads the first line of a dump.
 * @returns the lines that follow
 * @throws DumpError when it is none, or one that this build cannot read
 */
export async function openDump(chunks: AsyncIterable<string>): Promise<AsyncIterator<string>> {
  const lines = linesOf(chunks);
  const { value = '' } = await lines.next();
  const head = parseJson(value);
  if (!isRecord(head) || head['format'] !== DUMP_FORMAT) {
    throw new DumpError('it is no file of "hooks backup"');
  }
  const edition = Number(head['edition']);
  if (!(edition >= OLDEST_DUMP_EDITION && edition <= DUMP_EDITION)) {
    throw new DumpError(
      `it is of edition ${String(head['edition'])}, and this build reads ${OLDEST_DUMP_EDITION} to ${DUMP_EDITION}: restore it with the build that wrote it, ${getText(head, 'build') ?? 'which left no name'}`,
    );
  }
  return lines;
}

/**
 * Writes all rows of a dump into a ledger that has none.
 * @returns how many, by their tables
 * @throws DumpError when the dump is not whole; Error when the ledger is not empty. The transaction is to be rolled back
 */
export async function load(ledger: DumpLedger, lines: AsyncIterator<string>): Promise<RowCounts> {
  await refuseUsed(ledger.tx);
  const loading = new Loading(ledger);
  const end = await eachRow(lines, (table, row, size) => loading.add(table, row, size));
  await loading.finish();
  const missing = Object.keys({ ...end, ...loading.counts }).filter(
    (table) => end[table] !== loading.counts[table],
  );
  if (missing.length > 0) throw new DumpError(`it lacks rows of ${missing.join(', ')}: it ${TORN}`);
  return loading.counts;
}

async function refuseUsed(tx: Tx): Promise<void> {
  const used = await tx.all(
    DUMPED_TABLES.map(
      ({ name }) => `SELECT '${name}' AS name WHERE EXISTS (SELECT 1 FROM @${name})`,
    ).join(' UNION ALL '),
  );
  if (used.length === 0) return;
  throw new Error(
    `it has rows of its own (${used.map((row) => text(row, 'name')).join(', ')}), and two ledgers cannot become one: name an empty store (store.dir or store.postgres.schema), or remove this one if nobody needs it`,
  );
}

/** Hands on each row. @returns what the last line says of their number @throws DumpError when there is none */
async function eachRow(
  lines: AsyncIterator<string>,
  add: (table: string, row: Readonly<Record<string, unknown>>, size: number) => Promise<void>,
): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const { value, done } = await lines.next();
    const line = done === true ? undefined : parseJson(value);
    if (!isRecord(line)) throw new DumpError(`it ${TORN}`);
    if (isRecord(line['end'])) return line['end'];
    const { table, row } = line;
    if (typeof table !== 'string' || !isRecord(row)) throw new DumpError(`it ${TORN}`);
    await add(table, row, value.length);
  }
}

class Loading {
  readonly counts: RowCounts = {};
  readonly #ledger: DumpLedger;
  readonly #held: HeldText[] = [];
  #table: DumpedTable | undefined;
  #rows: NewRow[] = [];
  #size = 0;

  constructor(ledger: DumpLedger) {
    this.#ledger = ledger;
  }

  async add(name: string, row: Readonly<Record<string, unknown>>, size: number): Promise<void> {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    if (name === UNREAD) return;
    if (name === 'meta') return this.#addFact(text(row, 'key'), text(row, 'value'));
    if (name === 'held_texts') {
      this.#held.push({ name: text(row, 'name'), value: text(row, 'value') });
      return;
    }
    if (name !== this.#table?.name || this.#rows.length >= LOT || this.#size > CHARACTERS_OF_LOT) {
      await this.#write();
      this.#table = DUMPED_TABLES.find((table) => table.name === name);
    }
    if (this.#table === undefined) throw new DumpError(`it has a table ${name}, which is unknown`);
    this.#rows.push(this.#toRow(this.#table, row));
    this.#size += size;
  }

  async finish(): Promise<void> {
    await this.#write();
    await this.#ledger.held.write(this.#held);
  }

  async #write(): Promise<void> {
    if (this.#table !== undefined) await this.#ledger.tx.insert(this.#table.name, this.#rows);
    this.#rows = [];
    this.#size = 0;
  }

  #toRow({ name, columns }: DumpedTable, row: Readonly<Record<string, unknown>>): NewRow {
    const values = columns.map(([column, kind]): [string, NewRow[string]] => {
      const value = row[column];
      if (!isScalar(value)) {
        throw new DumpError(`a row of ${name} has no ${column}: it was written by another build`);
      }
      const refers = kind === 'event' || kind === 'event?' || kind === 'delivery';
      return [column, refers && value !== null ? ownKey(this.#ledger.tx, String(value)) : value];
    });
    // What was under way is nobody's, as after a crash: the next start begins it again.
    const lease: NewRow =
      name === 'work' ? { lease_ends: row['stage'] === 'leased' ? 0 : null } : {};
    return { ...Object.fromEntries(values), ...lease };
  }

  async #addFact(key: string, value: string): Promise<void> {
    const { tx, belief } = this.#ledger;
    if (key === 'believed') await writeMeta(tx, belief.key, belief.print(Number(value)));
    else if (key === 'bodies_forgotten_to') {
      await writeMeta(tx, key, String(tx.keys.first(Number(value))));
    } else await writeMeta(tx, key, value);
  }
}

function isScalar(value: unknown): value is NewRow[string] {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Only the end of a line divides: JSON may hold other signs that some take for one. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
