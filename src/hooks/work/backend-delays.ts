import { Injectable } from '@nestjs/common';
import { RunDelays } from '../ports/run-delays.ts';
import { waitLine } from './backend-health.ts';
import { ExternalServices } from './external-services.ts';

@Injectable()
export class BackendDelays extends RunDelays {
  constructor(private readonly services: ExternalServices) {
    super();
  }

  async describe(backend: string): Promise<string | undefined> {
    const away = this.services.backends().find((one) => one.backend === backend);
    if (away === undefined) return undefined;
    const behind = await this.services.behind();
    return waitLine(away, behind.get(backend) ?? 0);
  }
}
