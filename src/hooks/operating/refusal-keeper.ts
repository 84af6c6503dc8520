import { Injectable, Logger } from '@nestjs/common';
import { describeError } from '../../platform/errors.ts';
import { RefusalInbox } from '../http/refusal-inbox.ts';
import { Clock, LedgerUnavailable, Refusals } from '../ports/index.ts';
import type { Change, NewRefusal } from '../ports/index.ts';
import { describeRefused } from '../ports/rejection.ts';
import { Notices } from '../work/notice.ts';

/** From one write to the next, and so the most that a crash costs. */
const BETWEEN_WRITES_MS = 1000;
/** From one notice of a hook and a code to the next: a sender that is set up wrongly sends on and on. */
const BETWEEN_NOTICES_MS = 3_600_000;
/**
 * Told for every hook; where a body is signed, of strangers too, since nobody is verified before all of it was read:
 * once an hour and hook at most.
 */
const ALWAYS_TOLD: ReadonlySet<string> = new Set([
  'payload_too_large',
  'unsupported_media_type',
  'body_timeout',
]);

interface Told {
  at: number;
  untold: number;
}

/**
 * Takes refusals from the inbox to the ledger: at most one write a second. What verified senders lost is told to the
 * operator in the same commit.
 */
@Injectable()
export class RefusalKeeper {
  readonly #logger = new Logger(RefusalKeeper.name);
  readonly #stopping = new AbortController();
  readonly #told = new Map<string, Told>();
  #running: Promise<void> | undefined;
  #isStarted = false;
  #isFailing = false;

  constructor(
    private readonly inbox: RefusalInbox,
    private readonly refusals: Refusals,
    private readonly notices: Notices,
    private readonly clock: Clock,
  ) {}

  /** Call it when the ledger is open. */
  start(): void {
    this.#isStarted = true;
    this.inbox.onFilled(() => this.#begin());
    if (!this.inbox.isEmpty) this.#begin();
  }

  async stop(): Promise<void> {
    this.inbox.onFilled(() => {});
    this.#stopping.abort();
    await this.#running;
    while (this.#isStarted && (await this.#save())) {}
  }

  #begin(): void {
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!this.inbox.isEmpty && !signal.aborted) {
      await this.clock.wait(BETWEEN_WRITES_MS, signal);
      this.inbox.tellRepeats();
      await this.#save();
    }
  }

  /** False: there was nothing to store, or it could not be stored. */
  async #save(): Promise<boolean> {
    const rows = this.inbox.take();
    if (rows.length === 0) return false;
    const lost = Map.groupBy(rows.filter(isTold), ({ hook, code }) => `${code} ${hook}`);
    try {
      await this.refusals.record(rows, this.#notices(lost));
    } catch (error) {
      // What can never be stored is dropped; else it would come back for ever.
      if (error instanceof LedgerUnavailable) this.inbox.putBack(rows);
      this.#complain(error);
      return false;
    }
    this.#isFailing = false;
    this.#noteTold(lost);
    return true;
  }

  /** The first of a hook and code at once; what comes later with the first after an hour. */
  #notices(lost: ReadonlyMap<string, readonly NewRefusal[]>): Change[] {
    return [...lost].flatMap(([key, rows]) => {
      if (!this.#isDue(key)) return [];
      const count = sum(rows) + (this.#told.get(key)?.untold ?? 0);
      const { what, todo } = describeRefused(rows[0]!);
      return [...this.notices.report(`${what}; ${todo}`, null, count)];
    });
  }

  #noteTold(lost: ReadonlyMap<string, readonly NewRefusal[]>): void {
    for (const [key, rows] of lost) {
      if (this.#isDue(key)) this.#told.set(key, { at: this.clock.elapsed(), untold: 0 });
      else this.#told.get(key)!.untold += sum(rows);
    }
  }

  #isDue(key: string): boolean {
    const told = this.#told.get(key);
    return told === undefined || this.clock.elapsed() - told.at >= BETWEEN_NOTICES_MS;
  }

  #complain(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#logger.warn(`refusals cannot be kept at the moment: ${describeError(error)}`);
  }
}

/**
 * Whether the operator is told: callers of `wake`, `agent` or a wrong path read the answer themselves, systems that
 * send to a mapping show it to nobody.
 */
function isTold({ kind, hook, code }: NewRefusal): boolean {
  if (kind === 'unverified') return hook !== null && ALWAYS_TOLD.has(code);
  if (kind !== 'lost') return false;
  return ALWAYS_TOLD.has(code) || (hook !== null && hook !== 'wake' && hook !== 'agent');
}

function sum(rows: readonly NewRefusal[]): number {
  return rows.reduce((total, { count }) => total + count, 0);
}
