import { Injectable, Logger } from '@nestjs/common';
import { describeError } from '../../platform/errors.ts';
import { HooksSettings } from '../options/index.ts';
import { Clock, Maintenance } from '../ports/index.ts';

const DAY_MS = 86_400_000;
const BETWEEN_ROUNDS_MS = 60_000;
/** Between two small steps, so that requests and work come first. */
const BETWEEN_STEPS_MS = 20;

/**
 * Forgets payloads, prompts and replies after `payloadDays`, whole events after `eventDays`, in small steps. The next
 * round begins a minute later; a failure is logged and costs a minute. A stop waits for the step that is under way.
 */
@Injectable()
export class Retention {
  readonly #logger = new Logger(Retention.name);
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly maintenance: Maintenance,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const hasMore = await this.#step();
      await this.clock.wait(hasMore ? BETWEEN_STEPS_MS : BETWEEN_ROUNDS_MS, signal);
    }
  }

  async #step(): Promise<boolean> {
    const { payloadDays, eventDays } = this.settings.current.retention;
    const now = this.clock.now();
    try {
      return await this.maintenance.prune({
        now,
        payloadsBefore: now - payloadDays * DAY_MS,
        eventsBefore: now - eventDays * DAY_MS,
      });
    } catch (error) {
      const reason = describeError(error);
      this.#logger.warn(`forgetting old events failed; trying again in a minute: ${reason}`);
      return false;
    }
  }
}
