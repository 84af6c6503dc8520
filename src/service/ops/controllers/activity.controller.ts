import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { Clock, LedgerAdmin } from '../../../hooks/index.ts';
import type { ActivityReport } from '../status-answers.ts';
import { QueryPipe } from '../operator-input.ts';
import { OperatorGuard } from '../access/operator.guard.ts';

const MINUTE_MS = 60_000;

/** Each window in steps that a chart can show side by side. */
const WINDOWS = {
  hour: { stepMs: MINUTE_MS, steps: 60 },
  day: { stepMs: 15 * MINUTE_MS, steps: 96 },
  week: { stepMs: 120 * MINUTE_MS, steps: 84 },
} as const;

/** Query of `GET /ops/api/activity`. */
export class ActivityQuery {
  /** `hour` in 60 steps of a minute, `day` in 96 of 15 minutes, or `week` in 84 of two hours. */
  @IsIn(Object.keys(WINDOWS))
  window: 'hour' | 'day' | 'week' = 'hour';
}

/** What happened lately, for charts. */
@Controller('ops/api/activity')
@UseGuards(OperatorGuard)
export class ActivityController {
  constructor(
    private readonly admin: LedgerAdmin,
    private readonly clock: Clock,
  ) {}

  /** What was accepted, refused, run and delivered, and what waited, in equal steps; the last one is the present one. */
  @Get()
  async activity(@Query(QueryPipe) { window }: ActivityQuery): Promise<ActivityReport> {
    const { stepMs, steps } = WINDOWS[window];
    const now = this.clock.now();
    const from = now - (now % stepMs) - (steps - 1) * stepMs;
    const activity = await this.admin.activity({ from, stepMs, steps });
    return {
      window,
      stepSeconds: stepMs / 1000,
      from: new Date(from).toISOString(),
      ...activity,
    };
  }
}
