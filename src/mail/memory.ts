import { hash, randomUUID } from 'node:crypto';
import { getField, getText, isRecord, parseJson } from '../platform/objects.ts';

/** How far a mailbox has been sent: everything up to `lastUid` is over. */
export interface Cursor {
  /** The mailbox's UIDVALIDITY: uids mean something under the same one only. */
  readonly uidValidity: string;
  readonly lastUid: number;
}

interface Outage {
  readonly id: string;
  readonly isNotified: boolean;
}

interface Kept {
  readonly cursors: Readonly<Record<string, Cursor>>;
  readonly outages: Readonly<Record<string, Outage>>;
  /** By the digest of the configured one; never more than one. */
  readonly refreshTokens: Readonly<Record<string, string>>;
}

/** A text that one watcher holds: nobody else changes it meanwhile. A file, or a row that services on one database share. */
export interface HeldText {
  /** As it was when it was taken; empty: nobody has saved any. */
  readonly text: string;
  /** Keeps another text, in order. A file @throws where it cannot be written */
  save(text: string): void;
  /** Lets it go. Absent: whoever took it does that. */
  close?(): void;
}

/** The name of the text that whoever watches a mailbox holds, where services share a database. */
export function sharedMailName(account: string): string {
  return `mail of ${account}`;
}

/** The one that watches next goes on where this one was. What a crash loses only repeats what the hook knows. */
export class MailMemory {
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

  /** The outage that is under way; it begins now when there is none. */
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

  /** Only the newest is kept: those of other configured tokens are forgotten. */
  saveRefreshToken(configured: string, token: string): void {
    this.#keep({ refreshTokens: { [hash('sha256', configured, 'hex')]: token } });
  }

  takeOver(text: string): void {
    const { cursors, outages, refreshTokens } = parseKept(text);
    this.#keep({
      cursors: { ...this.#kept.cursors, ...cursors },
      outages: { ...this.#kept.outages, ...outages },
      refreshTokens: { ...this.#kept.refreshTokens, ...refreshTokens },
    });
  }

  close(): void {
    this.#held.close?.();
  }

  #keep(changed: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...changed };
    this.#held.save(JSON.stringify(this.#kept));
  }
}

function parseKept(text: string): Kept {
  const given = parseJson(text);
  const entries = <T>(key: string, read: (value: unknown) => T): Record<string, T> => {
    const found = getField(given, key);
    return Object.fromEntries(
      Object.entries(isRecord(found) ? found : {}).map(([name, value]) => [name, read(value)]),
    );
  };
  return {
    cursors: entries('cursors', (cursor) => ({
      uidValidity: getText(cursor, 'uidValidity') ?? '',
      lastUid: Number(getText(cursor, 'lastUid')),
    })),
    outages: entries('outages', (outage) => ({
      id: getText(outage, 'id') ?? '',
      isNotified: getField(outage, 'isNotified') === true,
    })),
    refreshTokens: entries('refreshTokens', String),
  };
}
