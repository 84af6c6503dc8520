import { createHash } from 'node:crypto';
import { withSignals } from '../../src/hooks/actions/shown-action.ts';
import type { GoldenHost, RunningHost, Store } from './host.ts';
import { TOKEN } from './host.ts';
import { post } from './requests/request.ts';
import type { Step } from './requests/request.ts';
import { Wire, bytesOf } from './wire.ts';
import type { WireAnswer } from './wire.ts';

/** What one request came to: what its sender saw, and every event that was stored on the way. */
export interface GoldenAnswer {
  /** 0: the connection was closed without an answer. */
  readonly status: number;
  readonly interim?: readonly number[];
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed when it is JSON exactly as `JSON.stringify` writes it; else the text. */
  readonly body: unknown;
  readonly stored: readonly StoredEvent[];
}

/** What an operator can see of an event. */
export interface StoredEvent {
  readonly hook: string;
  readonly mapping: string | null;
  readonly request: unknown;
  readonly warnings: readonly string[];
  readonly actions: readonly object[];
}

/** The answers to one request, a step each. */
export type GoldenAnswers = readonly GoldenAnswer[];

const CLOSED: WireAnswer = { status: 0, interim: [], headers: {}, body: '' };
const LONGEST_TEXT = 200;
/** More than one request can become. */
const MOST_NEW_EVENTS = 20;

/** Sends every request of a host, one after the other, and gives the answers by title. */
export async function replay(
  host: GoldenHost,
  running: RunningHost,
): Promise<Map<string, GoldenAnswers>> {
  const events = running.stores.map((store) => new NewEvents(store));
  for (const each of events) await each.take();
  const answers = new Map<string, GoldenAnswers>();
  for (const [title, steps] of Object.entries(host.requests)) {
    const answered = await answersTo([steps].flat(), host, running, events);
    answers.set(title, namedIds(answered));
    // Remembered failures put all later requests on a slower way. A right token clears those of its address, and
    // without a hook's name nothing else comes of it.
    if (answered.some(({ status }) => status === 401)) await ask(post('~'), host, running);
  }
  return answers;
}

async function answersTo(
  steps: readonly Step[],
  host: GoldenHost,
  running: RunningHost,
  events: readonly NewEvents[],
): Promise<GoldenAnswer[]> {
  const answers: GoldenAnswer[] = [];
  let wire: Wire | undefined;
  for (const step of steps) {
    if (step.isKeptAlive !== true) {
      wire?.close();
      wire = undefined;
    }
    wire ??= new Wire(running.port, step.from);
    const answer = await ask(step, host, running, wire);
    const stored: StoredEvent[] = [];
    for (const each of events) stored.push(...(await each.take()));
    answers.push(goldenAnswer(answer, stored));
  }
  wire?.close();
  return answers;
}

/** Sends one request, on a connection of its own unless there is one. */
export async function ask(
  step: Step,
  { prefix = '/hooks', token = TOKEN }: GoldenHost,
  { port }: RunningHost,
  open?: Wire,
): Promise<WireAnswer> {
  const wire = open ?? new Wire(port, step.from);
  wire.send(bytesOf(step, prefix, token));
  const answer = await wire.answer(step.method ?? 'POST');
  if (open === undefined) wire.close();
  return answer ?? CLOSED;
}

function goldenAnswer(answer: WireAnswer, stored: readonly StoredEvent[]): GoldenAnswer {
  const { date, ...headers } = answer.headers;
  return {
    status: answer.status,
    ...(answer.interim.length > 0 && { interim: answer.interim }),
    headers: { ...headers, ...(date !== undefined && { date: '<date>' }) },
    body: plainBody(answer),
    stored,
  };
}

function plainBody({ body, headers }: WireAnswer): unknown {
  if (body === '' || headers['content-type']?.includes('json') !== true) return body;
  const parsed: unknown = JSON.parse(body);
  return JSON.stringify(parsed) === body ? parsed : body;
}

/** Ids are fresh each time: they are numbered, so that the same one can be recognised in a later step. */
function namedIds(answers: GoldenAnswers): GoldenAnswers {
  const ids: string[] = [];
  const named = JSON.stringify(answers).replaceAll(
    /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g,
    (id) => {
      if (!ids.includes(id)) ids.push(id);
      return `<id ${ids.indexOf(id) + 1}>`;
    },
  );
  return JSON.parse(named) as GoldenAnswers;
}

/** The events that a ledger has taken in since it was last asked. */
class NewEvents {
  #newest: string | undefined;

  constructor(private readonly store: Store) {}

  async take(): Promise<StoredEvent[]> {
    const { events } = await this.store.events.list({ limit: MOST_NEW_EVENTS });
    const known = events.findIndex(({ id }) => id === this.#newest);
    const fresh = events.slice(0, known === -1 ? undefined : known);
    this.#newest = events[0]?.id;
    return Promise.all(fresh.toReversed().map(({ id }) => this.#stored(id)));
  }

  async #stored(id: string): Promise<StoredEvent> {
    const details = await this.store.events.get(id);
    if (details === null) throw new Error(`event ${id} is listed and cannot be read`);
    const { hook, mapping, request, warnings, actions } = withSignals(details);
    return shortened({ hook, mapping, request, warnings, actions });
  }
}

/** A copy with long texts cut to their beginning, length and digest. */
function shortened<T>(value: T): T {
  const text = JSON.stringify(value, (_key, it: unknown) => {
    if (typeof it !== 'string' || it.length <= LONGEST_TEXT) return it;
    const digest = createHash('sha256').update(it).digest('base64url').slice(0, 12);
    return `${it.slice(0, 20)}… (${it.length} characters, ${digest})`;
  });
  return JSON.parse(text) as T;
}
