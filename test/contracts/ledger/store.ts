import type { Clock } from '../../../src/hooks/ports/clock.ts';
import type { Ledger, LedgerProvider } from '../../../src/hooks/ports/ledger.ts';
import type { Lease } from '../../../src/hooks/ports/work-ledger.ts';
import type { Lane } from '../../../src/hooks/ports/jobs.ts';
import type { EventDetails } from '../../../src/hooks/ports/event-store.ts';
import { ManualClock } from '../../support/clocks.ts';
import { heartbeat } from './events.ts';

export interface Store {
  readonly provider: LedgerProvider;
  dispose(): Promise<void>;
}

export type OpenStore = () => Promise<Store>;

const SENTINEL = 'sentinel';

/** Everything claimable now. A piece of work of the test's own keeps the claim from waiting when there is none. */
export async function claimNow(
  { work }: Ledger,
  clock: Clock,
  lane: Lane = 'turn',
  max = 100,
): Promise<readonly Lease[]> {
  await work.add(heartbeat(SENTINEL, { lane, dueAt: clock.now() }));
  const leases = await work.claim(lane, max + 1, new AbortController().signal);
  const sentinel = leases.find(({ key }) => key === SENTINEL);
  if (sentinel !== undefined) await work.commit(sentinel, { type: 'done' }, []);
  return leases.filter((lease) => lease !== sentinel);
}

export class LedgerUnderTest {
  readonly clock: ManualClock;
  readonly #store: Store;
  ledger: Ledger;

  private constructor(clock: ManualClock, store: Store, ledger: Ledger) {
    this.clock = clock;
    this.#store = store;
    this.ledger = ledger;
  }

  static async open(openStore: OpenStore): Promise<LedgerUnderTest> {
    const clock = new ManualClock();
    const store = await openStore();
    return new LedgerUnderTest(clock, store, await store.provider.open(clock));
  }

  async claimNow(lane: Lane = 'turn', max = 100): Promise<readonly Lease[]> {
    return claimNow(this.ledger, this.clock, lane, max);
  }

  async claimOne(lane: Lane = 'turn'): Promise<Lease> {
    const [lease, ...more] = await this.claimNow(lane);
    if (lease === undefined || more.length > 0) throw new Error(`expected one piece of work`);
    return lease;
  }

  async details(id: string): Promise<EventDetails> {
    const details = await this.ledger.events.get(id);
    if (details === null) throw new Error(`no event ${id}`);
    return details;
  }

  async reopen(): Promise<void> {
    await this.ledger.maintenance.close();
    this.ledger = await this.#store.provider.open(this.clock);
  }

  async dispose(): Promise<void> {
    await this.ledger.maintenance.close();
    await this.#store.dispose();
  }
}
