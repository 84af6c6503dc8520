/** How far a mailbox has been sent: everything up to `lastUid` is over. */
export interface Cursor {
  /** The mailbox's UIDVALIDITY: uids mean something under the same one only. */
  readonly uidValidity: string;
  readonly lastUid: number;
}

/** What a mailbox says of itself when it is opened. */
export interface OpenedMailbox {
  readonly uidValidity: string;
  /** The uid that the next new message will get at least. */
  readonly uidNext: number;
}

/** Where to go on, and why there. */
export interface Resumption {
  readonly cursor: Cursor;
  /** `kept`: after the last one. The others begin with the next new message: what lies there is not sent. */
  readonly reason: 'kept' | 'first' | 'renumbered';
}

/** Goes on where the saved cursor ends; without a cursor that means anything here, with what arrives from now on. */
export function resume(saved: Cursor | undefined, opened: OpenedMailbox): Resumption {
  const fromNow = { uidValidity: opened.uidValidity, lastUid: Math.max(opened.uidNext - 1, 0) };
  if (saved === undefined) return { cursor: fromNow, reason: 'first' };
  // A cursor beyond the end would keep new mail back until its uids have caught up.
  const isTrue = saved.uidValidity === opened.uidValidity && saved.lastUid < opened.uidNext;
  return isTrue ? { cursor: saved, reason: 'kept' } : { cursor: fromNow, reason: 'renumbered' };
}
