import { hash, randomUUID } from 'node:crypto';
import { getField, getText, isRecord, parseJson } from '../platform/objects.ts';
import { MailStore } from './store.ts';
import type { Cursor, Kept, MailMemory, Outage } from './store.ts';

/** A text that services share and one of them holds: nobody else changes it meanwhile. */
export interface HeldText {
  /** As it was when it was taken; empty: nobody has saved any. */
  readonly text: string;
  /** Keeps another text, soon and in order; never throws. */
  save(text: string): void;
}

/** The name of the text that whoever watches a mailbox holds, where services share a database. */
export function sharedMailName(account: string): string {
  return `mail of ${account}`;
}

/**
 * What a watcher remembers where services share a database: the one that watches next goes on where this one was. A
 * change that is lost with a process only repeats what the hook then knows already.
 */
export class SharedMailStore implements MailMemory {
  readonly #held: HeldText;
  #kept: Kept;

  constructor(held: HeldText) {
    this.#held = held;
    this.#kept = parseKept(held.text);
  }

  cursor(mailboxKey: string): Cursor | undefined {
    return this.#kept.cursors[mailboxKey];
  }

  saveCursor(mailboxKey: string, cursor: Cursor): void {
    this.#keep({ cursors: { ...this.#kept.cursors, [mailboxKey]: cursor } });
  }

  beginOutage(account: string): Outage {
    const known = this.#kept.outages[account];
    if (known !== undefined) return known;
    const outage = { id: randomUUID(), isNotified: false };
    this.#keep({ outages: { ...this.#kept.outages, [account]: outage } });
    return outage;
  }

  markNotified(account: string): void {
    const outage = this.#kept.outages[account];
    if (outage === undefined) return;
    this.#keep({ outages: { ...this.#kept.outages, [account]: { ...outage, isNotified: true } } });
  }

  endOutage(account: string): void {
    const { [account]: ended, ...outages } = this.#kept.outages;
    if (ended !== undefined) this.#keep({ outages });
  }

  refreshToken(configured: string): string | undefined {
    return this.#kept.refreshTokens[hash('sha256', configured, 'hex')];
  }

  saveRefreshToken(configured: string, token: string): void {
    this.#keep({ refreshTokens: { [hash('sha256', configured, 'hex')]: token } });
  }

  /** Whoever holds the text lets it go. */
  close(): void {}

  #keep(changed: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...changed };
    this.#held.save(JSON.stringify(this.#kept));
  }
}

/** Keeps in a data directory what services on one database hold. @throws MailStoreHeld while a watcher works with it */
export function writeMailMemory(dir: string, text: string): void {
  const store = MailStore.open(dir);
  try {
    store.keep(parseKept(text));
  } finally {
    store.close();
  }
}

function parseKept(text: string): Kept {
  const given = parseJson(text);
  const entries = (key: string) => {
    const found = getField(given, key);
    return isRecord(found) ? Object.entries(found) : [];
  };
  const cursors = entries('cursors').map(([mailbox, cursor]): [string, Cursor] => [
    mailbox,
    {
      uidValidity: getText(cursor, 'uidValidity') ?? '',
      lastUid: Number(getText(cursor, 'lastUid')),
    },
  ]);
  const outages = entries('outages').map(([account, outage]): [string, Outage] => [
    account,
    { id: getText(outage, 'id') ?? '', isNotified: getField(outage, 'isNotified') === true },
  ]);
  const tokens = entries('refreshTokens').map(([key, token]): [string, string] => [
    key,
    String(token),
  ]);
  return {
    cursors: Object.fromEntries(cursors),
    outages: Object.fromEntries(outages),
    refreshTokens: Object.fromEntries(tokens),
  };
}
