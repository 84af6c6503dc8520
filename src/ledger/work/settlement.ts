// The status of an event is what became of its effects. It is derived and never set, so that no order of endings can leave
// it wrong. Heartbeats are counted on the event's own row, because the lines that ask for them are deleted once they were
// shown; runs and deliveries are counted in their tables. Whatever changes one of these names the event, and the same
// transaction settles its status, once.
//
// The rule (`deriveStatus`): while anything is open, an event is `accepted` until some part of it has begun and `running`
// from then on, but `delivering` where all its runs have ended and a reply is still to be delivered. When nothing is open
// any more it is `failed` if any part went wrong, else `done`. An operator who retries dead work opens it again, and the
// status follows. What was skipped, or failed when it was accepted, stays so.
import type { EventStatus } from '../../hooks/ports/event-store.ts';
import { integer, keyIn, text } from '../rows.ts';
import type { Key, Row } from '../rows.ts';
import type { Tx } from '../tx.ts';

/** What became of a heartbeat that a line asks for; `recovered`: it had failed, and was shown by a later turn after all. */
type HeartbeatNews = 'asked' | 'done' | 'recovered' | 'failed';

/** What each adds to the counts of its event: open, failed, done. */
const COUNTS: Readonly<
  Record<HeartbeatNews, readonly [open: number, failed: number, done: number]>
> = { asked: [1, 0, 0], done: [-1, 0, 1], recovered: [0, -1, 1], failed: [-1, 1, 0] };

/** Events that a transaction touches. */
export class Touched {
  readonly events = new Set<Key>();
  readonly #beats = new Map<Key, [open: number, failed: number, done: number]>();

  add(event: Key): void {
    this.events.add(event);
  }

  /** @param id null: of no event */
  addId(tx: Tx, id: string | null): void {
    const event = id === null ? null : tx.keys.of(id);
    if (event !== null) this.add(event);
  }

  heartbeat(event: Key, news: HeartbeatNews): void {
    this.add(event);
    const sums = this.#beats.get(event) ?? [0, 0, 0];
    this.#beats.set(event, sums);
    for (const [at, by] of COUNTS[news].entries()) sums[at]! += by;
  }

  /** What is to be added to the counts of heartbeats. */
  get beats(): { event: Key; open: number; failed: number; done: number }[] {
    return Array.from(this.#beats, ([event, [open, failed, done]]) => ({
      event,
      open,
      failed,
      done,
    }));
  }
}

/** Two steps of one event see what the other has written. */
const LOCK = `SELECT KEY(e) AS key, status, beats_open, beats_failed, beats_done FROM @events e
  WHERE KEY(e) = ANY ($1::uuid[]) AND error IS NULL AND status <> 'skipped' ORDER BY KEY(e) FOR UPDATE`;
const COUNT_BEATS = `UPDATE @events AS e SET beats_open = beats_open + given.open,
    beats_failed = beats_failed + given.failed, beats_done = beats_done + given.done
  FROM ROWS($1, given: event uuid, open bigint, failed bigint, done bigint) WHERE KEY(e) = given.event`;
const RUNS = `SELECT event, count(*) FILTER (WHERE status IN ('queued', 'running')) AS open,
    count(*) FILTER (WHERE status IN ('failed', 'timed-out', 'interrupted')) AS bad,
    count(*) FILTER (WHERE attempts > 0 OR status <> 'queued') AS begun
  FROM @runs WHERE event = ANY ($1::uuid[]) GROUP BY event`;
const DELIVERIES = `SELECT event, count(*) FILTER (WHERE status = 'pending') AS open,
    count(*) FILTER (WHERE status IN ('dead', 'unknown')) AS bad
  FROM @deliveries WHERE event = ANY ($1::uuid[]) GROUP BY event`;
const SET_STATUS = 'UPDATE @events AS e SET status = $2 WHERE KEY(e) = ANY ($1::uuid[])';

/** Derives the status of events anew. */
export async function settle(tx: Tx, touched: Touched): Promise<void> {
  const events = [...touched.events];
  if (events.length === 0) return;
  const { beats } = touched;
  if (beats.length > 0) {
    // In the order of everybody.
    await tx.run(LOCK, events);
    await tx.run(COUNT_BEATS, beats);
  }
  const [rows, ofRuns, ofDeliveries] = await Promise.all([
    tx.all(LOCK, events),
    tx.all(RUNS, events),
    tx.all(DELIVERIES, events),
  ]);
  const [runs, deliveries] = [byEvent(ofRuns), byEvent(ofDeliveries)];
  const changed = new Map<EventStatus, Key[]>();
  for (const row of rows) {
    const key = keyIn(row, 'key');
    const status = deriveStatus(row, runs.get(key), deliveries.get(key));
    if (status === text(row, 'status')) continue;
    changed.set(status, [...(changed.get(status) ?? []), key]);
    tx.changedEvents.add(key);
  }
  for (const [status, keys] of changed) await tx.run(SET_STATUS, keys, status);
}

function byEvent(rows: readonly Row[]): ReadonlyMap<Key, Row> {
  return new Map(rows.map((row) => [keyIn(row, 'event'), row]));
}

/** The rule above, from the counts of one event. */
function deriveStatus(event: Row, runs: Row | undefined, deliveries: Row | undefined): EventStatus {
  const beats = (what: 'open' | 'failed' | 'done') => integer(event, `beats_${what}`);
  const countOf = (row: Row | undefined, what: string) => (row ? integer(row, what) : 0);
  const [openRuns, openDeliveries] = [countOf(runs, 'open'), countOf(deliveries, 'open')];
  if (openRuns + openDeliveries + beats('open') > 0) {
    if (openRuns === 0 && openDeliveries > 0) return 'delivering';
    const begun = countOf(runs, 'begun') + beats('open') + beats('failed') + beats('done');
    return begun > 0 || text(event, 'status') === 'running' ? 'running' : 'accepted';
  }
  const bad = countOf(runs, 'bad') + countOf(deliveries, 'bad') + beats('failed');
  return bad > 0 ? 'failed' : 'done';
}
