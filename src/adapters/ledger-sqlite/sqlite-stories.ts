import { Stories } from '../../hooks/ports/stories.ts';
import type {
  EventFilter,
  EventStory,
  SessionFilter,
  SessionStory,
  StoredRequest,
} from '../../hooks/ports/stories.ts';
import type { ReaderCalls } from './calls.ts';
import type { Caller } from './thread-link.ts';
import type { StoredEventRequest } from './wire.ts';

export class SqliteStories extends Stories {
  readonly #reader: Caller<ReaderCalls>;

  constructor(reader: Caller<ReaderCalls>) {
    super();
    this.#reader = reader;
  }

  list(filter: EventFilter): Promise<ReaderCalls['list']['result']> {
    return this.#reader.call('list', filter);
  }

  async get(id: string): Promise<EventStory | null> {
    const wire = await this.#reader.call('get', id);
    if (wire === null) return null;
    const { request, payload, ...story } = wire;
    const { console = [], ...parsed } = parseRequest(request);
    return { ...story, console, request: { ...parsed, payload: parsePayload(payload) } };
  }

  async storedRequest(id: string): Promise<StoredRequest | null> {
    const stored = await this.#reader.call('storedRequest', id);
    if (stored === null) return null;
    const { console: _lines, ...request } = parseRequest(stored.request);
    return { ...stored, request };
  }

  sessions(filter: SessionFilter): Promise<ReaderCalls['sessions']['result']> {
    return this.#reader.call('sessions', filter);
  }

  session(key: string): Promise<SessionStory | null> {
    return this.#reader.call('session', key);
  }
}

/** The request as `toWireEvent` wrote it. */
function parseRequest(text: string): StoredEventRequest {
  const request: StoredEventRequest = JSON.parse(text);
  return request;
}

function parsePayload(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
