import type { ChannelId } from './channel.ts';
import type { TranscriptMessage } from './agent-runner.ts';
import type { Trust } from './trust.ts';

/** A line that waits for the next turn of a main session. */
export interface SystemEvent {
  readonly seq: number;
  readonly text: string;
  readonly at: number;
  readonly trust: Trust;
  readonly hook: string;
}

export interface Route {
  readonly channel: ChannelId;
  readonly to: string;
}

export interface SessionContext {
  /** The oldest waiting system events, in order. */
  readonly pending: readonly SystemEvent[];
  /** More wait than were given. */
  readonly hasMore: boolean;
  readonly history: readonly TranscriptMessage[];
}

/** What sessions remember between turns. */
export abstract class Conversations {
  /** What the next turn of a session has to know: waiting lines up to both limits (at least one), and its transcript. */
  abstract context(
    session: string,
    limits: { maxEvents: number; maxBytes: number },
  ): Promise<SessionContext>;

  /** Where a main session last spoke: at all, and per channel. */
  abstract routes(
    session: string,
  ): Promise<{ last: Route | null; byChannel: Readonly<Partial<Record<ChannelId, string>>> }>;

  /** Tells the ledger that somebody spoke with this main session there (hosts call it for their own messages). */
  abstract noteRoute(session: string, route: Route): Promise<void>;
}
