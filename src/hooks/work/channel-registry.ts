import { Inject, Injectable } from '@nestjs/common';
import { HooksSettings } from '../options/index.ts';
import { CHANNEL_BINDINGS, CHANNEL_IDS } from '../ports/index.ts';
import type { Channel, ChannelBinding, ChannelBindings, ChannelId } from '../ports/index.ts';
import { unservedChannels } from './unserved-channels.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_RETRY_HOURS = 24;

/** The channels of this gateway, by id. */
@Injectable()
export class ChannelRegistry {
  constructor(
    @Inject(CHANNEL_BINDINGS) private readonly bindings: ChannelBindings,
    settings: HooksSettings,
  ) {
    settings.addCheck((next) => ({
      problems: [],
      warnings: unservedChannels(next, this.bindings),
    }));
  }

  /** The channels that somebody serves, in their order. */
  get ids(): readonly ChannelId[] {
    return CHANNEL_IDS.filter((id) => this.bindings[id] !== undefined);
  }

  get isEmpty(): boolean {
    return this.ids.length === 0;
  }

  /** How a channel is served; null when it is not. */
  binding(id: ChannelId): ChannelBinding | null {
    return this.bindings[id] ?? null;
  }

  /** The platform behind a channel; null when none is configured. */
  get(id: ChannelId): Channel | null {
    return this.bindings[id]?.provider ?? null;
  }

  /** The first channel with the same account; itself when it has its own, or nobody serves it. */
  accountOf(id: ChannelId): ChannelId {
    const provider = this.get(id);
    if (provider === null) return id;
    return this.ids.find((other) => this.get(other) === provider) ?? id;
  }

  /** Recipient when nobody named one and the channel has none to remember. */
  defaultRecipient(id: ChannelId): string | null {
    return this.bindings[id]?.to ?? null;
  }

  /** How long a delivery is tried again, from its acceptance. */
  get retryMs(): number {
    return (this.bindings.retryHours ?? DEFAULT_RETRY_HOURS) * HOUR_MS;
  }
}
