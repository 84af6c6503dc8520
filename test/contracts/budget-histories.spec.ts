import * as fc from 'fast-check';
import type { BudgetMeter, Change, Lease, Ledger } from '../../src/hooks/ports/index.ts';
import { LIMITS, agent } from './ledger/events.ts';
import { ManualClock } from '../support/clocks.ts';
import { LastingMemory } from '../support/lasting-memory.ts';
import { runs } from '../support/rounds.ts';

/*
 * Whatever turns, providers, clocks and crashes do, in any order: what a provider has really counted within any time of a
 * budget passes it by no more than one turn, runs pass theirs by none, a budget that refuses does so while it is used up
 * and no longer, and everything that was accepted is asked about in the end.
 */

const HISTORIES = runs(20);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** What was used in a part of a budget's time counts from the last turn of the part on. */
const PART = HOUR / 96;

type Budget = Pick<BudgetMeter, 'name' | 'most' | 'perMs' | 'countsRuns'> & {
  readonly of: 'tokens' | 'cost' | 'runs';
  readonly refuses?: true;
  readonly concerns: (event: Sent) => boolean;
};

interface Sent {
  readonly hook: number;
  readonly agent: number;
  readonly sender: number;
}

const budget = (
  of: Budget['of'],
  scope: string,
  most: number,
  concerns: Budget['concerns'],
  then?: 'refuse',
): Budget => ({
  name: `${of} ${scope} 1h`,
  of,
  most,
  perMs: HOUR,
  concerns,
  ...(of === 'runs' && { countsRuns: true }),
  ...(then === 'refuse' && { refuses: true }),
});
const BUDGETS: readonly Budget[] = [
  budget('tokens', '*', 200, () => true),
  budget('tokens', 'hook:0', 100, ({ hook }) => hook === 0),
  budget('tokens', 'hook:1', 100, ({ hook }) => hook === 1, 'refuse'),
  budget('cost', 'agent:0', 400, (event) => event.agent === 0),
  budget('cost', '*', 900, () => true, 'refuse'),
  budget('runs', 'sender:0', 3, ({ sender }) => sender === 0),
  budget('runs', 'sender:1', 3, ({ sender }) => sender === 1, 'refuse'),
];

const either = fc.nat(1);
const which = fc.nat(9);
const turn = {
  amount: fc.integer({ min: 1, max: 130 }),
  share: fc.double({ min: 0.3, max: 1, noNaN: true }),
  price: fc.integer({ min: 0, max: 9 }),
};
const step = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      what: fc.constant('accept' as const),
      hook: either,
      agent: either,
      sender: either,
    }),
  },
  { weight: 10, arbitrary: fc.record({ what: fc.constant('begin' as const), ...turn }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('end' as const), which }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('end unknown' as const), which }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('fail' as const), which }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('crash' as const) }) },
  /** What was reserved is durable, and its provider is never asked. */
  { weight: 1, arbitrary: fc.record({ what: fc.constant('crash unasked' as const), ...turn }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('pass' as const),
      ms: fc.constantFrom(1, MINUTE, 20 * MINUTE, HOUR / 2, HOUR - 1, HOUR),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
interface Turn {
  readonly amount: number;
  readonly share: number;
  readonly price: number;
}

interface Asked extends Turn {
  readonly lease: Lease;
  readonly budgets: readonly Budget[];
}

interface Counted {
  readonly budget: Budget;
  readonly at: number;
  readonly amount: number;
}

class World {
  readonly clock = new ManualClock();
  readonly memory = new LastingMemory();
  readonly bills: Counted[] = [];
  /** What the ledger was told, or has to find: of what was cut off it is found some time later. */
  readonly charges: (Counted & { readonly isFoundLater?: true })[] = [];
  readonly began = new Map<string, number>();
  readonly sent = new Map<string, Sent>();
  readonly crimes: string[] = [];
  underWay: Asked[] = [];
  refused = 0;
  #ledger!: Ledger;

  async open(): Promise<void> {
    this.#ledger = await this.memory.open(this.clock);
  }

  async perform(done: Step): Promise<void> {
    switch (done.what) {
      case 'accept':
        return this.accept(done);
      case 'begin':
        return this.begin(done);
      case 'end':
        return this.end(done.which, ({ amount, share }) => Math.round(amount * share), 'done');
      case 'end unknown':
        return this.end(done.which, () => null, 'done');
      case 'fail':
        return this.end(done.which, ({ amount, share }) => Math.round(amount * share), 'retry');
      case 'crash':
        return this.crash();
      case 'crash unasked':
        await this.begin(done, false);
        return this.crash();
      case 'pass':
        this.clock.advance(done.ms);
    }
  }

  async accept(event: Sent): Promise<void> {
    const stored = agent(`s${this.sent.size + this.refused}`);
    const budgets = BUDGETS.filter((one) => one.refuses === true && one.concerns(event));
    const { outcome } = await this.#ledger.intake.accept(stored, { ...LIMITS, budgets });
    const isRefused = outcome === 'over-budget';
    const mayBe = budgets.some((one) => this.charged(one, PART) >= one.most);
    const mustBe = budgets.some((one) => this.charged(one) >= one.most);
    if (isRefused && !mayBe) this.crimes.push('an event is refused though something is left');
    if (!isRefused && mustBe) this.crimes.push('an event is accepted though nothing is left');
    if (isRefused) this.refused += 1;
    else this.sent.set(stored.id, event);
  }

  /** What a budget has surely counted within its time; with `more`, what it may count still. */
  charged(of: Budget, more = 0): number {
    const now = this.clock.now();
    if (of.of === 'runs') return this.begunWithin(of, now - HOUR);
    return this.charges
      .filter(({ budget: its }) => its === of)
      .filter(({ isFoundLater, at }) => (isFoundLater === true ? more > 0 : at > now - HOUR - more))
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  begunWithin({ concerns }: Budget, from: number, to = Infinity): number {
    return [...this.began].filter(
      ([id, at]) => concerns(this.sent.get(id)!) && at > from && at <= to,
    ).length;
  }

  async begin(given: Turn, isAsked = true): Promise<void> {
    const signal = new AbortController().signal;
    for (const lease of await this.#ledger.work.claim('turn', 1, signal)) {
      const event = this.sent.get(lease.eventId!)!;
      const budgets = BUDGETS.filter(({ concerns }) => concerns(event));
      const meters = budgets.map((one) => ({ ...one, amount: amountOf(one, given, given.amount) }));
      const { workId, ref: runId } = lease;
      const room = await this.#ledger.work.reserveTurn({ workId, runId, meters });
      if (room.isFull) {
        const { until, isShort } = room;
        const wait = { type: 'wait', for: 'budget', until, holdsKey: true, isShort } as const;
        await this.#ledger.work.commit(lease, wait, []);
        continue;
      }
      const at = this.clock.now();
      if (!this.began.has(lease.eventId!)) this.began.set(lease.eventId!, at);
      for (const one of isAsked ? budgets : []) {
        const spent = Math.round(given.amount * given.share);
        this.bills.push({ budget: one, at, amount: amountOf(one, given, spent) });
      }
      this.underWay.push({ ...given, lease, budgets });
    }
  }

  async end(
    at: number,
    used: (asked: Asked) => number | null,
    type: 'done' | 'retry',
  ): Promise<void> {
    if (this.underWay.length === 0) return;
    const [asked] = this.underWay.splice(at % this.underWay.length, 1) as [Asked];
    const { lease, budgets, amount } = asked;
    const tokens = used(asked);
    const change: Change = {
      type: 'usage',
      workId: lease.workId,
      of: { kind: 'run', hook: 'agent', agent: 'main', model: 'x/y', sender: 'token' },
      meters: budgets.map((one) => ({
        ...one,
        amount: tokens === null ? null : amountOf(one, asked, tokens),
        whenNear: [],
      })),
    };
    const outcome = type === 'done' ? ({ type } as const) : { type, at: this.clock.now() };
    await this.#ledger.work.commit(lease, outcome, [change]);
    this.charge(asked, tokens ?? amount);
  }

  charge(asked: Asked, tokens: number, isFoundLater?: true): void {
    const at = this.clock.now();
    for (const one of asked.budgets) {
      this.charges.push({ budget: one, at, amount: amountOf(one, asked, tokens), isFoundLater });
    }
  }

  async crash(): Promise<void> {
    for (const asked of this.underWay) this.charge(asked, asked.amount, true);
    this.underWay = [];
    await this.open();
  }

  async finish(): Promise<void> {
    for (let round = 0; round < 2000 && (await this.waiting()) > 0; round += 1) {
      await this.begin({ amount: 30, share: 1, price: 2 });
      while (this.underWay.length > 0) await this.end(0, ({ amount }) => amount, 'done');
      this.clock.advance(10 * MINUTE);
    }
  }

  async waiting(): Promise<number> {
    const counts = await this.#ledger.admin.counts();
    return counts
      .filter(({ kind, state }) => kind === 'run' && state !== 'dead')
      .reduce((sum, { count }) => sum + count, 0);
  }

  async look(): Promise<void> {
    const uses = await this.#ledger.admin.budgets(BUDGETS);
    const from = this.clock.now() - HOUR;
    for (const [at, one] of BUDGETS.entries()) {
      const { used, reserved } = uses[at]!;
      if (one.of === 'runs') {
        if (used !== this.begunWithin(one, from)) this.crimes.push(`${one.name} tells other runs`);
        continue;
      }
      const billed = this.bills
        .filter((bill) => bill.budget === one && bill.at > from)
        .reduce((sum, { amount }) => sum + amount, 0);
      if (used + reserved < billed) this.crimes.push(`${one.name} tells less than was billed`);
    }
  }

  passedBy(): number {
    const runs = BUDGETS.filter(({ of }) => of === 'runs').flatMap((one) =>
      [...this.began.values()].map((at) => this.begunWithin(one, at - 1, at + HOUR - 1) - one.most),
    );
    const others = this.bills
      .filter(({ budget: { of } }) => of !== 'runs')
      .map(({ budget: one, at: from }) => {
        const within = this.bills.filter(
          (bill) => bill.budget === one && bill.at >= from && bill.at < from + HOUR,
        );
        const sum = within.reduce((all, { amount }) => all + amount, 0);
        return sum - Math.max(...within.map(({ amount }) => amount)) - one.most;
      });
    return Math.max(0, ...runs, ...others);
  }
}

function amountOf({ of }: Budget, { price }: Turn, tokens: number): number {
  return { runs: 1, tokens, cost: tokens * price }[of];
}

it('a budget is passed by one turn at most, refuses while it is used up, and nothing is lost', async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      const world = new World();
      try {
        await world.open();
        for (const done of steps) {
          await world.perform(done);
          await world.look();
        }
        await world.finish();
        expect(world.crimes).toEqual([]);
        expect(await world.waiting()).toBe(0);
        expect([...world.began.keys()].toSorted()).toEqual([...world.sent.keys()].toSorted());
        expect(world.passedBy()).toBe(0);
        refused += world.refused;
      } finally {
        world.memory.close();
      }
    }),
    HISTORIES,
  );
  expect(refused).toBeGreaterThan(HISTORIES.numRuns / 10);
});
