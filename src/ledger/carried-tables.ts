// What of a ledger can be carried into another kind of store: tables of plain rows whose values mean the same in both.
// Ids are whole (SQLite keeps them in two parts), flags are booleans (0 and 1 there), and what a store derives for itself
// (indexes of words, counters, leases) is no part of them.
import { hash } from 'node:crypto';
import type { ChannelConditions } from '../hooks/ports/channel.ts';
import type { KnownCertificate } from '../hooks/ports/ledger.ts';

/** How a value is stored: `id` is a `uuid` in PostgreSQL and a key with its rest in SQLite. */
export type CarriedType = 'id' | 'text' | 'integer' | 'flag';
export type CarriedValue = string | number | boolean | null;
/** The values of {@link CarriedTable.columns}, in their order. */
export type CarriedRow = readonly CarriedValue[];

export interface CarriedTable {
  readonly name: CarriedName;
  /** Those of the primary key first, as many as `keys` says. */
  readonly columns: readonly (readonly [name: string, type: CarriedType])[];
  readonly keys: number;
}

const NAMES = [
  'events',
  'idempotency',
  'work',
  'parts',
  'runs',
  'deliveries',
  'system_events',
  'sessions',
  'recipients',
  'turns',
  'bad_ends',
  'refusals',
  'console_sessions',
  'activity',
] as const;
export type CarriedName = (typeof NAMES)[number];

/** As `id:uuid`: names of columns with their types, where they are no texts; the primary key stands before `|`. */
const COLUMNS: Readonly<Record<CarriedName, string>> = {
  events: `id:id | hook received_at:integer status mapping beats_open:integer beats_failed:integer beats_done:integer
    look_again:flag kept_until:integer shown_as:integer error head payload`,
  idempotency: 'name | digest keep_until:integer event:id',
  work: `id:integer | lane key kind stage server hook sender due_at:integer since:integer attempt:integer
    failures:integer crashes:integer acting:flag ref:id event_id:id job`,
  parts: 'n:integer | work_id:integer place:integer count:integer text',
  runs: `id:id | event:id agent_id session_key status model thinking error attempts:integer notes started_at:integer
    finished_at:integer contract usage warnings summary tool_calls prompt reply`,
  deliveries: 'id:id | event:id run_id channel recipient status notes message_id error',
  system_events: `session seq:integer | event:id owner asks_heartbeat:flag heartbeat_failed:flag delivery:id at:integer
    hook trust text`,
  sessions: 'key | channel recipient runner runner_session',
  recipients: 'session channel | recipient',
  turns: 'n:integer | session at:integer isolated:flag untrusted:flag prompt reply events',
  bad_ends: 'n:integer | event_id line count:integer',
  refusals: `n:integer | at:integer kind hook name client status:integer code reason verified_by bytes:integer
    count:integer`,
  console_sessions: 'digest | started_at:integer ends_at:integer',
  activity: `minute:integer | accepted:integer refused:integer runs_succeeded:integer runs_failed:integer
    delivered:integer deliveries_failed:integer waiting:integer`,
};

/** In the order in which they are carried. The last three go on while a service is paused. */
export const CARRIED_TABLES: readonly CarriedTable[] = NAMES.map((name) => {
  const [keys = '', others = ''] = COLUMNS[name].split('|');
  const columns = [...words(keys), ...words(others)].map(columnOf);
  return { name, columns, keys: words(keys).length };
});

/** What changes in a service that accepts nothing and does no work. */
export const CHANGING_WHILE_PAUSED: readonly CarriedName[] = [
  'refusals',
  'console_sessions',
  'activity',
];

function words(list: string): string[] {
  return list.split(/\s+/).filter((word) => word !== '');
}

function columnOf(word: string): readonly [string, CarriedType] {
  const [name = '', type] = word.split(':');
  return [name, type === 'id' || type === 'integer' || type === 'flag' ? type : 'text'];
}

/** What is carried beside the tables. */
export interface CarriedFacts {
  /** The operator's pause. */
  readonly isPaused: boolean;
  /** Bodies of events up to this id were looked at, to be forgotten; null: of none. */
  readonly bodiesForgottenTo: string | null;
  /** The latest time that was believed, in epoch milliseconds; null: not known. */
  readonly believed: number | null;
  readonly channels: ChannelConditions;
  readonly certificates: readonly KnownCertificate[];
}

/** SHA-256 of a row, in hexadecimal; the same as PostgreSQL makes of its own (carrying/row-digests.ts). */
export function digestOf(row: CarriedRow): string {
  return hash('sha256', row.map(textOf).join(''));
}

/** With its length, so that no two rows have the same text. */
function textOf(value: CarriedValue): string {
  if (value === null) return '-';
  const text = String(value);
  return `${Buffer.byteLength(text)}:${text}`;
}

const MODULUS = 1n << 256n;

/** A digest of rows in whatever order, and how many they are. */
export class RowsDigest {
  #sum = 0n;
  #count = 0;

  /** @param digest of one row, in hexadecimal */
  add(digest: string): void {
    this.#sum = (this.#sum + BigInt(`0x${digest}`)) % MODULUS;
    this.#count += 1;
  }

  get count(): number {
    return this.#count;
  }

  get hex(): string {
    return this.#sum.toString(16).padStart(64, '0');
  }
}
