import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Operations } from '../hooks/index.ts';
import { HookMetrics } from './hook-metrics.ts';

/** How much work stands where, counted when somebody asks. */
@Injectable()
export class WorkMetrics {
  readonly #work: Gauge<'kind' | 'state'>;
  readonly #ledgerUp: Gauge;

  constructor(
    private readonly operations: Operations,
    { registry }: HookMetrics,
  ) {
    this.#work = new Gauge({
      name: 'hooks_work',
      help: 'Runs, heartbeats and deliveries by state: waiting, running or dead.',
      labelNames: ['kind', 'state'],
      registers: [registry],
    });
    this.#ledgerUp = new Gauge({
      name: 'hooks_ledger_up',
      help: '1 when the ledger could be asked at this scrape, else 0.',
      registers: [registry],
    });
  }

  /** Asks the ledger; when it cannot answer, the scrape says so and carries everything else. */
  async refresh(): Promise<void> {
    this.#work.reset();
    try {
      const counts = await this.operations.counts();
      for (const { kind, state, count } of counts) this.#work.set({ kind, state }, count);
      this.#ledgerUp.set(1);
    } catch {
      this.#ledgerUp.set(0);
    }
  }
}
