// What is kept of replies for some hours, by which an event is known that one of them has caused (behaviour.md §16).

/** How long after a reply an event is looked at as caused by it; what goes round more slowly costs little. */
export const REPLY_KEPT_MS = 4 * 3_600_000;

/** The words around a reply that came back, as digests. */
export interface Frame {
  /** Those that the reply has not. */
  readonly sure: readonly string[];
  /** Besides, those that are not where the reply has them. */
  readonly words: readonly string[];
  /** The end of the reply was cut off, and with it whatever stood below. */
  readonly isCut: boolean;
}

/** What is known of the rounds up to a reply, each of which came of the reply before. */
export interface Rounds {
  /** By mapping, how many of its events in a row came of a reply and brought nothing new. */
  readonly counts: Readonly<Record<string, number>>;
  /** By mapping, what stood around the reply in these. */
  readonly around: Readonly<Record<string, Frame>>;
  /** Words of the event that began it, likewise: what says all of them again says it by itself. */
  readonly began: readonly string[];
}

/** Remembers a reply that is on its way. */
export interface ReplyChange {
  readonly type: 'reply';
  readonly runId: string;
  readonly eventId: string;
  /** Digests of some of its stretches of words that its event did not bring. */
  readonly marks: readonly string[];
  readonly rounds: Rounds;
  /** The run whose reply caused its event; absent: none that is known. */
  readonly cause?: string;
}

/** By what the reply is looked for that an event may have come of. */
export interface ReplySearch {
  readonly eventId: string;
  /** Digests of all stretches of words of the event's message. */
  readonly marks: readonly string[];
  /** Epoch milliseconds at which the event came. */
  readonly receivedAt: number;
}

/** A reply that may have caused an event. */
export interface FoundReply {
  readonly runId: string;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly rounds: Rounds;
  /** How many events it has caused already. */
  readonly uses: number;
  /** Where the event names its run: in a header, which programs pass on; or elsewhere; null: it does not. */
  readonly named: 'header' | 'payload' | null;
}

/** The header by which a webhook of ours names the run whose reply it is, and by which it is known when it comes back. */
export const RUN_HEADER = 'hooks-run';
