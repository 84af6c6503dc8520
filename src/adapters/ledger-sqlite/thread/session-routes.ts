import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ChannelId } from '../../../hooks/ports/channel.ts';
import type { Route } from '../../../hooks/ports/conversations.ts';
import { text } from './row.ts';
import type { Row } from './row.ts';

/** Where main sessions last spoke. */
export class SessionRoutes {
  readonly #setLast: StatementSync;
  readonly #setRecipient: StatementSync;
  readonly #session: StatementSync;
  readonly #recipients: StatementSync;

  constructor(db: DatabaseSync) {
    this.#setLast = db.prepare(
      `INSERT INTO sessions (key, channel, recipient) VALUES (?, ?, ?) ON CONFLICT (key)
       DO UPDATE SET channel = excluded.channel, recipient = excluded.recipient`,
    );
    this.#setRecipient = db.prepare(
      `INSERT INTO recipients (session, channel, recipient) VALUES (?, ?, ?)
       ON CONFLICT (session, channel) DO UPDATE SET recipient = excluded.recipient`,
    );
    this.#session = db.prepare('SELECT channel, recipient FROM sessions WHERE key = ?');
    this.#recipients = db.prepare('SELECT channel, recipient FROM recipients WHERE session = ?');
  }

  note(session: string, route: Route): void {
    this.#setLast.run(session, route.channel, route.to);
    this.#setRecipient.run(session, route.channel, route.to);
  }

  /** Undefined when the session is not known at all. */
  last(session: string): Route | null | undefined {
    const row = this.#session.get(session);
    if (row === undefined) return undefined;
    return row['channel'] === null ? null : { channel: channelOf(row), to: text(row, 'recipient') };
  }

  routes(session: string) {
    const byChannel: Partial<Record<ChannelId, string>> = {};
    for (const row of this.#recipients.all(session)) {
      byChannel[channelOf(row)] = text(row, 'recipient');
    }
    return { last: this.last(session) ?? null, byChannel };
  }
}

/** Ids are written only through the typed port, and a later release may know more of them than this one. */
function channelOf(row: Row): ChannelId {
  const channel = text(row, 'channel');
  return isChannelId(channel) ? channel : 'chan_1';
}

function isChannelId(value: string): value is ChannelId {
  return /^chan_[1-8]$/.test(value);
}
