import type { EventSummary } from '../../hooks/index.ts';
import { HttpAnswer, HttpError } from '../../platform/http-client.ts';
import { openHttp } from '../../platform/http-stream.ts';
import { getField, isRecord, parseJson } from '../../platform/objects.ts';
import { ServiceUnreachable, checked } from './service-answers.ts';
import { placeText, targetAt } from './service-place.ts';
import type { ServicePlace } from './service-place.ts';

/* Lines of `name: value`, an empty line behind each message; lines that begin with a colon are signs of life. */

export interface ToldEvents {
  /** The last that changed first. */
  readonly events: readonly EventSummary[];
  readonly more: number;
  readonly mark: string;
}

/** Most characters of one message: 50 events with headlines have a tenth of that. */
const LARGEST_MESSAGE = 1024 * 1024;

/** A stream that is silent for so long is dead: the service says every 15 s that it is there. */
const LONGEST_SILENCE_MS = 60_000;
/** Largest refusal of a stream, in bytes. */
const LARGEST_REFUSAL = 64 * 1024;

/** Until the service ends the stream. @throws ServiceRefusal, ServiceUnreachable */
export async function* followEvents(
  at: ServicePlace,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ToldEvents, void> {
  const place = placeText(at);
  const asked = { headers, timeoutMs: LONGEST_SILENCE_MS, signal, socketPath: at.socketPath };
  try {
    const { body, ...head } = await openHttp(targetAt(at, '/ops/api/events/stream'), asked);
    if (head.headers.get('content-type')?.startsWith('text/event-stream') === true) {
      yield* readMessages(body, place);
      return;
    }
    checked(new HttpAnswer(head, await readRefusal(body)), place);
    throw new ServiceUnreachable(place, 'STRANGER');
  } catch (error) {
    throw error instanceof HttpError ? ServiceUnreachable.because(place, error) : error;
  }
}

async function readRefusal(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > LARGEST_REFUSAL) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @throws ServiceUnreachable for what the service does not write */
async function* readMessages(
  chunks: AsyncIterable<Uint8Array>,
  place: string,
): AsyncGenerator<ToldEvents, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const messages = rest.split('\n\n');
    rest = messages.pop() ?? '';
    if (rest.length > LARGEST_MESSAGE) throw new ServiceUnreachable(place, 'STRANGER');
    for (const message of messages) {
      const told = toTold(message);
      if (told === null) throw new ServiceUnreachable(place, 'STRANGER');
      if (told !== undefined) yield told;
    }
  }
}

/** Undefined: a sign of life, or of something else. Null: the service writes no such thing. */
function toTold(message: string): ToldEvents | undefined | null {
  const fields = new Map(
    message.split('\n').map((line): [string, string] => {
      const [name = '', ...value] = line.split(': ');
      return [name, value.join(': ')];
    }),
  );
  if (fields.get('event') !== 'events') return undefined;
  const data = parseJson(fields.get('data') ?? '');
  const events = getField(data, 'events');
  const more = getField(data, 'more');
  const mark = fields.get('id');
  if (!Array.isArray(events) || !events.every(isSummary)) return null;
  return typeof more === 'number' && mark !== undefined ? { events, more, mark } : null;
}

/** What is shown of an event is text of the service: only what it is found by has to be there. */
function isSummary(value: unknown): value is EventSummary {
  return isRecord(value) && typeof value['id'] === 'string' && typeof value['status'] === 'string';
}
