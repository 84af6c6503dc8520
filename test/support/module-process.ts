import { Test } from '@nestjs/testing';
import { HooksModule } from '../../src/hooks/index.ts';
import type { HooksModuleOptions } from '../../src/hooks/index.ts';
import { WorkLedger } from '../../src/hooks/ports/index.ts';
import type { Clock, Lane, Lease, Ledger } from '../../src/hooks/ports/index.ts';
import { DeliveryStep } from '../../src/hooks/work/delivery.ts';
import { HandlerStep, isHandled } from '../../src/hooks/work/handler-step.ts';
import { Notices } from '../../src/hooks/work/notice.ts';
import { RunStep } from '../../src/hooks/work/run.ts';
import type { StepResult } from '../../src/hooks/work/step.ts';
import { TapStep } from '../../src/hooks/work/tap-step.ts';
import type { LastingMemory } from './lasting-memory.ts';
import { Life } from './mortal-process.ts';
import { LineLog } from './secret-free-log.ts';

const NEVER = new AbortController().signal;

interface Lasting {
  readonly memory: LastingMemory;
  readonly clock: Clock;
}

/** One process of the whole module on the ledger as it finds it. Its steps are made one by one, and it may die at any of its calls. */
export class ModuleProcess {
  private constructor(
    readonly life: Life,
    readonly ledger: Ledger,
    readonly find: <T>(token: abstract new (...given: never[]) => T) => T,
  ) {}

  /** @param observed parts of the ledger in place of its own; they are mortal, too */
  static async start(
    { memory, clock }: Lasting,
    optionsOf: (life: Life) => Omit<HooksModuleOptions, 'ledger' | 'clock'>,
    observed: (opened: Ledger) => Partial<Pick<Ledger, 'admin'>> = () => ({}),
  ): Promise<ModuleProcess> {
    const life = new Life();
    const opened = await memory.open(clock);
    const { admin } = observed(opened);
    const ledger: Ledger = {
      ...opened,
      work: life.mortal(opened.work),
      ...(admin && { admin: life.mortal(admin) }),
    };
    const module = HooksModule.forRoot({
      ledger: { open: async () => ledger },
      clock,
      token: 'the-hook-token-of-the-histories',
      ...optionsOf(life),
    });
    const compiled = await Test.createTestingModule({ imports: [module] })
      .setLogger(new LineLog())
      .compile();
    return new ModuleProcess(life, ledger, (token) => compiled.get(token, { strict: false }));
  }

  /** Does work of a lane that is up. @returns how much there was */
  async work(lane: Lane, most = 1): Promise<number> {
    const work = this.find(WorkLedger);
    const leases = await work.claim(lane, most, NEVER, () =>
      lane === 'delivery' ? { resting: this.find(DeliveryStep).resting } : {},
    );
    for (const lease of leases) {
      const { outcome, changes } = await this.#step(lease);
      await work.commit(lease, outcome, changes);
    }
    return leases.length;
  }

  #step(lease: Lease): Promise<StepResult> {
    switch (lease.kind) {
      case 'run':
        return this.find(RunStep).perform(lease, NEVER);
      case 'delivery':
        if (isHandled(lease)) return this.find(HandlerStep).perform(lease, NEVER);
        return this.find(DeliveryStep).perform(lease, NEVER);
      case 'notice':
        if (lease.job.taps === undefined) return this.find(Notices).perform();
        return this.find(TapStep).perform(lease, NEVER);
      case 'heartbeat':
        throw new Error('nobody has asked for a heartbeat');
    }
  }
}
