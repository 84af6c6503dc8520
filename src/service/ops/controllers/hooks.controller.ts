import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import {
  Clock,
  EventStore,
  HooksSettings,
  Refusals,
  configuredHooks,
} from '../../../hooks/index.ts';
import { listHooks } from '../../senders/hook-list.ts';
import type { Hooks } from '../answers.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';

const DAY_MS = 86_400_000;

@Controller('ops/api/hooks')
@UseGuards(OperatorGuard)
export class HooksController {
  constructor(
    private readonly settings: HooksSettings,
    private readonly events: EventStore,
    private readonly refusals: Refusals,
    private readonly clock: Clock,
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
  ) {}

  /** Every way in, the built-in ones first, with what was accepted and refused there in the last 24 hours. */
  @Get()
  async list(): Promise<Hooks> {
    const { current } = this.settings;
    const now = this.clock.now();
    const since = now - DAY_MS;
    const names = configuredHooks(current).flatMap(({ name }) => name ?? []);
    const [uses, refusals] = await Promise.all([
      this.events.hookUses(names, since),
      this.refusals.countByHook(since),
    ]);
    const { hooksPath: prefix, hooksOrigin } = this.options;
    const place = { prefix, base: current.hooks.publicUrl ?? hooksOrigin };
    return {
      isEnabled: current.hooks.enabled,
      since: new Date(since).toISOString(),
      hooks: listHooks(current, { uses, refusals }, place, now),
    };
  }
}
