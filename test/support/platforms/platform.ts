import type { ChannelProviderName } from '../../../src/adapters/channels/providers.ts';
import type { ProviderSettings } from '../../../src/adapters/channels/providers.ts';
import type { DeliveryFailure } from '../../../src/hooks/ports/channel.ts';
import { ScriptedServer } from '../scripted-server.ts';
import type { Answer, RecordedRequest, Script } from '../scripted-server.ts';

export interface Shown {
  readonly to: string;
  readonly text: string;
  readonly key?: string;
  readonly replaces?: string;
}

export type Refusal = readonly [name: string, script: Script, kind: DeliveryFailure, code?: string];

/** A messaging platform as its public documentation describes it: requests, answers, errors, limits. */
export interface PlatformSpeech {
  readonly provider: ChannelProviderName;
  readonly settings: (origin: string) => ProviderSettings;
  /** What must never be said: tokens and passwords. */
  readonly secret: string;
  readonly to: string;
  readonly unfit: readonly string[];
  readonly limit: number;
  /** Whether a message under a key that was seen is not shown again. */
  readonly knowsKeys: boolean;
  /** Whether it may refuse a message after it took it, and tells that elsewhere. @default false */
  readonly refusesLater?: boolean;
  /** Method and path of a request that sends a message, and the message in it; undefined: some other request. */
  readonly message: (request: RecordedRequest) => Shown | undefined;
  readonly requestsBefore: number;
  /** What the platform answers; `n` numbers the messages, and `isRepeat` says that it has this one. */
  readonly answer: (
    request: RecordedRequest,
    shown: Shown | undefined,
    n: number,
    isRepeat?: boolean,
  ) => Answer;
  readonly limited: (seconds: number | undefined) => Script;
  readonly refusals: readonly Refusal[];
  /** How it refuses to change a message that is gone; absent: it changes none. */
  readonly gone?: Script;
}

export class PlatformServer extends ScriptedServer {
  /** What was shown, in order; a key that is known shows nothing again. */
  readonly shown: Shown[] = [];
  readonly deleted = new Set<number>();

  readonly speech: PlatformSpeech;

  constructor(speech: PlatformSpeech) {
    super((request, script) => this.#usual(request, script));
    this.speech = speech;
  }

  static async start(speech: PlatformSpeech): Promise<PlatformServer> {
    const server = new PlatformServer(speech);
    await server.listen();
    return server;
  }

  get asked(): readonly Shown[] {
    return this.requests.map(this.speech.message).filter((shown) => shown !== undefined);
  }

  nextMessage(...scripts: readonly Script[]): void {
    const before = this.requests.length === 0 ? this.speech.requestsBefore : 0;
    this.next(...Array.from({ length: before }, () => ({})), ...scripts);
  }

  /** A message that is refused shows nothing; one whose answer is cut off or slow was shown. */
  #usual(request: RecordedRequest, { status = 200, body }: Script): Answer {
    const shown = this.speech.message(request);
    if (status >= 300 || body !== undefined) return json(status, {});
    if (shown === undefined) return this.speech.answer(request, shown, 0);
    if (shown.text.length > this.speech.limit) return json(400, { error: 'too long' });
    if (shown.replaces !== undefined) return this.#change(request, shown);
    const known = this.#placeOf(shown);
    if (known < 0) this.shown.push(shown);
    return this.speech.answer(
      request,
      shown,
      known < 0 ? this.shown.length : known + 1,
      known >= 0,
    );
  }

  #change(request: RecordedRequest, shown: Shown): Answer {
    const { replaces = '', text } = shown;
    const place = Number.parseInt(replaces, 10) - 1;
    const { gone = {} } = this.speech;
    const before = this.shown[place];
    if (before === undefined || this.deleted.has(place)) {
      return json(gone.status ?? 404, gone.body);
    }
    this.shown[place] = { ...before, text };
    return this.speech.answer(request, shown, place + 1);
  }

  #placeOf({ key }: Shown): number {
    if (!this.speech.knowsKeys) return -1;
    return this.shown.findIndex((earlier) => earlier.key === key);
  }
}

export function json(status: number, body: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify(body)],
  };
}

/** The text or number under a key of a JSON object, as text; else empty. */
export function say(body: unknown, ...path: (string | number)[]): string {
  let found = body;
  for (const key of path) {
    found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined;
  }
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

export function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}
