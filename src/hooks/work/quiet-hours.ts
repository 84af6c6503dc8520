import { Injectable } from '@nestjs/common';
import { endOfHours } from '../../platform/hours.ts';
import { dayAndTime } from '../../platform/time.ts';
import { AgentDirectory, Clock, RunRules, isDirect } from '../ports/index.ts';
import type { ChannelBinding, DeliveryJob } from '../ports/index.ts';
import type { StepResult } from './step.ts';

/** Hours of one kind may begin where those of the other end. */
const MOST_STEPS = 4;

/** Messages that are held let others to the same recipient pass, since questions and notices never are. */
@Injectable()
export class QuietHours {
  constructor(
    private readonly rules: RunRules,
    private readonly directory: AgentDirectory,
    private readonly clock: Clock,
  ) {}

  /** What becomes of a message that is not to be sent now; null: it is. */
  before(job: DeliveryJob, binding: ChannelBinding): StepResult | null {
    const until = this.#until(job, binding);
    if (until === null) return null;
    const error = `held until the end of quiet hours, ${dayAndTime(until)}`;
    return {
      outcome: { type: 'wait', for: 'quiet-hours', until, holdsKey: false },
      changes: [{ type: 'delivery-update', id: job.deliveryId, error }],
    };
  }

  /** Until when a message is held that would be sent now, in epoch milliseconds; null: it is sent. */
  #until(job: DeliveryJob, { quietHours }: Pick<ChannelBinding, 'quietHours'>): number | null {
    const isReply = job.asks === undefined && job.settles === undefined && job.isNotice !== true;
    if (!isReply || job.forgets !== undefined) return null;
    const { mapping } = job.trust;
    const ofMapping = mapping === undefined ? undefined : this.rules.quietHoursOf(mapping);
    const ofAgent = isDirect(job) ? undefined : this.directory.resolve(job.agentId).quietHours;
    const now = this.clock.now();
    let until = now;
    for (let step = 0; step < MOST_STEPS && job.isUrgent !== true; step += 1) {
      const ends = [quietHours, ofMapping, ofAgent].map(
        (hours) => (hours && endOfHours(hours, until)) ?? until,
      );
      const end = Math.max(...ends);
      if (end === until) break;
      // They never end together, and hold nothing.
      until = step === MOST_STEPS - 1 ? now : end;
    }
    return until === now ? null : until;
  }
}
