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
} from '../../src/hooks/ports/index.ts';
import { DeliveryStep } from '../../src/hooks/work/delivery.ts';
import { RunStep } from '../../src/hooks/work/run.ts';
import { LIMITS, runOf } from '../contracts/ledger/events.ts';
import { LastingMemory } from './lasting-memory.ts';
import { LoopWorld } from './loop-world.ts';
import type { Held } from './loop-world.ts';
import { Life } from './mortal-process.ts';
import { LineLog } from './secret-free-log.ts';

/** One process of the module, whose steps are made one by one. */
class Process {
  private constructor(
    readonly life: Life,
    readonly ledger: Ledger,
    private readonly find: <T>(token: abstract new (...given: never[]) => T) => T,
  ) {}

  static async start(world: LoopService): Promise<Process> {
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

  /** @returns how much of it was due */
  async work(lane: Lane): Promise<number> {
    const work = this.find(WorkLedger);
    const leases = await work.claim(lane, 8, NEVER);
    for (const lease of leases) {
      if (lease.kind !== 'run' && lease.kind !== 'delivery') throw new Error('nobody asked for it');
      const { outcome, changes } =
        lease.kind === 'run'
          ? await this.find(RunStep).perform(lease, NEVER)
          : await this.find(DeliveryStep).perform(lease, NEVER);
      await work.commit(lease, outcome, changes);
    }
    return leases.length;
  }
}

class TellingRunner extends AgentRunner {
  constructor(
    private readonly world: LoopService,
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
    private readonly world: LoopService,
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

/** All of the module works on what comes, and its process may die at any of its calls. */
export class LoopService extends LoopWorld {
  readonly memory = new LastingMemory();
  /** The calls after which the process dies, one after the other; of each event. */
  readonly dies: number[] = [];
  deaths = 0;
  readonly #replies = new Map<string, string>();
  #process!: Process;

  static async create(): Promise<LoopService> {
    const service = new LoopService();
    service.#process = await Process.start(service);
    return service;
  }

  replyOf(runId: string): string {
    const known = this.#replies.get(runId);
    if (known !== undefined) return known;
    const [, incoming] = Array.from(this.came).find(([id]) => runOf(id) === runId)!;
    const text = this.reply(incoming, runId);
    this.#replies.set(runId, text);
    return text;
  }

  override async held(): Promise<readonly Held[]> {
    const { waits } = await this.#process.ledger.admin.waits({ limit: 200 });
    const own = waits.filter(({ eventId }) => this.came.has(eventId));
    return Promise.all(
      own.map(async ({ eventId }) => {
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

  override close(): void {
    this.memory.close();
  }

  protected override async accept(event: NewEvent): Promise<void> {
    const { outcome } = await this.#process.ledger.intake.accept(event, LIMITS);
    if (outcome !== 'accepted') throw new Error(`it was ${outcome}`);
    await this.#drain(this.dies.shift());
  }

  async #drain(diesAfter = Infinity): Promise<void> {
    for (let left = diesAfter, isBusy = true; isBusy; left = Infinity) {
      const { life } = this.#process;
      life.endAfter(left);
      const done = await Promise.race([this.#workAll(), life.over.then(() => null)]);
      life.endAfter(Infinity);
      if (life.isOver) {
        await life.rest();
        this.deaths += 1;
        this.#process = await Process.start(this);
      } else isBusy = done === true;
    }
  }

  /** @returns false: there was nothing to do */
  async #workAll(): Promise<boolean> {
    const turns = await this.#process.work('turn');
    return (await this.#process.work('delivery')) + turns > 0;
  }
}
