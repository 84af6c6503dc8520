import { isDeepStrictEqual } from 'node:util';
import { Channel, DeliveryError, deliveryWork } from '../../src/hooks/ports/index.ts';
import type {
  AgentReply,
  DeliveryJob,
  NewEvent,
  OutgoingMessage,
} from '../../src/hooks/ports/index.ts';
import { AgentRunner } from '../../src/hooks/ports/index.ts';
import { isWithin } from '../../src/platform/hours.ts';
import type { Hours } from '../../src/platform/hours.ts';
import { LIMITS, deliveryOf, event, runOf } from '../contracts/ledger/events.ts';
import { ManualClock } from './clocks.ts';
import { LastingMemory } from './lasting-memory.ts';
import { ModuleProcess } from './module-process.ts';
import type { Life } from './mortal-process.ts';

interface QuietRules {
  readonly channel?: Hours | undefined;
  readonly agent?: Hours | undefined;
  readonly mappings: Readonly<Record<'m' | 'n', Hours | undefined>>;
}

export interface Said {
  readonly mapping: 'm' | 'n';
  readonly to: string;
  /** An agent says it; else it is the hook's own message. */
  readonly isReply: boolean;
  readonly isUrgent: boolean;
}

interface ModelMessage {
  readonly text: string;
  readonly said: Said;
  readonly eventId: string;
  arrivals: number;
  /** All that was due was looked at in its quiet hours. */
  wasHeld: boolean;
  isErased: boolean;
}

const HOUR = 3_600_000;
const MOST_LOOKS = 500;
export const DONE = 'done delivered';

class NoRunner extends AgentRunner {
  override run(): Promise<AgentReply> {
    throw new Error('nobody is asked');
  }
}

class Chat extends Channel {
  override readonly knowsKeys = true;

  constructor(
    private readonly world: QuietWorld,
    private readonly life: Life,
  ) {
    super();
  }

  override send(message: OutgoingMessage): Promise<{ messageId: string }> {
    return this.life.call(async () => {
      if (this.world.isAway) throw new DeliveryError('away', 'retryable');
      this.world.hear(message);
      return { messageId: message.idempotencyKey };
    });
  }
}

/** What must become of messages by behaviour.md §16.5; what may not be is a {@link crimes crime}. */
export class QuietWorld {
  readonly clock: ManualClock;
  readonly memory = new LastingMemory();
  readonly crimes: string[] = [];
  readonly messages: ModelMessage[] = [];
  isAway = false;
  /** It could not be for a time: what is due is any time's. */
  wasAway = false;
  deaths = 0;
  readonly #heard = new Map<string, string>();
  #process!: ModuleProcess;

  private constructor(
    readonly rules: QuietRules,
    now: number,
  ) {
    this.clock = new ManualClock(now);
  }

  static async create(rules: QuietRules, now: number): Promise<QuietWorld> {
    const world = new QuietWorld(rules, now);
    world.#process = await world.#begin();
    return world;
  }

  /** @param stored what else an earlier build wrote into its job */
  async say(said: Said, stored: object = {}): Promise<void> {
    const text = `message ${this.messages.length + 1};`;
    const given = this.#event(text, said, stored);
    await this.#process.ledger.intake.accept(given, LIMITS);
    const rest = { arrivals: 0, wasHeld: false, isErased: false };
    this.messages.push({ text, said, eventId: given.id, ...rest });
  }

  /** Lets a process look at a message, of which it may die. @returns whether there was one */
  async deliver(dies = Infinity): Promise<boolean> {
    const { life } = this.#process;
    life.endAfter(dies);
    const found = await Promise.race([this.#process.work('delivery'), life.over]);
    life.endAfter(Infinity);
    if (!life.isOver) return found === 1;
    await life.rest();
    this.deaths += 1;
    this.#process = await this.#begin();
    return true;
  }

  #begin(): Promise<ModuleProcess> {
    const { channel, agent, mappings } = this.rules;
    return ModuleProcess.start(this, (life) => ({
      runner: new NoRunner(),
      channels: {
        chan_1: { provider: new Chat(this, life), quietHours: channel },
        retryHours: 168,
      },
      agents: {
        defaults: { heartbeat: { every: '0m' }, notify: false },
        list: [{ id: 'main', ...(agent && { quietHours: asOption(agent) }) }],
      },
      mappings: (['m', 'n'] as const).map((id) => ({
        id,
        messageTemplate: 'x',
        ...(mappings[id] && { quietHours: asOption(mappings[id]) }),
      })),
    }));
  }

  async drain(): Promise<void> {
    const before = this.deaths;
    for (let looks = 0; await this.deliver(); looks += 1)
      if (looks > MOST_LOOKS) return this.#crime('it is looked at for ever');
    if (this.wasAway || this.isAway || this.deaths > before) return;
    for (const message of this.#open()) {
      if (!this.#isQuiet(message)) this.#crime(`${message.text} waits for nothing`);
      message.wasHeld = true;
    }
  }

  async erase(which: number): Promise<void> {
    const found = this.messages[which % Math.max(this.messages.length, 1)];
    if (found === undefined) return;
    const erased = await this.#process.ledger.admin.forget(found.eventId);
    if (erased !== 'under-way' && erased !== null) found.isErased = true;
  }

  /** Time passes, and nothing new comes. What has arrived when its process died may have to wait, too. */
  async settle(): Promise<void> {
    this.isAway = false;
    await this.drain();
    for (let hour = 0; hour < 72 && !(await this.#isDone()); hour += 1) {
      this.clock.advance(HOUR);
      await this.drain();
    }
    const [lost] = this.#open();
    if (lost !== undefined) this.#crime(`${lost.text} never arrives`);
  }

  async #isDone(): Promise<boolean> {
    return [...(await this.statuses())].every((status) => status === DONE);
  }

  async statuses(): Promise<Set<string>> {
    const found = new Set<string>();
    for (const { eventId, isErased } of this.messages) {
      const details = await this.#process.ledger.events.get(eventId);
      if (!isErased) found.add(`${details?.status} ${details?.deliveries[0]?.status}`);
    }
    return found;
  }

  hear({ to, text, idempotencyKey }: OutgoingMessage): void {
    const known = this.#heard.get(idempotencyKey);
    if (known !== undefined && known !== text) this.#crime(`${idempotencyKey} is two messages`);
    if (known !== undefined) return;
    this.#heard.set(idempotencyKey, text);
    const message = this.messages.find((one) => one.text === text);
    if (message === undefined) return this.#crime(`${text} was never said`);
    message.arrivals += 1;
    if (message.arrivals > 1) this.#crime(`${text} arrives again`);
    if (this.#isQuiet(message)) this.#crime(`${text} disturbs`);
    if (message.isErased) this.#crime(`${text} was erased`);
    if (message.said.to !== to) this.#crime(`${text} is told to ${to}`);
    const earlier = this.#open().filter((one) => one.wasHeld && one.eventId < message.eventId);
    if (message.wasHeld && earlier.some((one) => isDeepStrictEqual(one.said, message.said)))
      this.#crime(`${text} is too early`);
  }

  close(): void {
    this.memory.close();
  }

  #open(): ModelMessage[] {
    return this.messages.filter(({ arrivals, isErased }) => arrivals === 0 && !isErased);
  }

  #isQuiet({ said: { mapping, isReply, isUrgent } }: ModelMessage): boolean {
    if (isUrgent) return false;
    const { channel, agent, mappings } = this.rules;
    return [channel, mappings[mapping], isReply ? agent : undefined].some(
      (hours) => hours !== undefined && isWithin(hours, this.clock.now()),
    );
  }

  #crime(what: string): void {
    this.crimes.push(`${new Date(this.clock.now()).toISOString()}: ${what}`);
  }

  #event(text: string, { mapping, to, isReply, isUrgent }: Said, stored: object): NewEvent {
    const receivedAt = this.clock.now();
    const base = event({ hook: mapping, receivedAt });
    const deliveryId = deliveryOf(base.id);
    const job: DeliveryJob = {
      v: 1,
      deliveryId,
      eventId: base.id,
      channel: 'chan_1',
      to,
      text,
      runId: isReply ? runOf(base.id) : null,
      agentId: 'main',
      becomesLastRoute: false,
      name: 'Hook',
      wakeMode: 'none',
      trust: { level: 'trusted', verifiedBy: 'token', mapping },
      ...(isUrgent && { isUrgent }),
      ...stored,
    };
    const { runId } = job;
    const of = { id: deliveryId, eventId: base.id, runId, channel: 'chan_1', to } as const;
    const changes = [
      { type: 'delivery', ...of, status: 'pending' },
      { type: 'work', work: deliveryWork(job, 'chan_1', receivedAt) },
    ] as const;
    const details = { kind: 'deliver', message: text };
    return { ...base, actions: [{ receipt: { kind: 'deliver', deliveryId }, details, changes }] };
  }
}

function asOption({ start, end, timezone }: Hours) {
  return { from: start, to: end, ...(timezone !== undefined && { timezone }) };
}
