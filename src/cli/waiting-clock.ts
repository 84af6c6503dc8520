import { setTimeout as delay } from 'node:timers/promises';
import { SystemClock } from '../hooks/index.ts';

/** The time of a command: waiting is what it is there for, so waiting keeps its process alive. */
export class WaitingClock extends SystemClock {
  override async wait(ms: number, signal?: AbortSignal): Promise<void> {
    try {
      await delay(ms, undefined, { signal });
    } catch {
      // Aborted: the caller looks at its own signal.
    }
  }
}
