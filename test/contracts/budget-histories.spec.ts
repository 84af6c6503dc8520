import * as fc from 'fast-check';
import type { BudgetMeter, Change, Lease, Ledger } from '../../src/hooks/ports/index.ts';
import { LIMITS, agent } from './ledger/events.ts';
import { ManualClock } from '../support/clocks.ts';
import { LastingMemory } from '../support/lasting-memory.ts';

/*
 * Whatever turns, providers, clocks and crashes do, in any order: what a provider has really counted within any time of a
 * budget passes it by no more than one turn, and everything that was accepted is asked about in the end.
 */

const HISTORIES = Number(process.env['BUDGET_HISTORIES'] ?? 150);
const SEED = 41;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MOST = 100;

const which = fc.nat(9);
const step = fc.oneof(
  { weight: 9, arbitrary: fc.record({ what: fc.constant('accept' as const), scope: fc.nat(1) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      what: fc.constant('begin' as const),
      /** The most that it can use, and how much of that it does. */
      amount: fc.integer({ min: 1, max: 130 }),
      share: fc.double({ min: 0.3, max: 1, noNaN: true }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('end' as const), which }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('end unknown' as const), which }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('fail' as const), which }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('crash' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('pass' as const),
      ms: fc.constantFrom(1, MINUTE, 20 * MINUTE, HOUR / 2, HOUR - 1, HOUR),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A turn that its provider was asked for. */
interface Asked {
  readonly lease: Lease;
  readonly meters: readonly BudgetMeter[];
  readonly spent: number;
}

class World {
  readonly clock = new ManualClock();
  readonly memory = new LastingMemory();
  /** What the provider counted, by budget. */
  readonly bills: { readonly meter: string; readonly at: number; readonly amount: number }[] = [];
  readonly scopes = new Map<string, number>();
  underWay: Asked[] = [];
  #ledger!: Ledger;

  async open(): Promise<void> {
    this.#ledger = await this.memory.open(this.clock);
  }

  async perform(done: Step): Promise<void> {
    switch (done.what) {
      case 'accept': {
        const event = agent(`s${this.scopes.size}`);
        await this.#ledger.intake.accept(event, LIMITS);
        this.scopes.set(event.id, done.scope);
        return;
      }
      case 'begin':
        return this.begin(done.amount, done.share);
      case 'end':
        return this.end(done.which, ({ spent }) => spent, 'done');
      case 'end unknown':
        return this.end(done.which, () => null, 'done');
      case 'fail':
        return this.end(done.which, ({ spent }) => spent, 'retry');
      case 'crash':
        this.underWay = [];
        return this.open();
      case 'pass':
        this.clock.advance(done.ms);
    }
  }

  async begin(amount: number, share: number): Promise<void> {
    const signal = new AbortController().signal;
    for (const lease of await this.#ledger.work.claim('turn', 1, signal)) {
      const scope = this.scopes.get(lease.eventId!)!;
      const meters = ['*', `hook:${scope}`].map((of) => ({
        name: `tokens ${of} 1h`,
        most: MOST,
        perMs: HOUR,
        amount,
      }));
      const { workId, ref: runId } = lease;
      const room = await this.#ledger.work.reserveTurn({ workId, runId, meters });
      if (room.isFull) {
        const { until, isShort } = room;
        const wait = { type: 'wait', for: 'budget', until, holdsKey: true, isShort } as const;
        await this.#ledger.work.commit(lease, wait, []);
        continue;
      }
      const spent = Math.round(amount * share);
      const at = this.clock.now();
      for (const { name: meter } of meters) this.bills.push({ meter, at, amount: spent });
      this.underWay.push({ lease, meters, spent });
    }
  }

  async end(
    which: number,
    used: (asked: Asked) => number | null,
    type: 'done' | 'retry',
  ): Promise<void> {
    if (this.underWay.length === 0) return;
    const [asked] = this.underWay.splice(which % this.underWay.length, 1);
    const { lease, meters } = asked!;
    const change: Change = {
      type: 'usage',
      workId: lease.workId,
      of: { kind: 'run', hook: 'agent', agent: 'main', model: 'x/y', sender: 'token' },
      meters: meters.map(({ amount: _most, ...meter }) => ({
        ...meter,
        amount: used(asked!),
        whenNear: [],
      })),
    };
    const outcome = type === 'done' ? ({ type } as const) : { type, at: this.clock.now() };
    await this.#ledger.work.commit(lease, outcome, [change]);
  }

  /** Everything that is left. */
  async finish(): Promise<void> {
    for (let round = 0; round < 2000 && (await this.waiting()) > 0; round += 1) {
      await this.begin(30, 1);
      while (this.underWay.length > 0) await this.end(0, ({ spent }) => spent, 'done');
      this.clock.advance(10 * MINUTE);
    }
  }

  async waiting(): Promise<number> {
    const counts = await this.#ledger.admin.counts();
    return counts
      .filter(({ kind, state }) => kind === 'run' && state !== 'dead')
      .reduce((sum, { count }) => sum + count, 0);
  }

  /** By how much a budget was passed in any of its times, beyond the greatest turn in it. */
  passedBy(): number {
    const times = this.bills.map(({ meter, at: from }) => {
      const within = this.bills.filter(
        (bill) => bill.meter === meter && bill.at >= from && bill.at < from + HOUR,
      );
      const sum = within.reduce((all, { amount }) => all + amount, 0);
      return sum - Math.max(...within.map(({ amount }) => amount)) - MOST;
    });
    return Math.max(0, ...times);
  }
}

it(
  'a budget is passed by one turn at most, and nothing is lost',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
        const world = new World();
        try {
          await world.open();
          for (const done of steps) await world.perform(done);
          await world.finish();
          expect(await world.waiting()).toBe(0);
          expect(world.passedBy()).toBe(0);
        } finally {
          world.memory.close();
        }
      }),
      { numRuns: HISTORIES, seed: SEED },
    );
  },
  60_000 + 1000 * HISTORIES,
);
