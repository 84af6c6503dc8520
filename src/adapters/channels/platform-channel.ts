import { Channel } from '../../hooks/ports/channel.ts';
import type { RecipientKind } from './recipients.ts';
import { splitText } from './split-text.ts';

/** What the platforms of this folder have in common: a name, a kind of recipient, a form of text and its limit. */
export abstract class PlatformChannel extends Channel {
  /** Longest text of one message, in UTF-16 units. */
  protected abstract readonly limit: number;
  /** Null: anything may be a recipient. */
  protected abstract readonly recipient: RecipientKind | null;

  override expectedInsteadOf(to: string): string | null {
    if (this.recipient === null) return to.trim() === '' ? 'a recipient' : null;
    return this.recipient.pattern.test(to) ? null : this.recipient.expected;
  }

  override parts(markdown: string): readonly string[] {
    return splitText(this.form(markdown), this.limit);
  }

  /** Markdown in the platform's own form, without anything that would notify people. */
  protected abstract form(markdown: string): string;
}
