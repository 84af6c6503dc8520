import { setTimeout as pause } from 'node:timers/promises';
import type { TestedService } from './tested-service.ts';

export type Kind = 'agent' | 'wake' | 'list';

export type HookServer = Pick<TestedService, 'post'>;

export function inTurns(...services: readonly HookServer[]): HookServer {
  let turn = 0;
  return { post: (...request) => services[(turn += 1) % services.length]!.post(...request) };
}

/** An event that was answered 200: from then on it must not be lost. */
export interface Acknowledged {
  readonly eventId: string;
  readonly kind: Kind;
  readonly session: string;
  readonly markers: readonly string[];
}

interface Request extends Omit<Acknowledged, 'eventId'> {
  readonly body: unknown;
  /** Its idempotency key; without one it is never sent a second time. */
  readonly key: string | undefined;
}

/** What is sent, over and over again; every other round of it with an idempotency key. */
const MIX: readonly Kind[] = ['agent', 'list', 'agent', 'wake', 'agent'];
const ITEMS = 3;
const PAUSE_AFTER_503_MS = 50;

export class Sender {
  readonly acknowledged: Acknowledged[] = [];
  /** The markers of what was answered 503 and not sent again: none of it may ever happen. */
  readonly refused: string[] = [];
  refusals = 0;
  #sent = 0;
  /** Has a key and no answer yet: it comes first when somebody listens again. */
  #unanswered: Request | undefined;

  /** @param filling goes into every text, for larger events */
  constructor(
    private readonly session: string,
    private readonly filling = '',
  ) {}

  /** Until the service is gone or the signal says so. @throws Error when an answer is neither 200 nor 503 */
  async send(service: HookServer, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const request = this.#unanswered ?? this.#next();
      this.#unanswered = request.key === undefined ? undefined : request;
      const answer = await answerTo(service, request);
      if (answer === 'gone') return;
      if (answer === 'refused') {
        this.refusals += 1;
        if (request.key === undefined) this.refused.push(...request.markers);
        await pause(PAUSE_AFTER_503_MS);
        continue;
      }
      this.#unanswered = undefined;
      const { kind, session, markers } = request;
      this.acknowledged.push({ eventId: answer.eventId, kind, session, markers });
    }
  }

  #next(): Request {
    const n = this.#sent;
    this.#sent += 1;
    const kind = MIX[n % MIX.length] ?? 'agent';
    const key = Math.floor(n / MIX.length) % 2 === 0 ? `${this.session}-${n}` : undefined;
    const { session } = this;
    const marker = `[${session}:${n}]`;
    const sessionKey = `faults:${session}`;
    if (kind === 'wake') {
      const body = { text: `Note ${marker} ${this.filling}` };
      return { kind, session, key, markers: [marker], body };
    }
    if (kind === 'agent') {
      const message = `Please answer ${marker} ${this.filling}`;
      return { kind, session, key, markers: [marker], body: { message, sessionKey } };
    }
    const markers = Array.from({ length: ITEMS }, (_, item) => `[${session}:${n}.${item}]`);
    const body = { orders: markers.map((text) => ({ text, session })), filling: this.filling };
    return { kind, session, key, markers, body };
  }
}

/** `gone`: nobody answered, or not to the end; nothing is promised then. */
async function answerTo(
  service: HookServer,
  { kind, body, key }: Request,
): Promise<{ eventId: string } | 'gone' | 'refused'> {
  const answer = await service.post(kind, body, key).catch(() => undefined);
  const text = await answer?.text().catch(() => undefined);
  if (answer === undefined || text === undefined) return 'gone';
  if (answer.status === 503 && tellsWhenAndWhy(answer, text)) return 'refused';
  const { eventId } = JSON.parse(text) as { eventId?: string };
  if (answer.status === 200 && eventId !== undefined) return { eventId };
  throw new Error(`${kind} was answered ${answer.status}: ${text}`);
}

function tellsWhenAndWhy({ headers }: Response, text: string): boolean {
  const { error } = JSON.parse(text) as { error?: string };
  return Number(headers.get('retry-after')) > 0 && (error ?? '').includes(' ');
}
