import { Injectable, Logger } from '@nestjs/common';
import { bareName, builtInHook } from '../actions/hook-request.ts';
import { HooksSettings } from '../options/index.ts';
import { Clock } from '../ports/index.ts';
import { sendersOf } from '../senders/index.ts';
import type { Handshake, Place, SignatureScheme } from '../senders/index.ts';
import { PathRules } from './path-rules.ts';
import type { PathRule } from './path-rules.ts';

// Nothing proves the request by which Asana and Notion tell their secret: it is taken only while the operator waits for
// it, once, and is in force only when the operator writes it into the configuration. It stays in this process's memory.

interface SecretHandshake {
  readonly at: Place;
  readonly handshake: Handshake;
}

/** What the operator is shown of a window: open, or with the secret that came. */
export interface SecretWindow {
  /** Without outer slashes. */
  readonly hook: string;
  /** Id of the scheme of its sender. */
  readonly scheme: string;
  /** When it closes, or closed, if nothing comes; ISO 8601. */
  readonly closesAt: string;
  /** Null: nothing came yet. Otherwise the window is closed. */
  readonly taken: TakenSecret | null;
}

/** A secret of which nobody knows yet whose it is. */
export interface TakenSecret {
  readonly secret: string;
  /** Address of whoever sent it. */
  readonly client: string;
  /** ISO 8601. */
  readonly at: string;
}

type WindowFault = 'no-such-handshake' | 'built-in' | 'has-secrets';

const OPEN_MS = 600_000;
/** How long a secret waits for the operator's word. */
const KEPT_MS = 3_600_000;
/** What a secret may be: nothing that could be more than one value of a header. */
const SECRET = /^[\w.~+/=-]{16,256}$/;

interface OpenedWindow {
  readonly scheme: string;
  readonly handshake: SecretHandshake;
  /** Epoch milliseconds, for people. */
  readonly closesAt: number;
  /** When it closes, and is forgotten once it took something, by {@link Clock.elapsed}. */
  endsAt: number;
  taken: { readonly secret: string; readonly client: string; readonly at: number } | undefined;
}

/** None unless an operator opens one; a restart closes all of them and forgets what they took. */
@Injectable()
export class SecretWindows {
  readonly #logger = new Logger('Hooks');
  readonly #windows = new Map<string, OpenedWindow>();

  constructor(
    private readonly clock: Clock,
    private readonly settings: HooksSettings,
    private readonly rules: PathRules,
  ) {}

  /** Whether there is any: almost always not, and then no request pays for more than this. */
  get isEmpty(): boolean {
    return this.#windows.size === 0;
  }

  /** Open for ten minutes; what came first is not thrown away for a second one. */
  open(hook: string, scheme: string): SecretWindow | WindowFault {
    const { current } = this.settings;
    const handshake = secretHandshake(sendersOf(current).schemes.get(scheme));
    if (handshake === undefined) return 'no-such-handshake';
    const path = bareName(hook);
    if (builtInHook(path, current) !== undefined) return 'built-in';
    if (this.rules.get(current, path)?.signer !== undefined) return 'has-secrets';
    const present = this.#current(path);
    if (present?.scheme === scheme) return toShown(path, present);
    const closesAt = this.clock.now() + OPEN_MS;
    const endsAt = this.clock.elapsed() + OPEN_MS;
    const opened: OpenedWindow = { scheme, handshake, closesAt, endsAt, taken: undefined };
    this.#windows.set(path, opened);
    this.#logger.log(`waits for the secret of the sender to ${path} until ${toIso(closesAt)}`);
    return toShown(path, opened);
  }

  /** Undefined: it closed, or there was none. */
  get(hook: string): SecretWindow | undefined {
    const path = bareName(hook);
    const present = this.#current(path);
    return present && toShown(path, present);
  }

  /** Closes it and forgets what it took. @returns false: there is none */
  discard(hook: string): boolean {
    const path = bareName(hook);
    const present = this.#current(path);
    this.#windows.delete(path);
    return present !== undefined;
  }

  /** Undefined: by none now. @param rule of the begin of the request: a path with secrets of its own takes no other */
  awaited(name: string, rule: PathRule | undefined): SecretHandshake | undefined {
    if (rule?.signer !== undefined) return undefined;
    const present = this.#current(bareName(name));
    return present?.taken === undefined ? present?.handshake : undefined;
  }

  /** Keeps the first secret that comes and closes the window. @returns false: it is none, or came too late */
  take(name: string, secret: unknown, client: string): secret is string {
    const path = bareName(name);
    const present = this.#current(path);
    if (present === undefined || present.taken !== undefined) return false;
    if (typeof secret !== 'string' || !SECRET.test(secret)) return false;
    present.taken = { secret, client, at: this.clock.now() };
    present.endsAt = this.clock.elapsed() + KEPT_MS;
    this.#logger.warn(
      `took a secret from the handshake of a sender to ${path}, from ${client}; it is not used until it is accepted`,
    );
    return true;
  }

  #current(path: string): OpenedWindow | undefined {
    const present = this.#windows.get(path);
    if (present === undefined) return undefined;
    if (this.clock.elapsed() < present.endsAt) return present;
    this.#windows.delete(path);
    return undefined;
  }
}

/** How the secret of that scheme arrives; undefined: by no handshake. */
export function secretHandshake(scheme: SignatureScheme | undefined): SecretHandshake | undefined {
  const handshake = scheme?.handshakes?.find(({ from }) => from === 'awaited');
  const at = handshake?.when.at;
  if (handshake === undefined || at === undefined || 'query' in at) return undefined;
  return { at, handshake };
}

function toShown(hook: string, { scheme, closesAt, taken }: OpenedWindow): SecretWindow {
  return {
    hook,
    scheme,
    closesAt: toIso(closesAt),
    taken: taken === undefined ? null : { ...taken, at: toIso(taken.at) },
  };
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
