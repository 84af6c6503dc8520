import { Inject, Injectable } from '@nestjs/common';
import { CHANNEL_BINDINGS } from '../ports/index.ts';
import type { Channel, ChannelBindings, ChannelId } from '../ports/index.ts';

/** The channels of this gateway, by id. */
@Injectable()
export class ChannelRegistry {
  constructor(@Inject(CHANNEL_BINDINGS) private readonly bindings: ChannelBindings) {}

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
