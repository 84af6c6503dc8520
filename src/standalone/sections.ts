import type { ClassConstructor } from 'class-transformer';
import { AgentsOptions, CHANNEL_IDS, HooksOptions, ModelsOptions } from '../hooks/index.ts';
import { MailOptions } from '../mail/index.ts';
import { ChannelOptions, ChannelsOptions } from './channel-options.ts';
import { GatewayOptions } from './gateway-options.ts';
import { OpsOptions } from './ops-options.ts';
import { StoreOptions } from './store-options.ts';

/** One section of gateway.json5 by the classes that describe its keys. */
export interface Section {
  /** Its own keys. */
  readonly options: ClassConstructor<object>;
  /** Keys that it has besides, each with keys of its own. */
  readonly parts?: Readonly<Record<string, ClassConstructor<object>>>;
}

/** Every section. A new one is one row. */
export const SECTIONS: Readonly<Record<string, Section>> = {
  gateway: { options: GatewayOptions },
  hooks: { options: HooksOptions, parts: { mail: MailOptions } },
  agents: { options: AgentsOptions },
  models: { options: ModelsOptions },
  channels: {
    options: ChannelsOptions,
    parts: Object.fromEntries(CHANNEL_IDS.map((id) => [id, ChannelOptions])),
  },
  store: { options: StoreOptions },
  ops: { options: OpsOptions },
};
