// The status of an event is what became of its effects. It is derived and never set, so that no order of endings can leave
// it wrong. Heartbeats are counted on the event's own row, because the lines that ask for them are deleted once they were
// shown; runs and deliveries are counted in their tables. Whatever changes one of these names the event, and the same
// transaction settles its status, once.
//
// The rule (`STATUS`): while anything is open, an event is `accepted` until some part of it has begun and `running`
// from then on, but `waiting` where all that is open waits for a person, and `delivering` where all its runs have ended
// and a reply is still to be delivered. When nothing is open any more it is `failed` if any part went wrong, else `done`.
// An operator who retries dead work opens it again, and the status follows. What was skipped, or failed when it was
// accepted, stays so.
import type { Lease } from '../../hooks/ports/work-ledger.ts';
import { keyIn } from '../rows.ts';
import type { Key } from '../rows.ts';
import type { Tx } from '../tx.ts';

/** What became of a heartbeat that a line asks for; `recovered`: it had failed, and was shown by a later turn after all. */
type HeartbeatNews = 'asked' | 'done' | 'recovered' | 'failed';

const COUNTS: Readonly<
  Record<HeartbeatNews, readonly [open: number, failed: number, done: number]>
> = { asked: [1, 0, 0], done: [-1, 0, 1], recovered: [0, -1, 1], failed: [-1, 1, 0] };

export type Maker = Pick<Lease, 'ref' | 'eventId'>;

export class Touched {
  readonly events = new Set<Key>();
  readonly #beats = new Map<Key, [open: number, failed: number, done: number]>();
  readonly #maker: Maker | undefined;

  constructor(maker?: Maker) {
    this.#maker = maker;
  }

  add(event: Key): void {
    this.events.add(event);
  }

  /** @param id null: of no event */
  addId(tx: Tx, id: string | null): void {
    const event = id === null ? null : tx.keys.of(id);
    if (event !== null) this.add(event);
  }

  /** Adds the event of the run or delivery with this id, if it is that of the step. False: whose it is has to be asked. */
  addMaker(tx: Tx, id: string): boolean {
    if (this.#maker?.ref !== id) return false;
    this.addId(tx, this.#maker.eventId);
    return true;
  }

  heartbeat(event: Key, news: HeartbeatNews): void {
    this.add(event);
    const sums = this.#beats.get(event) ?? [0, 0, 0];
    this.#beats.set(event, sums);
    for (const [at, by] of COUNTS[news].entries()) sums[at]! += by;
  }

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
const LOCK = `SELECT 1 FROM @events e WHERE KEY(e) = ANY ($1::uuid[]) ORDER BY KEY(e) FOR UPDATE`;
const COUNT_BEATS = `UPDATE @events AS e SET beats_open = beats_open + given.open,
    beats_failed = beats_failed + given.failed, beats_done = beats_done + given.done
  FROM ROWS($1, given: event uuid, open bigint, failed bigint, done bigint) WHERE KEY(e) = given.event`;

/** Of the event `e`, from the counts of its runs `r` and its deliveries `d`, which are null where there is none. */
const STATUS = `CASE
    WHEN coalesce(r.open, 0) + coalesce(d.open, 0) + e.beats_open = 0 THEN
      CASE WHEN coalesce(r.bad, 0) + coalesce(d.bad, 0) + e.beats_failed > 0 THEN 'failed' ELSE 'done' END
    WHEN coalesce(r.open, 0) = 0 AND d.open > 0 THEN 'delivering'
    WHEN r.waiting > 0 AND r.waiting = coalesce(r.open, 0) + coalesce(d.open, 0) + e.beats_open THEN 'waiting'
    WHEN coalesce(r.begun, 0) + e.beats_open + e.beats_failed + e.beats_done > 0 OR e.status = 'running' THEN 'running'
    ELSE 'accepted'
  END`;
const SETTLE = `UPDATE @events AS s SET status = n.status FROM (
    SELECT KEY(e) AS key, ${STATUS} AS status FROM @events e
    LEFT JOIN (
      SELECT event, count(*) FILTER (WHERE status IN ('queued', 'running', 'waiting')) AS open,
        count(*) FILTER (WHERE status = 'waiting') AS waiting,
        count(*) FILTER (WHERE status IN ('failed', 'timed-out', 'interrupted')) AS bad,
        count(*) FILTER (WHERE attempts > 0 OR status <> 'queued') AS begun
      FROM @runs WHERE event = ANY ($1::uuid[]) GROUP BY event) r ON r.event = KEY(e)
    LEFT JOIN (
      SELECT event, count(*) FILTER (WHERE status = 'pending') AS open,
        count(*) FILTER (WHERE status IN ('dead', 'unknown')) AS bad
      FROM @deliveries WHERE event = ANY ($1::uuid[]) GROUP BY event) d ON d.event = KEY(e)
    WHERE KEY(e) = ANY ($1::uuid[]) AND e.error IS NULL AND e.status <> 'skipped') n
  WHERE KEY(s) = n.key AND s.status <> n.status RETURNING KEY(s) AS key`;

export async function settle(tx: Tx, touched: Touched): Promise<void> {
  const events = [...touched.events];
  if (events.length === 0) return;
  const { beats } = touched;
  // In the order of everybody; what follows sees what was written until the lock was there.
  await tx.lockRows(LOCK, events);
  if (beats.length > 0) await tx.run(COUNT_BEATS, beats);
  await tx.later(SETTLE, [events], (rows) => {
    for (const row of rows) tx.changedEvents.add(keyIn(row, 'key'));
  });
}
