// One configuration, with everything that a service has behind it but the world: the events come from a record, the time
// from a clock that nobody waits for, replies from the record, and messages go nowhere.
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventSimulation, GATEWAY_NAMES, HooksModule, withoutNewIds } from '../../hooks/index.ts';
import type { EventDetails, NewEvent, OutgoingMessage, RunDetails } from '../../hooks/index.ts';
import type { RecordedEvent } from '../../ledger/recorded-events.ts';
import type { ResolvedSections } from '../configuration/resolve.ts';
import type { Outcome, SimulatedMessage, SimulatedRun, SimulatedTurn } from './outcome.ts';
import { RecordedAgent } from './recorded-agent.ts';
import type { RecordedAnswers, TakenTurn } from './recorded-agent.ts';
import { silentChannels } from './silent-channel.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { SimulatedLedger } from './simulated-ledger.ts';

/** How long after the last event is looked at what waits still. */
const AFTERWARDS_MS = 7 * 86_400_000;

const STEPS_BETWEEN_COUNTS = 100;

/** Statuses of events of which nothing more comes. */
const OVER: ReadonlySet<string> = new Set(['done', 'failed', 'skipped']);

/** What became of an event: known at once, or when the simulation has ended, by the id of its event there. */
export type Taken = Outcome | { readonly pending: string; readonly taken: Outcome };

/** A simulated event that is stored: it has a payload. */
export type SimulatedEvent = RecordedEvent & { readonly payload: string };

export class SimulatedGateway implements AsyncDisposable {
  /** By the machine's clock, which ids are made by. */
  readonly #began = Date.now();
  readonly #clock: SimulatedClock;
  readonly #ledger = new SimulatedLedger((work) => this.#askHeartbeat(work.key, work.dueAt));
  /** Ids of recorded events by those of their runs, here. */
  readonly #origins = new Map<string, string>();
  readonly #turns = new Map<string, SimulatedTurn[]>();
  readonly #messages = new Map<string, Omit<SimulatedMessage, 'channel'>[]>();
  /** Until when a heartbeat of an agent waits for others to join it, by its main session. */
  readonly #beats = new Map<string, number>();
  #app: INestApplicationContext | undefined;
  #simulation: EventSimulation | undefined;
  /** Heartbeats that were asked for, counted once where they are one. */
  heartbeats = 0;

  /** @param now epoch milliseconds, before the first event */
  constructor(
    private readonly sections: ResolvedSections,
    private readonly answers: RecordedAnswers | null,
    now: number,
  ) {
    this.#clock = new SimulatedClock(now);
  }

  /** @throws ConfigurationError */
  async open(): Promise<void> {
    const runner = new RecordedAgent(
      this.answers,
      this.#clock,
      (runId) => this.#origins.get(runId) ?? '',
      (turn) => this.#asked(turn),
    );
    const { hooks, channels } = this.sections;
    const module = HooksModule.forRoot({
      ...hooks,
      runner,
      channels: silentChannels(channels, (message) => this.#heard(message)),
      ledger: this.#ledger,
      clock: this.#clock,
      names: GATEWAY_NAMES,
    });
    const options = { logger: false, abortOnError: false } as const;
    const app = await NestFactory.createApplicationContext(module, options);
    this.#app = app;
    const simulation: EventSimulation = app.get(EventSimulation, { strict: false });
    simulation.start();
    this.#simulation = simulation;
  }

  /** What is under way, since the comparison broke, ends by the clock. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#app?.close() ?? Promise.resolve();
    const turn = () => new Promise<'goes on'>((resolve) => setImmediate(resolve, 'goes on'));
    while ((await Promise.race([closed, turn()])) === 'goes on') {
      this.#clock.moveTo(this.#clock.nextAt ?? 0);
    }
  }

  /** Accepts an event at its time. They come in their order. */
  async take(event: SimulatedEvent): Promise<Taken> {
    await this.#goTo(event.receivedAt);
    const meaning = await this.#simulation!.meaningOf(event);
    const { verdict, why = null, mapping, wakes, accept } = meaning;
    const hook = verdict === 'refused' ? null : (mapping ?? event.hook);
    const outcome: Outcome = { verdict, why, hook, wakes, runs: [], messages: [] };
    if (accept === null) {
      for (const { agentId, mode } of wakes) {
        if (mode === 'now') this.#askHeartbeat(`agent:${agentId}:main`, event.receivedAt + 250);
      }
      return outcome;
    }
    const { event: stored, acceptance } = await accept();
    const nothing = { ...outcome, wakes: [] };
    if (acceptance.outcome === 'replayed') return { ...nothing, verdict: 'repeat' };
    if (acceptance.outcome !== 'accepted') {
      return { ...nothing, verdict: 'refused', why: acceptance.outcome };
    }
    const { length } = acceptance.receipt.actions;
    if (length === 0 && stored.actions.length > 0) return { ...nothing, verdict: 'repeat' };
    if (stored.actions.every(({ receipt }) => receipt.kind === 'wake')) return outcome;
    this.#remember(stored, event.id);
    await this.#ledger.rest();
    return { pending: stored.id, taken: outcome };
  }

  /** Lets time pass until nothing waits any more. */
  async finish(): Promise<void> {
    const end = this.#clock.now() + AFTERWARDS_MS;
    await this.#ledger.rest();
    // Counting what waits costs more than a step of the clock, where much does.
    for (
      let step = 0;
      step % STEPS_BETWEEN_COUNTS > 0 || (await this.#ledger.hasWork());
      step += 1
    ) {
      const next = this.#clock.nextAt;
      if (next === null || next > end) return;
      this.#clock.moveTo(next);
      await this.#ledger.rest();
    }
  }

  /**
   * What became of an event, after which nothing of it is kept here.
   * @param isLast it is told however it stands
   * @returns null: it is not over
   */
  async outcomeOf(taken: Taken, isLast: boolean): Promise<Outcome | null> {
    if (!('pending' in taken)) return taken;
    const details = await this.#ledger.events.get(taken.pending);
    if (details === null) throw new Error(`there is no event ${taken.pending}`);
    if (!isLast && !OVER.has(details.status)) return null;
    return {
      ...taken.taken,
      runs: details.runs.map((run) => this.#toRun(run)),
      messages: this.#messagesOf(details),
    };
  }

  /** Everything that is due until then happens, at its own time. */
  async #goTo(time: number): Promise<void> {
    for (;;) {
      const next = this.#clock.nextAt;
      if (next === null || next > time) break;
      this.#clock.moveTo(next);
      await this.#ledger.rest();
    }
    this.#clock.moveTo(time);
  }

  #remember({ actions }: NewEvent, recorded: string): void {
    for (const { receipt } of actions) {
      if (receipt.kind === 'agent') this.#origins.set(receipt.runId, recorded);
    }
  }

  #asked({ runId, prompt, model, usage }: TakenTurn): void {
    const turns = this.#turns.get(runId) ?? [];
    const tokens = usage === null ? null : usage.inputTokens + usage.outputTokens;
    turns.push({ at: this.#clock.now(), prompt, model, tokens });
    this.#turns.set(runId, turns);
  }

  #heard({ idempotencyKey, to, text }: OutgoingMessage): void {
    const [deliveryId = ''] = idempotencyKey.split(':');
    const messages = this.#messages.get(deliveryId) ?? [];
    messages.push({ to, text, at: this.#clock.now() });
    this.#messages.set(deliveryId, messages);
  }

  #askHeartbeat(session: string, dueAt: number): void {
    const now = this.#clock.now();
    const open = this.#beats.get(session);
    if (open === undefined || open < now) this.heartbeats += 1;
    this.#beats.set(session, open === undefined || open < now ? dueAt : Math.min(open, dueAt));
  }

  #toRun({ id, agentId, sessionKey, status, error, joined }: RunDetails): SimulatedRun {
    const of = joined === null ? undefined : this.#origins.get(joined);
    const turns = this.#turns.get(id) ?? [];
    this.#turns.delete(id);
    const why = status === 'collected' ? `in the run of event ${of ?? ''}` : error;
    // One that was drawn for this run alone.
    const session = withoutNewIds(sessionKey, this.#began);
    return { agentId, sessionKey: session, status, why: named(why, this.#origins), turns };
  }

  #messagesOf({ deliveries }: EventDetails): SimulatedMessage[] {
    return deliveries.flatMap(({ id, channel }) => {
      const messages = this.#messages.get(id) ?? [];
      this.#messages.delete(id);
      return messages.map((message) => ({ channel, ...message }));
    });
  }
}

/** A reason that names a run, which has another id each time, names its event. */
function named(why: string | null, origins: ReadonlyMap<string, string>): string | null {
  return (
    why?.replaceAll(/\brun ([0-9a-f]{8}-[0-9a-f-]{27})/g, (text, id: string) => {
      const event = origins.get(id);
      return event === undefined ? text : `the run of event ${event}`;
    }) ?? null
  );
}
