import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { HookMetrics } from './hook-metrics.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsOptions } from './ops-options.ts';

type PerMailbox = Gauge<'mailbox'>;

/** How the mailboxes fare, asked when somebody asks. Without a mailbox there is no such metric. */
@Injectable()
export class MailMetrics {
  #gauges:
    { readonly up: PerMailbox; readonly waiting: PerMailbox; readonly lag: PerMailbox } | undefined;

  constructor(
    @Inject(OPS_OPTIONS) private readonly options: OpsOptions,
    private readonly metrics: HookMetrics,
  ) {}

  refresh(): void {
    const status = this.options.mail?.();
    if (status === undefined) return;
    const { up, waiting, lag } = (this.#gauges ??= this.#registered());
    for (const { mailbox, state, ...counts } of status.mailboxes) {
      up.set({ mailbox }, state === 'watching' ? 1 : 0);
      waiting.set({ mailbox }, counts.waiting);
      lag.set({ mailbox }, counts.lagSeconds);
    }
  }

  #registered(): { up: PerMailbox; waiting: PerMailbox; lag: PerMailbox } {
    const gauge = (name: string, help: string): PerMailbox =>
      new Gauge({ name, help, labelNames: ['mailbox'], registers: [this.metrics.registry] });
    return {
      up: gauge('hooks_mail_up', '1 while new mail of the mailbox is sent as it arrives, else 0.'),
      waiting: gauge('hooks_mail_waiting', 'Messages that are known and not accepted yet.'),
      lag: gauge('hooks_mail_lag_seconds', 'How long the first of them has been known.'),
    };
  }
}
