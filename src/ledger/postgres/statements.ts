// The statements of the ledger (../tx.ts) as PostgreSQL reads them.
import type { Lane } from '../../hooks/ports/jobs.ts';
import type { Key } from '../rows.ts';
import type { Keys, Tx, Value } from '../tx.ts';
import { storableJson } from './connection.ts';
import type { Database, Run } from './connection.ts';
import { PostgresMoves } from './moves.ts';
import { idAt, isId, timeOf } from './ids.ts';

/** What is written otherwise, but for the names of tables. */
const WRITTEN: readonly (readonly [RegExp, string])[] = [
  [/\b(?:KEY|ID)\((\w+)\)/g, '$1.id'],
  [/\bKEYOF\(([\w.]+)\)/g, '$1'],
  // A range of one value, which the planner cannot take for one that comes often: of a hook that was busy once, it would
  // look for the newest among all events. It has to be put in order by its column, too, as only the index does.
  [/\bFIRST\(([\w.]+), ([$\w.]+)\)/g, '$1 BETWEEN $2 AND $2'],
  [/\bROWS\((\$\d+), (\w+): /g, 'json_to_recordset($1::json) AS $2 ('],
  [/\bEACH\((\$\d+), (\w+)\)/g, 'unnest($1::text[]) AS $2 (value)'],
];

const written = new Map<string, string>();

/** A statement of the ledger in PostgreSQL's words, with `@schema` before its tables. */
export function toPostgres(sql: string): string {
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

/** Runs statements as `run` does: in its transaction, or each by itself. */
export class PostgresTx implements Tx {
  readonly keys = KEYS;
  readonly changedLanes = new Set<Lane>();
  readonly changedEvents = new Set<Key>();
  readonly moves: PostgresMoves;
  readonly now: number;
  readonly #run: Run;

  constructor(database: Database, run: Run, now: number) {
    this.now = now;
    this.#run = run;
    this.moves = new PostgresMoves(database, run);
  }

  all(sql: string, ...values: readonly Value[]): ReturnType<Run> {
    return this.#run(toPostgres(sql), values.map(toInput));
  }

  lock(names: readonly string[]): Promise<void> {
    return this.moves.lock(names);
  }
}

/** Lists of objects cross as JSON. */
function toInput(value: Value): unknown {
  return Array.isArray(value) && typeof value[0] === 'object' ? storableJson(value) : value;
}
