import { Injectable } from '@nestjs/common';
import { newId } from '../../platform/new-id.ts';
import { HooksSettings } from '../options/index.ts';
import { AgentDirectory, Clock, deliveryWork } from '../ports/index.ts';
import type { AskedAt, Change, DeliveryJob, NewWork } from '../ports/index.ts';
import { ChannelDelivery } from './channel-delivery.ts';

@Injectable()
export class OperatorAddress {
  constructor(
    private readonly channels: ChannelDelivery,
    private readonly directory: AgentDirectory,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /** `agents.defaults.notify`; by default the default channel, if it has a recipient of its own, else the first that has. */
  find(): AskedAt | null {
    const { notify } = this.settings.current.agents.defaults;
    if (notify === false) return null;
    const reachable = [this.channels.default, ...this.channels.ids].find(
      (id) => this.channels.defaultRecipient(id) !== null,
    );
    const channel = notify?.channel ?? reachable;
    if (channel === undefined) return null;
    const to = notify?.to ?? this.channels.defaultRecipient(channel);
    return to === null ? null : { channel, to };
  }

  message(address: AskedAt, text: string, more: Partial<DeliveryJob> = {}): Change {
    return { type: 'work', work: this.work(address, text, more) };
  }

  /** A message in our own words, unless `more` says otherwise; nothing tells of its own end. */
  work(address: AskedAt, text: string, more: Partial<DeliveryJob>): NewWork {
    const job: DeliveryJob = {
      v: 1,
      deliveryId: newId(),
      eventId: null,
      ...address,
      text,
      runId: null,
      agentId: this.directory.resolve().id,
      becomesLastRoute: false,
      name: 'Notice',
      isNotice: true,
      wakeMode: 'none',
      trust: { level: 'trusted', verifiedBy: 'none' },
      ...more,
    };
    return deliveryWork(job, this.channels.accountOf(address.channel), this.clock.now());
  }
}
