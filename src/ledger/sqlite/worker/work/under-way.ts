import type { DatabaseSync } from 'node:sqlite';
import type { Lane, NewWork } from '../../../../hooks/ports/jobs.ts';
import type { ClaimLimits } from '../../../../hooks/ports/work-ledger.ts';
import { KINDS, LANES } from '../../../work-rows.ts';
import { integer, optionalText, text, word } from '../../../rows.ts';
import type { Row } from '../../../rows.ts';
import { FIRST, SUSPECT_CRASHES } from '../../../work/stages.ts';

/** Work in the hands of this process. */
export interface HeldWork {
  readonly id: number;
  /** The fencing token: whoever comes with an earlier one has lost the lease. */
  readonly attempt: number;
  readonly lane: Lane;
  readonly key: string;
  readonly kind: NewWork['kind'];
  /** The channel of a delivery. */
  readonly server: string;
  readonly hook: string;
  /** Id of the run or the delivery. */
  readonly ref: string | null;
  readonly isSuspect: boolean;
}

/** What is leased, and how much of it belongs together. Read once, then kept in mind: nobody else writes work. */
export class UnderWay {
  readonly #read: () => Row[];
  #known: Held | null = null;
  /** Of the last claim of turns. */
  #limits: ClaimLimits = {};

  constructor(db: DatabaseSync) {
    const leased = db.prepare(
      `SELECT id, attempt, lane, key, kind, server, hook, ref, crashes FROM work
       WHERE stage = 'leased' AND ${FIRST}`,
    );
    this.#read = () => leased.all();
  }

  /** Null: the lease was lost. */
  get(workId: number, attempt: number): HeldWork | null {
    const held = this.#held.byId.get(workId);
    return held?.attempt === attempt ? held : null;
  }

  begin(work: HeldWork): void {
    count(this.#held, work, 1);
  }

  end(work: HeldWork): void {
    count(this.#held, work, -1);
  }

  get runs(): number {
    return this.#held.runs;
  }

  /** Turns are claimed within these from now on. */
  limitTurns(limits: ClaimLimits): void {
    this.#limits = limits;
  }

  /** No run is claimed now. This process is all that there are: its places are those of all. */
  get hasAllRuns(): boolean {
    const { maxRuns = Infinity, maxRunsTotal = Infinity } = this.#limits;
    return this.runs >= Math.min(maxRuns, maxRunsTotal);
  }

  /** No run of the hook is claimed now. */
  hasAllRunsOf(hook: string): boolean {
    return this.ofHook(hook) >= (this.#limits.perHook?.[hook] ?? Infinity);
  }

  /** Of all channels. */
  get deliveries(): number {
    return this.#held.deliveries;
  }

  /** Of both lanes. */
  get suspects(): number {
    return this.#held.suspects;
  }

  /** Deliveries of a channel. */
  ofServer(server: string): number {
    return this.#held.byServer.get(server) ?? 0;
  }

  /** Runs of a hook. */
  ofHook(hook: string): number {
    return this.#held.byHook.get(hook) ?? 0;
  }

  /** What is kept in mind may be wrong: a transaction was rolled back. */
  forget(): void {
    this.#known = null;
  }

  get #held(): Held {
    if (this.#known !== null) return this.#known;
    const held: Held = {
      byId: new Map(),
      runs: 0,
      deliveries: 0,
      suspects: 0,
      byServer: new Map(),
      byHook: new Map(),
    };
    for (const row of this.#read()) count(held, toHeldWork(row, integer(row, 'attempt')), 1);
    return (this.#known = held);
  }
}

/** All leases, and what claims ask of them. */
interface Held {
  readonly byId: Map<number, HeldWork>;
  runs: number;
  deliveries: number;
  suspects: number;
  readonly byServer: Map<string, number>;
  readonly byHook: Map<string, number>;
}

function count(held: Held, work: HeldWork, by: 1 | -1): void {
  if (by === 1) held.byId.set(work.id, work);
  else held.byId.delete(work.id);
  if (work.isSuspect) held.suspects += by;
  if (work.lane === 'delivery') add(held.byServer, work.server, by);
  if (work.kind === 'delivery') held.deliveries += by;
  if (work.kind !== 'run') return;
  held.runs += by;
  add(held.byHook, work.hook, by);
}

/** @param attempt the one that is under way, or about to be. */
export function toHeldWork(row: Row, attempt: number): HeldWork {
  return {
    id: integer(row, 'id'),
    attempt,
    lane: word(row, 'lane', LANES),
    key: text(row, 'key'),
    kind: word(row, 'kind', KINDS),
    server: text(row, 'server'),
    hook: text(row, 'hook'),
    ref: optionalText(row, 'ref'),
    isSuspect: integer(row, 'crashes') >= SUSPECT_CRASHES,
  };
}

/** A count of none is left out: hooks and channels come and go. */
function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
