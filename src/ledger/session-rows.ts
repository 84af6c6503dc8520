import type { TranscriptMessage } from '../hooks/ports/agent-runner.ts';
import type { ChannelId, Route } from '../hooks/ports/channel.ts';
import type { SessionDetails, SessionSummary } from '../hooks/ports/event-store.ts';
import type { ContextLimits, SessionContext, SystemEvent } from '../hooks/ports/ledger.ts';
import { DELIVERY_STATUSES } from './event-rows.ts';
import { integer, optionalText, optionalTime, storedJson, text, word } from './rows.ts';
import type { Row } from './rows.ts';
import { decodeOnlyWake } from './stored-head.ts';

/**
 * A line that waits for a turn.
 * @param row of `system_events`; of its delivery `channel`, `status` and `error`, null where it has none; where it has no
 * words of its own, of its event `head`, `payload`, `received_at` and `event_hook`
 * @param eventId of its event; null: it has none
 */
export function toSystemEvent(row: Row, eventId: string | null): SystemEvent {
  const seq = integer(row, 'seq');
  const words = row['text'] === null ? wordsOfEvent(row) : ownWords(row);
  return {
    seq,
    ...words,
    ...(eventId !== null && { eventId }),
    ...(row['status'] !== null && { delivery: toDelivery(row) }),
  };
}

type Words = Pick<SystemEvent, 'text' | 'at' | 'trust' | 'hook'>;

function ownWords(row: Row): Words {
  return {
    text: text(row, 'text'),
    at: integer(row, 'at'),
    trust: storedJson(text(row, 'trust')),
    hook: text(row, 'hook'),
  };
}

function wordsOfEvent(row: Row): Words {
  const { text: words, trust } = decodeOnlyWake(text(row, 'head'), text(row, 'payload'));
  return { text: words, at: integer(row, 'received_at'), trust, hook: text(row, 'event_hook') };
}

function toDelivery(row: Row): NonNullable<SystemEvent['delivery']> {
  return {
    channel: text(row, 'channel'),
    status: word(row, 'status', DELIVERY_STATUSES),
    error: optionalText(row, 'error'),
  };
}

/** A turn is stored as one row and read as two messages. */
export function toMessages(row: Row): TranscriptMessage[] {
  return [
    { role: 'user', text: text(row, 'prompt') },
    { role: 'assistant', text: text(row, 'reply') },
  ];
}

/** Ids are written only through the typed port, and a later release may know more of them than this one. */
function toChannelId(row: Row): ChannelId {
  const channel = text(row, 'channel');
  return isChannelId(channel) ? channel : 'chan_1';
}

function isChannelId(value: string): value is ChannelId {
  return /^chan_[1-8]$/.test(value);
}

/** Where a session last spoke; null: nowhere. @param row `channel` and `recipient` */
export function routeOf(session: Row): Route | null {
  if (session['channel'] === null) return null;
  return { channel: toChannelId(session), to: text(session, 'recipient') };
}

export function recipientsOf(rows: readonly Row[]): Partial<Record<ChannelId, string>> {
  return Object.fromEntries(rows.map((row) => [toChannelId(row), text(row, 'recipient')]));
}

/** The agent that a full key names, e.g. `main` of `agent:main:main`. */
export function agentIdOf(key: string): string {
  return key.split(':')[1] ?? key;
}

type ShownLine = SessionDetails['pendingSystemEvents'][number];

/** A waiting line as an operator sees it, of a row as for {@link toSystemEvent}; one that is damaged hides none beside it. */
export function toShownLine(row: Row): ShownLine {
  try {
    const { text: words, at, trust } = toSystemEvent(row, null);
    return { text: words, at: new Date(at).toISOString(), trust };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const at = optionalTime(row, 'at') ?? optionalTime(row, 'received_at') ?? '';
    return {
      text: `(${error.message}: put a backup in its place)`,
      at,
      trust: { level: 'untrusted', verifiedBy: 'none' },
    };
  }
}

export function keyOfCursor(cursor = ''): string {
  return Buffer.from(cursor, 'base64url').toString();
}

/** @param rows in the order of their keys, one more than `limit` where there are more */
export function toSessionPage(
  rows: readonly Row[],
  limit: number,
): { sessions: SessionSummary[]; nextCursor: string | null } {
  const sessions = rows.slice(0, limit).map(toSessionSummary);
  const last = rows.length > limit ? sessions.at(-1) : undefined;
  return { sessions, nextCursor: last ? Buffer.from(last.key).toString('base64url') : null };
}

function toSessionSummary(row: Row): SessionSummary {
  const key = text(row, 'key');
  return {
    key,
    agentId: agentIdOf(key),
    lastTurnAt: optionalTime(row, 'last_turn_at'),
    turns: integer(row, 'turns'),
    pendingSystemEvents: integer(row, 'pending'),
  };
}

type LineLimits = Omit<ContextLimits, 'maxHistoryCharacters'>;

/** What the next turn of a session is shown of its waiting lines: the oldest up to both limits, but at least one. */
export class OldestLines {
  readonly #limits: LineLimits;
  readonly #now: number;
  readonly #pending: SystemEvent[] = [];
  readonly #held: number[] = [];
  #heldUntil: number | null = null;
  #bytes = 0;
  #hasMore = false;

  /**
   * @param limits `maxBytes`: of their texts, in UTF-8. `maxHoldMs`: how long a delivery that is under way holds back the
   * line that tells of it; never by a time that lies ahead, which a clock that was set back leaves behind.
   */
  constructor(limits: LineLimits, now: number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** @param event the next of them. @returns false: it does not fit, and neither do those behind it */
  take(event: SystemEvent): boolean {
    const { maxEvents, maxBytes, maxHoldMs = 0 } = this.#limits;
    const { seq, at, delivery } = event;
    if (delivery?.status === 'pending' && at <= this.#now && at + maxHoldMs > this.#now) {
      this.#held.push(seq);
      this.#heldUntil = Math.min(this.#heldUntil ?? Infinity, at + maxHoldMs);
      return true;
    }
    this.#bytes += Buffer.byteLength(event.text);
    const fits = this.#pending.length < maxEvents && this.#bytes <= maxBytes;
    if (this.#pending.length > 0 && !fits) {
      this.#hasMore = true;
      return false;
    }
    this.#pending.push(event);
    return true;
  }

  get taken(): Pick<SessionContext, 'pending' | 'held' | 'heldUntil' | 'hasMore'> {
    return {
      pending: this.#pending,
      held: this.#held,
      heldUntil: this.#heldUntil,
      hasMore: this.#hasMore,
    };
  }
}
