import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import {
  Clock,
  HookAuthentication,
  HooksSettings,
  secretName,
  tokenWarnings,
  writtenTokens,
} from '../../../hooks/index.ts';
import type { ResolvedHooksOptions } from '../../../hooks/index.ts';
import type { TokenReport, Tokens } from '../answers.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';

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

/**
 * Every secret of the configuration in force, `hooks.token` first, without anything it could be found by.
 * @param uses when each was last used, the later over the earlier; in epoch milliseconds, by `secretName`
 * @param now epoch milliseconds, for tokens that end
 */
function listTokens(
  { hooks }: ResolvedHooksOptions,
  uses: readonly ReadonlyMap<string, number>[],
  now: number,
): TokenReport[] {
  const warnings = new Map(tokenWarnings(hooks, now).map(({ key, message }) => [key, message]));
  const written = writtenTokens(hooks).filter(({ text }) => text !== '');
  return written.map(({ key, id, text, hooks: named, endsAt }) => {
    const name = secretName(text);
    const usedAt = Math.max(...uses.map((one) => one.get(name) ?? 0), 0);
    return {
      key,
      id,
      hooks: named,
      notAfter: Number.isFinite(endsAt) ? new Date(endsAt).toISOString() : null,
      isEnded: endsAt <= now,
      lastUsedAt: usedAt === 0 ? null : new Date(usedAt).toISOString(),
      warning: warnings.get(key) ?? null,
    };
  });
}
