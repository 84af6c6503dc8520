import { Injectable, Logger } from '@nestjs/common';
import { describeError } from '../../platform/errors.ts';
import { Clock, LedgerAdmin, TapDoor } from '../ports/index.ts';
import type { AskedQuestion, Buttons, Decision, Tap, WaitDecision } from '../ports/index.ts';
import { ChannelDelivery } from './channel-delivery.ts';
import { codeDigest } from './questions.ts';

const OVER = 'The time to decide is over.';
const REPLACED = 'A newer run has taken its place.';
const FORGOTTEN = 'Nobody asks this any more.';
const STRANGER = 'You may not decide this.';

/** Longest time in which a platform is told what becomes of a tap. */
const ANSWER_MS = 30_000;

@Injectable()
export class Taps extends TapDoor {
  readonly #logger = new Logger(Taps.name);

  constructor(
    private readonly ledger: LedgerAdmin,
    private readonly channels: ChannelDelivery,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** Durable when it resolves; that the platform could not be told is no failure. */
  async take(buttons: Buttons, tap: Tap): Promise<void> {
    await this.#answer(buttons, tap, await this.#decide(buttons, tap));
  }

  override knock(scheme: string, body: unknown): Promise<object | null> | null {
    for (const id of this.channels.ids) {
      const buttons = this.channels.get(id)?.buttons;
      if (buttons == null || (buttons.scheme ?? buttons.people) !== scheme) continue;
      const taps = buttons.read?.(body) ?? [];
      if (taps.length > 0) return this.#takeAtDoor(buttons, taps, body);
    }
    return null;
  }

  async #takeAtDoor(buttons: Buttons, taps: readonly Tap[], body: unknown): Promise<object | null> {
    const answers: string[] = [];
    for (const tap of taps) {
      const outcome = await this.#decide(buttons, tap);
      // The platform waits for our answer, and for seconds only.
      void this.#answer(buttons, tap, outcome);
      answers.push(outcome.words);
    }
    if (buttons.saysMore?.(body) === true) return null;
    const [words = '', ...others] = answers;
    return (others.length === 0 && buttons.inAnswer?.(words)) || {};
  }

  async #answer(buttons: Buttons, tap: Tap, { words, isOver, decides }: Outcome): Promise<void> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const telling = [buttons.answer(tap, words, signal)];
    // Nothing changes a second copy of a question, one of which nothing is known any more, or whose change was given up.
    if (isOver && tap.code !== '' && decides?.messageId !== tap.messageId) {
      telling.push(buttons.clear?.(tap, signal) ?? Promise.resolve());
    }
    for (const told of await Promise.allSettled(telling)) {
      if (told.status === 'fulfilled') continue;
      this.#logger.warn(`a tap of ${tap.by} is not answered: ${describeError(told.reason)}`);
    }
  }

  async #decide(buttons: Buttons, tap: Tap): Promise<Outcome> {
    const { code, by } = tap;
    const question = await this.ledger.question({ code: codeDigest(code) });
    if (question === null || this.#isElsewhere(buttons, question)) {
      return { words: FORGOTTEN, isOver: true };
    }
    if (!mayDecide(buttons, tap, question)) {
      this.#logger.warn(`${by} has tapped a question that others decide`);
      return { words: STRANGER, isOver: false };
    }
    return this.#take(question, { verdict: tap.verdict, by, at: this.clock.now() });
  }

  async #take(question: AskedQuestion, decision: Decision): Promise<Outcome> {
    const { id, asked } = question;
    const { verdict, by = '' } = decision;
    switch (await this.ledger.decide(id, decision)) {
      case 'decided':
        await this.#audit(id, decision, asked?.channel);
        return {
          words: verdict === 'approved' ? 'Approved.' : 'Denied.',
          isOver: true,
          decides: question,
        };
      case 'decided-before': {
        const known = await this.ledger.question({ id });
        return { words: decidedBefore(known?.decision, by), isOver: true };
      }
      case 'over':
        return { words: OVER, isOver: true };
      // A tap brings no words of a reply.
      case 'no-reply':
      case 'unknown':
        return { words: FORGOTTEN, isOver: true };
    }
  }

  /** Whoever taps on one platform decides nothing that was asked on another. */
  #isElsewhere({ people }: Buttons, { asked }: AskedQuestion): boolean {
    return asked === null || this.channels.get(asked.channel)?.buttons?.people !== people;
  }

  /** As what operators do; what cannot be written down is done all the same. */
  async #audit(subject: string, { verdict, by = '', at }: Decision, channel = ''): Promise<void> {
    const entry = { at, actor: by, client: null, operation: 'tap', subject } as const;
    const after = { verdict, channel };
    await this.ledger
      .audit({ ...entry, outcome: 'done', before: null, after })
      .catch((error: unknown) => {
        this.#logger.error(`a decision of ${by} is not in the audit: ${describeError(error)}`);
      });
  }
}

interface Outcome {
  readonly words: string;
  readonly isOver: boolean;
  readonly decides?: AskedQuestion;
}

/** Whom the operator named; where nobody is named, whoever is asked in a private conversation. */
function mayDecide(buttons: Buttons, tap: Tap, { approvers, asked }: AskedQuestion): boolean {
  const address = (to: string) => buttons.address?.(to) ?? to;
  const prefix = `${buttons.people}:`;
  if (approvers !== null) {
    const people = approvers.filter((one) => one.startsWith(prefix));
    return people.some((one) => tap.by === prefix + address(one.slice(prefix.length)));
  }
  const [chat = ''] = asked?.to.split('/') ?? [];
  const name = address(chat);
  return buttons.isPrivate(chat) && (name === tap.to || tap.by === prefix + name);
}

function decidedBefore(decision: WaitDecision | null | undefined, by: string): string {
  if (decision == null) return FORGOTTEN;
  if (decision.verdict === 'expired') return decision.reason === null ? OVER : REPLACED;
  const who = decision.by === by ? 'You have' : `${decision.by ?? 'Somebody'} has`;
  return `${who} ${decision.verdict} this.`;
}
