// `hooks simulate`: the stored events of a time by two configurations, side by side. Both are simulated the same way, so
// that what differs is the configurations' doing; the record is told beside them. docs/simulate.md says what is not simulated.
import { EventSimulation } from '../../hooks/index.ts';
import { recordedEvents } from '../../ledger/recorded-events.ts';
import type { RecordedEvent } from '../../ledger/recorded-events.ts';
import type { Tx } from '../../ledger/tx.ts';
import type { ResolvedSections } from '../configuration/resolve.ts';
import type { LedgerPlace } from '../ledger-backup.ts';
import { differences } from './outcome.ts';
import type { Difference, Outcome } from './outcome.ts';
import { RecordedAnswers } from './recorded-agent.ts';
import { SimulatedGateway } from './simulated-gateway.ts';
import type { Taken } from './simulated-gateway.ts';
import { addOutcome, addRecorded, noTotals } from './totals.ts';
import type { Totals } from './totals.ts';

/** What is compared. */
export interface SimulationRequest {
  /** Names the ledger, too. */
  readonly before: ResolvedSections;
  readonly after: ResolvedSections;
  /** Epoch milliseconds; events that were accepted then or later, and before `until`. */
  readonly since: number;
  readonly until: number;
  /** `recorded`: agents say what they said to the same prompt; `none`: they say nothing. */
  readonly agent: 'recorded' | 'none';
  /** Most events that are told one by one. */
  readonly examples: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Hears now and then how many events were taken. */
  readonly progress?: (events: number) => void;
}

/** What a change of the configuration changes. */
export interface Simulation {
  /** ISO 8601. */
  readonly since: string;
  readonly until: string;
  /** How many were simulated. */
  readonly events: number;
  /** And those that were not: their payload was forgotten, or they are callbacks of runs. */
  readonly leftOut: { readonly forgotten: number; readonly callbacks: number };
  /** Events of which something becomes otherwise. */
  readonly changed: number;
  /** What was in fact; the record knows of no heartbeats and repeats. */
  readonly recorded: Pick<Totals, 'runs' | 'promptCharacters' | 'messages' | 'tokens' | 'unknown'>;
  readonly before: Totals;
  readonly after: Totals;
  /** Of each hook with a change, by the id of its mapping or the name of the built-in hook. */
  readonly hooks: readonly {
    readonly hook: string;
    readonly before: Totals;
    readonly after: Totals;
  }[];
  /** The first of the events that changed. */
  readonly examples: readonly ChangedEvent[];
}

export interface ChangedEvent {
  readonly event: string;
  /** ISO 8601. */
  readonly receivedAt: string;
  readonly hook: string;
  readonly changes: readonly Difference[];
}

/** @throws ConfigurationError; Error with a sentence when the ledger cannot be read */
export async function simulate(request: SimulationRequest): Promise<Simulation> {
  const { since, now } = request;
  const answers = new RecordedAnswers();
  const used = request.agent === 'recorded' ? answers : null;
  await using before = new SimulatedGateway(request.before, used, since);
  await using after = new SimulatedGateway(request.after, used, since);
  await before.open();
  await after.open();
  const sides = { before, after, answers };
  return await readRecord(request.before.store, now, (tx) => compare(request, tx, sides));
}

/**
 * Gives the ledger of a store, as it is at one moment, to whoever reads it; nothing in it is changed.
 * @param now epoch milliseconds
 */
export async function readRecord<T>(
  { dir, postgres }: LedgerPlace['store'],
  now: number,
  read: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (postgres === undefined) {
    const { readDirectory } = await (await import('../../ledger/sqlite/index.ts')).ledgerFiles();
    return readDirectory(dir, now, ({ tx }) => read(tx));
  }
  const { readDatabase } = await import('../../ledger/postgres/index.ts');
  return readDatabase(postgres, now, ({ tx }) => read(tx));
}

/** What is compared, and what agents said. */
interface Sides {
  readonly before: SimulatedGateway;
  readonly after: SimulatedGateway;
  readonly answers: RecordedAnswers;
}

/** An event that is not over at once. */
interface Open {
  readonly event: Pick<RecordedEvent, 'id' | 'receivedAt' | 'hook'>;
  readonly was: Taken;
  readonly is: Taken;
}

async function compare(
  request: SimulationRequest,
  tx: Tx,
  { before, after, answers }: Sides,
): Promise<Simulation> {
  const { since, until } = request;
  const found = new Comparison(request.examples);
  let open: Open[] = [];
  /** Events in their order, as far as they are over: what is to be said of them is not kept. */
  const conclude = async (isLast: boolean) => {
    let at = 0;
    for (; at < open.length; at += 1) {
      const { event, was, is } = open[at]!;
      const one = await before.outcomeOf(was, isLast);
      if (one === null) break;
      const other = await after.outcomeOf(is, isLast);
      if (other === null) {
        open[at] = { event, was: one, is };
        break;
      }
      found.add(event, one, other);
    }
    open = open.slice(at);
  };
  for await (const page of recordedEvents(tx, since, until)) {
    for (const event of page) {
      for (const run of event.runs) answers.add({ ...run, eventId: event.id });
    }
    for (const event of page) {
      const { id, hook, receivedAt, payload } = event;
      if (payload === null) found.forgotten += 1;
      else if (EventSimulation.isCallback(event.request)) found.callbacks += 1;
      else {
        found.addRecorded(event);
        const [was, is] = [
          await before.take({ ...event, payload }),
          await after.take({ ...event, payload }),
        ];
        if ('pending' in was || 'pending' in is)
          open.push({ event: { id, hook, receivedAt }, was, is });
        else found.add(event, was, is);
      }
    }
    await conclude(false);
    request.progress?.(found.events);
  }
  await before.finish();
  await after.finish();
  await conclude(true);
  return found.result(request, before.heartbeats, after.heartbeats);
}

/** Adds up what was found. */
class Comparison {
  forgotten = 0;
  callbacks = 0;
  events = 0;
  #changed = 0;
  readonly #recorded = noTotals();
  readonly #before = noTotals();
  readonly #after = noTotals();
  readonly #hooks = new Map<string, { before: Totals; after: Totals }>();
  readonly #changedHooks = new Set<string>();
  readonly #examples: ChangedEvent[] = [];

  constructor(private readonly most: number) {}

  addRecorded(event: RecordedEvent): void {
    this.events += 1;
    addRecorded(this.#recorded, event);
  }

  add({ id, receivedAt, hook }: Open['event'], was: Outcome, is: Outcome): void {
    const [own, other] = [was.hook ?? hook, is.hook ?? hook];
    addOutcome(this.#before, was);
    addOutcome(this.#after, is);
    addOutcome(this.#of(own).before, was);
    addOutcome(this.#of(other).after, is);
    const changes = differences(was, is);
    if (changes.length === 0) return;
    this.#changed += 1;
    this.#changedHooks.add(own).add(other);
    // Those that were over at once come before others that came earlier.
    const changed = {
      event: id,
      receivedAt: new Date(receivedAt).toISOString(),
      hook: own,
      changes,
    };
    const later = this.#examples.findIndex(({ event }) => event > id);
    this.#examples.splice(later < 0 ? this.#examples.length : later, 0, changed);
    this.#examples.length = Math.min(this.#examples.length, this.most);
  }

  result(
    { since, until }: SimulationRequest,
    heartbeatsBefore: number,
    heartbeatsAfter: number,
  ): Simulation {
    const { runs, promptCharacters, messages, tokens, unknown } = this.#recorded;
    return {
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      events: this.events,
      leftOut: { forgotten: this.forgotten, callbacks: this.callbacks },
      changed: this.#changed,
      recorded: { runs, promptCharacters, messages, tokens, unknown },
      before: { ...this.#before, heartbeats: heartbeatsBefore },
      after: { ...this.#after, heartbeats: heartbeatsAfter },
      hooks: [...this.#changedHooks].toSorted().map((hook) => ({ hook, ...this.#of(hook) })),
      examples: this.#examples,
    };
  }

  #of(hook: string): { before: Totals; after: Totals } {
    const known = this.#hooks.get(hook) ?? { before: noTotals(), after: noTotals() };
    this.#hooks.set(hook, known);
    return known;
  }
}
