import type { Buttons, Tap } from '../../hooks/ports/channel.ts';
import { getField, getText } from '../../platform/objects.ts';
import { WHATSAPP_MARKS } from './markdown.ts';

// Reply buttons, and what Meta tells the app's webhook of a tap, signed with the app secret; one request may tell of several
// messages, and of what became of ours. Field by field from Meta's reference of May 2026:
// https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/interactive-reply-buttons-messages and
// …/webhooks/reference/messages/interactive, …/messages/group (`group_id`: it was tapped in a group).

/** Characters of the text above the buttons, whose marks are those of any text. */
const BODY_CHARS = 1024;
/** Up to 256 characters. */
const ID = /^(approve|deny) ([\w-]{22})$/;

/** @param code what a tap brings back */
export function questionContent(text: string, code: string): object {
  const button = (word: string, title: string) => ({
    type: 'reply',
    reply: { id: `${word} ${code}`, title },
  });
  const buttons = [button('approve', 'Approve'), button('deny', 'Deny')];
  const interactive = { type: 'button', body: { text }, action: { buttons } };
  return { type: 'interactive', interactive };
}

type Say = (to: string, text: string, signal: AbortSignal) => Promise<void>;

export class WhatsAppButtons implements Buttons {
  readonly people = 'whatsapp';
  readonly scheme = 'meta';
  readonly changesNothing = true;

  constructor(
    private readonly phoneNumberId: string,
    private readonly say: Say,
  ) {}

  /** Recipients are numbers. */
  isPrivate(): boolean {
    return true;
  }

  address(to: string): string {
    return `+${to.replace(/\D/g, '')}`;
  }

  /** Three backticks begin a block of code and end it. */
  blocks(part: string): readonly string[] {
    const pieces = part.split(WHATSAPP_MARKS.fence);
    // An uneven number of them: nobody knows which is which.
    if (part.length > BODY_CHARS || pieces.length % 2 === 0) return [];
    return pieces.filter((_piece, n) => n % 2 === 1).map((code) => code.replace(/^\n|\n$/g, ''));
  }

  read(body: unknown): readonly Tap[] {
    return changesOf(body).flatMap((change) => this.#taps(getField(change, 'value')));
  }

  saysMore(body: unknown): boolean {
    const changes = changesOf(body);
    const told = changes.flatMap((change) => {
      const value = getField(change, 'value');
      return [...list(value, 'messages'), ...list(value, 'statuses'), ...list(value, 'errors')];
    });
    return told.length > this.read(body).length || !changes.every(isOfMessages);
  }

  answer({ to }: Tap, words: string, signal: AbortSignal): Promise<void> {
    return this.say(to, words, signal);
  }

  #taps(value: unknown): Tap[] {
    if (getText(value, 'metadata', 'phone_number_id') !== this.phoneNumberId) return [];
    return list(value, 'messages').flatMap((message) => {
      const reply = getText(message, 'interactive', 'button_reply', 'id') ?? '';
      const [, word, code] = ID.exec(reply) ?? [];
      const from = getText(message, 'from');
      const isOfGroup = getField(message, 'group_id') !== undefined;
      if (code === undefined || from === undefined || isOfGroup) return [];
      const to = this.address(from);
      return [
        {
          id: getText(message, 'id') ?? '',
          code,
          verdict: word === 'approve' ? 'approved' : 'denied',
          by: `${this.people}:${to}`,
          to,
          messageId: getText(message, 'context', 'id') ?? '',
        },
      ];
    });
  }
}

function changesOf(body: unknown): readonly unknown[] {
  return list(body, 'entry').flatMap((entry) => list(entry, 'changes'));
}

function isOfMessages(change: unknown): boolean {
  return getField(change, 'field') === 'messages';
}

function list(value: unknown, key: string): readonly unknown[] {
  const found = getField(value, key);
  return Array.isArray(found) ? found : [];
}
