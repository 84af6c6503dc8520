// What sessions remember, from their rows: the same columns in every ledger.
import type { TranscriptMessage } from '../../hooks/ports/agent-runner.ts';
import type { ChannelId } from '../../hooks/ports/channel.ts';
import type { SystemEvent } from '../../hooks/ports/ledger.ts';
import { DELIVERY_STATUSES } from './event-rows.ts';
import { integer, optionalText, text, word } from './rows.ts';
import type { Row } from './rows.ts';
import { decodeOnlyWake } from './stored-head.ts';

/**
 * A line that waits for a turn.
 * @param row of `system_events`; of its delivery `channel`, `status` and `error`, null where it has none; where it has no
 * words of its own, of its event `head`, `payload`, `received_at` and `event_hook`
 */
export function toSystemEvent(row: Row): SystemEvent {
  const seq = integer(row, 'seq');
  const words = row['text'] === null ? wordsOfEvent(row) : ownWords(row);
  return { seq, ...words, ...(row['status'] !== null && { delivery: toDelivery(row) }) };
}

type Words = Pick<SystemEvent, 'text' | 'at' | 'trust' | 'hook'>;

function ownWords(row: Row): Words {
  return {
    text: text(row, 'text'),
    at: integer(row, 'at'),
    trust: JSON.parse(text(row, 'trust')),
    hook: text(row, 'hook'),
  };
}

/** Those of the only action of its event. */
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
export function toChannelId(row: Row): ChannelId {
  const channel = text(row, 'channel');
  return isChannelId(channel) ? channel : 'chan_1';
}

function isChannelId(value: string): value is ChannelId {
  return /^chan_[1-8]$/.test(value);
}
