import { AgentRunner, Channel } from '../../src/hooks/ports/index.ts';
import type {
  AgentReply,
  AgentTurn,
  NewEvent,
  OutgoingMessage,
} from '../../src/hooks/ports/index.ts';
import { LIMITS, runOf } from '../contracts/ledger/events.ts';
import { LastingMemory } from './lasting-memory.ts';
import { LoopWorld } from './loop-world.ts';
import type { Held } from './loop-world.ts';
import { ModuleProcess } from './module-process.ts';
import type { Life } from './mortal-process.ts';

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

/** All of the module works on what comes, and its process may die at any of its calls. */
export class LoopService extends LoopWorld {
  readonly memory = new LastingMemory();
  /** The calls after which the process dies, one after the other; of each event. */
  readonly dies: number[] = [];
  deaths = 0;
  readonly #replies = new Map<string, string>();
  #process!: ModuleProcess;

  static async create(): Promise<LoopService> {
    const service = new LoopService();
    service.#process = await service.#begin();
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
        this.#process = await this.#begin();
      } else isBusy = done === true;
    }
  }

  /** @returns false: there was nothing to do */
  async #workAll(): Promise<boolean> {
    const turns = await this.#process.work('turn', 8);
    return (await this.#process.work('delivery', 8)) + turns > 0;
  }

  #begin(): Promise<ModuleProcess> {
    return ModuleProcess.start(this, (life) => ({
      runner: new TellingRunner(this, life),
      channels: { chan_1: { provider: new OutsideChannel(this, life) } },
      agents: { defaults: { heartbeat: { every: '0m' } } },
    }));
  }
}
