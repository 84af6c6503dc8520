import { Controller, Get, UseGuards } from '@nestjs/common';
import { Clock, LedgerAdmin } from '../../../hooks/index.ts';
import type { ActivityReport } from '../status-answers.ts';
import { OperatorGuard } from '../access/operator.guard.ts';

const STEP_MS = 60_000;
/** As many as a chart can show side by side. */
const STEPS = 60;

@Controller('ops/api/activity')
@UseGuards(OperatorGuard)
export class ActivityController {
  constructor(
    private readonly admin: LedgerAdmin,
    private readonly clock: Clock,
  ) {}

  /** What was accepted, refused, run and delivered in each minute of the last hour; the last one is the present one. */
  @Get()
  async activity(): Promise<ActivityReport> {
    const now = this.clock.now();
    const from = now - (now % STEP_MS) - (STEPS - 1) * STEP_MS;
    const activity = await this.admin.activity({ from, stepMs: STEP_MS, steps: STEPS });
    return { stepSeconds: STEP_MS / 1000, from: new Date(from).toISOString(), ...activity };
  }
}
