import { Injectable, Logger } from '@nestjs/common';
import { DURATION, HooksSettings } from '../options/index.ts';
import { AgentDirectory, Clock, WorkLedger, periodicHeartbeat } from '../ports/index.ts';
import type { Change } from '../ports/index.ts';
import { isActive } from './active-hours.ts';

const UNIT_MS = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** Periodic heartbeats. Each one schedules the next durably, so that one that came due while the service was down is caught up. */
@Injectable()
export class HeartbeatSchedule {
  readonly #logger = new Logger(HeartbeatSchedule.name);

  constructor(
    private readonly work: WorkLedger,
    private readonly directory: AgentDirectory,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /** Whether a periodic heartbeat that is due now takes place. */
  get isDue(): boolean {
    const { activeHours } = this.settings.current.agents.defaults.heartbeat;
    return this.#everyMs > 0 && isActive(activeHours, this.clock.now());
  }

  /** Sees to it that every agent has a next heartbeat, now and whenever the settings change. */
  async start(): Promise<void> {
    this.settings.onReplaced(() => {
      this.#scheduleAll().catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : 'unknown';
        this.#logger.error({ error: reason }, 'scheduling heartbeats failed');
      });
    });
    await this.#scheduleAll();
  }

  async #scheduleAll(): Promise<void> {
    if (this.#everyMs === 0) return;
    const dueAt = this.clock.now() + this.#everyMs;
    const agents = this.directory.list();
    await Promise.all(agents.map(({ id }) => this.work.add(periodicHeartbeat(id, dueAt))));
  }

  next(agentId: string): readonly Change[] {
    if (this.#everyMs === 0) return [];
    const dueAt = this.clock.now() + this.#everyMs;
    return [{ type: 'work', work: periodicHeartbeat(agentId, dueAt) }];
  }

  get #everyMs(): number {
    const [, amount, unit = ''] =
      DURATION.exec(this.settings.current.agents.defaults.heartbeat.every) ?? [];
    return Number(amount) * (UNIT_MS.get(unit) ?? 0);
  }
}
