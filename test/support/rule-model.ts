import type { RuleOptions } from '../../src/hooks/options/index.ts';
import type {
  Collecting,
  DecisionOutcome,
  Meter,
  Reservation,
  RunJob,
  RunLease,
  RunLimit,
  StepOutcome,
} from '../../src/hooks/ports/index.ts';
import type { ManualClock } from './clocks.ts';

export interface Rules {
  readonly own: RuleOptions;
  readonly limits: readonly RunLimit[];
  readonly hasSession: boolean;
}

export interface Arrival {
  readonly sender: string;
  readonly session: string;
  readonly by: string;
}

interface ModelRun {
  readonly id: string;
  lines: { readonly text: string; readonly runId: string }[];
  readonly arrival: Arrival;
  /** What is gathered with it; null: it is, or never was to be. */
  gathers: string | null;
  /** Of its first and last event. */
  firstAt: number;
  lastAt: number;
  /** The newest of its leases. */
  attempt: number;
  /** Its agent is asked, by an instance that is alive and awake. */
  isUnderWay: boolean;
  claimedAt: number;
  mayHaveActed: boolean;
  /** What a person is asked about it; null: nothing. Beside its session others go on. */
  wait: { readonly id: string; readonly isAside: boolean } | null;
  end: 'succeeded' | 'skipped' | 'collected' | 'erased' | null;
}

/** What must become of events by behaviour.md §16, without any queue of work; what may not be is a {@link crimes crime}. */
export class RuleModel {
  readonly crimes: string[] = [];
  readonly runs: ModelRun[] = [];
  readonly counted = new Map<string, { readonly at: number; readonly ref: string }[]>();
  readonly begun = new Set<string>();
  readonly gone = new Set<string>();
  wasSet = false;
  /** Leases that somebody may have taken: whoever had them is dead, or slept meanwhile. */
  readonly #lost = new Set<RunLease>();
  #changes = 0;
  /** Of what gathers, when the last event came that was erased: it had broken the silence. */
  readonly #noise = new Map<string, number>();
  /** Waits that were put, and are over: who was asked is told. */
  readonly over = new Set<string>();
  /** Of each queue the one that is up. */
  readonly #firsts = new Map<string, ModelRun>();

  constructor(
    private readonly rules: Rules,
    private readonly collect: Collecting | undefined,
    private readonly clock: ManualClock,
  ) {}

  accepted(runId: string, text: string, arrival: Arrival): void {
    const now = this.clock.now();
    this.#changes += 1;
    const { whenBusy, busyScope } = this.rules.own;
    const before = (this.rules.hasSession ? this.#queue(arrival.session) : []).filter(
      ({ arrival: { sender } }) => busyScope === 'mapping' || sender === arrival.sender,
    );
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
      attempt: 0,
      isUnderWay: false,
      claimedAt: 0,
      mayHaveActed: false,
      wait: null,
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

  claimed({ ref, attempt }: RunLease): void {
    const run = this.#find(ref);
    if (run === undefined || run.end !== null) return this.#crime(`${ref} is up and has ended`);
    if (run.isUnderWay) this.#crime(`${ref} is taken from who is at it`);
    run.attempt = attempt;
    run.claimedAt = this.#changes;
  }

  lost(leases: Iterable<RunLease>): void {
    for (const lease of leases) {
      const run = this.#find(lease.ref);
      if (run?.attempt === lease.attempt) run.isUnderWay = false;
      this.#lost.add(lease);
    }
  }

  /** An agent is asked, also by somebody who does not know yet that his lease was lost. */
  asked(lease: RunLease): void {
    const { ref, job } = lease;
    const run = this.#find(ref);
    if (run?.attempt !== lease.attempt || this.#lost.has(lease)) return;
    const said = run.lines.map(({ text }) => text);
    if (run.isUnderWay) this.#crime(`${ref} begins twice`);
    if (run.gathers !== null) this.#crime(`${ref} begins and gathers still`);
    if (run.wait !== null) this.#crime(`${ref} begins and nobody has decided`);
    if (JSON.stringify(said) !== JSON.stringify(wordsOf(job)))
      this.#crime(`${ref} tells of ${wordsOf(job).join()} in place of ${said.join()}`);
    const first = this.#firsts.get(this.#queueOf(run));
    if (first !== run) this.#crime(`${ref} passes ${first?.lines[0]?.runId}`);
    run.isUnderWay = true;
    this.begun.add(ref ?? '');
  }

  acts({ ref }: RunLease): void {
    const run = this.#find(ref);
    if (run !== undefined) run.mayHaveActed = true;
  }

  committed({ ref, attempt }: RunLease, outcome: StepOutcome, isSkipped: boolean): void {
    const run = this.#find(ref);
    if (run?.attempt !== attempt) return this.#crime(`${ref} writes an end and has none`);
    run.isUnderWay = false;
    run.mayHaveActed = false;
    if (outcome.type === 'done') this.#end(run, isSkipped ? 'skipped' : 'succeeded');
    if (outcome.type === 'gather') this.#gather(run);
    if (outcome.type === 'wait' && outcome.wait !== undefined) {
      run.wait = { id: outcome.wait.id, isAside: !outcome.holdsKey };
      if (run.wait.isAside) this.#leave(run);
    }
    if (outcome.type === 'wait' && outcome.for === 'collect' && this.#isAsClaimed(run)) {
      const due = this.#dueAt(run);
      if (outcome.until !== due) this.#crime(`${ref} gathers until ${outcome.until}, not ${due}`);
    }
  }

  waits({ ref }: RunLease): boolean {
    return this.#find(ref)?.wait != null;
  }

  decided(run: ModelRun, outcome: DecisionOutcome): void {
    if (outcome !== 'decided') return this.#crime(`${run.id} cannot be decided: ${outcome}`);
    const { isAside = false } = run.wait ?? {};
    this.#endWait(run);
    if (isAside) this.#enter(run);
  }

  erased(text: string): void {
    this.gone.add(text);
    this.#changes += 1;
    const run = this.runs.find((one) => one.lines.some((line) => line.text === text));
    if (run === undefined || run.end !== null) return;
    run.lines = run.lines.filter((line) => line.text !== text);
    if (run.lines.length > 0) return;
    // Nobody had been shown a message that could be changed.
    run.wait = null;
    if (run.gathers !== null) this.#noise.set(run.gathers, run.lastAt);
    this.#end(run, 'erased');
  }

  rests(metersOf: (run: Arrival) => readonly (Meter & { readonly gathers: boolean })[]): void {
    if (this.wasSet) return;
    for (const run of this.#firsts.values()) {
      const ref = run.lines[0]!.runId;
      const erasedAt = this.#noise.get(run.gathers ?? '');
      if (run.gathers !== null && this.clock.now() < this.#dueAt(run, erasedAt)) continue;
      if (run.wait !== null) continue;
      const isHeld = metersOf(run.arrival).some(
        (meter) => (run.gathers === null || meter.gathers) && this.isFull(meter, ref),
      );
      if (!isHeld) this.#crime(`${ref} waits for nothing`);
    }
  }

  statuses(): Map<string, string> {
    const found = new Map<string, string>();
    for (const { lines, end } of this.runs) {
      for (const [at, { text }] of lines.entries())
        if (!this.gone.has(text)) found.set(text, at > 0 ? 'collected' : (end ?? 'open'));
    }
    return found;
  }

  get open(): readonly ModelRun[] {
    return this.runs.filter(({ end }) => end === null);
  }

  #gather(run: ModelRun): void {
    const now = this.clock.now();
    const { gathers } = run;
    if (gathers === null) return this.#crime(`${run.lines[0]?.runId} gathers again`);
    if (now < this.#dueAt(run) && this.#isAsClaimed(run))
      this.#crime(`${run.lines[0]?.runId} begins early`);
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

  /** Nothing has come or gone since that what became of it was decided by. */
  #isAsClaimed(run: ModelRun): boolean {
    return run.claimedAt === this.#changes && !this.wasSet;
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

  #leave(run: ModelRun): void {
    const queue = this.#queueOf(run);
    if (this.#firsts.get(queue) !== run) return;
    this.#firsts.delete(queue);
    const next = this.runs.find(
      (one) =>
        one !== run &&
        one.end === null &&
        one.wait?.isAside !== true &&
        this.#queueOf(one) === queue,
    );
    if (next !== undefined) this.#firsts.set(queue, next);
  }

  #find(ref: string | null): ModelRun | undefined {
    return this.runs.find(({ lines }) => lines[0]?.runId === ref);
  }

  #endWait(run: ModelRun): void {
    if (run.wait !== null) this.over.add(run.wait.id);
    run.wait = null;
  }

  #end(run: ModelRun, end: ModelRun['end']): void {
    run.end = end;
    this.#leave(run);
    this.#endWait(run);
    run.isUnderWay = false;
    // Whoever had it has lost it.
    run.attempt = -1;
  }

  #crime(what: string): void {
    this.crimes.push(what);
  }
}

function wordsOf({ message }: RunJob): string[] {
  return [...message.matchAll(/event \d+;/g)].map(([word]) => word);
}
