import { Conversations } from '../../hooks/ports/conversations.ts';
import type { ContextLimits, Route, SessionContext } from '../../hooks/ports/conversations.ts';
import type { WriterCalls } from './calls.ts';
import type { Caller } from './thread-link.ts';

export class SqliteConversations extends Conversations {
  readonly #writer: Caller<WriterCalls>;

  constructor(writer: Caller<WriterCalls>) {
    super();
    this.#writer = writer;
  }

  context(session: string, limits: ContextLimits): Promise<SessionContext> {
    return this.#writer.call('context', session, limits);
  }

  routes(session: string): Promise<WriterCalls['routes']['result']> {
    return this.#writer.call('routes', session);
  }

  async noteRoute(session: string, route: Route): Promise<void> {
    await this.#writer.call('noteRoute', session, route);
  }
}
