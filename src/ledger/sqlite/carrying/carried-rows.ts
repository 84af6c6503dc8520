// The rows of a ledger as another store can take them (../../carried-tables.ts): ids made whole, flags as booleans.
// They are read in one transaction, so a copy that takes minutes is of one moment, and in the order of a key, so that
// it can go on behind any row. What belongs to an event that is gone is left out, and counted.
import type { DatabaseSync } from 'node:sqlite';
import { CARRIED_TABLES } from '../../carried-tables.ts';
import type {
  CarriedName,
  CarriedRow,
  CarriedTable,
  CarriedType,
  CarriedValue,
} from '../../carried-tables.ts';
import { idOf } from '../id-keys.ts';

/** Where rows are up to which everything was read: the values of {@link Origin.order}. */
export type Cursor = readonly (string | number)[];

/** Where the values of a table come from. A column that is not named is that of the table itself, `t`. */
interface Origin {
  readonly from: string;
  /** The key and the rest of ids that stand in two columns. */
  readonly ids?: Readonly<Record<string, readonly [key: string, rest: string]>>;
  readonly order: readonly string[];
}

const OWN_ID = { id: ['t.key', 't.rest'] } as const;
const OF_EVENT = { event: ['e.key', 'e.rest'] } as const;
/** What belongs to an event that is gone is gone with it. CROSS: each is looked up by its key, in the order of `t`. */
const WITH_EVENT = 'CROSS JOIN events e ON e.key = t.event';
const ORIGINS: Readonly<Record<CarriedName, Origin>> = {
  events: { from: 'events t', ids: OWN_ID, order: ['t.key'] },
  idempotency: { from: `idempotency t ${WITH_EVENT}`, ids: OF_EVENT, order: ['t.name'] },
  work: { from: 'work t', order: ['t.id'] },
  parts: { from: 'parts t', order: ['t.n'] },
  runs: { from: `runs t ${WITH_EVENT}`, ids: { ...OWN_ID, ...OF_EVENT }, order: ['t.key'] },
  deliveries: {
    from: `deliveries t ${WITH_EVENT}`,
    ids: { ...OWN_ID, ...OF_EVENT },
    order: ['t.key'],
  },
  // A line outlives its event, and the delivery that it tells of.
  system_events: {
    from: `system_events t LEFT JOIN events e ON e.key = t.event LEFT JOIN deliveries d ON d.key = t.delivery`,
    ids: { ...OF_EVENT, delivery: ['d.key', 'd.rest'] },
    order: ['t.session', 't.seq'],
  },
  sessions: { from: 'sessions t', order: ['t.key'] },
  recipients: { from: 'recipients t', order: ['t.session', 't.channel'] },
  turns: { from: 'turns t', order: ['t.n'] },
  bad_ends: { from: 'bad_ends t', order: ['t.n'] },
  refusals: { from: 'refusals t', order: ['t.n'] },
  console_sessions: { from: 'console_sessions t', order: ['t.digest'] },
  activity: { from: 'activity t', order: ['t.minute'] },
};

/** Rows in the order of their keys, each with its own place in it. One at a time is in memory. */
export function* readRows(
  db: DatabaseSync,
  { name, columns }: CarriedTable,
  after: Cursor | null,
): Generator<{ readonly row: CarriedRow; readonly cursor: Cursor }> {
  const { from, ids = {}, order } = ORIGINS[name];
  const picked = columns.flatMap(([column]) => ids[column] ?? `t.${column}`);
  const list = order.join(', ');
  const behind = after === null ? '' : `WHERE (${list}) > (${order.map(() => '?').join(', ')})`;
  const statement = db.prepare(
    `SELECT ${picked.join(', ')}, ${list} FROM ${from} ${behind} ORDER BY ${list}`,
  );
  statement.setReturnArrays(true);
  const readers = columns.map(([column, type]) => (column in ids ? readId : READERS[type]));
  for (const values of statement.iterate(...(after ?? [])) as Iterable<unknown>) {
    if (!Array.isArray(values)) throw new Error('a row is no list');
    const rest: unknown[] = values;
    let at = 0;
    const row = readers.map((read) => {
      const value = read(rest[at], rest[at + 1]);
      at += read === readId ? 2 : 1;
      return value;
    });
    yield { row, cursor: rest.slice(at).map(cursorValue) };
  }
}

/** How many rows there are, those included that belong to nothing any more. */
export function countRows(db: DatabaseSync): Map<CarriedName, number> {
  return new Map(
    CARRIED_TABLES.map(({ name }) => {
      const row = db.prepare(`SELECT count(*) AS count FROM ${name}`).get()!;
      return [name, Number(row['count'])];
    }),
  );
}

type Reader = (value: unknown, next: unknown) => CarriedValue;

const READERS: Readonly<Record<CarriedType, Reader>> = {
  id: (value) => (value === null ? null : textIn(value)),
  text: (value) => (value === null ? null : textIn(value)),
  integer: (value) => (value === null ? null : integerIn(value)),
  flag: (value) => integerIn(value) !== 0,
};

const readId: Reader = (key, rest) => (key === null ? null : idOf(integerIn(key), textIn(rest)));

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Error(`a text of the ledger is ${typeof value}: the file is damaged`);
}

function integerIn(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new Error(`a number of the ledger is ${typeof value}: the file is damaged`);
}

function cursorValue(value: unknown): string | number {
  return typeof value === 'string' ? value : integerIn(value);
}
