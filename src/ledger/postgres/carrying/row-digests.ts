import { text } from '../../rows.ts';
import type { Row } from '../../rows.ts';
import type { CarriedTable, CarriedType } from '../../carried-tables.ts';
import type { Database } from '../connection.ts';

const PAGE = 500;

/** As what a type of values is stored. */
export const SQL_TYPES: Readonly<Record<CarriedType, string>> = {
  id: 'uuid',
  text: 'text',
  integer: 'bigint',
  flag: 'boolean',
};

/**
 * The digest of every row of a table, in the order of its keys, a page at a time. The server makes them from what it
 * has stored, and sends no row: a value that was carried but stored as something else shows, too. It is `digestOf`
 * (carried-tables.ts) in SQL, for each column its length in bytes and its text, or a dash for null, so that no two rows
 * read alike.
 */
export async function* rowDigests(
  database: Database,
  { name, columns, keys }: CarriedTable,
): AsyncGenerator<string> {
  const key = columns.slice(0, keys);
  const list = key.map(([column]) => column).join(', ');
  const given = key.map(([, type], at) => `$${at + 1}::${SQL_TYPES[type]}`).join(', ');
  const all = columns.map(([column]) => textOf(column)).join(', ');
  const select = `SELECT ${key.map(([column], at) => `${column}::text AS key_${at}`).join(', ')},
    encode(sha256(convert_to(concat(${all}), 'UTF8')), 'hex') AS digest FROM @schema.${name}`;
  const page = `ORDER BY ${list} LIMIT ${PAGE}`;
  let after: string[] | null = null;
  for (;;) {
    const rows: readonly Row[] = await (after === null
      ? database.query(`${select} ${page}`)
      : database.query(`${select} WHERE (${list}) > (${given}) ${page}`, after));
    for (const row of rows) yield text(row, 'digest');
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = key.map((_, at) => text(last, `key_${at}`));
  }
}

function textOf(column: string): string {
  return `coalesce(octet_length(${column}::text) || ':' || ${column}::text, '-')`;
}
