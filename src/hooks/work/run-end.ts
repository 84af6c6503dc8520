import { Injectable } from '@nestjs/common';
import { HooksSettings } from '../options/index.ts';
import { Clock, DELIVERY_WAIT_MS } from '../ports/index.ts';
import type { CapabilityContract, Change, RunJob, WaitRecipient } from '../ports/index.ts';
import { Outbox } from './outbox.ts';
import type { Dispatch } from './outbox.ts';
import { askHeartbeat, postSummary, summaryLine } from './summary.ts';

export interface ReplyEffects {
  /** In the order in which they take effect: summary posted, heartbeat requested, reply on its way. */
  readonly changes: readonly Change[];
  /** What the run's record says was posted; absent: nothing yet, since it waits for the delivery's end. */
  readonly summary?: string;
  /** Where the reply is on its way to; null: it is not. */
  readonly recipient: WaitRecipient | null;
}

const NOTHING: Dispatch = { changes: [], isUnderWay: false };

@Injectable()
export class RunEnd {
  constructor(
    private readonly outbox: Outbox,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * The heartbeat waits for the delivery's end, for 30 seconds at most; with `hooks.summary: unless-delivered` both summary
   * and heartbeat wait for it, however long.
   * @param level of what was shown, which decides how the reply is shown, and not only what was sent
   */
  async ofReply(
    job: RunJob,
    runId: string,
    text: string,
    level: CapabilityContract['trust'],
  ): Promise<ReplyEffects> {
    const summary = summaryLine(job.name, 'reply', text);
    // Read once: a reload in the middle must neither lose the summary nor post it twice.
    const canWait = this.settings.current.hooks.summary === 'unless-delivered';
    const shown = { ...job, trust: { ...job.trust, level } };
    const sent = await this.outbox.reply(shown, runId, text, canWait ? summary : undefined);
    const [delivery] = sent.changes.filter((change) => change.type === 'delivery');
    const recipient =
      sent.isUnderWay && delivery !== undefined
        ? { channel: delivery.channel, to: delivery.to }
        : null;
    if (sent.isUnderWay && canWait) return { changes: sent.changes, recipient };
    return { changes: [...this.tell(job, summary, sent), ...sent.changes], summary, recipient };
  }

  tell(job: RunJob, summary: string, { deliveryId, isUnderWay } = NOTHING): Change[] {
    const at = this.clock.now();
    // Its end makes the heartbeat due earlier.
    const dueAt = isUnderWay ? at + DELIVERY_WAIT_MS : undefined;
    return [postSummary({ ...job, deliveryId }, summary, at), ...askHeartbeat(job, at, dueAt)];
  }
}
