import { Injectable } from '@nestjs/common';
import { endOfHours } from '../../platform/hours.ts';
import { Clock, MOST_COLLECTED, RunRules } from '../ports/index.ts';
import type { ChannelBinding, DeliveryLease } from '../ports/index.ts';
import type { StepResult } from './step.ts';

/** Hours of one kind may begin where those of the other end. */
const MOST_STEPS = 4;

/**
 * Messages that wait for the end of quiet hours, those of their channel and those of their mapping. They let others to the
 * same recipient pass, since questions and notices are never held, and go as one.
 */
@Injectable()
export class QuietHours {
  constructor(
    private readonly rules: RunRules,
    private readonly clock: Clock,
  ) {}

  /** What becomes of a message that is not to be sent now; null: it is. Nothing of it was sent. */
  before({ job, attempt }: DeliveryLease, { quietHours }: ChannelBinding): StepResult | null {
    const isReply = job.asks === undefined && job.settles === undefined && job.isNotice !== true;
    if (!isReply || job.note !== undefined || job.forgets !== undefined) return null;
    const { mapping } = job.trust;
    const ofMapping = mapping === undefined ? undefined : this.rules.quietHoursOf(mapping);
    const now = this.clock.now();
    let until = now;
    for (let step = 0; step < MOST_STEPS && job.isUrgent !== true; step += 1) {
      const ends = [quietHours, ofMapping].map(
        (hours) => (hours && endOfHours(hours, until)) ?? until,
      );
      const end = Math.max(...ends);
      if (end === until) break;
      // They never end together, and hold nothing.
      until = step === MOST_STEPS - 1 ? now : end;
    }
    const note = (error: string | null) =>
      [{ type: 'delivery-update', id: job.deliveryId, error }] as const;
    if (until > now) {
      const at = `${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
      return {
        outcome: {
          type: 'wait',
          for: 'quiet-hours',
          until,
          holdsKey: false,
          // What may have been sent is sent again as it was, or its platform would not know it.
          job: { ...job, isHeld: job.isHeld ?? attempt === 1 },
        },
        changes: note(`held until the end of quiet hours, ${at}`),
      };
    }
    if (job.isHeld !== true) return null;
    return { outcome: { type: 'gather', most: MOST_COLLECTED }, changes: note(null) };
  }
}
