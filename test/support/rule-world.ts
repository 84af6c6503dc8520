import type { AgentAction } from '../../src/hooks/actions/hook-action.ts';
import { toNewAction } from '../../src/hooks/actions/new-action.ts';
import { collectOf } from '../../src/hooks/mappings/mapping-rules.ts';
import { LEASE_MS, RunRules } from '../../src/hooks/ports/index.ts';
import type {
  Clock,
  Collecting,
  Lane,
  Lease,
  Ledger,
  Meter,
  NewEvent,
  RunLease,
  RunLimit,
  StepOutcome,
} from '../../src/hooks/ports/index.ts';
import { RuleKeeper } from '../../src/hooks/work/run-rules.ts';
import { newId } from '../../src/platform/new-id.ts';
import { LIMITS, delivery, event } from '../contracts/ledger/events.ts';
import { ManualClock } from './clocks.ts';
import { Life } from './mortal-process.ts';
import { RuleModel } from './rule-model.ts';
import type { Arrival, Rules } from './rule-model.ts';

const MAPPING = 'm';
/** Nobody decides too late: what becomes of it then is told elsewhere. */
const LONG_MS = 90 * 86_400_000;
/** Two instances do not measure the clock of the database in the same millisecond. */
const SLACK_MS = 5000;

export interface Store {
  /** Leases end when it is opened again, since nobody else has it open. */
  readonly isOfOne?: boolean;
  open(clock: Clock): Promise<Ledger>;
  close(): Promise<void> | void;
}

/** What happens to a process within a step: after so many moments (`Life`) it dies, or sleeps until it is needed. */
export interface Fate {
  readonly dies?: number | undefined;
  readonly sleeps?: number | undefined;
}

class Process {
  readonly inHand: RunLease[] = [];
  step: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly ledger: Ledger,
    private readonly world: RuleWorld,
    readonly life: Life,
    readonly leases: Set<RunLease>,
    readonly renew: Ledger['work']['renew'],
  ) {}

  static async start(world: RuleWorld): Promise<Process> {
    const opened = await world.store.open(world.clock);
    const life = new Life();
    const leases = new Set<RunLease>();
    const work = life.mortal(world.observed(opened.work, leases));
    const renew = (lease: RunLease) => opened.work.renew(lease);
    return new Process({ ...opened, work }, world, life, leases, renew);
  }

  /** Has one run looked at that is up. @param asks whether a person is asked first, and the session waits for him @returns whether there was one */
  async begin(acts: boolean, asks?: boolean): Promise<boolean> {
    const { work } = this.ledger;
    const [lease] = await this.world.look(work, 'turn');
    if (lease === undefined) return false;
    if (lease.kind !== 'run') throw new Error('there are runs alone');
    const keeper = new RuleKeeper(this.world, work, this.world.clock);
    const ruled = await keeper.before(lease);
    if (ruled !== null) {
      await work.commit(lease, ruled.outcome, ruled.changes);
      return true;
    }
    const waits = this.world.waits(lease, asks);
    if (waits !== null) {
      await work.commit(lease, waits, []);
      return true;
    }
    if (acts && !(await work.noteActing(lease))) return true;
    await this.life.call(async () => this.world.model.asked(lease));
    this.inHand.push(lease);
    return true;
  }

  async end(which: number): Promise<void> {
    const [lease] = this.inHand.splice(which % Math.max(this.inHand.length, 1), 1);
    if (lease === undefined) return;
    await this.ledger.work.commit(lease, { type: 'done' }, [
      { type: 'run-update', id: lease.ref!, status: 'succeeded', finishedAt: 1 },
    ]);
  }

  async stay(): Promise<void> {
    for (const lease of this.inHand.toReversed())
      if (!(await this.renew(lease))) this.inHand.splice(this.inHand.indexOf(lease), 1);
  }
}

export class RuleWorld extends RunRules {
  readonly clock = new ManualClock();
  readonly model: RuleModel;
  readonly events: { readonly id: string; readonly text: string }[] = [];
  deaths = 0;
  overslept = 0;
  readonly #collect: Collecting | undefined;
  #sent = 0;
  #looks = 0;
  readonly #asked = new Set<string>();
  readonly #processes: Process[] = [];
  /** When the leases of whoever died have ended, by the clock's even time. */
  #endOfLeases = 0;

  private constructor(
    readonly rules: Rules,
    readonly store: Store,
  ) {
    super();
    const collect = collectOf(rules.own);
    this.#collect = collect && {
      ...collect,
      queue: collect.scope === 'mapping' ? 'shared' : 'own',
    };
    this.model = new RuleModel(rules, this.#collect, this.clock);
  }

  static async create(rules: Rules, store: Store, instances: number): Promise<RuleWorld> {
    const world = new RuleWorld(rules, store);
    for (let n = 0; n < instances; n += 1) world.#processes.push(await Process.start(world));
    return world;
  }

  override limitsOf(): readonly RunLimit[] {
    return this.rules.limits;
  }

  override quietHoursOf(): undefined {
    return undefined;
  }

  observed(work: Ledger['work'], leases: Set<RunLease>): Ledger['work'] {
    const { model } = this;
    return new Proxy(work, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name === 'claim')
          return async (...args: Parameters<typeof work.claim>) => {
            const claimed = await target.claim(...args);
            for (const lease of claimed) {
              if (lease.kind !== 'run') continue;
              leases.add(lease);
              model.claimed(lease);
            }
            return claimed;
          };
        if (name === 'commit')
          return async (...[lease, outcome, changes]: Parameters<typeof work.commit>) => {
            const isWritten = await target.commit(lease, outcome, changes);
            const isSkipped = changes.some(
              (change) => change.type === 'run-update' && change.status === 'skipped',
            );
            if (lease.kind !== 'run') return isWritten;
            if (isWritten) model.committed(lease, outcome, isSkipped);
            else this.overslept += 1;
            return isWritten;
          };
        if (name === 'noteActing')
          return async (lease: RunLease) => {
            const isNoted = await target.noteActing(lease);
            if (isNoted) model.acts(lease);
            return isNoted;
          };
        if (name === 'reserve')
          return async (ref: string, meters: readonly Meter[]) => {
            const reserved = await target.reserve(ref, meters);
            model.reserved(ref, meters, reserved);
            return reserved;
          };
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  async do(
    by: number,
    act: (process: Process) => Promise<unknown>,
    { dies = Infinity, sleeps = Infinity }: Fate = {},
  ): Promise<void> {
    const place = by % this.#processes.length;
    await this.#wake(place);
    const process = this.#processes[place]!;
    process.life.endAfter(dies);
    process.life.sleepAfter(sleeps);
    process.step = act(process);
    await this.#follow(place);
  }

  async accept(by: number, arrival: Arrival, dies?: number): Promise<void> {
    const text = `event ${(this.#sent += 1)};`;
    const given = this.#event(text, arrival);
    const [action] = given.actions;
    const run = action!.changes.find(({ type }) => type === 'run');
    const runId = run?.type === 'run' ? run.id : '';
    const stored = async ({ ledger }: Process) => {
      await ledger.intake.accept(given, LIMITS);
      this.model.accepted(runId, text, arrival);
      this.events.push({ id: given.id, text });
    };
    await this.do(by, (process) => process.life.call(() => stored(process)), { dies });
  }

  async begin(by: number, acts: boolean, asks?: boolean, fate?: Fate): Promise<void> {
    await this.do(by, (process) => process.begin(acts, asks), fate);
  }

  look(work: Ledger['work'], lane: Lane): Promise<readonly Lease[]> {
    // It looks once, whatever it was told: other limits are another question.
    const once = new AbortController();
    const limits = () => {
      once.abort();
      return { maxRuns: 1000 + (this.#looks += 1) };
    };
    return work.claim(lane, 1, once.signal, limits);
  }

  /** A run waits for a person, or still does; each once, where nothing is gathered: what becomes of several events is told elsewhere. */
  waits(lease: RunLease, holdsKey: boolean | undefined): StepOutcome | null {
    const { ref, eventId } = lease;
    const openedAt = this.clock.now();
    const [id, until] = [newId(), openedAt + LONG_MS];
    // What waits long is looked at when somebody starts.
    if (this.model.waits(lease)) return { type: 'wait', for: 'decision', until, holdsKey: true };
    const mayAsk = this.#collect === undefined && !this.#asked.has(ref ?? '');
    if (holdsKey === undefined || !mayAsk) return null;
    const [, end] = delivery(eventId ?? '');
    if (end?.type !== 'work') throw new Error('a delivery is work');
    this.#asked.add(ref ?? '');
    const about = { kind: 'run', owner: MAPPING, digest: 'd', whenOver: 'deny', code: id } as const;
    return {
      type: 'wait',
      for: 'decision',
      until,
      holdsKey,
      wait: { id, openedAt, until, ...about },
      onEnd: { ...end.work, ref: id, eventId: undefined },
    };
  }

  async decide(which: number): Promise<void> {
    const waiting = this.model.runs.filter(({ wait }) => wait !== null);
    const run = waiting[which % Math.max(waiting.length, 1)];
    if (run?.wait == null) return;
    const decision = { verdict: 'approved', at: this.clock.now() } as const;
    this.model.decided(run, await this.#ledger.admin.decide(run.wait.id, decision));
  }

  async told(): Promise<Set<string>> {
    // The time of day may have been set back since.
    await this.pass(26 * 3_600_000);
    const told = new Set<string>();
    const { work } = this.#ledger;
    for (;;) {
      const leases = await this.look(work, 'delivery');
      if (leases.length === 0) return told;
      for (const lease of leases) {
        told.add(lease.ref ?? '');
        await work.commit(lease, { type: 'done' }, []);
      }
    }
  }

  async end(by: number, which: number, fate?: Fate): Promise<void> {
    await this.do(by, (process) => process.end(which), fate);
  }

  async erase(which: number): Promise<void> {
    const found = this.events[which % Math.max(this.events.length, 1)];
    if (found === undefined) return;
    const erased = await this.#ledger.admin.forget(found.id);
    if (erased !== 'under-way' && erased !== null) this.model.erased(found.text);
  }

  /** Time passes; who is awake says in time that he is there. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    if (this.store.isOfOne === true) return;
    for (const process of this.#processes) {
      if (process.life.isAsleep) this.model.lost(process.leases);
      else await process.stay();
    }
  }

  set(ms: number): void {
    this.clock.jump(ms);
    this.model.wasSet = true;
  }

  async drain(): Promise<void> {
    for (const place of this.#processes.keys()) await this.#wake(place);
    const left = this.#endOfLeases - this.clock.elapsed();
    if (left > 0) await this.pass(left);
    let hasBegun = true;
    for (let by = 0; hasBegun; by += 1) {
      hasBegun = false;
      for (const place of this.#processes.keys())
        await this.do(place, async (process) => {
          while (process.inHand.length > 0) await process.end(0);
        });
      await this.do(by, async (process) => {
        hasBegun = await process.begin(false);
      });
    }
    this.model.rests((arrival) => this.#metersOf(arrival));
  }

  async settle(): Promise<void> {
    for (let step = 0; step < 60 && this.model.open.length > 0; step += 1) {
      while (this.model.runs.some(({ wait }) => wait !== null)) await this.decide(0);
      await this.pass(60 * 60_000);
      await this.drain();
    }
  }

  async statuses(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const { id, text } of this.events) {
      const details = await this.#ledger.events.get(id);
      if (details?.runs[0] !== undefined) found.set(text, details.runs[0].status);
    }
    return found;
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  get #ledger(): Ledger {
    return this.#processes[0]!.ledger;
  }

  async #wake(place: number): Promise<void> {
    const { life } = this.#processes[place]!;
    if (!life.isAsleep) return;
    life.wake();
    await this.#follow(place);
  }

  async #follow(place: number): Promise<void> {
    const { life, step, leases } = this.#processes[place]!;
    await Promise.race([step, life.over, life.asleep]);
    if (life.isAsleep) return;
    life.endAfter(Infinity);
    life.sleepAfter(Infinity);
    if (!life.isOver) return;
    await life.rest();
    this.deaths += 1;
    this.model.lost(leases);
    if (this.store.isOfOne !== true) this.#endOfLeases = this.clock.elapsed() + LEASE_MS + SLACK_MS;
    this.#processes[place] = await Process.start(this);
  }

  #metersOf({ sender }: Arrival): (Meter & { readonly gathers: boolean })[] {
    return this.rules.limits.map(({ runs, perMs, scope, isTotal, then }) => {
      const of = [isTotal === true ? null : MAPPING, scope === 'sender' ? sender : null];
      const name = `runs ${JSON.stringify(of)}`;
      return { name, most: runs, perMs, amount: 1, gathers: then === 'collect' };
    });
  }

  #event(message: string, { sender, session, by }: Arrival): NewEvent {
    const base = { ...event({ hook: MAPPING }), receivedAt: this.clock.now() };
    const { hasSession, own } = this.rules;
    const of = this.#collect?.queue === 'shared' ? '' : sender;
    const { whenBusy, busyScope } = own;
    const action: AgentAction = {
      kind: 'agent',
      sessionKey: session,
      isAlone: !hasSession,
      message,
      name: 'Hook',
      source: MAPPING,
      agentId: 'main',
      sessionMode: 'isolated',
      wakeMode: 'next-heartbeat',
      timeoutSeconds: 60,
      trust: { level: 'trusted', verifiedBy: sender, mapping: MAPPING },
      deliver: null,
      ...(this.#collect && { collect: { ...this.#collect, queue: `${of} ${by}` } }),
      ...(whenBusy !== undefined && whenBusy !== 'queue' && { whenBusy, busyScope }),
    };
    return { ...base, actions: [toNewAction(action, base, { hook: MAPPING, sender })] };
  }
}
