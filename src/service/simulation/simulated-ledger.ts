// docs/design/simulation.md
import type {
  Change,
  Clock,
  Ledger,
  LedgerProvider,
  NewEvent,
  NewWork,
} from '../../hooks/index.ts';
import { memoryLedger } from '../../ledger/sqlite/index.ts';

/** The ports that a step of work asks. */
const ASKED = ['intake', 'work', 'sessions', 'events', 'admin'] as const;

/**
 * A ledger in memory that knows whether it is at rest, and keeps no lines of main sessions: those of wakes never come
 * here, since nothing but heartbeats reads them, and what an agent says then is in no record. Heartbeats are only heard of.
 */
export class SimulatedLedger implements LedgerProvider {
  /** How often a port was asked. */
  #calls = 0;
  #ledger: Ledger | null = null;

  constructor(private readonly onHeartbeat: (work: NewWork) => void) {}

  async open(clock: Clock): Promise<Ledger> {
    const ledger = await memoryLedger().open(clock);
    const { intake, work } = ledger;
    const kept = {
      ...ledger,
      intake: replaced(intake, {
        accept: (event: NewEvent, ...rest) =>
          intake.accept({ ...event, payload: '{}', actions: this.#actions(event) }, ...rest),
      }),
      work: replaced(work, {
        commit: (lease, end, changes) => work.commit(lease, end, this.#withoutLines(changes)),
      }),
    };
    for (const name of ASKED) Object.assign(kept, { [name]: this.#counted(kept[name]) });
    this.#ledger = ledger;
    return kept;
  }

  /** What became of an event. */
  get events(): Ledger['events'] {
    return this.#opened.events;
  }

  /** Whether anything waits or is under way. */
  async hasWork(): Promise<boolean> {
    const counts = await this.#opened.admin.counts();
    return counts.some(({ state, kind }) => state !== 'dead' && kind !== 'notice');
  }

  /**
   * Until nothing goes on but time. Calls are answered in their order, so whoever was answered before us has asked again
   * by the end of the turn if there is more to be done; a claim that looks anew has done so within the next round.
   */
  async rest(): Promise<void> {
    let quiet = 0;
    while (quiet < QUIET_ROUNDS) {
      const before = this.#calls;
      await this.#opened.admin.isPaused();
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.#calls === before ? quiet + 1 : 0;
    }
  }

  get #opened(): Ledger {
    if (this.#ledger === null) throw new Error('the simulation has not begun');
    return this.#ledger;
  }

  #actions({ actions }: NewEvent): NewEvent['actions'] {
    return actions.map((action) => ({ ...action, changes: this.#withoutLines(action.changes) }));
  }

  #withoutLines(changes: readonly Change[]): readonly Change[] {
    return changes.filter((change) => {
      if (change.type !== 'work' || change.work.kind !== 'heartbeat') {
        return change.type !== 'system-event';
      }
      this.onHeartbeat(change.work);
      return false;
    });
  }

  #counted<T extends object>(port: T): T {
    return new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          this.#calls += 1;
          return Reflect.apply(value, target, args);
        };
      },
    });
  }
}

const QUIET_ROUNDS = 2;

/** A port some of whose methods are others. */
function replaced<T extends object>(port: T, methods: Partial<T>): T {
  return new Proxy(port, {
    get: (target, name) => {
      const own: unknown = Reflect.get(methods, name);
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
