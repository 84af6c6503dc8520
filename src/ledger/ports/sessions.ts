import type { Route } from '../../hooks/ports/channel.ts';
import { Sessions } from '../../hooks/ports/ledger.ts';
import type { ContextLimits, SessionContext } from '../../hooks/ports/ledger.ts';
import type { Caller } from '../calls.ts';
import type { FreshReads, Writes } from '../core.ts';

/** What sessions remember, read in order with the steps that add to it. */
export class StoredSessions extends Sessions {
  readonly #reader: Caller<FreshReads>;
  readonly #writer: Caller<Writes>;

  constructor(reader: Caller<FreshReads>, writer: Caller<Writes>) {
    super();
    this.#reader = reader;
    this.#writer = writer;
  }

  context(session: string, limits: ContextLimits): Promise<SessionContext> {
    return this.#reader.call('readContext', session, limits);
  }

  routes(session: string): Promise<FreshReads['readRoutes']['result']> {
    return this.#reader.call('readRoutes', session);
  }

  async noteRoute(session: string, route: Route): Promise<void> {
    await this.#writer.call('noteRoute', session, route);
  }

  async clearRoutes(session: string): Promise<void> {
    await this.#writer.call('clearRoutes', session);
  }

  async clearTranscript(session: string): Promise<void> {
    await this.#writer.call('clearTranscript', session);
  }
}
