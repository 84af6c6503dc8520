// What other instances have changed, where nobody tells of it; of more than a look reads the rest is missing.
import { setTimeout as pause } from 'node:timers/promises';
import type { ChangedEvents } from '../changed-events.ts';
import { text } from '../rows.ts';
import type { Database } from './connection.ts';
import { FIRST_ID, idAt, timeOf } from './ids.ts';

const BETWEEN_MS = 500;
/** Several machines make ids: one may become visible so long after a later one. */
const LATE_MS = 10_000;
const MOST_NEW = 1000;
/** Of each status. */
const MOST_OPEN = 500;

const NEWEST = 'SELECT id FROM @schema.events ORDER BY id DESC LIMIT 1';
/** The newest, those that have begun, and of those that wait the ones that are next. */
const LOOK = `(SELECT id, status FROM @schema.events WHERE id > $1 ORDER BY id DESC LIMIT ${MOST_NEW})
  UNION ${ofStatus('running', 'DESC')} UNION ${ofStatus('delivering', 'DESC')}
  UNION ${ofStatus('waiting', 'DESC')}
  UNION ${ofStatus('accepted', 'ASC')}`;
const STATUSES = 'SELECT id, status FROM @schema.events WHERE id = ANY ($1::uuid[])';

/** In the order of the index of statuses, which keeps the planner from looking through all events. */
function ofStatus(status: string, order: 'ASC' | 'DESC'): string {
  return `(SELECT id, status FROM @schema.events
    WHERE status BETWEEN '${status}' AND '${status}' AND status <> 'done'
    ORDER BY status ${order}, id ${order} LIMIT ${MOST_OPEN})`;
}

export class EventPoll {
  readonly #database: Pick<Database, 'query'>;
  readonly #changed: ChangedEvents<string>;
  readonly #isNeeded: () => boolean;
  #newest = FIRST_ID;
  #seen: ReadonlyMap<string, string> = new Map();
  #begun: Promise<void> | null = null;

  constructor(
    database: Pick<Database, 'query'>,
    changed: ChangedEvents<string>,
    isNeeded: () => boolean,
  ) {
    this.#database = database;
    this.#changed = changed;
    this.#isNeeded = isNeeded;
  }

  /** Begins, if it is needed and was not begun. Resolves when whatever changes from now on will be noticed. */
  async begin(): Promise<void> {
    if (!this.#goesOn) return;
    this.#begun ??= this.#lookAround();
    await this.#begun;
  }

  get #goesOn(): boolean {
    return this.#isNeeded() && this.#changed.isWatched;
  }

  async #lookAround(): Promise<void> {
    try {
      const [row] = await this.#database.query(NEWEST);
      this.#newest = row === undefined ? FIRST_ID : text(row, 'id');
      this.#seen = (await this.#look()).seen;
    } catch (error) {
      this.#begun = null;
      throw error;
    }
    void this.#repeat();
  }

  async #repeat(): Promise<void> {
    for (;;) {
      await pause(BETWEEN_MS, undefined, { ref: false });
      if (!this.#goesOn) break;
      try {
        const { seen, changed } = await this.#look();
        this.#seen = seen;
        this.#changed.note(changed);
      } catch {
        // The next look sees it.
      }
    }
    this.#begun = null;
  }

  /** How it stands, and what is otherwise than before; the oldest first. */
  async #look(): Promise<{ seen: Map<string, string>; changed: string[] }> {
    const from = idAt(timeOf(this.#newest) - LATE_MS);
    const seen = new Map<string, string>();
    const see = async (sql: string, values: readonly unknown[]) => {
      for (const row of await this.#database.query(sql, values)) {
        seen.set(text(row, 'id'), text(row, 'status'));
      }
    };
    await see(LOOK, [from]);
    const gone = [...this.#seen].filter(([id, status]) => isOpen(status) && !seen.has(id));
    if (gone.length > 0) await see(STATUSES, [gone.map(([id]) => id)]);
    const changed = [...seen].filter(([id, status]) => {
      const before = this.#seen.get(id);
      // One that waits and came into sight because others ended has not changed. Of one that has begun nobody knows: it is
      // told, where more than `MOST_OPEN` are delivered at a time perhaps for nothing.
      return before === undefined ? id > from || hasBegun(status) : before !== status;
    });
    const ids = changed.map(([id]) => id).toSorted();
    for (const id of seen.keys()) if (id > this.#newest) this.#newest = id;
    return { seen, changed: ids };
  }
}

function isOpen(status: string): boolean {
  return status === 'accepted' || hasBegun(status);
}

function hasBegun(status: string): boolean {
  return status === 'running' || status === 'delivering' || status === 'waiting';
}
