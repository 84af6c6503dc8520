/** An operator who is logged in to the console with one browser. Nothing of it opens anything. */
export interface ConsoleSession {
  /** Found by it; depends on what the browser holds and on the operator's token, and gives neither away. */
  readonly digest: string;
  /** Epoch milliseconds of the login. */
  readonly startedAt: number;
  /** Epoch milliseconds; moved on while it is used. */
  readonly endsAt: number;
}

/** Most sessions of the console that a ledger keeps; beyond, the one that would end first goes. */
export const KEPT_CONSOLE_SESSIONS = 50;

/** Who is logged in to the console; holds over restarts. */
export abstract class ConsoleSessions {
  /** Keeps a session, and the newest {@link KEPT_CONSOLE_SESSIONS} of all. */
  abstract start(session: ConsoleSession): Promise<void>;

  /** Null: there is none, or it has been forgotten. Whether one has ended is for the caller to say. */
  abstract find(digest: string): Promise<ConsoleSession | null>;

  /** Moves its end on, never back. */
  abstract extend(digest: string, endsAt: number): Promise<void>;

  /** Forgets it; nothing where there is none. */
  abstract end(digest: string): Promise<void>;
}
