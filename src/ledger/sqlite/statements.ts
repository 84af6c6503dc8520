// The statements of the ledger (../tx.ts) as SQLite reads them, each prepared once.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Lane } from '../../hooks/ports/jobs.ts';
import type { Key, Row } from '../rows.ts';
import { Memory } from '../tx.ts';
import type { Keys, NewRow, Tx, Value, WorkMemory } from '../tx.ts';
import { EPOCH_MS, firstKeyOf, keyOf, ownKeyOf, restOf, timeOf } from './id-keys.ts';

/** The id of a row, made of its key and the rest of it (id-keys.ts says how). */
const MILLISECOND = `(($1.key >> 12) + ${EPOCH_MS})`;
const ID = `iif($1.rest IS NULL, NULL,
  printf('%08x-%04x-7%03x-%s', ${MILLISECOND} >> 16, ${MILLISECOND} & 65535, $1.key & 4095, $1.rest))`;

const WRITTEN: readonly (readonly [RegExp, string | ((...found: string[]) => string)])[] = [
  [
    /\bROWS\((\$\d+), (\w+): ([\w\s,]+)\)/g,
    (_all, list, alias, fields) => rowsOf(list, alias, fields),
  ],
  [/^MUST /g, ''],
  [/@(\w+)/g, '$1'],
  // An alias is not known there.
  [/\bRETURNING KEY\(\w+\)/g, 'RETURNING key'],
  [/\bKEY\((\w+)\)/g, '$1.key'],
  [/\bID\((\w+)\)/g, ID],
  [/\bKEYOF\(/g, 'key_of('],
  [/\bFIRST\(([\w.]+), ([$\w.]+)\)/g, '$1 = $2'],
  [/\bEACH\((\$\d+), (\w+)\)/g, 'json_each($1) AS $2'],
  [/= ANY \((\$\d+)(?:::\w+\[\])?\)/g, 'IN (SELECT value FROM json_each($1))'],
  [/<> ALL \((\$\d+)(?:::\w+\[\])?\)/g, 'NOT IN (SELECT value FROM json_each($1))'],
  [/::\w+(?:\[\])?/g, ''],
  [/ FOR UPDATE(?: OF \w+)?(?: SKIP LOCKED)?/g, ''],
  // Word for word as indexes say it, which are used where the statement does.
  [/\bcoalesce\((\w+), ''\)/g, `ifnull($1, '')`],
  [/= true\b/g, '= 1'],
  [/= false\b/g, '= 0'],
  // A limit that is a parameter alone makes SQLite prepare the statement anew with each value.
  [/\b(LIMIT|OFFSET) (\$\d+)/g, '$1 ($2 + 0)'],
  [/\$(\d+)/g, '?$1'],
];

export function toSqlite(sql: string): string {
  return WRITTEN.reduce(
    (text, [from, to]) =>
      typeof to === 'string' ? text.replaceAll(from, to) : text.replaceAll(from, to),
    sql,
  );
}

function rowsOf(list: string, alias: string, fields: string): string {
  const names = fields.split(',').map((field) => field.trim().split(' ', 1)[0]);
  const columns = names.map((name) => `value ->> '${name}' AS ${name}`);
  return `(SELECT ${columns.join(', ')} FROM json_each(${list})) AS ${alias}`;
}

/** Tables whose rows are found by the key that their id begins with. */
const IDENTIFIED: ReadonlySet<string> = new Set(['events', 'runs', 'deliveries']);

export class SqliteTx implements Tx {
  readonly keys: Keys = {
    of: keyOf,
    first: firstKeyOf,
    timeOf: (key) => timeOf(Number(key)),
    parse: Number,
  };
  readonly memory = new Memory();
  readonly instance = null;
  readonly changedLanes = new Set<Lane>();
  /** Of the only process: whoever waits for a place is told as everybody is. */
  readonly freedLanes = this.changedLanes;
  readonly changedEvents = new Set<Key>();
  now = 0;
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  /** Of a connection that writes. */
  #work: WorkMemory | null = null;
  /** Never reused while the process lives, from its first lease on: one that is lost must not fit later work. */
  #lastWorkId = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
    db.function('key_of', { deterministic: true }, (id) =>
      typeof id === 'string' ? keyOf(id) : null,
    );
  }

  /** Called once, for a connection that writes. */
  remember(work: WorkMemory): void {
    this.#work = work;
    this.#lastWorkId = Number(this.all('SELECT max(id) AS id FROM @work')[0]?.['id'] ?? 0);
  }

  get work(): WorkMemory {
    if (this.#work === null) throw new Error('this connection only reads');
    return this.#work;
  }

  /** The directory has one process at a time, and that one writer. */
  lock(): void {}

  lockRows(): void {}

  all(sql: string, ...values: readonly Value[]): readonly Row[] {
    return this.#statement(sql).all(...values.map(toInput));
  }

  run(sql: string, ...values: readonly Value[]): void {
    this.#statement(sql).run(...values.map(toInput));
  }

  later(sql: string, values: readonly Value[], told: (rows: readonly Row[]) => void): void {
    told(this.all(sql, ...values));
  }

  insert(table: string, rows: readonly NewRow[], unless = ''): void {
    const [pattern] = rows;
    if (pattern === undefined) return;
    const names = Object.keys(pattern);
    const isIdentified = IDENTIFIED.has(table);
    const isNumbered = table === 'work' && !names.includes('id');
    const own = isIdentified ? ['key', 'rest'] : isNumbered ? ['id'] : [];
    const others = isIdentified ? names.filter((name) => name !== 'id') : names;
    const columns = [...own, ...others];
    const places = columns.map((_, at) => `$${at + 1}`);
    const statement = this.#statement(
      `INSERT INTO @${table} (${columns.join(', ')}) VALUES (${places.join(', ')}) ${unless}`,
    );
    for (const row of rows) {
      const values = others.map((name) => toInput(row[name]!));
      if (isIdentified) {
        const id = String(row['id']);
        values.unshift(ownKeyOf(id), restOf(id));
      } else if (isNumbered) values.unshift((this.#lastWorkId += 1));
      statement.run(...values);
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(toSqlite(sql));
    this.#prepared.set(sql, statement);
    return statement;
  }
}

function toInput(value: Value): SQLInputValue {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
