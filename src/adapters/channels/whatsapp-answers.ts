import type { Buttons, HeardText, HeardTexts, Tap } from '../../hooks/ports/channel.ts';
import { getField, getText } from '../../platform/objects.ts';
import { WHATSAPP_MARKS } from './markdown.ts';

// What people write to a number, as Meta tells it to the app's webhook, signed with the app secret; one request may tell of
// several messages, and of what became of ours. Field by field from Meta's reference of May 2026:
// https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview and …/reference/messages/text,
// …/reference/messages/group (`group_id`: it was written in a group, where others read it).

type Say = (to: string, text: string, signal: AbortSignal) => Promise<void>;

export class WhatsAppAnswers implements Buttons {
  readonly people = 'whatsapp';
  readonly scheme = 'meta';

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
    if (pieces.length % 2 === 0) return [];
    return pieces.filter((_piece, n) => n % 2 === 1).map((code) => code.replace(/^\n|\n$/g, ''));
  }

  hear(body: unknown): HeardTexts {
    const changes = list(body, 'entry').flatMap((entry) => list(entry, 'changes'));
    const texts = changes.flatMap((change) => this.#texts(getField(change, 'value')));
    const told = changes.flatMap((change) => {
      const value = getField(change, 'value');
      return [...list(value, 'messages'), ...list(value, 'statuses'), ...list(value, 'errors')];
    });
    const isAll = told.length === texts.length && changes.every(isOfMessages);
    return { texts, isAll };
  }

  answer({ to }: Tap, words: string, signal: AbortSignal): Promise<void> {
    return this.say(to, words, signal);
  }

  #texts(value: unknown): HeardText[] {
    if (getText(value, 'metadata', 'phone_number_id') !== this.phoneNumberId) return [];
    return list(value, 'messages').flatMap((message) => {
      const [from, text] = [getText(message, 'from'), getText(message, 'text', 'body')];
      const isOfGroup = getField(message, 'group_id') !== undefined;
      if (from === undefined || text === undefined || isOfGroup) return [];
      const to = this.address(from);
      return [{ id: getText(message, 'id') ?? '', text, by: `${this.people}:${to}`, to }];
    });
  }
}

function isOfMessages(change: unknown): boolean {
  return getField(change, 'field') === 'messages';
}

function list(value: unknown, key: string): readonly unknown[] {
  const found = getField(value, key);
  return Array.isArray(found) ? found : [];
}
