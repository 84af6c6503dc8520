import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { Clock, HookAuthentication, HooksSettings } from '../../hooks/index.ts';
import { listTokens } from '../token-list.ts';
import type { Tokens } from './answers.ts';
import { OperatorGuard } from './operator.guard.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsModuleOptions } from './ops-options.ts';

/** The tokens that open hooks, never themselves. */
@Controller('ops/api/tokens')
@UseGuards(OperatorGuard)
export class TokensController {
  constructor(
    private readonly settings: HooksSettings,
    private readonly authentication: HookAuthentication,
    private readonly clock: Clock,
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
  ) {}

  /** Every token in force, by its place: who has it, what it opens, until when, and when it was last used. */
  @Get()
  async list(): Promise<Tokens> {
    const kept = (await this.options.tokenUses?.()) ?? new Map();
    const uses = [kept, this.authentication.lastUses];
    return { tokens: listTokens(this.settings.current, uses, this.clock.now()) };
  }
}
