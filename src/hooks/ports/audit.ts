/** What something was, or became: bounded, and without secrets and payloads. */
export type AuditedState = Readonly<Record<string, unknown>>;

/** An operator's action that changed something, or was to. */
export interface AuditEntry {
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** Id of the token it was done with: `operator`, or one of `ops.tokens`; `files`: the files of the configuration changed. */
  readonly actor: string;
  /** Address that it came from; null: from this process. */
  readonly client: string | null;
  /** Route as docs/http-api.md has it, such as `POST /ops/api/pause`; of `files`: `reload`. */
  readonly operation: string;
  /** What it was done to, such as the id of an event; null: the whole service. */
  readonly subject: string | null;
  /** `done`, or the code of the refusal (docs/errors.md). */
  readonly outcome: string;
  /**
   * Null: nothing is known of it. Of a decision that sent other words than those of the reply, `text` is the reply here, and
   * in `after` what was sent, for as long as its event has them.
   */
  readonly before: AuditedState | null;
  readonly after: AuditedState | null;
}

/** The same on its way into the ledger. */
export interface NewAuditEntry extends Omit<AuditEntry, 'at'> {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Names what was done, where processes that share the ledger do the same one after the other: one entry is kept of it. */
  readonly once?: string;
}

/** Which entries; absent fields leave none out. */
export interface AuditFilter {
  readonly actor?: string;
  /** Opaque, from an earlier answer's `nextCursor`. */
  readonly cursor?: string;
  /** 1 to 200. */
  readonly limit: number;
}

/** Entries, newest first. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** `cursor` of the next page; null: there is none. */
  readonly nextCursor: string | null;
}
