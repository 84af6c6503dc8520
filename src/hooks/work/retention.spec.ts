import { Logger } from '@nestjs/common';
import { HooksSettings } from '../options/index.ts';
import { Upkeep } from '../ports/index.ts';
import type { Retention as Limits } from '../ports/index.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { settled } from '../../../test/support/work-room.ts';
import { Retention } from './retention.ts';

const DAY = 86_400_000;

class StandInUpkeep extends Upkeep {
  readonly pruned: Limits[] = [];
  answers: (boolean | Error)[] = [];

  override async prune(limits: Limits): Promise<boolean> {
    this.pruned.push(limits);
    const answer = this.answers.shift() ?? false;
    if (answer instanceof Error) throw answer;
    return answer;
  }

  override async health(): Promise<void> {}
  override async close(): Promise<void> {}
}

function started(...answers: (boolean | Error)[]) {
  const clock = new ManualClock();
  const upkeep = new StandInUpkeep();
  upkeep.answers = answers;
  const settings = new HooksSettings({ retention: { payloadDays: 0, eventDays: 3 } });
  const retention = new Retention(upkeep, settings, clock);
  retention.start();
  return { clock, upkeep, retention, settings };
}

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['log', 'error', 'warn']));

describe('Retention (behaviour §11 store, issue 2: small steps that never block)', () => {
  it('forgets what is older than the settings say', async () => {
    const { clock, upkeep, retention } = started();
    await settled();
    const now = clock.now();
    expect(upkeep.pruned).toEqual([{ now, payloadsBefore: now, eventsBefore: now - 3 * DAY }]);
    await retention.stop();
  });

  it('rests 20 ms between steps and a minute between rounds', async () => {
    const { clock, upkeep, retention } = started(true, false);
    await settled();
    clock.advance(20);
    await settled();
    clock.advance(59_999);
    await settled();
    expect(upkeep.pruned).toHaveLength(2);
    clock.advance(1);
    await settled();
    expect(upkeep.pruned).toHaveLength(3);
    await retention.stop();
  });

  it('goes on a minute after it failed, with the settings then in force', async () => {
    const { clock, upkeep, retention, settings } = started(new Error('disk full'));
    await settled();
    await settings.replace({ retention: { eventDays: 9 } });
    clock.advance(60_000);
    await settled();
    expect(upkeep.pruned[1]?.eventsBefore).toBe(clock.now() - 9 * DAY);
    await retention.stop();
  });

  it('stops while it rests, and when it never began', async () => {
    const { clock, upkeep, retention } = started();
    await settled();
    await retention.stop();
    clock.advance(60_000);
    await settled();
    expect(upkeep.pruned).toHaveLength(1);
  });
});
