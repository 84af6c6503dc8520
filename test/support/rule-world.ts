import type { AgentAction } from '../../src/hooks/actions/hook-action.ts';
import { toNewAction } from '../../src/hooks/actions/new-action.ts';
import { collectOf } from '../../src/hooks/mappings/mapping-rules.ts';
import type { RuleOptions } from '../../src/hooks/options/index.ts';
import { RunRules } from '../../src/hooks/ports/index.ts';
import type {
  Collecting,
  Ledger,
  Meter,
  NewEvent,
  Reservation,
  RunJob,
  RunLease,
  RunLimit,
  StepOutcome,
} from '../../src/hooks/ports/index.ts';
import { RuleKeeper } from '../../src/hooks/work/run-rules.ts';
import { LIMITS, event } from '../contracts/ledger/events.ts';
import { ManualClock } from './clocks.ts';
import { LastingMemory } from './lasting-memory.ts';
import { Life } from './mortal-process.ts';

const MAPPING = 'm';
const NEVER = new AbortController().signal;

/** The rules of the only mapping, and those of all. */
export interface Rules {
  readonly own: RuleOptions;
  readonly limits: readonly RunLimit[];
  /** Whether runs have a session that others have, too. */
  readonly hasSession: boolean;
}

/** An event as its sender sees it. */
export interface Arrival {
  readonly sender: string;
  readonly session: string;
  /** What events that are gathered have in common. */
  readonly by: string;
}

/** A run as it must be. */
interface ModelRun {
  readonly id: string;
  /** Its events: the words of each, with the run that was answered for it. */
  lines: { readonly text: string; readonly runId: string }[];
  readonly arrival: Arrival;
  /** What is gathered with it; null: it is, or never was to be. */
  gathers: string | null;
  /** Of its first and last event. */
  firstAt: number;
  lastAt: number;
  isUnderWay: boolean;
  mayHaveActed: boolean;
  end: 'succeeded' | 'skipped' | 'collected' | 'erased' | null;
}

/**
 * What must become of events, said in the words of behaviour.md §16 and without any queue of work. It is told what the
 * ledger has written and whom the agent was asked for; what may not be is a {@link crimes crime}.
 */
class Model {
  readonly crimes: string[] = [];
  readonly runs: ModelRun[] = [];
  readonly counted = new Map<string, { readonly at: number; readonly ref: string }[]>();
  readonly begun = new Set<string>();
  /** Events that were erased. */
  readonly gone = new Set<string>();
  /** Times of day were no order any more. */
  wasSet = false;
  /** Of what gathers, when the last event came that was erased: it had broken the silence. */
  readonly #noise = new Map<string, number>();
  /** Of each queue the one that is up. */
  readonly #firsts = new Map<string, ModelRun>();

  constructor(
    private readonly rules: Rules,
    private readonly collect: Collecting | undefined,
    private readonly clock: ManualClock,
  ) {}

  accepted(runId: string, text: string, arrival: Arrival): void {
    const now = this.clock.now();
    const { whenBusy } = this.rules.own;
    const before = this.rules.hasSession ? this.#queue(arrival.session) : [];
    const isSkipped = whenBusy === 'skip' && before.length > 0;
    if (whenBusy === 'replace') {
      for (const run of before) if (!run.mayHaveActed) this.#end(run, 'skipped');
    }
    const run: ModelRun = {
      id: runId,
      lines: [{ text, runId }],
      arrival,
      gathers: this.collect === undefined ? null : this.#gathering(arrival),
      firstAt: now,
      lastAt: now,
      isUnderWay: false,
      mayHaveActed: false,
      end: isSkipped ? 'skipped' : null,
    };
    this.runs.push(run);
    if (!isSkipped) this.#enter(run);
  }

  reserved(ref: string, meters: readonly Meter[], { isFull }: Reservation): void {
    const full = meters.filter((meter) => this.isFull(meter, ref));
    if (isFull && full.length === 0 && !this.wasSet) this.#crime(`${ref} is held below each limit`);
    if (isFull) return;
    if (full.length > 0 && !this.wasSet) this.#crime(`${ref} begins above ${full[0]!.name}`);
    for (const { name } of meters) {
      const rows = this.counted.get(name) ?? [];
      this.counted.set(name, rows);
      if (rows.every((row) => row.ref !== ref)) rows.push({ at: this.clock.now(), ref });
    }
  }

  isFull({ name, most, perMs }: Meter, ref: string): boolean {
    const rows = this.counted.get(name) ?? [];
    if (rows.some((row) => row.ref === ref)) return false;
    const now = this.clock.now();
    return rows.filter(({ at }) => at > now - perMs && at <= now + perMs).length + 1 > most;
  }

  /** An agent is asked. */
  asked({ ref, job }: RunLease): void {
    const run = this.#find(ref);
    const said = run?.lines.map(({ text }) => text);
    if (run === undefined || run.end !== null) return this.#crime(`${ref} begins and has ended`);
    if (run.gathers !== null) this.#crime(`${ref} begins and gathers still`);
    if (JSON.stringify(said) !== JSON.stringify(wordsOf(job)))
      this.#crime(`${ref} tells of ${wordsOf(job).join()} in place of ${said?.join()}`);
    const first = this.#firsts.get(this.#queueOf(run));
    if (first !== run) this.#crime(`${ref} passes ${first?.lines[0]?.runId}`);
    run.isUnderWay = true;
    this.begun.add(ref ?? '');
  }

  acts({ ref }: RunLease): void {
    const run = this.#find(ref);
    if (run !== undefined) run.mayHaveActed = true;
  }

  committed({ ref }: RunLease, outcome: StepOutcome, isSkipped: boolean): void {
    const run = this.#find(ref);
    if (run === undefined || run.end !== null)
      return this.#crime(`${ref} writes an end and has none`);
    run.isUnderWay = false;
    run.mayHaveActed = false;
    if (outcome.type === 'done') this.#end(run, isSkipped ? 'skipped' : 'succeeded');
    if (outcome.type === 'gather') this.#gather(run);
    if (outcome.type === 'wait' && outcome.for === 'collect' && !this.wasSet) {
      const due = this.#dueAt(run);
      if (outcome.until !== due) this.#crime(`${ref} gathers until ${outcome.until}, not ${due}`);
    }
  }

  /** The process is gone with all that it had in hand. */
  died(): void {
    for (const run of this.runs) run.isUnderWay = false;
  }

  erased(text: string): void {
    this.gone.add(text);
    const run = this.runs.find((one) => one.lines.some((line) => line.text === text));
    if (run === undefined || run.end !== null) return;
    run.lines = run.lines.filter((line) => line.text !== text);
    if (run.lines.length > 0) return;
    if (run.gathers !== null) this.#noise.set(run.gathers, run.lastAt);
    this.#end(run, 'erased');
  }

  /** Nothing is under way and nothing is due: what waits has to. */
  rests(metersOf: (run: Arrival) => readonly (Meter & { readonly gathers: boolean })[]): void {
    if (this.wasSet) return;
    for (const run of this.#firsts.values()) {
      const ref = run.lines[0]!.runId;
      const erasedAt = this.#noise.get(run.gathers ?? '');
      if (run.gathers !== null && this.clock.now() < this.#dueAt(run, erasedAt)) continue;
      const isHeld = metersOf(run.arrival).some(
        (meter) => (run.gathers === null || meter.gathers) && this.isFull(meter, ref),
      );
      if (!isHeld) this.#crime(`${ref} waits for nothing`);
    }
  }

  get open(): readonly ModelRun[] {
    return this.runs.filter(({ end }) => end === null);
  }

  /** Takes in what is gathered with it by now, as much as one takes. */
  #gather(run: ModelRun): void {
    const now = this.clock.now();
    const { gathers } = run;
    if (gathers === null) return this.#crime(`${run.lines[0]?.runId} gathers again`);
    if (now < this.#dueAt(run) && !this.wasSet) this.#crime(`${run.lines[0]?.runId} begins early`);
    const group = this.runs.filter((one) => one.end === null && one.gathers === gathers);
    if (group[0] !== run) this.#crime(`${run.lines[0]?.runId} is not the first of its group`);
    for (const other of group.slice(1, this.collect!.most)) {
      run.lines.push(...other.lines);
      other.lines = [];
      this.#end(other, 'collected');
    }
    this.#leave(run);
    run.gathers = null;
    this.#enter(run);
  }

  /** When the group of a run is to begin; it is the first of it. @param noisyAt what else broke the silence */
  #dueAt(run: ModelRun, noisyAt = 0): number {
    const { forMs, quietMs = forMs, most } = this.collect!;
    const group = this.runs.filter((one) => one.end === null && one.gathers === run.gathers);
    if (group.length >= most) return 0;
    const last = Math.max(noisyAt, ...group.map(({ lastAt }) => lastAt));
    return Math.min(run.firstAt + forMs, last + quietMs);
  }

  #gathering({ sender, by, session }: Arrival): string {
    const isShared = this.collect!.queue === 'shared';
    return JSON.stringify([isShared ? null : sender, by, this.rules.hasSession ? session : null]);
  }

  /** What is in the queue of a session, in the order in which it came. */
  #queue(session: string): ModelRun[] {
    return this.runs.filter(({ end, arrival }) => end === null && arrival.session === session);
  }

  #queueOf({ gathers, arrival, id }: ModelRun): string {
    return gathers ?? (this.rules.hasSession ? `session ${arrival.session}` : id);
  }

  /** What is up stays so, whatever older run comes behind it. */
  #enter(run: ModelRun): void {
    const queue = this.#queueOf(run);
    if (!this.#firsts.has(queue)) this.#firsts.set(queue, run);
  }

  /** The oldest of those that are left is up. */
  #leave(run: ModelRun): void {
    const queue = this.#queueOf(run);
    if (this.#firsts.get(queue) !== run) return;
    this.#firsts.delete(queue);
    const next = this.runs.find(
      (one) => one !== run && one.end === null && this.#queueOf(one) === queue,
    );
    if (next !== undefined) this.#firsts.set(queue, next);
  }

  #find(ref: string | null): ModelRun | undefined {
    return this.runs.find(({ lines }) => lines[0]?.runId === ref);
  }

  #end(run: ModelRun, end: ModelRun['end']): void {
    run.end = end;
    this.#leave(run);
    run.isUnderWay = false;
  }

  #crime(what: string): void {
    this.crimes.push(what);
  }
}

/** One process of a service: its rules and what it has in hand. */
class Process {
  readonly inHand: RunLease[] = [];

  private constructor(
    readonly ledger: Ledger,
    private readonly world: RuleWorld,
    readonly life: Life,
  ) {}

  static async start(world: RuleWorld): Promise<Process> {
    const opened = await world.memory.open(world.clock);
    const life = new Life();
    const work = life.mortal(world.observed(opened.work));
    return new Process({ ...opened, work }, world, life);
  }

  /** Has one run looked at that is up. @returns whether there was one */
  async begin(acts: boolean): Promise<boolean> {
    const { work } = this.ledger;
    const [lease] = await work.claim('turn', 1, NEVER);
    if (lease === undefined) return false;
    if (lease.kind !== 'run') throw new Error('there are runs alone');
    const keeper = new RuleKeeper(this.world, work, this.world.clock);
    const ruled = await keeper.before(lease);
    if (ruled !== null) {
      await work.commit(lease, ruled.outcome, ruled.changes);
      return true;
    }
    if (acts) await work.noteActing(lease);
    await this.life.call(async () => this.world.model.asked(lease));
    this.inHand.push(lease);
    return true;
  }

  /** Ends one of the runs that are under way. */
  async end(which: number): Promise<void> {
    const [lease] = this.inHand.splice(which % Math.max(this.inHand.length, 1), 1);
    if (lease === undefined) return;
    await this.ledger.work.commit(lease, { type: 'done' }, [
      { type: 'run-update', id: lease.ref!, status: 'succeeded', finishedAt: 1 },
    ]);
  }
}

/** One mapping with rules, whose events come, and processes that die at any moment. */
export class RuleWorld extends RunRules {
  readonly clock = new ManualClock();
  readonly memory = new LastingMemory();
  readonly model: Model;
  readonly events: { readonly id: string; readonly text: string }[] = [];
  deaths = 0;
  readonly #collect: Collecting | undefined;
  #sent = 0;
  #process!: Process;

  private constructor(readonly rules: Rules) {
    super();
    const collect = collectOf(rules.own);
    this.#collect = collect && { ...collect, queue: collect.isShared ? 'shared' : 'own' };
    this.model = new Model(rules, this.#collect, this.clock);
  }

  static async create(rules: Rules): Promise<RuleWorld> {
    const world = new RuleWorld(rules);
    world.#process = await Process.start(world);
    return world;
  }

  override limitsOf(): readonly RunLimit[] {
    return this.rules.limits;
  }

  override stopsLoops(): boolean {
    return false;
  }

  override quietHoursOf(): undefined {
    return undefined;
  }

  /** The ledger's queue, of which the model hears what was written. */
  observed(work: Ledger['work']): Ledger['work'] {
    const { model } = this;
    return new Proxy(work, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name === 'commit')
          return async (...[lease, outcome, changes]: Parameters<typeof work.commit>) => {
            const isWritten = await target.commit(lease, outcome, changes);
            const isSkipped = changes.some(
              (change) => change.type === 'run-update' && change.status === 'skipped',
            );
            if (isWritten) model.committed(lease as RunLease, outcome, isSkipped);
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

  /** Lets the process do something, of which it may die: then there is another one, and nothing was heard. */
  async do(act: (process: Process) => Promise<unknown>, diesAfter = Infinity): Promise<void> {
    const { life } = this.#process;
    life.endAfter(diesAfter);
    await Promise.race([act(this.#process), life.over]);
    life.endAfter(Infinity);
    if (!life.isOver) return;
    await life.rest();
    this.deaths += 1;
    this.model.died();
    this.#process = await Process.start(this);
  }

  async accept(arrival: Arrival, diesAfter?: number): Promise<void> {
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
    await this.do((process) => process.life.call(() => stored(process)), diesAfter);
  }

  async begin(acts: boolean, diesAfter?: number): Promise<void> {
    await this.do((process) => process.begin(acts), diesAfter);
  }

  async end(which: number, diesAfter?: number): Promise<void> {
    await this.do((process) => process.end(which), diesAfter);
  }

  async erase(which: number): Promise<void> {
    const found = this.events[which % Math.max(this.events.length, 1)];
    if (found === undefined) return;
    const erased = await this.#process.ledger.admin.forget(found.id);
    if (erased !== 'under-way' && erased !== null) this.model.erased(found.text);
  }

  /** Somebody sets the time of day. */
  set(ms: number): void {
    this.clock.jump(ms);
    this.model.wasSet = true;
  }

  /** Until nothing is due; what begins ends. */
  async drain(): Promise<void> {
    let hasBegun = true;
    while (hasBegun) {
      hasBegun = false;
      await this.do(async (process) => {
        while (process.inHand.length > 0) await process.end(0);
        hasBegun = await process.begin(false);
      });
    }
    this.model.rests((arrival) => this.#metersOf(arrival));
  }

  /** Time passes, and nothing new comes. */
  async settle(): Promise<void> {
    for (let step = 0; step < 60 && this.model.open.length > 0; step += 1) {
      this.clock.advance(60 * 60_000);
      await this.drain();
    }
  }

  /** What the ledger says of the run of each event that is not erased. */
  async statuses(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const { id, text } of this.events) {
      const details = await this.#process.ledger.events.get(id);
      if (details?.runs[0] !== undefined) found.set(text, details.runs[0].status);
    }
    return found;
  }

  /** The same, as the model has it. */
  expected(): Map<string, string> {
    const found = new Map<string, string>();
    for (const { lines, end } of this.model.runs) {
      for (const [at, { text }] of lines.entries())
        if (!this.model.gone.has(text)) found.set(text, at > 0 ? 'collected' : (end ?? 'open'));
    }
    return found;
  }

  close(): void {
    this.memory.close();
  }

  #metersOf({ sender }: Arrival): (Meter & { readonly gathers: boolean })[] {
    return this.rules.limits.map(({ runs, perMs, scope, then }) => {
      const of = { all: [], mapping: [MAPPING], sender: [MAPPING, sender] }[scope];
      const name = `runs ${JSON.stringify(of)}`;
      return { name, most: runs, perMs, amount: 1, gathers: then === 'collect' };
    });
  }

  #event(message: string, { sender, session, by }: Arrival): NewEvent {
    const base = { ...event({ hook: MAPPING }), receivedAt: this.clock.now() };
    const { hasSession, own } = this.rules;
    const of = this.#collect?.queue === 'shared' ? '' : sender;
    const { whenBusy } = own;
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
      ...(whenBusy !== undefined && whenBusy !== 'queue' && { whenBusy }),
    };
    return { ...base, actions: [toNewAction(action, base, { hook: MAPPING, sender })] };
  }
}

/** The events that an agent is told of, in their order. */
function wordsOf({ message }: RunJob): string[] {
  return [...message.matchAll(/event \d+;/g)].map(([word]) => word);
}
