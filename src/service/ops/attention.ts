import { Inject, Injectable } from '@nestjs/common';
import {
  Clock,
  ExternalServices,
  HooksSettings,
  LedgerAdmin,
  Refusals,
} from '../../hooks/index.ts';
import type { ChannelReport, WaitPage } from '../../hooks/index.ts';
import {
  MOST_HOOKS,
  ofBackend,
  ofBroken,
  ofDead,
  ofFailing,
  ofFiles,
  ofLoops,
  ofLost,
  ofMail,
  ofPackages,
  ofResting,
  ofService,
  ofStart,
  ofWaits,
} from './attention-items.ts';
import { ServiceCondition } from './condition.ts';
import type { Condition } from './condition.ts';
import { failedLately } from './controllers/refusals.controller.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsModuleOptions } from './ops-options.ts';
import type { AttentionItem } from './status-answers.ts';

// What needs a person, composed once for the console, the operator API and `hooks status`. Whether something is wrong
// is decided by whoever knows.

/** Codes of verified requests that failed because of what the operator wrote. */
const BROKEN_MAPPING: ReadonlySet<string> = new Set([
  'transform_failed',
  'transform_timeout',
  'mapping_failed',
]);

const NO_WAITS: WaitPage = { waits: [], total: 0, nextCursor: null };

interface KnownState {
  readonly condition: Condition;
  readonly channels: readonly ChannelReport[];
}

@Injectable()
export class Attention {
  constructor(
    private readonly condition: ServiceCondition,
    private readonly admin: LedgerAdmin,
    private readonly refusals: Refusals,
    private readonly services: ExternalServices,
    private readonly clock: Clock,
    private readonly settings: HooksSettings,
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
  ) {}

  /** @param known how the service and its channels are doing, where that was asked already. Never rejects. */
  async items(known?: KnownState): Promise<AttentionItem[]> {
    const [condition, failed, dead, waits, waiting, channels] = await Promise.all([
      known?.condition ?? this.condition.look(),
      failedLately(this.refusals, this.clock).catch(() => []),
      this.admin.dead().catch(() => []),
      this.admin.waits({ limit: 1 }).catch(() => NO_WAITS),
      this.admin.waiting().catch(() => []),
      known?.channels ?? this.services.channels(),
    ]);
    const failing = channels.filter(({ state }) => state === 'failing');
    const behind: ReadonlyMap<string, number> =
      failing.length > 0 ? await this.services.behind() : new Map();
    const configuration = this.options.configuration?.();
    const items = [
      ...ofService(condition),
      ...ofFiles(configuration?.refused ?? []),
      ...ofPackages(configuration?.missing ?? null),
      ...condition.backends.slice(0, MOST_HOOKS).map(ofBackend),
      ...ofLost(condition.lost ?? []),
      ...failed
        .filter(({ code }) => BROKEN_MAPPING.has(code))
        .slice(0, MOST_HOOKS)
        .map(ofBroken),
      ...failing.map((channel) => ofFailing(channel, behind.get(channel.id) ?? 0, dead)),
      ...ofMail(condition),
      ...ofLoops(waiting),
      ...ofWaits(waits),
      ...ofDead(dead.filter(({ channel }) => !failing.some(({ id }) => id === channel))),
      ...channels.filter(({ state }) => state === 'paused').map(ofResting),
      ...ofStart(configuration),
    ];
    const { hasCommand } = this.settings.names;
    return items
      .map((one) => (hasCommand ? one : { ...one, command: null }))
      .toSorted((a, b) => HARM.indexOf(a.severity) - HARM.indexOf(b.severity));
  }
}

const HARM: readonly AttentionItem['severity'][] = ['error', 'warning', 'info'];
