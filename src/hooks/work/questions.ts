// What a person is asked about a run, from the words to the message that says how it ended:
//
//   put ─▶ the wait keeps what was shown, as a digest, and of the code that its buttons carry another one
//       ─▶ a delivery asks; with it, where there are buttons, somebody waits for taps (tap-step.ts)
//       ─▶ the wait's end, whoever ends it, queues a delivery that changes the message: how it ended, and no buttons
//
// There are buttons only where the platform shows all of what is asked about, as it is, and somebody may answer there.
// Beside it stands the beginning of what the agent was asked, which yields where both do not fit.
import { Injectable } from '@nestjs/common';
import { hash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { EXCERPT_CHARS, isAllSeen } from '../boundary/index.ts';
import { HooksSettings } from '../options/index.ts';
import { Clock, LedgerAdmin } from '../ports/index.ts';
import type {
  AskedAt,
  Buttons,
  Change,
  DeliveryJob,
  NewWait,
  NewWork,
  RunJob,
  WaitDetails,
  WaitRecipient,
} from '../ports/index.ts';
import { ChannelDelivery } from './channel-delivery.ts';
import { messagesOf, plainLinks, showsLinks } from './links.ts';
import { OperatorAddress } from './operator-address.ts';
import { asWord, endText, questionOf, wouldHappen } from './question-text.ts';
import type { Question, Shown } from './question-text.ts';

interface Put {
  readonly wait: NewWait;
  /** What says how it ended; absent: nothing does. */
  readonly onEnd?: NewWork;
  readonly changes: readonly Change[];
}

/** Bytes of what buttons carry: nobody guesses them. */
const CODE_BYTES = 16;
/** Room in a message for how it ended. */
const END_ROOM = `\n\n${'word '.repeat(60)}`;
/** Most characters of what the agent was asked: the first that leaves room for all of what is asked about. */
const EXCERPTS = [EXCERPT_CHARS, 400, 200];
/** No platform shows a longer text in one message. */
const MAX_WHOLE = 20_000;
/** In place of a question whose event was erased. */
const FORGOTTEN =
  '**This question was forgotten**: an operator had its event erased, so nothing comes of it.';

@Injectable()
export class Questions {
  constructor(
    private readonly operator: OperatorAddress,
    private readonly channels: ChannelDelivery,
    private readonly ledger: LedgerAdmin,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /** What is kept of a question beside itself, and what puts it. @param isAsked false: there are too many to be put */
  put(job: RunJob, question: Question, isAsked: boolean): Put {
    const { wait, level } = question;
    const { approvers } = job.approve ?? {};
    const kept = {
      ...wait,
      digest: digestOf(job, wait, question.text),
      ...(approvers !== undefined && { approvers }),
    };
    const asked = isAsked ? this.operator.find() : null;
    if (asked === null) return { wait: kept, changes: [] };
    const { hasCommand } = this.settings.names;
    const more = {
      eventId: job.eventId,
      name: 'Question',
      trust: { level, verifiedBy: 'none' },
      ...(job.deliver?.allowLinks === true && { allowLinks: true }),
    } as const;
    const canTap = this.#canTap(asked, approvers);
    const isShort = canTap && question.text.length <= MAX_WHOLE;
    const fit = isShort ? this.channels.get(asked.channel)?.buttons?.fit : undefined;
    const about = fit?.(question.text) ?? question.text;
    const whole = isShort
      ? EXCERPTS.map((most) => questionOf(job, question, hasCommand, { about, most })).find(
          (shown) => this.#showsAll(asked, { ...more, ...shown }, question),
        )
      : undefined;
    if (whole === undefined) {
      const { text } = questionOf(job, question, hasCommand, { isDoubted: canTap });
      const { consoleUrl } = this.settings.current.hooks;
      const closing = consoleUrl && `Decide in the console: ${consoleUrl}/decisions#${wait.id}`;
      const asks = { ...more, asks: { wait: wait.id }, ...(closing && { closing }) };
      const put = this.operator.message(asked, text, asks);
      return { wait: { ...kept, asked }, changes: [put] };
    }
    const code = randomBytes(CODE_BYTES).toString('base64url');
    // What cannot be changed is not repeated.
    const before = this.#changes(asked) ? whole.text : wouldHappen(job, wait);
    const onEnd = this.operator.work(asked, before, { ...more, settles: wait.id });
    const hearing = this.#hearing(asked);
    return {
      wait: { ...kept, asked, code: codeDigest(code) },
      onEnd,
      changes: [
        this.operator.message(asked, whole.text, { ...more, asks: { wait: wait.id, code } }),
        ...hearing,
      ],
    };
  }

  /** Where whoever is not asked finds what waits. */
  get whereListed(): string {
    return this.settings.names.hasCommand
      ? '`hooks decisions` lists them'
      : 'the console lists them';
  }

  async ending(waitId: string): Promise<readonly Change[]> {
    const work = (await this.ledger.question({ id: waitId }))?.onEnd ?? null;
    return work === null ? [] : [{ type: 'work', work }];
  }

  async isShown(
    job: RunJob,
    { id, kind }: WaitDetails,
    text: string,
    recipient: WaitRecipient | null,
  ): Promise<boolean> {
    const question = await this.ledger.question({ id });
    return question?.digest === digestOf(job, { kind, recipient }, text);
  }

  /** @param job that asks, or that says how it ended. @returns null: nothing is said of the question any more */
  async ready(job: DeliveryJob): Promise<{ job: DeliveryJob; replaces?: string } | null> {
    const { asks, settles, forgets } = job;
    const replaced = (messageId: string) => (this.#changes(job) ? { replaces: messageId } : {});
    if (forgets !== undefined) return { job: { ...job, text: FORGOTTEN }, ...replaced(forgets) };
    if (settles !== undefined) {
      const question = await this.ledger.question({ id: settles });
      const { messageId = null, decision = null } = question ?? {};
      if (messageId === null || decision === null) return null;
      const text = `${job.text}\n\n${endText(decision)}`;
      return { job: { ...job, text }, ...replaced(messageId) };
    }
    if (asks === undefined) return { job };
    const question = await this.ledger.question({ id: asks.wait });
    return question?.decision === null ? { job } : null;
  }

  /** Whether its messages can be changed. */
  #changes({ channel }: Pick<AskedAt, 'channel'>): boolean {
    return this.channels.get(channel)?.buttons?.changesNothing !== true;
  }

  #canTap({ channel, to }: AskedAt, approvers: readonly string[] | undefined): boolean {
    const buttons = this.channels.get(channel)?.buttons;
    // One of a host that is older than `blocks` proves nothing.
    if (buttons == null || !('blocks' in buttons) || !this.#isHeard(buttons)) return false;
    if (approvers === undefined) return buttons.isPrivate(to);
    return approvers.some((approver) => approver.startsWith(`${buttons.people}:`));
  }

  /** What waits for taps in a channel, of whose account there is one such at a time. */
  #hearing({ channel }: AskedAt): readonly Change[] {
    if (this.channels.get(channel)?.buttons?.polling === undefined) return [];
    const key = `taps ${this.channels.accountOf(channel)}`;
    const job = { v: 1, taps: channel } as const;
    const dueAt = this.clock.now();
    const work = { lane: 'delivery', key, kind: 'notice', dueAt, once: true, job } as const;
    return [{ type: 'work', work }];
  }

  /** Whether it would be heard of a tap: by asking, or by a hook to which the platform tells it. */
  #isHeard({ polling, people, scheme = people }: Buttons): boolean {
    const { mappings } = this.settings.current.hooks;
    return polling !== undefined || mappings.some(({ verify }) => verify?.scheme === scheme);
  }

  /** Whether the platform shows in one message what is asked about, and nothing but that and its request as such, sign by sign. */
  #showsAll(
    { channel }: AskedAt,
    message: Pick<DeliveryJob, 'text' | 'trust' | 'allowLinks'> & Pick<Shown, 'quotes'>,
    { text: about, wait }: Question,
  ): boolean {
    const to = wait.recipient?.to ?? '';
    if (!isAllSeen(about) || (to !== '' && !isAllSeen(to)) || asWord(to) !== to) return false;
    const platform = this.channels.get(channel)!;
    const text = this.#changes({ channel }) ? message.text + END_ROOM : message.text;
    const [part = '', ...more] = messagesOf(platform, { ...message, text });
    if (more.length > 0) return false;
    const shown = platform.buttons?.blocks(part).map(withoutBreaks);
    const quotes = message.quotes.map((quote) => (showsLinks(message) ? quote : plainLinks(quote)));
    return isDeepStrictEqual(shown, quotes.map(withoutBreaks));
  }
}

function digestOf(
  { agentId }: RunJob,
  { kind, recipient = null }: { kind: NewWait['kind']; recipient?: WaitRecipient | null },
  text: string,
): string {
  return hash('sha256', JSON.stringify([kind, agentId, recipient?.channel, recipient?.to, text]));
}

export function codeDigest(code: string): string {
  return hash('sha256', code, 'base64url');
}

/** Some platforms put it where a mention would be made. */
function withoutBreaks(text: string): string {
  return text.replaceAll('\u200b', '');
}
