import { Test } from '@nestjs/testing';
import { HooksModule } from '../../src/hooks/index.ts';
import { AgentRunner, Channel, WorkLedger } from '../../src/hooks/ports/index.ts';
import type {
  AgentReply,
  AgentTurn,
  Lane,
  Ledger,
  NewEvent,
  OutgoingMessage,
  RunJob,
} from '../../src/hooks/ports/index.ts';
import { RUN_HEADER } from '../../src/hooks/ports/replies.ts';
import { DeliveryStep } from '../../src/hooks/work/delivery.ts';
import { RunStep } from '../../src/hooks/work/run.ts';
import { LIMITS, agent, runOf } from '../contracts/ledger/events.ts';
import { ManualClock } from './clocks.ts';
import { LastingMemory } from './lasting-memory.ts';
import { Life } from './mortal-process.ts';
import { LineLog } from './secret-free-log.ts';

/** What comes in. */
export interface Incoming {
  readonly mapping: string;
  readonly message: string;
  /** Where what is replied goes. */
  readonly to: string;
  /** The header of ours, where somebody passed it on. */
  readonly marker?: string | undefined;
  /** Of somebody who goes round in a circle; whatever else is held was held wrongly. */
  readonly isLoop: boolean;
}

/** One process of the module, whose steps are made one by one. */
class Process {
  private constructor(
    readonly life: Life,
    readonly ledger: Ledger,
    private readonly find: <T>(token: abstract new (...given: never[]) => T) => T,
  ) {}

  static async start(world: LoopWorld): Promise<Process> {
    const life = new Life();
    const opened = await world.memory.open(world.clock);
    const ledger = { ...opened, work: life.mortal(opened.work) };
    const module = HooksModule.forRoot({
      ledger: { open: async () => ledger },
      runner: new TellingRunner(world, life),
      clock: world.clock,
      token: 'the-hook-token-of-the-loops',
      channels: { chan_1: { provider: new OutsideChannel(world, life) } },
      agents: { defaults: { heartbeat: { every: '0m' } } },
    });
    const compiled = await Test.createTestingModule({ imports: [module] })
      .setLogger(new LineLog())
      .compile();
    return new Process(life, ledger, (token) => compiled.get(token, { strict: false }));
  }

  async work(lane: Lane): Promise<boolean> {
    const work = this.find(WorkLedger);
    const [lease] = await work.claim(lane, 1, NEVER);
    if (lease === undefined) return false;
    if (lease.kind !== 'run' && lease.kind !== 'delivery') throw new Error('nobody asked for it');
    const { outcome, changes } =
      lease.kind === 'run'
        ? await this.find(RunStep).perform(lease, NEVER)
        : await this.find(DeliveryStep).perform(lease, NEVER);
    await work.commit(lease, outcome, changes);
    return true;
  }
}

class TellingRunner extends AgentRunner {
  constructor(
    private readonly world: LoopWorld,
    private readonly life: Life,
  ) {
    super();
  }

  override run({ id }: AgentTurn): Promise<AgentReply> {
    return this.life.call(async () => ({ text: this.world.replyOf(id) }));
  }

  override mayRepeat(): boolean {
    return true;
  }
}

class OutsideChannel extends Channel {
  override readonly knowsKeys = true;

  constructor(
    private readonly world: LoopWorld,
    private readonly life: Life,
  ) {
    super();
  }

  override send(message: OutgoingMessage): Promise<{ messageId: string }> {
    return this.life.call(async () => {
      this.world.hear(message);
      return { messageId: message.idempotencyKey };
    });
  }
}

const NEVER = new AbortController().signal;

/** Agents that reply, and an outside that hears it: whoever that is does something later, at a time of his own. */
export class LoopWorld {
  readonly clock = new ManualClock();
  readonly memory = new LastingMemory();
  /** What came in, by the id of its event. */
  readonly came = new Map<string, Incoming>();
  /** Runs that have replied. */
  readonly replied = new Set<string>();
  deaths = 0;
  /** What an agent says to what came in; the same for the same run. */
  reply: (incoming: Incoming, runId: string) => string = () => '';
  /** Who hears what is sent to him, and by which run. */
  readonly listeners = new Map<string, (text: string, runId: string) => void>();
  readonly #heard = new Set<string>();
  readonly #replies = new Map<string, string>();
  readonly #due: { at: number; act: () => Promise<void> }[] = [];
  #process!: Process;

  static async create(): Promise<LoopWorld> {
    const world = new LoopWorld();
    world.#process = await Process.start(world);
    return world;
  }

  /** Somebody does something later. */
  after(ms: number, act: () => Promise<void>): void {
    this.#due.push({ at: this.clock.now() + ms, act });
  }

  /** Time passes until nobody has anything to do. @param dies the calls after which the process dies, one after the other */
  async run(dies: readonly number[] = []): Promise<void> {
    const deaths = [...dies];
    for (;;) {
      this.#due.sort((one, other) => one.at - other.at);
      const next = this.#due.shift();
      if (next === undefined) return;
      this.clock.advance(Math.max(0, next.at - this.clock.now()));
      await next.act();
      await this.#drain(deaths.shift());
    }
  }

  async send(incoming: Incoming): Promise<string> {
    const { marker } = incoming;
    const receivedAt = this.clock.now();
    const given = agent(`s${this.came.size}`, { receivedAt });
    const headers = { ...given.request.headers, ...(marker && { [RUN_HEADER]: marker }) };
    const event = withJob({ ...given, request: { ...given.request, headers } }, incoming);
    this.came.set(event.id, incoming);
    const { outcome } = await this.#process.ledger.intake.accept(event, LIMITS);
    if (outcome !== 'accepted') throw new Error(`it was ${outcome}`);
    return event.id;
  }

  replyOf(runId: string): string {
    const known = this.#replies.get(runId);
    if (known !== undefined) return known;
    const [, incoming] = Array.from(this.came).find(([id]) => runOf(id) === runId)!;
    const text = this.reply(incoming, runId);
    this.#replies.set(runId, text);
    this.replied.add(runId);
    return text;
  }

  /** The platform knows messages by their keys. */
  hear({ to, text, idempotencyKey, runId = '' }: OutgoingMessage): void {
    if (this.#heard.has(idempotencyKey)) return;
    this.#heard.add(idempotencyKey);
    this.listeners.get(to)?.(text, runId);
  }

  /** The events that are held, and why. */
  async held(): Promise<readonly { incoming: Incoming; error: string | null }[]> {
    const { waits } = await this.#process.ledger.admin.waits({ limit: 200 });
    return Promise.all(
      waits.map(async ({ eventId }) => {
        const details = await this.#process.ledger.events.get(eventId);
        return { incoming: this.came.get(eventId)!, error: details?.runs[0]?.error ?? null };
      }),
    );
  }

  /** How events stand, each counted. */
  async standing(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const id of this.came.keys()) {
      const status = (await this.#process.ledger.events.get(id))?.status ?? 'lost';
      counts[status] = (counts[status] ?? 0) + 1;
    }
    return counts;
  }

  close(): void {
    this.memory.close();
  }

  async #drain(diesAfter = Infinity): Promise<void> {
    let left = diesAfter;
    for (let isBusy = true; isBusy; left = Infinity) {
      const { life } = this.#process;
      life.endAfter(left);
      const done = await Promise.race([this.#workAll(), life.over.then(() => null)]);
      life.endAfter(Infinity);
      if (!life.isOver) {
        isBusy = done === true;
        continue;
      }
      await life.rest();
      this.deaths += 1;
      this.#process = await Process.start(this);
    }
  }

  /** @returns false: there is nothing to do */
  async #workAll(): Promise<boolean> {
    let isBusy = false;
    while ((await this.#process.work('turn')) || (await this.#process.work('delivery')))
      isBusy = true;
    return isBusy;
  }
}

function withJob(given: NewEvent, { mapping, message, to }: Incoming): NewEvent {
  const more: Partial<RunJob> = {
    message,
    wakeMode: 'next-heartbeat',
    receivedAt: given.receivedAt,
    trust: { level: 'untrusted', verifiedBy: 'token', mapping },
    deliver: { channel: 'chan_1', to },
  };
  return {
    ...given,
    actions: given.actions.map((action) => ({
      ...action,
      changes: action.changes.map((change) => {
        if (change.type !== 'work') return change;
        const job = { ...change.work.job, ...more } as RunJob;
        return { ...change, work: { ...change.work, job } };
      }),
    })),
  };
}
