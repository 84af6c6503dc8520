import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { WorkLedger } from '../ports/index.ts';
import type { ChannelBinding, DeliveryJob, DeliveryLease, HeldMessage } from '../ports/index.ts';
import { messagesOf } from './links.ts';
import { QuietHours } from './quiet-hours.ts';
import type { StepResult } from './step.ts';

/** Most messages that are sent as one. */
const MOST = 20;
/** A line that opens or closes a block of code. */
const FENCE = /^ {0,3}(?:```|~~~)/gmu;

/** What is sent, in place of itself and of what was held with it. */
interface Digest {
  readonly job: DeliveryJob;
  /** The others, whose work ends with its own. */
  readonly others: readonly HeldMessage[];
}

/**
 * What quiet hours have held for one recipient is sent as one message, as much of it as fits into one. Which they are is
 * durable before it is sent; each stays work of its own behind the first, and only its end is theirs: so one that is
 * erased is in no message any more, and when the message is refused each is tried and told of by itself.
 */
@Injectable()
export class Digests {
  constructor(
    private readonly ledger: WorkLedger,
    private readonly quiet: QuietHours,
  ) {}

  /** A message with those that are sent in it, but for what is to be quiet by now. */
  async joined(lease: DeliveryLease, binding: ChannelBinding | null): Promise<Digest> {
    const { job, part } = lease;
    const { together = [] } = job;
    if (together.length === 0 || part !== undefined) return { job, others: [] };
    const behind = await this.ledger.heldBehind(lease, MOST - 1);
    const others = behind.filter(
      (one) => together.includes(one.workId) && this.#maySend(one, binding),
    );
    return others.length === 0 ? { job, others } : { job: oneOf(job, others), others };
  }

  /** Writes which others are sent in a message, which is known before anything is sent; null: it was, or it was not held. */
  async join(lease: DeliveryLease, binding: ChannelBinding): Promise<StepResult | null> {
    const { job, part } = lease;
    if (job.wasHeld !== true || job.together !== undefined || part !== undefined) return null;
    const behind = await this.ledger.heldBehind(lease, MOST - 1);
    const fitting = this.#fit(job, behind, binding).map(({ workId }) => workId);
    return goingOnWith(job, fitting);
  }

  /** Sends each by itself: they are no longer one message. */
  part({ job }: DeliveryLease): StepResult {
    return goingOnWith(job, []);
  }

  /** The first of those behind it that fit into one message with it, and are in none that may have been sent. */
  #fit(
    job: DeliveryJob,
    behind: readonly HeldMessage[],
    binding: ChannelBinding,
  ): readonly HeldMessage[] {
    const fitting: HeldMessage[] = [];
    if (!canJoin(job, job)) return fitting;
    for (const message of behind) {
      if (!canJoin(job, message.job) || message.job.together !== undefined) break;
      if (!this.#maySend(message, binding)) break;
      if (messagesOf(binding.provider, oneOf(job, [...fitting, message])).length > 1) break;
      fitting.push(message);
    }
    return fitting;
  }

  #maySend({ job }: HeldMessage, binding: ChannelBinding | null): boolean {
    return binding === null || this.quiet.until(job, binding) === null;
  }
}

function goingOnWith(job: DeliveryJob, together: readonly number[]): StepResult {
  return { outcome: { type: 'continue', job: { ...job, together } }, changes: [] };
}

/** What a platform is to know a message by: another one, once a part of it was erased. */
export function digestKey(deliveryId: string, others: readonly HeldMessage[]): string {
  if (others.length === 0) return deliveryId;
  const ids = others.map(({ job }) => job.deliveryId).join();
  return `${deliveryId}:${hash('sha256', ids).slice(0, 16)}`;
}

/** Sent by the same channel and shown in the same way; a block of code that is left open would take in what is below it. */
function canJoin(first: DeliveryJob, job: DeliveryJob): boolean {
  return (
    job.channel === first.channel &&
    job.trust.level === first.trust.level &&
    job.allowLinks === first.allowLinks &&
    job.closing === undefined &&
    (job.text.match(FENCE)?.length ?? 0) % 2 === 0
  );
}

function oneOf(first: DeliveryJob, others: readonly HeldMessage[]): DeliveryJob {
  const texts = [first.text, ...others.map(({ job }) => job.text)];
  const head = `**${texts.length} messages that were held:**`;
  return { ...first, text: `${head}\n\n${texts.join('\n\n---\n\n')}` };
}
