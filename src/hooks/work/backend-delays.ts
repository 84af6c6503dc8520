import { Injectable } from '@nestjs/common';
import { LedgerAdmin } from '../ports/index.ts';
import { RunDelays } from '../ports/run-delays.ts';
import { BackendHealth, waitLine } from './backend-health.ts';
import { waitingFor } from './run.ts';

/** Runs wait for backends that are away. */
@Injectable()
export class BackendDelays extends RunDelays {
  constructor(
    private readonly backends: BackendHealth,
    private readonly admin: LedgerAdmin,
  ) {
    super();
  }

  async describe(error: string): Promise<string | undefined> {
    const isAwaited = (backend: string) => error.startsWith(waitingFor(backend));
    const away = this.backends.list().find(({ backend }) => isAwaited(backend));
    if (away === undefined) return undefined;
    const resting = new Map(Object.entries(await this.admin.resting().catch(() => ({}))));
    return waitLine(away, resting.get(away.backend) ?? 0);
  }
}
