import { Channel, DeliveryError } from '../../src/hooks/ports/index.ts';
import type { Buttons, HeardTaps, OutgoingMessage, Tap } from '../../src/hooks/ports/index.ts';
import type { Life } from './mortal-process.ts';

/** By which the platform's requests are verified, for want of one of its own. */
export const SCHEME = 'mattermost';

export interface ShownMessage {
  readonly id: string;
  readonly to: string;
  text: string;
  /** What its buttons carry; null: it has none. */
  code: string | null;
}

/** What goes wrong with the next call: refused for now, done without an answer, or an answer to a tap that is not taken. */
export type Trouble = 'refused' | 'lost' | 'untold' | 'unconfirmed';

/** Knows messages by their keys, tells taps until they are confirmed, and outlives the processes that use it. */
export class ButtonPlatform {
  constructor(readonly changesNothing = false) {}

  readonly messages: ShownMessage[] = [];
  readonly seen: Readonly<ShownMessage>[] = [];
  readonly tapped: Tap[] = [];
  readonly #troubles: Trouble[] = [];
  readonly #ids = new Map<string, string>();
  #told: Tap[] = [];
  #mark = 0;

  trouble(what: Trouble): void {
    this.#troubles.push(what);
  }

  /** Somebody taps a button, or says so. @param isTold whether the platform keeps it until it is asked */
  tap(tap: Omit<Tap, 'id'>, isTold: boolean): Tap {
    const made = { ...tap, id: `tap-${this.tapped.length}` };
    this.tapped.push(made);
    if (isTold) this.#told.push(made);
    return made;
  }

  channel(life: Life): Channel {
    return new ButtonChannel(this, life);
  }

  send({ to, text, idempotencyKey, code, replaces }: OutgoingMessage): { messageId: string } {
    this.fail('refused', 'retryable');
    const known = replaces ?? this.#ids.get(idempotencyKey);
    const id = known ?? `message-${this.messages.length}`;
    const shown = this.messages.find((message) => message.id === id);
    if (shown === undefined) {
      this.messages.push({ id, to, text, code: code ?? null });
      this.seen.push({ id, to, text, code: code ?? null });
    } else if (replaces !== undefined) Object.assign(shown, { text, code: null });
    this.#ids.set(idempotencyKey, id);
    this.fail('lost', 'unknown');
    return { messageId: id };
  }

  poll(): HeardTaps {
    if (this.#told.length === 0) return { taps: [] };
    return { taps: [...this.#told], mark: String(this.#mark + this.#told.length) };
  }

  confirm(mark: string): void {
    this.fail('unconfirmed', 'retryable');
    this.#told = this.#told.slice(Number(mark) - this.#mark);
    this.#mark = Number(mark);
  }

  clear({ messageId }: Tap): void {
    const shown = this.messages.find(({ id }) => id === messageId);
    if (shown !== undefined) shown.code = null;
  }

  /** @throws DeliveryError when that is the next trouble */
  fail(what: Trouble, kind: DeliveryError['kind']): void {
    if (this.#troubles[0] !== what) return;
    this.#troubles.shift();
    throw new DeliveryError(`the platform is in trouble: ${what}`, kind);
  }
}

class ButtonChannel extends Channel {
  override readonly provider = 'people';
  override readonly knowsKeys = true;
  override readonly buttons: Buttons;

  constructor(
    private readonly platform: ButtonPlatform,
    private readonly life: Life,
  ) {
    super();
    const isPrivate = (to: string) => !to.startsWith('room');
    const blocks = (part: string) =>
      Array.from(part.matchAll(/^(`{3,})\n([^]*?)\n\1$/gm), ([, , code = '']) => code);
    const answer = () => life.call(async () => platform.fail('untold', 'retryable'));
    const read = (body: unknown) => [body as Tap];
    const given = { people: 'people', scheme: SCHEME, isPrivate, blocks, read, answer };
    if (platform.changesNothing) {
      this.buttons = { ...given, changesNothing: true };
      return;
    }
    this.buttons = {
      ...given,
      polling: {
        poll: () => life.call(async () => platform.poll()),
        confirm: (mark) => life.call(async () => platform.confirm(mark)),
      },
      clear: (tap) => life.call(async () => platform.clear(tap)),
    };
  }

  send(message: OutgoingMessage): Promise<{ messageId: string }> {
    return this.life.call(async () => this.platform.send(message));
  }
}
