import { Inject, Injectable } from '@nestjs/common';
import { HooksSettings } from '../options/index.ts';
import type { Problem, ResolvedHooksOptions } from '../options/index.ts';
import { CHANNEL_BINDINGS } from '../ports/index.ts';
import type { Channel, ChannelBindings, ChannelId } from '../ports/index.ts';

/** The channels of this gateway, by id. */
@Injectable()
export class ChannelRegistry {
  constructor(
    @Inject(CHANNEL_BINDINGS) private readonly bindings: ChannelBindings,
    settings: HooksSettings,
  ) {
    settings.addCheck((next) => ({ problems: [], warnings: this.#unserved(next) }));
  }

  /** A mapping to a channel that nobody serves works, and each of its deliveries fails. */
  #unserved({ hooks }: ResolvedHooksOptions): Problem[] {
    return hooks.mappings.flatMap(({ channel, deliver }, index) => {
      const isServed = channel === undefined || channel === 'last' || this.get(channel) !== null;
      if (isServed || deliver === false) return [];
      const message = `names a channel without a provider; configure channels.${channel}`;
      return [{ key: `hooks.mappings[${index}].channel`, message }];
    });
  }

  get isEmpty(): boolean {
    return Object.keys(this.bindings).length === 0;
  }

  /** The platform behind a channel; null when none is configured. */
  get(id: ChannelId): Channel | null {
    return this.bindings[id]?.provider ?? null;
  }

  /** Recipient when nobody named one and the channel has none to remember. */
  defaultRecipient(id: ChannelId): string | null {
    return this.bindings[id]?.to ?? null;
  }
}
