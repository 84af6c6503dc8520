// Columns mean the same in every database; what a store makes for itself (index, leases, numbers) is none of them.

/** Rises with every change of {@link DUMPED_TABLES} or of what rows mean; a dump of a later edition is refused. */
export const DUMP_EDITION = 6;
/** The oldest edition that can be read: those since only have further tables. */
export const OLDEST_DUMP_EDITION = 1;

/**
 * How a value is written. `id` is the row's own; `event` and `delivery` refer to rows by their ids. A row whose `event` is
 * gone is left out; `event?` and `delivery` become null.
 */
export type DumpedKind = 'text' | 'integer' | 'flag' | 'id' | 'event' | 'event?' | 'delivery';

export interface DumpedTable {
  readonly name: string;
  /** Those of the primary key first. */
  readonly columns: readonly (readonly [name: string, kind: DumpedKind])[];
  /** How many columns the primary key has. */
  readonly keys: number;
}

/** As `event:event`: columns with their kinds, where they are no texts; the primary key stands before `|`. */
const COLUMNS: Readonly<Record<string, string>> = {
  events: `id:id | hook received_at:integer status mapping beats_open:integer beats_failed:integer beats_done:integer
    look_again:flag kept_until:integer shown_as:integer error head payload`,
  idempotency: 'name | digest keep_until:integer event:event',
  work: `id:integer | lane key kind stage server hook sender due_at:integer since:integer attempt:integer
    failures:integer crashes:integer acting:flag ref event_id job`,
  parts: 'n:integer | work_id:integer place:integer count:integer text',
  runs: `id:id | event:event agent_id session_key status model thinking error attempts:integer notes started_at:integer
    finished_at:integer contract usage warnings summary tool_calls prompt reply joined`,
  deliveries: 'id:id | event:event run_id channel recipient status notes message_id error',
  waits:
    'id | event:event run_id work_id:integer kind owner opened_at:integer until:integer question decision',
  questions: 'wait | event:event code message_id on_end',
  spending: 'meter ref | at:integer amount:integer',
  replies: 'run_id | event:event at:integer depth:integer uses:integer marks:integer rounds',
  reply_marks: 'mark run_id | event:event at:integer',
  usage: `day:integer kind hook agent model sender | turns:integer input_tokens:integer output_tokens:integer
    cost:integer unpriced:integer uncounted:integer`,
  system_events: `session seq:integer | event:event? owner asks_heartbeat:flag heartbeat_failed:flag delivery:delivery
    at:integer hook trust text`,
  sessions: 'key | channel recipient runner runner_session last_seq:integer',
  recipients: 'session channel | recipient',
  turns: 'n:integer | session at:integer isolated:flag untrusted:flag prompt reply events',
  bad_ends: 'n:integer | event_id line count:integer',
  refusals: `n:integer | at:integer kind hook name client status:integer code reason verified_by bytes:integer
    count:integer`,
  audit: 'n:integer | at:integer actor client operation subject outcome changed_from changed_to',
  console_sessions: 'digest | started_at:integer ends_at:integer',
};

const KINDS: readonly DumpedKind[] = ['integer', 'flag', 'id', 'event', 'event?', 'delivery'];

/** In the order in which they are written: what refers to rows comes after them. */
export const DUMPED_TABLES: readonly DumpedTable[] = Object.entries(COLUMNS).map(
  ([name, columns]) => {
    const [keys = [], others = []] = columns.split('|').map(words);
    return { name, columns: [...keys, ...others].map(columnOf), keys: keys.length };
  },
);

function words(list: string): string[] {
  return list.split(/\s+/).filter((word) => word !== '');
}

function columnOf(word: string): readonly [string, DumpedKind] {
  const [name = '', kind] = word.split(':');
  return [name, KINDS.find((known) => known === kind) ?? 'text'];
}
