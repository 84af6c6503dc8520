import type { Lane } from '../../hooks/ports/jobs.ts';
import { integer } from '../rows.ts';
import type { Key, Row } from '../rows.ts';
import { Memory, first } from '../tx.ts';
import type { Keys, NewRow, Tx, Value, WorkMemory } from '../tx.ts';
import { storableJson } from './storable.ts';
import type { Database } from './connection.ts';
import { UNDONE } from './transaction.ts';
import type { Run, Send } from './transaction.ts';
import { idAt, isId, timeOf } from './ids.ts';

const WRITTEN: readonly (readonly [RegExp, string])[] = [
  [/\b(?:KEY|ID)\((\w+)\)/g, '$1.id'],
  [/\bKEYOF\(([\w.]+)\)/g, '$1'],
  // A range of one value, which the planner cannot take for one that comes often: of a hook that was busy once, it would
  // look for the newest among all events. It has to be put in order by its column, too, as only the index does.
  [/\bFIRST\(([\w.]+), ([$\w.]+)\)/g, '$1 BETWEEN $2 AND $2'],
  [/\bROWS\((\$\d+), (\w+): /g, 'json_to_recordset($1::json) AS $2 ('],
  [/\bEACH\((\$\d+), (\w+)\)/g, 'unnest($1::text[]) AS $2 (value)'],
  // Not computed beforehand: `concat` need not be the same each time.
  [
    /^MUST ([^]+ RETURNING (\w+))$/g,
    `WITH found AS ($1) SELECT $2 FROM found
      UNION ALL SELECT concat('${UNDONE}')::int::text WHERE NOT EXISTS (SELECT FROM found)`,
  ],
];

const written = new Map<string, string>();

function toPostgres(sql: string): string {
  const known = written.get(sql);
  if (known !== undefined) return known;
  const named = sql.replaceAll(/@(?!schema\b)(\w+)/g, '@schema.$1');
  const text = WRITTEN.reduce((all, [from, to]) => all.replaceAll(from, to), named);
  written.set(sql, text);
  return text;
}

const KEYS: Keys = {
  of: (id) => (isId(id) ? id : null),
  first: idAt,
  timeOf: (key) => timeOf(String(key)),
  parse: (text) => text,
};

/** Holds names until the end of the transaction. A name is one of 4096 locks, of which no two are waited for in a circle. */
const LOCK = `SELECT pg_advisory_xact_lock(hashtext($2), place) FROM
  (SELECT DISTINCT (hashtext(name) & 4095) + 1 AS place FROM unnest($1::text[]) AS name ORDER BY 1) AS sorted`;
/** However many wait, no more are counted than there are places. */
const WAITING_RUNS = `SELECT count(*) AS count FROM (SELECT 1 FROM @work WHERE hook = $1 AND kind = 'run'
  AND stage IN ('blocked', 'retrying', 'suspect', 'ready') LIMIT $2) AS found`;

/** Nothing is kept in mind: other instances write, too. */
const WORK: WorkMemory = {
  added: () => {},
  removed: () => {},
  ended: () => {},
  hasPlace: () => true,
  waitingRuns: async (tx, hook, most) =>
    integer((await first(tx, WAITING_RUNS, hook, most))!, 'count'),
};

export class PostgresTx implements Tx {
  readonly keys = KEYS;
  readonly memory: Memory;
  readonly work = WORK;
  readonly instance: string | null;
  readonly changedLanes = new Set<Lane>();
  readonly freedLanes = new Set<Lane>();
  readonly changedEvents = new Set<Key>();
  readonly now: number;
  readonly #name: string;
  readonly #run: Run;
  readonly #send: Send;

  /**
   * @param instance whose leases these are; null: it claims and ends nothing
   * @param send of a transaction whose commit tells what went wrong
   * @param memory of what need not be read
   */
  constructor(
    { name }: Pick<Database, 'name'>,
    run: Run,
    now: number,
    instance: string | null,
    send: Send = (sql, values, told) => run(sql, values).then(told),
    memory = new Memory(),
  ) {
    this.#name = name;
    this.#run = run;
    this.#send = send;
    this.memory = memory;
    this.now = now;
    this.instance = instance;
  }

  all(sql: string, ...values: readonly Value[]): ReturnType<Run> {
    return this.#run(toPostgres(sql), values.map(toInput));
  }

  async run(sql: string, ...values: readonly Value[]): Promise<void> {
    await this.#send(toPostgres(sql), values.map(toInput));
  }

  async later(
    sql: string,
    values: readonly Value[],
    told: (rows: readonly Row[]) => void,
  ): Promise<void> {
    await this.#send(toPostgres(sql), values.map(toInput), told);
  }

  /** As a statement of one text, however many rows there are; values are of the types of their columns. */
  async insert(table: string, rows: readonly NewRow[], unless = ''): Promise<void> {
    const [pattern] = rows;
    if (pattern === undefined) return;
    const columns = Object.keys(pattern);
    const into = `INSERT INTO @schema.${table} (${columns.join()})`;
    if (rows.length === 1) {
      const places = columns.map((_, index) => `$${index + 1}`).join();
      await this.#send(`${into} VALUES (${places}) ${unless}`, Object.values(pattern));
    } else {
      const from = `json_populate_recordset(NULL::@schema.${table}, $1::json)`;
      await this.#send(`${into} SELECT ${columns.join()} FROM ${from} ${unless}`, [
        storableJson(rows),
      ]);
    }
  }

  async lock(names: () => readonly string[]): Promise<void> {
    const all = [...new Set(names())];
    if (all.length > 0) await this.#send(LOCK, [all, this.#name]);
  }

  lockRows(sql: string, ...values: readonly Value[]): Promise<void> {
    return this.run(sql, ...values);
  }
}

/** Lists of objects cross as JSON. */
function toInput(value: Value): unknown {
  return Array.isArray(value) && typeof value[0] === 'object' ? storableJson(value) : value;
}
