// Groups of events that are decided before anything is read, and sent whole: one round trip instead of two or three. It
// is assumed that no key came before, the intake is not paused, the queue is empty, and sessions are as the group before
// left them. The server looks under the same locks and refuses a group where one of these is wrong; it is then decided
// again, by reading.
import type { Change } from '../../hooks/ports/change.ts';
import { loadOf } from '../accepting/room.ts';
import type { Arrival } from '../accepting/new-event.ts';
import { Memory } from '../tx.ts';
import type { Tx } from '../tx.ts';
import type { Run, Send } from './transaction.ts';

/** Lines of sessions, own ones of the transaction included, that are not as they are thought to be. */
const OTHER_LINES = `SELECT 1 FROM ROWS($1, k: session text, last bigint, lines bigint) JOIN LATERAL
  (SELECT max(seq) AS last, count(*) AS lines FROM @system_events w WHERE w.session = k.session) AS s ON true
  WHERE s.lines <> k.lines OR s.last <> k.last`;
const MOST_SESSIONS = 1000;
/** Groups that are read for after one was foreseen wrongly; each time in a row twice as many, since the server logs it. */
const READ_FOR = { least: 16, most: 1024 };

export class Foresight {
  #memory = new Memory();
  #readFor = READ_FOR.least;
  #reading = 0;

  /** Whether a group may be decided without reading: nothing in it is usually there already. */
  covers(arrivals: readonly Arrival[]): boolean {
    if (this.#reading > 0) {
      this.#reading -= 1;
      return false;
    }
    return arrivals.every(({ event, limits }) =>
      event.actions.every(({ changes }) =>
        changes.every((change) => this.#foresees(change, isCounted(limits))),
      ),
    );
  }

  #foresees(change: Change, isCounted: boolean): boolean {
    if (change.type === 'system-event') return this.#memory.numbers.has(change.session);
    if (change.type === 'work') return change.work.once !== true;
    return change.type === 'run' && !isCounted;
  }

  /** What a transaction that is decided without reading goes by; whether the intake is paused is looked for each time. */
  remembered(): Memory {
    this.#memory.isPaused = null;
    return this.#memory;
  }

  /** Makes the server refuse the transaction where sessions were not as they are remembered. */
  async checkSessions(tx: Tx, arrivals: readonly Arrival[]): Promise<void> {
    const { numbers, waiting } = this.#memory;
    const lines = sessionsOf(arrivals).map((session) => ({
      session,
      last: numbers.get(session)! - 1,
      lines: [...waiting.get(session)!.values()].reduce((sum, count) => sum + count, 0),
    }));
    if (lines.length > 0) await tx.all(OTHER_LINES, lines);
  }

  wasRight(): void {
    this.#readFor = READ_FOR.least;
  }

  /** A group was not as foreseen, or nobody knows. */
  wasWrong(): void {
    this.#memory = new Memory();
    this.#reading = this.#readFor;
    this.#readFor = Math.min(2 * this.#readFor, READ_FOR.most);
  }

  learn({ numbers, waiting }: Memory, arrivals: readonly Arrival[]): void {
    if (this.#memory.numbers.size >= MOST_SESSIONS) this.#memory = new Memory();
    for (const session of sessionsOf(arrivals)) {
      const [number, shares] = [numbers.get(session), waiting.get(session)];
      if (number === undefined || shares === undefined) continue;
      this.#memory.numbers.set(session, number);
      this.#memory.waiting.set(session, shares);
    }
  }
}

/** Runs statements that are taken to find nothing: the server refuses the transaction where one does. */
export function findingNothing(send: Send): Run {
  return (sql, values) => {
    // Not computed beforehand: `concat` need not be the same each time.
    void send(
      `SELECT CASE WHEN EXISTS (${sql}) THEN concat('agent-hooks decides these events again')::int END`,
      values,
    );
    return Promise.resolve([]);
  };
}

function isCounted({ maxQueued, budgets }: Arrival['limits']): boolean {
  return maxQueued !== undefined || budgets !== undefined;
}

function sessionsOf(arrivals: readonly Arrival[]): string[] {
  const loads = arrivals.map(({ event }) => loadOf(event.actions));
  return [...new Set(loads.flatMap(({ sessions }) => [...sessions.keys()]))];
}
