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

/** A runner's own id of a conversation. */
export interface RunnerSession {
  /** Whose id it is: another runner would not know it. */
  readonly runner: string;
  readonly id: string;
}

/** How much of a session its next turn is given. */
export interface ContextLimits {
  readonly maxEvents: number;
  /** Of the waiting lines, in UTF-8. */
  readonly maxBytes: number;
  /** Of the transcript, in UTF-16 code units. */
  readonly maxHistoryCharacters: number;
}

export interface SessionContext {
  /** The oldest waiting system events, in order. */
  readonly pending: readonly SystemEvent[];
  /** More wait than were given. */
  readonly hasMore: boolean;
  /** The newest turns that fit, oldest first; a turn (prompt and reply) is given whole or not at all. */
  readonly history: readonly TranscriptMessage[];
  /** Foreign text was shown to this session before, be it in {@link history} or only in what the runner remembers. */
  readonly isUntrusted: boolean;
  /** What the session's latest turn returned; null: none. */
  readonly runnerSession: RunnerSession | null;
}

/** What sessions remember between turns. */
export abstract class Conversations {
  /**
   * What the next turn of a session has to know: waiting lines up to both limits (at least one), and the end of its
   * transcript. Reads no more than it gives, whatever the session holds.
   */
  abstract context(session: string, limits: ContextLimits): Promise<SessionContext>;

  /** Where a main session last spoke: at all, and per channel. */
  abstract routes(
    session: string,
  ): Promise<{ last: Route | null; byChannel: Readonly<Partial<Record<ChannelId, string>>> }>;

  /** Tells the ledger that somebody spoke with this main session there (hosts call it for their own messages). */
  abstract noteRoute(session: string, route: Route): Promise<void>;
}
