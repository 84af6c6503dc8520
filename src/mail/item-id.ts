import { hash } from 'node:crypto';

/**
 * Names one message of one mailbox, for `dedupeKey` and the session: the same after any crash, never the same for two.
 * Nothing of it can be chosen by a sender (a `Message-ID` can, and may be repeated or absent).
 */
export function itemId(mailboxKey: string, uidValidity: string, uid: number): string {
  return `${hash('sha256', mailboxKey, 'hex').slice(0, 16)}-${uidValidity}-${uid}`;
}

/** Names a mailbox of an account, unambiguously. */
export function mailboxKeyOf(account: string, mailbox: string): string {
  // INBOX is the one name whose case means nothing.
  const name = mailbox.toUpperCase() === 'INBOX' ? 'INBOX' : mailbox;
  return JSON.stringify([account.toLowerCase(), name]);
}
