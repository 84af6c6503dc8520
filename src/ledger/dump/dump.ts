// A ledger as JSON lines: a head, a line per row, and an end with the counts, without which the text is torn.
import { buildName } from '../../platform/package-version.ts';
import { CERTIFICATE_KEYS } from '../certificate-rows.ts';
import { CHANNEL_KEYS } from '../channel-rows.ts';
import { isTrue, keyIn, text } from '../rows.ts';
import type { Row } from '../rows.ts';
import type { Tx } from '../tx.ts';
import type { RowCounts, DumpLedger } from './dump-ledger.ts';
import { DUMPED_TABLES, DUMP_EDITION } from './tables.ts';
import type { DumpedKind, DumpedTable } from './tables.ts';

/** Begins the first line of every dump. */
export const DUMP_FORMAT = 'agent-hooks ledger';

/** Rows that are in memory at a time; a payload may have megabytes. */
const PAGE = 50;

const FACTS = `SELECT key, value FROM @meta
  WHERE key IN ('paused', 'bodies_forgotten_to', $1) OR key LIKE $2 OR key LIKE $3 ORDER BY key = $1, key`;

/** The lines of a dump, each with its end. @param counts gets how many rows were written */
export async function* dump(ledger: DumpLedger, counts: RowCounts): AsyncGenerator<string> {
  const { tx } = ledger;
  const line = (table: string, row: Row) => {
    counts[table] = (counts[table] ?? 0) + 1;
    return toLine({ table, row });
  };
  const writtenAt = new Date(tx.now).toISOString();
  yield toLine({ format: DUMP_FORMAT, edition: DUMP_EDITION, build: buildName(), writtenAt });
  for (const table of DUMPED_TABLES) {
    for await (const row of rowsOf(tx, table)) yield line(table.name, row);
  }
  for (const fact of await facts(ledger)) yield line('meta', fact);
  for (const held of await ledger.held.read()) yield line('held_texts', { ...held });
  yield toLine({ end: counts });
}

function toLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** In the order of the primary key, a page at a time. */
async function* rowsOf(tx: Tx, table: DumpedTable): AsyncGenerator<Row> {
  const { columns, keys } = table;
  const order = columns.slice(0, keys).map(([name, kind]) => place(name, kind));
  const select = `SELECT ${columns.map(picked).join(', ')},
    ${order.map((key, at) => `${key} AS key_${at}`).join(', ')} FROM ${sourceOf(table)}`;
  const given = order.map((_, at) => `$${at + 1}`).join(', ');
  const page = `ORDER BY ${order.join(', ')} LIMIT ${PAGE}`;
  const next = `${select} WHERE (${order.join(', ')}) > (${given}) ${page}`;
  let rows = await tx.all(`${select} ${page}`);
  for (;;) {
    for (const row of rows) yield Object.fromEntries(columns.map(valueIn(row)));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    rows = await tx.all(next, ...order.map((_, at) => keyIn(last, `key_${at}`)));
  }
}

function place(name: string, kind: DumpedKind): string {
  return kind === 'id' ? 'KEY(t)' : `t.${name}`;
}

function picked([name, kind]: readonly [string, DumpedKind]): string {
  if (kind === 'id') return `ID(t) AS ${name}`;
  if (kind === 'event' || kind === 'event?') return `ID(e) AS ${name}`;
  return kind === 'delivery' ? `ID(d) AS ${name}` : `t.${name}`;
}

function sourceOf({ name, columns }: DumpedTable): string {
  const joins = columns.map(([column, kind]) => {
    if (kind === 'event') return ` JOIN @events e ON KEY(e) = t.${column}`;
    if (kind === 'event?') return ` LEFT JOIN @events e ON KEY(e) = t.${column}`;
    return kind === 'delivery' ? ` LEFT JOIN @deliveries d ON KEY(d) = t.${column}` : '';
  });
  return `@${name} t${joins.join('')}`;
}

function valueIn(row: Row): (column: readonly [string, DumpedKind]) => [string, unknown] {
  return ([name, kind]) => [name, kind === 'flag' ? isTrue(row, name) : row[name]];
}

/** Rows of `meta` that mean something to another store; places and times in epoch milliseconds. */
async function facts({ tx, belief }: DumpLedger): Promise<Row[]> {
  const rows = await tx.all(FACTS, belief.key, CHANNEL_KEYS, CERTIFICATE_KEYS);
  return rows.map((row) => {
    const [key, value] = [text(row, 'key'), text(row, 'value')];
    if (key === belief.key) return { key: 'believed', value: String(belief.parse(value)) };
    if (key !== 'bodies_forgotten_to') return { key, value };
    return { key, value: String(tx.keys.timeOf(tx.keys.parse(value))) };
  });
}
