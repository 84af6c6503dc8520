import { Logger } from '@nestjs/common';
import type { Environment } from './environment.ts';
import { whyFragmentsUnwritable } from './fragments.ts';
import { inspectConfiguration } from './inspect.ts';
import type { Inspection } from './inspect.ts';
import type { RunningConfiguration } from './reload.ts';

export interface TakenOver {
  /** False: the files say it, and the service goes on as before; what is wrong is shown as with any changed file. */
  readonly isInForce: boolean;
  /** Keys that wait for a restart. */
  readonly restartFor: readonly string[];
}

/** Changes fragments for the running service, one after the other; each is taken over when it is answered. */
export class FragmentKeeper {
  readonly #logger = new Logger('Configuration');
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly running: RunningConfiguration,
    readonly env: Environment,
  ) {}

  get dir(): string {
    return this.running.started.dir;
  }

  /** Why no fragment can be written, as the code of the system; undefined: nothing is in the way. */
  get unwritable(): string | undefined {
    return whyFragmentsUnwritable(this.dir);
  }

  /**
   * Two at a time would each write without what the other wrote.
   * @param what was done, for the log
   * @throws what `change` does; nothing was written then
   */
  change<T extends object>(
    what: string,
    change: (here: Inspection) => Promise<T>,
  ): Promise<T & TakenOver> {
    const run = async (): Promise<T & TakenOver> => {
      const waitedFor = this.running.unapplied.restartFor;
      const changed = await change(await inspectConfiguration(this.dir, this.env));
      this.#logger.log(what);
      await this.running.reread();
      const { refused, restartFor } = this.running.unapplied;
      const news = restartFor.filter((key) => !waitedFor.includes(key));
      return { ...changed, isInForce: refused.length === 0, restartFor: news };
    };
    const done = this.#last.then(run, run);
    this.#last = done;
    return done;
  }
}
