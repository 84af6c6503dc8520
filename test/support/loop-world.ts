import type { OutgoingMessage, RunJob } from '../../src/hooks/ports/index.ts';
import type { NewEvent } from '../../src/hooks/ports/index.ts';
import { RUN_HEADER } from '../../src/hooks/ports/replies.ts';
import { agent } from '../contracts/ledger/events.ts';
import { ManualClock } from './clocks.ts';

/** What comes in. */
export interface Incoming {
  readonly mapping: string;
  readonly message: string;
  /** Where what is replied goes. */
  readonly to: string;
  /** The header of ours, where somebody passed it on. */
  readonly marker?: string | undefined;
  /** What the event brings beside its message. */
  readonly payload?: string;
  /** Of somebody who goes round in a circle; whatever else is held was held wrongly. */
  readonly isLoop: boolean;
}

/** What is held, and why. */
export interface Held {
  readonly incoming: Incoming;
  readonly error: string | null;
}

/** Agents that reply, and an outside that hears it: whoever that is does something later, at a time of his own. */
export abstract class LoopWorld {
  readonly clock = new ManualClock();
  /** What came in with this history, by the id of its event. */
  readonly came = new Map<string, Incoming>();
  /** What an agent says to what came in; the same for the same run. */
  reply: (incoming: Incoming, runId: string) => string = () => '';
  /** Who hears what is sent to him, and by which run. */
  readonly listeners = new Map<string, (text: string, runId: string) => void>();
  #count = 0;
  readonly #heard = new Set<string>();
  readonly #due: { at: number; act: () => Promise<void> }[] = [];

  /** Another history begins, in the same ledger: each has replies of others before it. */
  begin(): void {
    this.came.clear();
    this.listeners.clear();
    this.#heard.clear();
  }

  /** Somebody does something later. */
  after(ms: number, act: () => Promise<void>): void {
    this.#due.push({ at: this.clock.now() + ms, act });
  }

  /** Time passes until nobody has anything to do. */
  async run(): Promise<void> {
    for (;;) {
      this.#due.sort((one, other) => one.at - other.at);
      const next = this.#due.shift();
      if (next === undefined) return;
      this.clock.advance(Math.max(0, next.at - this.clock.now()));
      await next.act();
    }
  }

  /** Something comes in, and all that comes of it at once is done. */
  async send(incoming: Incoming): Promise<void> {
    const event = this.#eventOf(incoming);
    this.came.set(event.id, incoming);
    await this.accept(event, incoming);
  }

  /** The platform knows messages by their keys. */
  hear({ to, text, idempotencyKey, runId = '' }: Heard): void {
    if (this.#heard.has(idempotencyKey)) return;
    this.#heard.add(idempotencyKey);
    this.listeners.get(to)?.(text, runId);
  }

  protected abstract accept(event: NewEvent, incoming: Incoming): Promise<void>;

  /** The events of this history that are held. */
  abstract held(): Promise<readonly Held[]>;

  abstract close(): void;

  /** The same each time, its ids too. */
  #eventOf(incoming: Incoming): NewEvent {
    const { marker } = incoming;
    const receivedAt = this.clock.now();
    this.#count += 1;
    const time = receivedAt.toString(16).padStart(12, '0');
    const count = (this.#count % 4096).toString(16).padStart(3, '0');
    const id = `${time.slice(0, 8)}-${time.slice(8)}-7${count}-8000-000000000000`;
    const { payload } = incoming;
    const given = agent(`s${this.#count}`, { id, receivedAt, ...(payload && { payload }) });
    const headers = { ...given.request.headers, ...(marker && { [RUN_HEADER]: marker }) };
    return withJob({ ...given, request: { ...given.request, headers } }, incoming);
  }
}

type Heard = Pick<OutgoingMessage, 'to' | 'text' | 'idempotencyKey' | 'runId'>;

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
